import { readdirSync, readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import {
	newWorkflow,
	type Workflow,
	type WorkflowNode,
	withCredential,
	workflowNode,
} from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { readTour } from '../../sandbox/start/workflows';
import { emissions, publish, unpublish } from './support/active';
import { useModel } from './support/agentModel';
import { withMessage } from './support/agentWorkflows';
import { EXAMPLES, NO_DRY_RUN, recipe, SAMPLE_ROWS, WATCHED } from './support/recipe';
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

const itemsWith = (ids: number[]) => ids.map((instance_id) => ({ instance_id }));

const COLUMNS = {
	Instances: { instance_id: 'number', stage: 'string', state: 'string' },
	'Instance updates': { instance_id: 'number', deadline: 'string', priority: 'string' },
};
type Table = keyof typeof COLUMNS;

const onTable = (name: Table, parameters: IDataObject) =>
	workflowNode('Table', 'n8n-nodes-base.dataTable', 1.1, {
		dataTableId: locator(name, 'name'),
		...parameters,
	});

/** Runs a node of Data Tables by itself, and returns its output. */
async function runOnTable(name: Table, parameters: IDataObject, items: IDataObject[] = [{}]) {
	const workflow = newWorkflow('Table', [START, onTable(name, parameters)]);
	return jsonOf(await stack().run(withItems(workflow, START.name, items)), 'Table');
}

/** The tables of the recipes, without rows. */
async function createTables(): Promise<void> {
	for (const tableName of ['Instances', 'Instance updates'] as const) {
		const column = Object.entries(COLUMNS[tableName]).map(([name, type]) => ({ name, type }));
		const options = { createIfNotExists: true };
		const creation = { resource: 'table', operation: 'create', tableName, columns: { column } };
		await runOnTable(tableName, { ...creation, options });
		const filters = { conditions: [{ keyName: 'instance_id', condition: 'isNotEmpty' }] };
		await runOnTable(tableName, { operation: 'deleteRows', filters });
	}
}

async function fillTable(name: Table, rows: IDataObject[]): Promise<void> {
	const columns = { mappingMode: 'autoMapInputData', value: {} };
	await runOnTable(name, { operation: 'insert', columns }, rows);
}

const rowsOf = async (name: Table) =>
	(await runOnTable(name, { operation: 'get', returnAll: true })).map((row) => row.instance_id);

const KEY = { 'x-webhook-key': 'webhook-key' };

/** A workflow with the credential in its Webhook node that protects it. */
async function withWebhookKey(workflow: Workflow): Promise<Workflow> {
	const data = { name: 'x-webhook-key', value: KEY['x-webhook-key'] };
	const { rest } = stack().n8n;
	const credential = await rest.saveCredential('Webhook', 'httpHeaderAuth', data);
	return withCredential(workflow, 'n8n-nodes-base.webhook', credential);
}

test.each(files)(
	'the recipe %s is tested here, has no credential and deletes nothing yet',
	(file) => {
		const { nodes } = recipe(file);
		expect(readFileSync(__filename, 'utf8')).toContain(`recipe('${file}'`);
		expect(nodes.filter((node) => 'credentials' in node)).toEqual([]);
		const deleting = nodes.filter((node) => JSON.stringify(node).includes('"bulkDelete"'));
		const parameters = expect.objectContaining({ dryRun: true });
		expect(deleting).toEqual(deleting.map((node) => ({ ...node, parameters })));
	},
);

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

/** All but the agents, which ask a model what to do. */
const determined = files.filter((file) => !JSON.stringify(recipe(file)).includes('chatTrigger'));

test.each(determined)('the recipe %s, as it is imported, sends no request', async (file) => {
	await createTables();
	const id = await stack().store(await withWebhookKey(recipe(file)));
	// It is refused before it runs, or stops, or has nothing to do.
	await stack()
		.n8n.rest.runWorkflow(id)
		.catch(() => undefined);
	expect(control().log()).toEqual([]);
});

test('the recipe that reads an instance returns each entered value as one item', async () => {
	const values = async () => {
		const items = withItems(recipe('read-instance.json'), 'Set Instance ID', [
			{ instance_id: 104 },
		]);
		return jsonOf(await stack().run(items), 'Split Out Values');
	};
	expect(await values()).toEqual([
		{ step: 'Record invoice', label: 'Currency', value: 'EUR' },
		{ step: 'Check against order', label: 'Cost center', value: '4120' },
	]);
	becomes(104, { process_snapshot: '{"tasks":[]}' });
	expect(await values()).toEqual([{ label: 'process_snapshot', value: { tasks: [] } }]);
});

test('the nightly clean-up lists what it would delete, then deletes only that and its rows', async () => {
	await createTables();
	const before = control().ids();
	const [old = 0, recent = 0] = [SEED.completedLongAgo[1], SEED.completed];
	becomes(SEED.running, { aborted_time: '2020-01-01T00:00:00Z' });
	await fillTable('Instances', itemsWith([old, SEED.unknown, recent, SEED.running]));
	const outcome = async (workflow: Workflow) => {
		const execution = await stack().run(workflow);
		const unread = jsonOf(execution, 'Needs Attention').map(({ instance_id }) => instance_id);
		return { unread, items: jsonOf(execution, 'Delete Old Instances') };
	};
	const [unread, gone] = [[String(SEED.unknown)], [old, SEED.running]];
	expect(await outcome(recipe('nightly-clean-up.json'))).toMatchObject({
		unread,
		items: gone.map((id) => ({ id, deleted: false, found: true })),
	});
	expect(control().ids()).toEqual(before);
	expect(await rowsOf('Instances')).toHaveLength(4);

	const deleting = recipe('nightly-clean-up.json', NO_DRY_RUN);
	const items = gone.map((id) => ({ id, deleted: true }));
	expect(await outcome(deleting)).toEqual({ unread, items });
	expect(control().ids()).toEqual(before.filter((id) => !gone.includes(id)));
	expect(await rowsOf('Instances')).toEqual([SEED.unknown, recent]);
	await publish(stack(), await stack().store(deleting));
});

test('collected IDs are those of instances that exist, from a form or an email, each once', async () => {
	await createTables();
	const { baseUrl } = stack().sandbox;
	const collect = async (workflow: Workflow, trigger: string, item: IDataObject) => {
		const execution = await stack().run(withItems(workflow, trigger, [item]));
		return jsonOf(execution, 'Needs Attention').map(({ instance_id }) => instance_id);
	};
	const form = recipe('collect-ids.json');
	const Instances = ` 101 \n\n${baseUrl}/instances/104/\nfoo\n101`;
	expect(await collect(form, 'On Form Submission', { Instances })).toEqual(['foo']);
	expect(await rowsOf('Instances')).toEqual([101, 104]);
	// There is no mailbox here.
	const email = recipe('collect-ids.json', {
		formTrigger: 'noOp',
		emailReadImap: 'manualTrigger',
		'"disabled": true': '"disabled": false',
	});
	const textPlain = `About ${baseUrl}/instances/102/, see http://other.example/instances/7/ (2027).`;
	expect(await collect(email, 'On Email Received', { textPlain })).toEqual([
		'http://other.example/instances/7',
	]);
	expect(await rowsOf('Instances')).toEqual([101, 104, 102]);
});

/** The node of *reassign-step.json* as its user fills it in. */
const filled = (node: WorkflowNode): WorkflowNode => ({
	...node,
	parameters: {
		resource: 'instance',
		operation: 'update',
		instanceId: locator(SEED.fullyFilled),
		updateFields: {
			changeSteps: {
				change: [{ action: 'reassign', stepId: locator(1202, 'list'), userId: locator(45) }],
			},
		},
	},
});

test('the recipe that reassigns a step keeps its place in the list', async () => {
	const [first, , ...rest] = control().instance(SEED.fullyFilled)?.step_assignments ?? [];
	const { nodes, ...others } = recipe('reassign-step.json');
	const execution = await stack().run({
		...others,
		nodes: nodes.map((node) => (node.name === 'Reassign Step' ? filled(node) : node)),
	});
	const assignments = [first, { step_id: 1202, user_id: 45 }, ...rest];
	expect(jsonOf(execution, 'Split Out Assignments')).toEqual(assignments);
	expect(control().instance(SEED.fullyFilled)?.step_assignments).toEqual(assignments);
});

test('a webhook, in production, tags and prioritizes, or responds why it changed nothing', async () => {
	const send = async (body: object, key: Record<string, string> = KEY) => {
		const response = await fetch(`${stack().n8n.url}/webhook/tag-and-prioritize`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...key },
			body: JSON.stringify(body),
		});
		const text = await response.text();
		return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
	};
	await publish(
		stack(),
		await stack().store(await withWebhookKey(recipe('tag-and-prioritize.json'))),
	);
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
	expect(await send({ instance_id: 'abc', tags: [] })).toEqual({
		status: 422,
		body: { reason: expect.stringContaining("'Instance'") },
	});
	expect((await send(call, {})).status).toBe(403);
	const { url } = stack().sandbox;
	const reasonAfter = async (status: number) => {
		const body = `{"detail":"See ${url}/help for more."}`;
		control().addFault({ action: { type: 'respond', status, body } });
		return (await send(call)).body.reason;
	};
	expect(await reasonAfter(400)).toMatch(/: See the service for more\.$/);
	// What only the owner of the workflow can correct.
	expect(await reasonAfter(401)).toBe('The service did not update the instance.');
	const elsewhere = { instance_id: 'https://other.example/api/instances/101/' };
	expect((await send(elsewhere)).body.reason).toMatch(/the credential is for the service$/);
});

