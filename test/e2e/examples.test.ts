import { readdirSync, readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { readTour } from '../../sandbox/start/workflows';
import { emissions, publish, unpublish } from './support/active';
import { useModel } from './support/agentModel';
import { withMessage } from './support/agentWorkflows';
import { EXAMPLES, recipe } from './support/recipe';
import { jsonOf, locator, START, until, useStack, withItems } from './support/stack';

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

test.each(files)('the recipe %s is tested in this file, and contains no credential', (file) => {
	expect(readFileSync(__filename, 'utf8')).toContain(`recipe('${file}'`);
	expect(recipe(file).nodes.filter((node) => 'credentials' in node)).toEqual([]);
});

test('the tour reads, updates, reads again and deletes, and can be run again', async () => {
	const { tags = [] } = control().instance(102) ?? {};
	for (const round of [1, 2]) {
		const execution = await stack().run(readTour());
		expect([round, execution.status]).toEqual([round, 'success']);
		const deadline = expect.stringMatching(/T00:00:00/);
		expect(control().instance(102)).toMatchObject({ tags: [...tags, 'tour'], deadline });
		expect([108, 110].map((id) => control().instance(id))).toEqual([undefined, undefined]);
		expect(jsonOf(execution, 'Get Deleted Instances', 1)).toHaveLength(2);
	}
});

test('the recipe that reads an instance returns each entered value as one item', async () => {
	const values = jsonOf(await stack().run(recipe('read-instance.json')), 'Split Out Values');
	expect(values).toEqual([
		{ step: 'Record invoice', label: 'Currency', value: 'EUR' },
		{ step: 'Check against order', label: 'Cost center', value: '4120' },
	]);
});

test('the nightly clean-up lists what it would delete, then deletes only that, and lists what it cannot read', async () => {
	const attention = (id: unknown) => ({ instance_id: String(id), reason: expect.any(String) });
	const before = control().ids();
	const listed = await stack().run(recipe('nightly-clean-up.json'));
	expect(jsonOf(listed, 'Delete Old Instances')).toMatchObject(
		[108, 110, 113, 118].map((id) => ({ id, deleted: false, found: true })),
	);
	expect(jsonOf(listed, 'Needs Attention')).toMatchObject([attention(9_000_001)]);
	expect(control().ids()).toEqual(before);

	const [old = 0, recent = 0] = [SEED.completedLongAgo[1], SEED.completed];
	becomes(SEED.running, { aborted_time: '2020-01-01T00:00:00Z' });
	const ids = [old, 'none', SEED.unknown, recent, SEED.running];
	const rows = ids.map((instance_id, index) => ({ id: 110 + index, instance_id }));
	const deleting = recipe('nightly-clean-up.json', { '"dryRun": true': '"dryRun": false' });
	const execution = await stack().run(withItems(deleting, 'Split Out IDs', rows));
	const deleted = [old, SEED.running];
	const output = deleted.map((id) => ({ id, deleted: true }));
	expect(jsonOf(execution, 'Delete Old Instances')).toEqual(output);
	const unread = ['none', SEED.unknown].map(attention);
	expect(jsonOf(execution, 'Needs Attention')).toMatchObject(unread);
	expect(control().ids()).toEqual(before.filter((id) => !deleted.includes(id)));
	await publish(stack(), await stack().store(deleting));
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
	const { name, deadline, tags = [] } = control().instance(101) ?? {};
	const call = { instance_id: 101, tags: ['vip', 'renewal'], priority: 'Very High' };
	// A call without urgency downgrades nothing.
	for (const body of [call, { instance_id: 101 }]) {
		expect(await send(body)).toMatchObject({ status: 200, body: { id: 101, priority: 'V' } });
		const kept = { name, deadline, tags: [...tags, 'vip', 'renewal'] };
		expect(control().instance(101)).toMatchObject({ ...kept, priority: 'V' });
	}
	expect(await send({ instance_id: 'abc', tags: [] })).toMatchObject({
		status: 422,
		body: { reason: expect.stringContaining("'Instance'") },
	});
});

test('a notification tells that an instance is finished or overdue', async () => {
	const id = await stack().store(recipe('notify-when-finished.json'));
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), 'Notify');
	const eventIds = ['101-completed', '102-completed', '104-overdue', '106-completed'];
	expect(samples.map(({ eventId }) => eventId)).toEqual(eventIds.map((id) => `${id}-sample`));
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
	expect(finished).toMatchObject([
		{ id: 105, outcome: 'aborted' },
		{ id: 104, outcome: 'completed', time: completed_time },
	]);
	expect(jsonOf(execution, 'Not Finished in Time')).toMatchObject([{ id: 101 }]);
	expect(jsonOf(execution, 'Needs Attention')).toMatchObject([{ id: String(SEED.unknown) }]);
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
	const adding = workflowNode('Add', 'n8n-nodes-base.dataTable', 1.1, {
		dataTableId: locator('Watched instances', 'name'),
		columns: { mappingMode: 'autoMapInputData', value: {} },
	});
	const rows = [101, 102, 107, 9_000_001].map((instance_id) => ({ instance_id }));
	await stack().run(withItems(newWorkflow('Rows', [START, adding]), START.name, rows));
	const first = { stored: [101, 102, 107], read: [101, 102, 107, 9_000_001] };
	expect(await look()).toEqual({ ...quiet, ...first });
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

test('an update from a table updates what it can, and reports the rejected rows in one item', async () => {
	const [{ deadline } = {}, untouched] = [104, 106].map((id) => control().instance(id));
	const execution = await stack().run(recipe('update-from-table.json'));
	expect(jsonOf(execution, 'Updated').map(({ id }) => id)).toEqual([101, 102, 104, 109]);
	expect([101, 102, 104, 109].map((id) => control().instance(id))).toMatchObject([
		{ priority: 'H', deadline: expect.stringMatching(/^2027-03-31T00:00/) },
		{ priority: 'V', deadline: expect.stringMatching(/^2027-04-15T17:00/) },
		// Its row has no deadline.
		{ priority: 'H', deadline },
		{ priority: null, deadline: '2027-04-15T17:00:00+02:00' },
	]);
	expect(control().instance(106)).toEqual(untouched);
	const text = /^Instance 106: .+'Priority'.+\. Use .+\nInstance 9000001: .+Not found\. Check /;
	expect(jsonOf(execution, 'Report')).toMatchObject([
		{ updated: 4, rejected: 2, text: expect.stringMatching(text) },
	]);
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
	expect(model.offered()).toMatchObject([
		{ name: 'Add_Tags', required: ['instanceId', 'tags'] },
		{ name: 'Get_Instance', required: ['instanceId'] },
		{ name: 'Set_Priority', required: ['instanceId', 'priority'] },
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
	});
});
