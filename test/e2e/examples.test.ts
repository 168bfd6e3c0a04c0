import { readdirSync, readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import { SEED } from '../../sandbox/service';
import { emissions, publish, unpublish } from './support/active';
import { useModel } from './support/agentModel';
import { chat } from './support/agentWorkflows';
import { EXAMPLES, recipe, withItems, withParameters } from './support/recipe';
import { ID_OF_ITEM, jsonOf, until, useStack } from './support/stack';

const stack = useStack();
const model = useModel(stack);
const control = () => stack().sandbox.control;

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

test('all examples are tested here', () => {
	const text = readFileSync(__filename, 'utf8');
	expect(files.filter((file) => !text.includes(`recipe('${file}'`))).toEqual([]);
});

test.each(files)('%s holds no credential', (file) => {
	expect(recipe(file).nodes.filter((node) => 'credentials' in node)).toEqual([]);
});

test('the tour reads, updates, reads again and deletes', async () => {
	const tour = recipe('tour.json');
	const before = control().instance(102);
	const execution = await stack().run(tour);
	expect(execution.status).toBe('success');
	const after = control().instance(102);
	expect(after).toEqual({
		...before,
		deadline: expect.any(String),
		tags: [...(before?.tags ?? []), 'tour'],
		last_updated_time: expect.any(String),
	});
	expect(after?.deadline).not.toBe(before?.deadline);
	expect([107, 108].map((id) => control().instance(id))).toEqual([undefined, undefined]);
	expect(jsonOf(execution, 'Get Deleted', 1)).toHaveLength(2);
	expect((await stack().run(tour)).status).toBe('success');
	expect(control().instance(102)?.tags).toEqual(after?.tags);
});

test('one instance is read with its snapshot', async () => {
	const [instance] = jsonOf(await stack().run(recipe('read-instance.json')), 'Get Instance');
	expect(instance).toMatchObject({ id: 101, process_snapshot: expect.any(Object) });
});

describe('the nightly clean-up', () => {
	const cleanUp = recipe('nightly-clean-up.json');

	test('lists what it would delete, and deletes nothing', async () => {
		const before = control().ids();
		const execution = await stack().run(cleanUp, 'Try It Now');
		expect(execution.status).toBe('success');
		const old = SEED.completedLongAgo.filter((id) => id <= 124);
		expect(jsonOf(execution, 'Delete Old Instances')).toEqual(
			old.map((id) => {
				const { name, stage } = control().instance(id) ?? {};
				return { id, deleted: false, dryRun: true, found: true, name, stage };
			}),
		);
		expect(jsonOf(execution, 'Could Not Be Read').map(({ id }) => id)).toEqual([9000001]);
		expect(control().ids()).toEqual(before);
	});

	test('deletes from a list of its own once Dry Run is off', async () => {
		const [old = 0, recent = 0] = [SEED.completedLongAgo[1], SEED.completedRecently[1]];
		const rows = [old, SEED.unknown, recent].map((instance, index) => ({ id: index, instance }));
		const instanceId = { ...ID_OF_ITEM, value: '={{ $json.instance }}' };
		const named = withParameters(cleanUp, 'Get Instance', { instanceId });
		const options = { dryRun: false, onEmpty: 'nothing' };
		const deleting = withParameters(named, 'Delete Old Instances', { options });
		const listed = withItems(deleting, 'One Item per Instance', rows);
		const execution = await stack().run(listed, 'Try It Now');
		expect(jsonOf(execution, 'Delete Old Instances')).toEqual([{ id: old, deleted: true }]);
		expect(control().instance(old)).toBeUndefined();
		expect(control().instance(recent)).toBeDefined();
		await publish(stack(), await stack().store(deleting));
	});
});

describe('deadlines are pushed', () => {
	test('and what could not be is listed with the reason', async () => {
		const execution = await stack().run(recipe('push-deadlines.json'));
		expect(jsonOf(execution, 'Done').map(({ id }) => id)).toEqual([101, 102, 104]);
		expect(jsonOf(execution, 'To Look At')).toEqual([
			{
				id: 9000001,
				wanted: '2027-03-31',
				reason: expect.stringContaining('Not found.'),
				advice: expect.any(String),
			},
		]);
		expect(control().instance(104)?.deadline).toBe('2027-03-31T17:00:00+02:00');
		expect(control().instance(101)?.deadline).toMatch(/^2027-03-31T00:00:00(Z|[+-]\d\d:\d\d)$/);
	});
});

test('a step is reassigned, and keeps its place', async () => {
	const [first, , ...rest] = control().instance(SEED.fullyFilled)?.step_assignments ?? [];
	const execution = await stack().run(recipe('reassign-step.json'));
	const assignments = [first, { step_id: 1202, user_id: 45 }, ...rest];
	expect(jsonOf(execution, 'Assignments Now')).toEqual(assignments);
	expect(control().instance(SEED.fullyFilled)?.step_assignments).toEqual(assignments);
});

test('a webhook, in production, tags and prioritizes, or answers why it changed nothing', async () => {
	const send = async (body: object) => {
		const response = await fetch(`${stack().n8n.url}/webhook/tag-and-prioritise`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: response.status, body: await response.json() };
	};
	await publish(stack(), await stack().store(recipe('tag-and-prioritise.json')));
	// n8n registers the webhook a moment after it has answered.
	await until(async () => (await send({})).status !== 404);
	const before = control().instance(101);
	expect(await send({ id: 101, tags: ['vip', 'renewal'], urgent: true })).toMatchObject({
		status: 200,
		body: { id: 101, priority: 'V' },
	});
	const kept = { ...before, tags: [...(before?.tags ?? []), 'vip', 'renewal'] };
	const last_updated_time = expect.any(String);
	expect(control().instance(101)).toEqual({ ...kept, priority: 'V', last_updated_time });
	expect((await send({ id: 101, tags: [] })).status).toBe(200);
	expect(control().instance(101)).toEqual({ ...kept, priority: null, last_updated_time });
	expect(await send({ id: 'abc', tags: [] })).toMatchObject({
		status: 422,
		body: { reason: expect.stringContaining("'Instance'") },
	});
});

test('someone is told when an instance is finished or overdue', async () => {
	const id = await stack().store(recipe('tell-when-finished.json'));
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), 'Tell Someone');
	expect(samples.map(({ eventId }) => eventId)).toEqual([
		'101-completed-sample',
		'102-completed-sample',
		'104-overdue-sample',
		'106-completed-sample',
	]);
	control().clearLog();
	await publish(stack(), id);
	await until(() => control().stats().byStatus[200] === samples.length);
	await unpublish(stack(), id);
	control().change(101, { state: 'completed' });
	control().change(102, { deadline: '2020-01-01T00:00:00Z' });
	await publish(stack(), id);
	const told = async () => await emissions(stack(), id, 'Tell Someone');
	// The first execution is that of the sample.
	await until(async () => (await told()).length === 2);
	expect((await told())[1]?.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is completed\. Stage: \w/),
		expect.stringMatching(/^Instance 102 \(.+\) has been overdue since 2020-01-01/),
	]);
	await unpublish(stack(), id);
});