test('a notification tells that an instance is finished or overdue', async () => {
	const id = await stack().store(recipe('notify-when-finished.json', WATCHED));
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), 'Write Message');
	const eventIds = ['101-completed', '102-completed', '104-overdue', '106-completed'];
	expect(samples.map(({ eventId }) => eventId)).toEqual(eventIds.map((id) => `${id}-sample`));
	control().clearLog();
	await publish(stack(), id);
	await until(() => control().stats().byStatus[200] === samples.length);
	await unpublish(stack(), id);
	control().change(101, { state: 'completed' });
	control().change(102, { deadline: '2020-01-01T00:00:00Z' });
	await publish(stack(), id);
	const told = async () => await emissions(stack(), id, 'Write Message');
	// The first execution is that of the sample.
	await until(async () => (await told()).length === 2);
	expect((await told())[1]?.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is completed\. Stage: \w/),
		expect.stringMatching(/^Instance 102 \(.+\) has been overdue since 2020-01-01/),
	]);
	await unpublish(stack(), id);
});

test('an overdue instance is prioritized, tagged and reassigned, and a sample is only previewed', async () => {
	const id = await stack().store(
		recipe('escalate-overdue.json', { ...WATCHED, '"value": ""': '"value": "77"' }),
	);
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), 'Escalate Instance');
	expect(samples).toHaveLength(4);
	expect(samples[2]).toMatchObject({
		id: 104,
		dryRun: true,
		changes: { priority: { to: 'V' }, tags: { to: ['hr', 'overdue'] } },
	});
	expect(bodies('PUT')).toEqual([]);
	control().clearLog();
	await publish(stack(), id);
	await until(() => control().stats().byStatus[200] === samples.length);
	await unpublish(stack(), id);
	control().change(102, { deadline: '2020-01-01T00:00:00Z' });
	await publish(stack(), id);
	const told = async () => await emissions(stack(), id, 'Write Message');
	await until(async () => (await told()).length === 2);
	expect((await told())[1]).toMatchObject([
		{
			text: expect.stringMatching(
				/^Instance 102 \(.+\) has been overdue since 2020-01-01.+ Very High, .+ 1201 .+ user 77\.$/,
			),
		},
	]);
	await unpublish(stack(), id);
	expect(control().instance(102)).toMatchObject({
		priority: 'V',
		tags: ['finance', 'urgent', 'overdue'],
		step_assignments: [
			{ step_id: 1201, user_id: 77 },
			{ step_id: 1202, user_id: 43 },
		],
	});
});

