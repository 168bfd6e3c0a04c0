import { readdirSync, readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { emissions, publish, unpublish } from './support/active';
import { useModel } from './support/agentModel';
import { withMessage } from './support/agentWorkflows';
import { EXAMPLES, recipe } from './support/recipe';
import { jsonOf, START, until, useStack, withItems } from './support/stack';

const stack = useStack();
const model = useModel(stack);
const control = () => stack().sandbox.control;

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

/** From its n-th Get on, the service answers that the instance has these values. */
function becomes(id: number, values: IDataObject, nth = 1): void {
	const body = JSON.stringify({ ...control().instance(id), ...values });
	control().addFault({
		match: { method: 'GET', ids: [id], nth },
		times: 0,
		action: { type: 'respond', status: 200, body },
	});
}

const logOf = (wanted: string) =>
	control()
		.log()
		.filter(({ method }) => method === wanted);

/** The instances that were read, in the order of the requests. */
const read = () => logOf('GET').map(({ url }) => Number(/\/instances\/(\d+)\//.exec(url)?.[1]));
const bodies = (method: string) => logOf(method).map(({ body }) => JSON.parse(body));

test('every recipe is tested in this file', () => {
	const text = readFileSync(__filename, 'utf8');
	expect(files.filter((file) => !text.includes(`recipe('${file}'`))).toEqual([]);
});

test.each(files)('the recipe %s contains no credential', (file) => {
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
	expect([108, 110].map((id) => control().instance(id))).toEqual([undefined, undefined]);
	expect(jsonOf(execution, 'Get Deleted Instances', 1)).toHaveLength(2);
	expect((await stack().run(tour)).status).toBe('success');
	expect(control().instance(102)?.tags).toEqual(after?.tags);
});

test('the recipe that reads an instance returns each entered value as one item', async () => {
	const values = jsonOf(await stack().run(recipe('read-instance.json')), 'Split Out Values');
	expect(values).toEqual([
		{ step: 'Record invoice', label: 'Currency', value: 'EUR' },
		{ step: 'Check against order', label: 'Cost center', value: '4120' },
	]);
});

describe('the nightly clean-up', () => {
	const WHY = { reason: expect.any(String), advice: expect.any(String) };
	const attention = (...ids: string[]) => ids.map((instance_id) => ({ instance_id, ...WHY }));

	test('lists what it would delete, and deletes nothing', async () => {
		const before = control().ids();
		const execution = await stack().run(recipe('nightly-clean-up.json'));
		expect(jsonOf(execution, 'Delete Old Instances')).toEqual(
			[108, 110, 113, 118].map((id) => {
				const { name, stage } = control().instance(id) ?? {};
				return { id, deleted: false, dryRun: true, found: true, name, stage };
			}),
		);
		expect(jsonOf(execution, 'Needs Attention')).toEqual(attention('9000001'));
		expect(control().ids()).toEqual(before);
	});

	test('deletes the old ones by their instance_id, and lists those that it cannot', async () => {
		const [old = 0, recent = 0] = [SEED.completedLongAgo[1], SEED.completed];
		becomes(SEED.running, { aborted_time: '2020-01-01T00:00:00Z' });
		// As if another run had deleted it after this one has read it.
		becomes(SEED.unknown, { completed_time: '2020-01-01T00:00:00Z' });
		const ids = [old, 'none', SEED.unknown, recent, SEED.running];
		const rows = ids.map((instance_id, index) => ({ id: 110 + index, instance_id }));
		const deleting = recipe('nightly-clean-up.json', { '"dryRun": true': '"dryRun": false' });
		const execution = await stack().run(withItems(deleting, 'Split Out IDs', rows));
		const deleted = [old, SEED.running].map((id) => ({ id, deleted: true }));
		expect(jsonOf(execution, 'Delete Old Instances')).toEqual(deleted);
		const unread = attention('none', String(SEED.unknown));
		expect(jsonOf(execution, 'Needs Attention')).toEqual(unread);
		expect(control().ids()).toEqual(SEED.all.filter((id) => id !== old && id !== SEED.running));
		await publish(stack(), await stack().store(deleting));
	});
});

test('the recipe that reassigns a step keeps its place in the list', async () => {
	const [first, , ...rest] = control().instance(SEED.fullyFilled)?.step_assignments ?? [];
	const execution = await stack().run(recipe('reassign-step.json'));
	const assignments = [first, { step_id: 1202, user_id: 45 }, ...rest];
	expect(jsonOf(execution, 'Split Out Assignments')).toEqual(assignments);
	expect(control().instance(SEED.fullyFilled)?.step_assignments).toEqual(assignments);
});

test('a webhook, in production, tags and prioritizes, or responds why it changed nothing', async () => {
	const send = async (body: object) => {
		const response = await fetch(`${stack().n8n.url}/webhook/tag-and-prioritize`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: response.status, body: await response.json() };
	};
	await publish(stack(), await stack().store(recipe('tag-and-prioritize.json')));
	// n8n registers the webhook a moment after it has answered.
	await until(async () => (await send({})).status !== 404);
	const before = control().instance(101);
	const call = { instance_id: 101, tags: ['vip', 'renewal'], priority: 'Very High' };
	expect(await send(call)).toMatchObject({
		status: 200,
		body: { id: 101, priority: 'V' },
	});
	const kept = { ...before, tags: [...(before?.tags ?? []), 'vip', 'renewal'] };
	const last_updated_time = expect.any(String);
	expect(control().instance(101)).toEqual({ ...kept, priority: 'V', last_updated_time });
	expect((await send({ instance_id: 101 })).status).toBe(200);
	expect(control().instance(101)).toEqual({ ...kept, priority: 'V', last_updated_time });
	expect(await send({ instance_id: 'abc', tags: [] })).toMatchObject({
		status: 422,
		body: { reason: expect.stringContaining("'Instance'") },
	});
});

test('a notification tells that an instance is finished or overdue', async () => {
	const id = await stack().store(recipe('notify-when-finished.json'));
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), 'Notify');
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
	const told = async () => await emissions(stack(), id, 'Notify');
	// The first execution is that of the sample.
	await until(async () => (await told()).length === 2);
	expect((await told())[1]?.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is completed\. Stage: \w/),
		expect.stringMatching(/^Instance 102 \(.+\) has been overdue since 2020-01-01/),
	]);
	await unpublish(stack(), id);
});

