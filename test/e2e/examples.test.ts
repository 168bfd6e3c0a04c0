import { readdirSync, readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import {
	asWorkflow,
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

/** From now on, the service answers that the instance has these values. */
function becomes(id: number, values: IDataObject): void {
	const body = JSON.stringify({ ...control().instance(id), ...values });
	const action = { type: 'respond', status: 200, body } as const;
	control().addFault({ match: { method: 'GET', ids: [id] }, times: 0, action });
}

const logOf = (wanted: string) =>
	control()
		.log()
		.filter(({ method }) => method === wanted);

const bodies = (method: string) => logOf(method).map(({ body }) => JSON.parse(body));

const itemsWith = (ids: number[]) => ids.map((instance_id) => ({ instance_id }));

type Table = 'Instances' | 'Instance updates';

/** Runs a node by itself, and returns its output. */
async function runAlone(node: WorkflowNode, items: IDataObject[] = [{}]) {
	const workflow = newWorkflow('One node', [START, node]);
	return jsonOf(await stack().run(withItems(workflow, START.name, items)), node.name);
}

async function runOnTable(name: Table, parameters: IDataObject, items?: IDataObject[]) {
	const given = { dataTableId: locator(name, 'name'), ...parameters };
	return await runAlone(workflowNode('Table', 'n8n-nodes-base.dataTable', 1.1, given), items);
}

/** A table as its recipe creates it, with these rows alone. */
async function fillTable(name: Table, { nodes }: Workflow, rows: IDataObject[] = []) {
	for (const node of nodes) if (node.name === 'Create Table') await runAlone(node);
	const filters = { conditions: [{ keyName: 'instance_id', condition: 'isNotEmpty' }] };
	await runOnTable(name, { operation: 'deleteRows', filters });
	const columns = { mappingMode: 'autoMapInputData', value: {} };
	if (rows.length > 0) await runOnTable(name, { operation: 'insert', columns }, rows);
}

const rowsOf = async (name: Table) =>
	(await runOnTable(name, { operation: 'get', returnAll: true })).map((row) => row.instance_id);

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
	const before = control().ids();
	const [old = 0, recent = 0] = [SEED.completedLongAgo[1], SEED.completed];
	becomes(SEED.running, { aborted_time: '2020-01-01T00:00:00Z' });
	const preview = recipe('nightly-clean-up.json');
	await fillTable('Instances', preview, itemsWith([old, SEED.unknown, recent, SEED.running]));
	const outcome = async (workflow: Workflow) => {
		const execution = await stack().run(workflow);
		const unread = jsonOf(execution, 'Needs Attention').map(({ instance_id }) => instance_id);
		return { unread, items: jsonOf(execution, 'Delete Old Instances') };
	};
	const [unread, gone] = [[String(SEED.unknown)], [old, SEED.running]];
	expect(await outcome(preview)).toMatchObject({
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
	const { baseUrl } = stack().sandbox;
	const collect = async (workflow: Workflow, trigger: string, item: IDataObject) => {
		const execution = await stack().run(withItems(workflow, trigger, [item]));
		return jsonOf(execution, 'Needs Attention').map(({ instance_id }) => instance_id);
	};
	const form = recipe('collect-ids.json');
	await fillTable('Instances', form);
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

test('the recipe that reassigns a step keeps its place in the list', async () => {
	const [first, , ...rest] = control().instance(SEED.fullyFilled)?.step_assignments ?? [];
	const entered = [SEED.fullyFilled, 1202, 45].values();
	const filled = JSON.stringify(recipe('reassign-step.json')).replace(
		/"value":""/g,
		() => `"value":"${entered.next().value}"`,
	);
	const execution = await stack().run(asWorkflow(JSON.parse(filled), 'The recipe'));
	const assignments = [first, { step_id: 1202, user_id: 45 }, ...rest];
	expect(jsonOf(execution, 'Split Out Assignments')).toEqual(assignments);
	expect(control().instance(SEED.fullyFilled)?.step_assignments).toEqual(assignments);
});

test('a webhook, in production, tags and prioritizes, or responds why it changed nothing', async () => {
	const send = async (body: object, key = 'webhook-key') => {
		const response = await fetch(`${stack().n8n.url}/webhook/tag-and-prioritize`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-webhook-key': key },
			body: JSON.stringify(body),
		});
		const text = await response.text();
		return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
	};
	const data = { name: 'x-webhook-key', value: 'webhook-key' };
	const credential = await stack().n8n.rest.createCredential('Webhook', 'httpHeaderAuth', data);
	const workflow = recipe('tag-and-prioritize.json');
	const withKey = withCredential(workflow, 'n8n-nodes-base.webhook', credential);
	await publish(stack(), await stack().store(withKey));
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
	expect((await send(call, 'other')).status).toBe(403);
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

/** Runs a recipe of the trigger by hand, then in production after changes. Returns the output of both. */
async function watch(workflow: Workflow, node: string, change: () => void) {
	const id = await stack().store(workflow);
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), node);
	const isRead = () => control().stats().byStatus[200] === samples.length;
	expect(logOf('PUT')).toEqual([]);
	control().clearLog();
	await publish(stack(), id);
	await until(isRead);
	await unpublish(stack(), id);
	change();
	await publish(stack(), id);
	const written = async () => await emissions(stack(), id, 'Write Message');
	// The first execution is that of the samples.
	await until(async () => (await written()).length === 2);
	await unpublish(stack(), id);
	return { samples, texts: (await written())[1]?.map(({ text }) => text) };
}

test('a notification tells that an instance is finished or overdue', async () => {
	const notifying = recipe('notify-when-finished.json', WATCHED);
	const { samples, texts } = await watch(notifying, 'Write Message', () => {
		control().change(101, { state: 'completed' });
		control().change(102, { deadline: '2020-01-01T00:00:00Z' });
	});
	const eventIds = ['101-completed', '102-completed', '104-overdue', '106-completed'];
	expect(samples.map(({ eventId }) => eventId)).toEqual(eventIds.map((id) => `${id}-sample`));
	expect(texts).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is completed\. Stage: \w/),
		expect.stringMatching(/^Instance 102 \(.+\) has been overdue since 2020-01-01/),
	]);
});