/** From its n-th Get on, the service answers that the instance has these values. */
function becomes(id: number, values: IDataObject, nth = 1): void {
	const body = JSON.stringify({ ...control().instance(id), ...values });
	control().addFault({
		match: { method: 'GET', ids: [id], nth },
		times: 0,
		action: { type: 'respond', status: 200, body },
	});
}

/** The instances that were read, in the order of the requests. */
const read = () =>
	control()
		.log()
		.filter(({ method }) => method === 'GET')
		.map(({ url }) => Number(/\/instances\/(\d+)\//.exec(url)?.[1]));

test('each instance of a list is waited for by itself, up to the last round', async () => {
	const condition = {
		id: 'rounds',
		leftValue: '={{ $runIndex + 1 }}',
		rightValue: 2,
		operator: { type: 'number', operation: 'lt' },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const twoRounds = withParameters(recipe('wait-until-finished.json'), 'Any Rounds Left', {
		conditions: { options, conditions: [condition], combinator: 'and' },
	});
	const quick = withParameters(twoRounds, 'Wait', { amount: 1, unit: 'seconds' });
	const ids = [SEED.running, SEED.aborted, SEED.unknown, SEED.overdue];
	const completed_time = '2027-03-31T15:00:00Z';
	becomes(SEED.overdue, { completed_time }, 2);
	const items = ids.map((id) => ({ id }));
	const execution = await stack().run(withItems(quick, 'Choose an Instance', items));
	expect(read()).toEqual([101, 105, 999_999, 104, 101, 104]);
	const { Finished: runs = [] } = execution.data.resultData.runData;
	const finished = runs.flatMap(({ data }) => data?.main?.[0] ?? []).map(({ json }) => json);
	expect(finished).toEqual([
		expect.objectContaining({ id: 105, outcome: 'aborted' }),
		{ id: 104, name: expect.any(String), outcome: 'completed', time: completed_time },
	]);
	expect(jsonOf(execution, 'Not Finished in Time').map(({ id }) => id)).toEqual([101]);
	expect(jsonOf(execution, 'Could Not Be Read')).toEqual([
		{ id: SEED.unknown, reason: expect.any(String), advice: expect.any(String) },
	]);
});

test('the watch list tells each change once, and never again of what has finished', async () => {
	const { rest } = stack().n8n;
	const id = await stack().store(recipe('watch-list.json'));
	const setUp = async () => {
		const { status } = await rest.runWorkflow(id, { trigger: 'Set Up Once' });
		expect(status).toBe('success');
	};
	const look = async () => {
		control().clearLog();
		const execution = await rest.runWorkflow(id, { trigger: 'Every 15 Minutes' });
		expect(execution.status).toBe('success');
		return {
			told: jsonOf(execution, 'Tell Someone').map(({ text }) => text),
			remembered: jsonOf(execution, 'Remember').map(({ instance }) => instance),
			unread: jsonOf(execution, 'Could Not Be Read').map(({ instance }) => instance),
			read: read().sort(),
		};
	};
	const quiet = { told: [], remembered: [], unread: [9_000_001], read: [101, 102, 9_000_001] };
	await setUp();
	expect(await look()).toEqual({
		...quiet,
		remembered: [101, 102, 107],
		read: [101, 102, 107, 9_000_001],
	});
	expect(await look()).toEqual(quiet);

	becomes(101, { stage: 'Review' });
	becomes(102, { aborted_time: '2027-03-31T15:00:00Z' });
	expect(await look()).toEqual({
		...quiet,
		told: [
			expect.stringMatching(/^Instance 101 \(.+\) is running\. Stage: Preparation → Review$/),
			expect.stringMatching(/^Instance 102 \(.+\) is aborted\. Stage: /),
		],
		remembered: [101, 102],
	});

	await setUp();
	expect(await look()).toEqual({ ...quiet, read: [101, 9_000_001] });
});

describe('an update from a table', () => {
	test('updates what it can, and reports the refused rows in one item', async () => {
		const untouched = [104, 106].map((id) => control().instance(id));
		const execution = await stack().run(recipe('update-from-table.json'));
		expect(jsonOf(execution, 'Updated').map(({ id }) => id)).toEqual([101, 102]);
		expect(control().instance(101)).toMatchObject({
			priority: 'H',
			deadline: expect.stringMatching(/^2027-03-31T00:00/),
		});
		expect(control().instance(102)).toMatchObject({
			priority: 'V',
			tags: ['finance', 'urgent'],
			deadline: expect.stringMatching(/^2027-04-15T17:00/),
		});
		expect([104, 106].map((id) => control().instance(id))).toEqual(untouched);
		const row = (id: string, reason: string) => ({
			id,
			reason: expect.stringContaining(reason),
			advice: expect.any(String),
		});
		expect(jsonOf(execution, 'Report')).toEqual([
			{
				updated: 2,
				refused: 3,
				rows: [
					row('104', "'Deadline' is empty"),
					row('106', "'Priority' is not a priority"),
					row('9000001', 'did not find'),
				],
				text: expect.stringMatching(/^Instance 104: .+\nInstance 106: .+\nInstance 9000001: .+/),
			},
		]);
	});

	test('takes the rows of a table whose id is the number of the row, as its note says', async () => {
		const row = { deadline: '2027-03-31', priority: 'High' };
		const rows = [101, 102].map((instance, id) => ({ id, instance, ...row }));
		const workflow = recipe('update-from-table.json', '{{ $json.id }}', '{{ $json.instance }}');
		const execution = await stack().run(withItems(workflow, 'One Item per Row', rows));
		expect(jsonOf(execution, 'Updated').map(({ id }) => id)).toEqual([101, 102]);
		expect(execution.data.resultData.runData).not.toHaveProperty('Report');
	});
});

test('an agent looks up, then changes what it was asked to change', async () => {
	const id = await model.store(recipe('ai-agent.json'));
	const instanceId = SEED.overdue;
	const before = control().instance(instanceId);
	const deadline = '2027-03-31T17:00:00+02:00';
	const text = 'Instance 104 has time until 31 March.';
	const more = { priority: 'H', addTags: 'late' };
	model.play(
		[
			[{ tool: 'Look_Up_Instance', arguments: { instanceId } }],
			[{ tool: 'Set_Deadline', arguments: { instanceId, deadline } }],
			[{ tool: 'Prioritize_and_Tag', arguments: { instanceId, ...more } }],
		],
		text,
	);
	const { rest } = stack().n8n;
	const execution = await rest.waitForExecution(await chat(rest, id, 'Give 104 until 31 March'));
	expect(jsonOf(execution, 'Agent')[0]?.output).toBe(text);
	const tools = ['Look_Up_Instance', 'Prioritize_and_Tag', 'Set_Deadline'];
	expect(model.offered().map(({ name }) => name)).toEqual(tools);
	expect(control().instance(instanceId)).toEqual({
		...before,
		deadline,
		priority: 'H',
		tags: [...(before?.tags ?? []), 'late'],
		last_updated_time: expect.any(String),
	});
});

describe('an agent that deletes', () => {
	// n8n gives the page to people only, because programs that look at links must approve nothing.
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36' };
	const ASKED = 'The agent wants to delete for good: ';
	const shown = { toolParameters: { instanceIds: '107, 108' }, hitlParameters: {} };

	const deletions = () =>
		control()
			.log()
			.filter(({ method }) => method === 'POST')
			.map(({ body }) => JSON.parse(body));

	/** What n8n has stored of an execution, once it waits and the words are in it. */
	async function waiting(id: string, words: string): Promise<string> {
		let data = '';
		await until(async () => {
			const stored = await stack().n8n.rest.call('GET', `/executions/${id}`);
			data = textAt(stored, 'data', 'The execution');
			return textAt(stored, 'status', 'The execution') === 'waiting' && data.includes(words);
		});
		return data;
	}

	test.each<[string, IDataObject, string, boolean, number[][], string?]>([
		['deletes after somebody chose Delete', shown, '107, 108', true, [[107, 108]], 'deleted'],
		['deletes nothing after Keep, and learns it', shown, '107, 108', false, [], 'rejected'],
		['deletes no IDs that the person is not shown', { instanceIds: '107, 108' }, '', true, []],
	])('%s, and not before', async (...row) => {
		const [, call, ids, isApproved, deleted, answer = ''] = row;
		const { rest } = stack().n8n;
		const id = await model.store(recipe('approve-deletion.json'));
		const lookUp = { tool: 'Look_Up_Instance', arguments: { instanceId: 107 } };
		model.play([[lookUp], [{ tool: 'Delete_Instances', arguments: call }]], 'That is it.');
		const executionId = await chat(rest, id, 'Delete 107 and 108');
		const data = await waiting(executionId, `"${ASKED}${ids}"`);
		expect(deletions()).toEqual([]);
		const links = data.match(/http:[^"]+\/webhook-waiting\/[^"]+/g) ?? [];
		const link = links.find((each) => each.includes(`approved=${isApproved}`));
		expect(await (await fetch(String(link), { headers })).text()).toContain('Got it, thanks');
		await waiting(executionId, '"That is it."');
		await rest.call('POST', `/executions/${executionId}/stop`, {});
		expect(deletions()).toEqual(deleted.map((each) => ({ ids: each })));
		expect(model.answers()).toEqual([
			expect.stringContaining('"id":107'),
			expect.stringContaining(answer),
		]);
		expect(
			model.offered().map(({ name, parameters }) => [name, Object.keys(parameters.properties)]),
		).toEqual([
			['Delete_Instances', ['toolParameters', 'hitlParameters']],
			['Look_Up_Instance', ['instanceId']],
		]);
	});
});