test('each instance of a list is waited for by itself, up to the last round', async () => {
	const twoQuickRounds = recipe('wait-until-finished.json', {
		'"rightValue": 100': '"rightValue": 2',
		'"amount": 15': '"amount": 1',
		'"unit": "minutes"': '"unit": "seconds"',
	});
	const ids = [SEED.running, SEED.aborted, SEED.unknown, SEED.overdue];
	const completed_time = '2027-03-31T15:00:00Z';
	becomes(SEED.overdue, { completed_time }, 2);
	const items = ids.map((instance_id, id) => ({ id, instance_id }));
	const execution = await stack().run(withItems(twoQuickRounds, 'Set Instance ID', items));
	expect(read()).toEqual([101, 105, 999_999, 104, 101, 104]);
	const { Finished: runs = [] } = execution.data.resultData.runData;
	const finished = runs.flatMap(({ data }) => data?.main?.[0] ?? []).map(({ json }) => json);
	expect(finished).toEqual([
		expect.objectContaining({ id: 105, outcome: 'aborted' }),
		{ id: 104, name: expect.any(String), outcome: 'completed', time: completed_time },
	]);
	expect(jsonOf(execution, 'Not Finished in Time').map(({ id }) => id)).toEqual([101]);
	expect(jsonOf(execution, 'Needs Attention')).toEqual([
		{ id: String(SEED.unknown), reason: expect.any(String), advice: expect.any(String) },
	]);
});

test('the watch list creates its table, tells each change once, and leaves out what has finished', async () => {
	const { rest } = stack().n8n;
	const id = await stack().store(recipe('watch-list.json'));
	const look = async () => {
		control().clearLog();
		const execution = await rest.runWorkflow(id);
		expect(execution.status).toBe('success');
		const ids = (node: string) =>
			jsonOf(execution, node).map(({ instance_id }) => Number(instance_id));
		return {
			told: jsonOf(execution, 'Notify').map(({ text }) => text),
			stored: ids('Update Watch List'),
			unread: ids('Needs Attention'),
			read: read().sort(),
		};
	};
	const quiet = { told: [], stored: [], unread: [9_000_001], read: [101, 102, 9_000_001] };
	expect(await look()).toEqual({ ...quiet, unread: [], read: [] });
	const table = { __rl: true, mode: 'name', value: 'Watched instances' };
	const columns = { mappingMode: 'autoMapInputData', value: {} };
	const rows = [101, 102, 107, 9_000_001].map((instance_id) => ({ instance_id }));
	const add = { dataTableId: table, columns };
	const adding = newWorkflow('Rows', [
		START,
		workflowNode('Add', 'n8n-nodes-base.dataTable', 1.1, add),
	]);
	expect((await stack().run(withItems(adding, START.name, rows))).status).toBe('success');
	expect(await look()).toEqual({
		...quiet,
		stored: [101, 102, 107],
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
		stored: [101, 102],
	});
	expect(await look()).toEqual({ ...quiet, read: [101, 9_000_001] });
});