test('an overdue instance is prioritized, tagged and reassigned, and a sample is only previewed', async () => {
	const escalating = recipe('escalate-overdue.json', {
		...WATCHED,
		'"value": ""': '"value": "77"',
	});
	const { samples, texts } = await watch(escalating, 'Preview Escalation', () =>
		control().change(102, { deadline: '2020-01-01T00:00:00Z' }),
	);
	const changes = { priority: { to: 'V' }, tags: { to: ['hr', 'overdue'] } };
	expect(samples[2]).toMatchObject({ id: 104, dryRun: true, changes });
	const text =
		/^Instance 102 \(.+\) has been overdue since 2020-01-01.+ Very High, .+ 1201 .+ user 77\.$/;
	expect(texts).toEqual([expect.stringMatching(text)]);
	expect(control().instance(102)).toMatchObject({
		priority: 'V',
		tags: ['finance', 'urgent', 'overdue'],
		step_assignments: [
			{ step_id: 1201, user_id: 77 },
			{ step_id: 1202, user_id: 43 },
		],
	});
});

test('the watch list tells each change once, and leaves out what has finished', async () => {
	const list = recipe('watch-list.json');
	await fillTable('Instances', list, itemsWith([101, 102, 107, 9_000_001]));
	const id = await stack().store(list);
	const look = async () => {
		control().clearLog();
		const execution = await stack().n8n.rest.runWorkflow(id);
		const ids = (node: string) =>
			jsonOf(execution, node).map(({ instance_id }) => Number(instance_id));
		return {
			status: execution.status,
			told: jsonOf(execution, 'Write Message').map(({ text }) => text),
			stored: ids('Update Row'),
			unread: ids('Needs Attention'),
			read: logOf('GET')
				.map(({ url }) => Number(/\/instances\/(\d+)\//.exec(url)?.[1]))
				.sort(),
		};
	};
	const read = [101, 102, 9_000_001];
	const quiet = { status: 'success', told: [], stored: [], unread: [9_000_001], read };
	const first = { stored: [101, 102, 107], read: [101, 102, 107, 9_000_001] };
	expect(await look()).toEqual({ ...quiet, ...first });
	expect(await look()).toEqual(quiet);

	control().advance(101);
	control().abort(102);
	expect(await look()).toEqual({
		...quiet,
		told: [
			expect.stringMatching(/^Instance 101 \(.+\) is running\. Stage: Preparation → First week$/),
			expect.stringMatching(/^Instance 102 \(.+\) is aborted\. Stage: /),
		],
		stored: [101, 102],
	});
	expect(await look()).toEqual({ ...quiet, read: [101, 9_000_001] });
});

test('an update from a table previews, then updates what it can, and reports the rejected rows', async () => {
	const [{ deadline } = {}, untouched] = [104, 106].map((id) => control().instance(id));
	const preview = recipe('update-from-table.json');
	await fillTable('Instance updates', preview, SAMPLE_ROWS);
	const text = /^Instance 106: .+'Priority' .+\nInstance 9000001: .+Not found\. Check /;
	const report = [{ accepted: 4, rejected: 2, text: expect.stringMatching(text) }];
	const previewed = await stack().run(preview);
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