test('the watch list creates its table, tells each change once, and leaves out what has finished', async () => {
	await createTables();
	const { rest } = stack().n8n;
	const id = await stack().store(recipe('watch-list.json'));
	const look = async () => {
		control().clearLog();
		const execution = await rest.runWorkflow(id);
		expect(execution.status).toBe('success');
		const ids = (node: string) =>
			jsonOf(execution, node).map(({ instance_id }) => Number(instance_id));
		return {
			told: jsonOf(execution, 'Write Message').map(({ text }) => text),
			stored: ids('Update Row'),
			unread: ids('Needs Attention'),
			read: read().sort(),
		};
	};
	const quiet = { told: [], stored: [], unread: [9_000_001], read: [101, 102, 9_000_001] };
	expect(await look()).toEqual({ ...quiet, unread: [], read: [] });
	await fillTable('Instances', itemsWith([101, 102, 107, 9_000_001]));
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

test('an update from a table previews, then updates what it can, and reports the rejected rows', async () => {
	const [{ deadline } = {}, untouched] = [104, 106].map((id) => control().instance(id));
	await createTables();
	await fillTable('Instance updates', SAMPLE_ROWS);
	const text = /^Instance 106: .+'Priority'\. .+\nInstance 9000001: .+Not found\. Check /;
	const report = [{ accepted: 4, rejected: 2, text: expect.stringMatching(text) }];
	const previewed = await stack().run(recipe('update-from-table.json'));
	expect(jsonOf(previewed, 'Report')).toMatchObject(report);
	const changes = { priority: { from: null, to: 'H' } };
	expect(jsonOf(previewed, 'Update Instances')[2]).toMatchObject({ id: 104, changes });
	expect(bodies('PUT')).toEqual([]);

	const execution = await stack().run(recipe('update-from-table.json', NO_DRY_RUN));
	expect(jsonOf(execution, 'Update Instances').map(({ id }) => id)).toEqual([101, 102, 104, 109]);
	expect([101, 102, 104, 109].map((id) => control().instance(id))).toMatchObject([
		{ priority: 'H', deadline: expect.stringMatching(/^2027-03-31T00:00/) },
		{ priority: 'V', deadline: expect.stringMatching(/^2027-04-15T17:00/) },
		// Its row has no deadline.
		{ priority: 'H', deadline },
		{ priority: null, deadline: '2027-04-15T17:00:00+02:00' },
	]);
	expect(control().instance(106)).toEqual(untouched);
	expect(jsonOf(execution, 'Report')).toMatchObject(report);
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
	const details = '107, Invoice 20749, Completed';
	const shown = { toolParameters: { instanceIds: '107, 113' }, hitlParameters: { details } };

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
		const asked = withMessage(recipe('approve-deletion.json', NO_DRY_RUN), 'Delete 107 and 113');
		const get = { tool: 'Get_Instance', arguments: { instanceId: 107 } };
		model.play([[get], [{ tool: 'Delete_Instances', arguments: call }]], 'That is it.');
		const executionId = await rest.startWorkflow(await model.store(asked));
		const data = await waiting(executionId, `${ASKED}${ids}\\n`);
		expect(data.includes(details)).toBe(ids !== '');
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