describe('an update from a table', () => {
	test('updates what it can, and reports the rejected rows in one item', async () => {
		const [{ deadline } = {}, untouched] = [104, 106].map((id) => control().instance(id));
		const execution = await stack().run(recipe('update-from-table.json'));
		expect(jsonOf(execution, 'Updated').map(({ id }) => id)).toEqual([101, 102, 104, 109]);
		expect([101, 102, 104, 109].map((id) => control().instance(id))).toMatchObject([
			{ priority: 'H', deadline: expect.stringMatching(/^2027-03-31T00:00/) },
			{
				priority: 'V',
				tags: ['finance', 'urgent'],
				deadline: expect.stringMatching(/^2027-04-15T17:00/),
			},
			// Its row has no deadline.
			{ priority: 'H', deadline },
			{ priority: null, deadline: '2027-04-15T17:00:00+02:00' },
		]);
		expect(control().instance(106)).toEqual(untouched);
		const row = (instance_id: string, reason: string) => ({
			instance_id,
			reason: expect.stringContaining(reason),
			advice: expect.any(String),
		});
		expect(jsonOf(execution, 'Report')).toEqual([
			{
				updated: 4,
				rejected: 2,
				rows: [row('106', "'Priority'"), row('9000001', 'Not found.')],
				text: expect.stringMatching(
					/^Instance 106: .+\. Use .+\nInstance 9000001: .+Not found\. Check /,
				),
			},
		]);
	});

	test('takes the rows of a Data Table, whose id is the number of the row', async () => {
		const row = { deadline: '2027-03-31', priority: 'High' };
		const rows = [101, 102].map((instance_id, id) => ({ id, instance_id, ...row }));
		const workflow = withItems(recipe('update-from-table.json'), 'Split Out Rows', rows);
		const execution = await stack().run(workflow);
		expect(jsonOf(execution, 'Updated').map(({ id }) => id)).toEqual([101, 102]);
		expect(execution.data.resultData.runData).not.toHaveProperty('Report');
	});
});

test('an agent reads, then changes only what it was asked to change', async () => {
	const instanceId = SEED.fullyFilled;
	const { deadline, tags = [] } = control().instance(instanceId) ?? {};
	const text = 'Instance 102 is tagged, and urgent.';
	model.play(
		[
			[{ tool: 'Get_Instance', arguments: { instanceId } }],
			[{ tool: 'Add_Tags', arguments: { instanceId, tags: 'late' } }],
			[{ tool: 'Set_Priority', arguments: { instanceId, priority: 'V' } }],
		],
		text,
	);
	const id = await model.store(withMessage(recipe('ai-agent.json'), 'Tag 102, then rush it'));
	const execution = await stack().n8n.rest.runWorkflow(id);
	expect(jsonOf(execution, 'AI Agent')[0]?.output).toBe(text);
	expect(model.offered().map(({ name, required }) => [name, required])).toEqual([
		['Add_Tags', ['instanceId', 'tags']],
		['Get_Instance', ['instanceId']],
		['Set_Priority', ['instanceId', 'priority']],
	]);
	expect(bodies('PUT')).toMatchObject([
		{ priority: 'H', deadline, tags: [...tags, 'late'] },
		{ priority: 'V', deadline, tags: [...tags, 'late'] },
	]);
});

describe('an agent that deletes', () => {
	// n8n gives the page to people only, because programs that look at links must approve nothing.
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36' };
	const ASKED = 'The agent wants to permanently delete these instances: ';
	const shown = { toolParameters: { instanceIds: '107, 113' }, hitlParameters: {} };

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
		['deletes after somebody chose Delete', shown, '107, 113', true, [[107, 113]], 'deleted'],
		['deletes nothing after Keep, and learns it', shown, '107, 113', false, [], 'rejected'],
		['deletes no IDs that the person is not shown', { instanceIds: '107, 113' }, '', true, []],
	])('%s, and not before', async (...row) => {
		const [, call, ids, isApproved, deleted, answer = ''] = row;
		const { rest } = stack().n8n;
		const asked = withMessage(recipe('approve-deletion.json'), 'Delete 107 and 113');
		const get = { tool: 'Get_Instance', arguments: { instanceId: 107 } };
		model.play([[get], [{ tool: 'Delete_Instances', arguments: call }]], 'That is it.');
		const executionId = await rest.startWorkflow(await model.store(asked));
		const data = await waiting(executionId, `"${ASKED}${ids}"`);
		expect(bodies('POST')).toEqual([]);
		const links = data.match(/http:[^"]+\/webhook-waiting\/[^"]+/g) ?? [];
		const link = links.find((each) => each.includes(`approved=${isApproved}`));
		expect(await (await fetch(String(link), { headers })).text()).toContain('Got it, thanks');
		await waiting(executionId, '"That is it."');
		await rest.call('POST', `/executions/${executionId}/stop`, {});
		expect(bodies('POST')).toEqual(deleted.map((each) => ({ ids: each })));
		expect(model.answers()).toEqual([
			expect.stringContaining('"id":107'),
			expect.stringContaining(answer),
		]);
		expect(model.offered().map(({ name, all }) => [name, all])).toEqual([
			['Delete_Instances', ['hitlParameters', 'toolParameters']],
			['Get_Instance', ['instanceId']],
		]);
	});
});
