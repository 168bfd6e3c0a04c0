import { readdirSync, readFileSync } from 'node:fs';

import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import type { Execution } from '../../sandbox/n8n/executions';
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
import { EXAMPLES, NO_DRY_RUN, recipe, SAMPLE_ROWS, WATCHED } from './support/recipe';
import { jsonOf, locator, START, until, useStack, withItems } from './support/stack';

const stack = useStack();
const model = useModel(stack);
const control = () => stack().sandbox.control;

/** n8n shows some pages only to people, so that programs that follow links don't approve anything. */
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36' };

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

/** From now on, the service responds that the instance has these values. */
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

const instances = (...ids: number[]) => ids.map((id) => control().instance(id));

const itemsWith = (ids: number[]) => ids.map((instance_id) => ({ instance_id }));

/** The nodes that write even though Dry Run isn't on, by recipe. */
const WRITES_ON_EVENTS: Record<string, string> = {
	'escalate-overdue.json': 'Raise Priority and Tag,Reassign Step',
	'tag-and-prioritize.json': 'Tag and Prioritize',
};

/** A workflow whose Chat Trigger will receive a message when the workflow is run. */
const withMessage = (workflow: Workflow, chatInput: string) =>
	withItems(workflow, 'When chat message received', [
		{ sessionId: 's', action: 'sendMessage', chatInput },
	]);

type Table =
	| 'Watched instances'
	| 'Instances to delete'
	| 'Archived instances'
	| 'Instance updates';

async function runAlone(node: WorkflowNode, items: IDataObject[] = [{}]) {
	const workflow = newWorkflow('One node', [START, node]);
	return jsonOf(await stack().run(withItems(workflow, START.name, items)), node.name);
}

async function runOnTable(name: Table, parameters: IDataObject, items?: IDataObject[]) {
	const given = { dataTableId: locator(name, 'name'), ...parameters };
	return await runAlone(workflowNode('Table', 'n8n-nodes-base.dataTable', 1.1, given), items);
}

/** A table as its recipe creates it, with only these rows. */
async function fillTable(name: Table, { nodes }: Workflow, rows: IDataObject[] = []) {
	for (const node of nodes) if (node.name === 'Create Table') await runAlone(node);
	const filters = { conditions: [{ keyName: 'instance_id', condition: 'isNotEmpty' }] };
	await runOnTable(name, { operation: 'deleteRows', filters });
	const columns = { mappingMode: 'autoMapInputData', value: {} };
	if (rows.length > 0) await runOnTable(name, { operation: 'insert', columns }, rows);
}

const rowsOf = async (name: Table) => await runOnTable(name, { operation: 'get', returnAll: true });

const idsIn = async (name: Table) => (await rowsOf(name)).map((row) => row.instance_id);

/** What made an execution fail, as the list of executions shows it. */
const problemOf = ({ data }: Execution) => data.resultData.error?.message;

const NOT_FOUND = /^Instance 999999: .+did not find.+\. Check .+$/;

test.each(files)('the recipe %s is tested here, and writes nothing when executed', (file) => {
	const { nodes } = recipe(file);
	expect(readFileSync(__filename, 'utf8')).toContain(`'${file}'`);
	expect(nodes.filter((node) => 'credentials' in node)).toEqual([]);
	const writing = nodes.filter((node) => /"(bulkDelete|update)","in/.test(JSON.stringify(node)));
	const atOnce = writing.filter((node) => !JSON.stringify(node).includes('"dryRun":true'));
	// These are only reached by a webhook or a real event.
	expect(`${file}: ${atOnce.map(({ name }) => name).join()}`).toBe(
		`${file}: ${WRITES_ON_EVENTS[file] ?? ''}`,
	);
});

test('only people add to the table of instances to delete, and recipes agree on shared tables', () => {
	const tables = files
		.flatMap((file) => recipe(file).nodes)
		.filter(({ type }) => type === 'n8n-nodes-base.dataTable')
		.map(({ name, parameters }) => ({ name, text: JSON.stringify(parameters) }));
	const using = tables.filter(({ text }) => text.includes('"Instances to delete"'));
	expect(using.map(({ name }) => name)).toEqual(['Create Table', 'Get IDs', 'Delete Row']);
	const created = tables.filter(({ name }) => name === 'Create Table').map(({ text }) => text);
	expect(new Set(created).size).toBe(4);
});

test('the tour reads, updates, reads again and deletes, and can be run again', async () => {
	const { tags = [] } = control().instance(102) ?? {};
	for (const round of [1, 2]) {
		const execution = await stack().run(readTour());
		expect([round, execution.status]).toEqual([round, 'success']);
		const deadline = expect.stringMatching(/T00:00:00/);
		expect(control().instance(102)).toMatchObject({ tags: [...tags, 'tour'], deadline });
		expect(instances(108, 110)).toEqual([undefined, undefined]);
		expect(jsonOf(execution, 'Get Deleted Instances', 1)).toHaveLength(2);
	}
});

test('the recipe that reads an instance returns each entered value as one item', async () => {
	const values = async (id: number) =>
		jsonOf(await stack().run(recipe('read-instance.json', {}, id)), 'Split Out Values');
	expect(await values(104)).toEqual([
		{ step: 'Record invoice', label: 'Currency', value: 'EUR' },
		{ step: 'Check against order', label: 'Cost center', value: '4120' },
	]);
	becomes(104, { process_snapshot: '{"tasks":[]}' });
	expect(await values(104)).toEqual([{ label: 'process_snapshot', value: { tasks: [] } }]);
	// Nothing has been entered yet.
	expect(await values(102)).toMatchObject([{ label: 'process_snapshot', value: { id: 12 } }]);
});

interface Preview {
	table?: Table;
	rows?: IDataObject[];
	entered?: Array<string | number>;
	/** What lists or does it, and with which instances. */
	node: string;
	ids: number[];
	problem?: RegExp;
	/** How the reports begin, first of the preview, then of what was done; the rejected rows follow. */
	reports?: [string, string];
	after(before: ReturnType<typeof instances>): Promise<void> | void;
}

const REJECTED_ROWS = "Instance 106: .+'Priority' .+\nInstance 9000001: .+Not found\\. Check ";

/** The users of the steps of instances, such as `1201: 45`. */
const assignmentsOf = (...ids: number[]) =>
	instances(...ids).map((instance) =>
		instance?.step_assignments.map(({ step_id, user_id }) => `${step_id}: ${user_id}`).join(),
	);

const PREVIEWS = Object.entries<Preview>({
	'nightly-clean-up.json': {
		// One was completed recently, and one is still running.
		table: 'Instances to delete',
		rows: itemsWith([110, SEED.unknown, SEED.completed, SEED.running, 115]),
		node: 'Delete Old Instances',
		ids: [110, 115],
		problem: NOT_FOUND,
		async after() {
			expect(SEED.all.filter((id) => !control().instance(id))).toEqual([110, 115]);
			const kept = [SEED.unknown, SEED.completed, SEED.running];
			expect(await idsIn('Instances to delete')).toEqual(kept);
		},
	},
	'archive-and-delete.json': {
		entered: ['107, 101; 999999'],
		node: 'Delete Archived Instances',
		ids: [107],
		problem: /^Instance 101 is neither .+ not archived or deleted\.\nInstance 999999: .+ not find/,
		async after() {
			expect(SEED.all.filter((id) => !control().instance(id))).toEqual([107]);
			const instance = expect.stringMatching(/^\{.*"id":107,.*4120/s);
			const row = { instance_id: 107, name: expect.any(String), instance };
			expect(await rowsOf('Archived instances')).toMatchObject([row]);
			const missing = await stack().run(recipe('archive-and-delete.json'));
			expect(problemOf(missing)).toBe('Enter the IDs of instances in Set Instance IDs.');
		},
	},
	'hand-over-steps.json': {
		// The user also has a step in 142, which is completed.
		table: 'Watched instances',
		rows: itemsWith([102, 142, SEED.unknown, 101, 104]),
		entered: [42, 77],
		node: 'Hand Over Step',
		ids: [102, 101],
		problem: NOT_FOUND,
		async after() {
			expect(assignmentsOf(102, 101)).toEqual(['1202: 43,1201: 77', '1101: 77']);
			const missing = await stack().run(recipe('hand-over-steps.json', {}, 42));
			expect(problemOf(missing)).toBe('Enter both users in Set Users.');
		},
	},
	'reassign-step.json': {
		entered: [102, 1201, 45],
		node: 'Reassign Step',
		ids: [102],
		after: () => expect(assignmentsOf(102)).toEqual(['1201: 45,1202: 43']),
	},
	'update-from-table.json': {
		table: 'Instance updates',
		rows: SAMPLE_ROWS,
		node: 'Update Instances',
		ids: [101, 102, 104, 109],
		reports: ['Dry run: nothing was updated. Needs attention: 2', 'Updated: 4. Needs attention: 2'],
		after([, , { deadline } = {}]) {
			expect(instances(101, 102, 104, 109)).toMatchObject([
				{ priority: 'H', deadline: expect.stringMatching(/^2027-03-31T00:00/) },
				{ priority: 'V', deadline: expect.stringMatching(/^2027-04-15T17:00/) },
				// Its row has no deadline.
				{ priority: 'H', deadline },
				{ priority: null, deadline: '2027-04-15T17:00:00+02:00' },
			]);
			expect(bodies('PUT')).toHaveLength(4);
		},
	},
});

test.each(PREVIEWS)('the recipe %s lists what it changes, then does it', async (file, preview) => {
	const { table, rows, entered = [], node, ids, problem, reports, after } = preview;
	becomes(115, { aborted_time: '2020-01-01T00:00:00Z' });
	becomes(101, { step_assignments: [{ step_id: 1101, user_id: 42 }] });
	if (table) await fillTable(table, recipe(file), rows);
	const before = instances(...ids);
	for (const isPreview of [true, false]) {
		const execution = await stack().run(recipe(file, isPreview ? {} : NO_DRY_RUN, ...entered));
		const good = jsonOf(execution, node).filter(({ message }) => message === undefined);
		const listed = good.map(({ id, dryRun = false }) => [id, dryRun]);
		expect(listed).toEqual(ids.map((id) => [id, isPreview]));
		expect(problemOf(execution) ?? '').toMatch(problem ?? /^$/);
		const report = reports && `^${reports[isPreview ? 0 : 1]}\\.\n${REJECTED_ROWS}`;
		const [{ text = '' } = {}] = jsonOf(execution, 'Report');
		expect(text).toMatch(RegExp(report ?? '^$'));
		expect([...bodies('PUT'), ...bodies('POST')].length > 0).toBe(!isPreview);
	}
	await after(before);
});

test('IDs are collected from a form or an email, each once, if their instances exist', async () => {
	const { baseUrl } = stack().sandbox;
	const form = recipe('collect-ids.json');
	await fillTable('Watched instances', form);
	const id = await stack().store(form);
	await publish(stack(), id);
	const url = `${stack().n8n.url}/form/6fb5b4a4-e66a-5b0e-8330-70646e632f77`;
	await until(async () => (await fetch(url)).ok);
	const body = new FormData();
	body.set('field-0', ` 101 \n\n${baseUrl}/instances/104/edit?tab=2\nfoo\n101\n999999`);
	const submitted: unknown = await (await fetch(url, { method: 'POST', body })).json();
	const formWaitingUrl = textAt(submitted, 'formWaitingUrl', 'The response');
	// n8n holds a request for the page until the execution ends, so the form requests the status first.
	const status = formWaitingUrl.replace(/(?=\?|$)/, '/n8n-execution-status');
	const textOf = async (address: string) => await (await fetch(address, { headers })).text();
	await until(async () => (await textOf(status)).includes('form-waiting'));
	const page = await textOf(formWaitingUrl);
	expect(page).toContain('Not all instances were added');
	const rejected = [...page.matchAll(/(\w+) is not the ID or URL/g)].map(([, entry]) => entry);
	expect(rejected).toEqual(['foo', '999999']);
	await unpublish(stack(), id);
	expect(await idsIn('Watched instances')).toEqual([101, 104]);
	// There is no mailbox here.
	const email = recipe('collect-ids.json', {
		formTrigger: 'noOp',
		emailReadImap: 'manualTrigger',
		'"disabled": true': '"disabled": false',
	});
	const textPlain = `About ${baseUrl}/instances/102/edit, see http://other.example/instances/7/ (2027).`;
	const execution = await stack().run(withItems(email, 'On Email Received', [{ textPlain }]));
	expect(problemOf(execution)).toMatch(/^Instance http:\S+7: The URL in 'Instance' is on other/);
	expect(await idsIn('Watched instances')).toEqual([101, 104, 102]);
});

test('a published webhook tags and prioritizes, or responds with why it changed nothing', async () => {
	const send = async (body: object, key = 'webhook-key') =>
		await fetch(`${stack().n8n.url}/webhook/tag-and-prioritize`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-webhook-key': key },
			body: JSON.stringify(body),
		});
	const data = { name: 'x-webhook-key', value: 'webhook-key' };
	const credential = await stack().n8n.rest.createCredential('Webhook', 'httpHeaderAuth', data);
	const workflow = recipe('tag-and-prioritize.json');
	const withKey = withCredential(workflow, 'n8n-nodes-base.webhook', credential);
	await publish(stack(), await stack().store(withKey));
	// n8n registers the webhook a moment after it responds.
	await until(async () => (await send({})).status !== 404);
	const before = control().instance(101);
	const call = { instance_id: 101, tags: ['vip', 'renewal'], priority: 'Very High' };
	expect((await send(call, 'other')).status).toBe(403);
	const elsewhere = { instance_id: 'https://other.example/api/instances/101/' };
	const LATER = '{"reason":"The instance may not have been updated. Try again later."}';
	const calls: Array<[call: object, status: number, text: RegExp, statusOfService?: number]> = [
		[call, 200, /"id":101,.*"priority":"V"/],
		// A call without urgency downgrades nothing.
		[{ instance_id: 101 }, 200, /"id":101,.*"priority":"V"/],
		[{ instance_id: 'abc', tags: [] }, 422, /is not the ID of an instance\. \w/],
		[elsewhere, 422, /the credential is for the service\. /],
		[call, 422, /: See the service for more\."/, 400],
		// Errors that only the owner of the workflow can fix, and an unknown outcome.
		[call, 502, RegExp(LATER), 401],
		[call, 502, RegExp(LATER), 404],
		[call, 502, RegExp(LATER), 500],
	];
	for (const [sent, status, text, statusOfService] of calls) {
		const page = '<html><title>Moved</title></html>';
		const words = `{"detail":"See ${stack().sandbox.url}/help for more."}`;
		const body = statusOfService === 404 ? page : words;
		const action = { type: 'respond', status: Number(statusOfService), body } as const;
		if (statusOfService !== undefined) control().addFault({ action });
		const response = await send(sent);
		expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(text)]);
	}
	const tags = [...(before?.tags ?? []), 'vip', 'renewal'];
	const { name, deadline } = before ?? {};
	expect(control().instance(101)).toMatchObject({ name, deadline, tags, priority: 'V' });
});

test('a notification says that an instance is finished or overdue', async () => {
	const notifying = recipe('notify-when-finished.json', WATCHED);
	const id = await stack().store(notifying);
	const samples = jsonOf(await stack().n8n.rest.runWorkflow(id), 'Write Message');
	control().clearLog();
	await publish(stack(), id);
	await until(() => control().stats().byStatus[200] === 4);
	await unpublish(stack(), id);
	control().change(101, { state: 'completed' });
	control().change(102, { deadline: '2020-01-01T00:00:00Z' });
	await publish(stack(), id);
	const written = async () => await emissions(stack(), id, 'Write Message');
	// The first execution is the one with the samples.
	await until(async () => (await written()).length === 2);
	await unpublish(stack(), id);
	expect(samples.map(({ eventId }) => eventId)).toContain('104-overdue-sample');
	expect((await written())[1]?.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is completed\. Stage: \w/),
		expect.stringMatching(/^Instance 102 \(.+\) has been overdue since 2020-01-01/),
	]);
});

test('an overdue instance is prioritized, tagged and reassigned, and a sample is only previewed', async () => {
	const escalating = recipe('escalate-overdue.json', WATCHED, 77);
	const samples = jsonOf(await stack().run(escalating), 'Preview Escalation');
	const changes = { priority: { to: 'V' }, tags: { to: ['finance', 'overdue'] } };
	const overdue = samples.find(({ id }) => id === 104);
	expect(overdue).toMatchObject({ dryRun: true, changes });
	const noUser = await stack().run(recipe('escalate-overdue.json', WATCHED));
	expect(problemOf(noUser)).toBe('In Set Escalation, enter the ID of the user who takes over.');
	expect(bodies('PUT')).toEqual([]);

	const deadline = '2020-01-01T00:00:00Z';
	const events = [[101], [102, 1201]].map(([id, ...active_step_ids]) => ({
		eventId: `${id}-overdue`,
		instance: { id, deadline, active_step_ids },
	}));
	const execution = await stack().run(withItems(escalating, 'When an Instance Is Overdue', events));
	expect(problemOf(execution)).toMatch(/^Instance 101: .*'Step'/);
	const text =
		/^Instance 102 \(.+\) has been overdue since 2020-01-01.+ Very High, .+ 1201 .+ user 77\.$/;
	const message = { text: expect.stringMatching(text), eventId: '102-overdue' };
	expect(jsonOf(execution, 'Write Message')).toEqual([message]);
	expect(instances(101, 102)).toMatchObject([
		{ priority: 'V', tags: ['remote', 'overdue'] },
		{ priority: 'V', tags: ['finance', 'urgent', 'overdue'] },
	]);
	expect(assignmentsOf(101, 102)).toEqual(['', '1201: 77,1202: 43']);
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** What changes before the workflow runs, and what it then returns, reports and reads. */
type Day = [change: () => void, messages: RegExp[], problem: RegExp, read?: number[]];

const DUE = /^Instance 101 \(.+\) is due 2\d{3}-\d\d-\d\d .+ Stage: \w/;
const STAGE = /^Instance 101 \(.+\) is running\. Stage: Preparation → First week$/;
const PROXY = { type: 'respond', status: 404, body: 'Proxy' } as const;

const WATCHING = Object.entries<{ watched: number[]; days: Day[]; states: string[] }>({
	'remind-before-deadline.json': {
		watched: [101, 102, 104, SEED.completed, SEED.unknown],
		days: [
			[() => control().change(101, { deadline: inDays(2) }), [DUE], NOT_FOUND],
			// An instance that has finished is not due.
			[() => becomes(SEED.completed, { deadline: inDays(2) }), [], NOT_FOUND],
			[() => control().change(101, { deadline: inDays(1) }), [DUE], NOT_FOUND],
		],
		states: [],
	},
	'watch-list.json': {
		watched: [101, 102, 107, SEED.unknown],
		days: [
			[() => {}, [/^Instance 999999 \(.+\) was not found\./], /^$/, [101, 102, 107, 999999]],
			// Instances that have finished or are gone are left out.
			[() => {}, [], /^$/, [101, 102]],
			[() => control().advance(101), [STAGE], /^$/, [101, 102]],
			[() => control().abort(102), [/^Instance 102 \(.+\) is aborted\. /], /^$/, [101, 102]],
			[() => control().addFault({ action: PROXY }), [], /^Instance 101: .+/, [101]],
		],
		states: ['running', 'aborted', 'completed', 'not found'],
	},
});

test.each(WATCHING)('recipe %s reports changes once', async (file, { watched, days, states }) => {
	const workflow = recipe(file);
	await fillTable('Watched instances', workflow, itemsWith(watched));
	const id = await stack().store(workflow);
	for (const [change, messages, problem, read] of days) {
		change();
		control().clearLog();
		const execution = await stack().n8n.rest.runWorkflow(id);
		const texts = jsonOf(execution, 'Write Message').map(({ text }) => text);
		expect(texts).toEqual(messages.map((text) => expect.stringMatching(text)));
		expect(problemOf(execution) ?? '').toMatch(problem);
		const ids = logOf('GET').map(({ url }) => Number(/\/instances\/(\d+)\//.exec(url)?.[1]));
		expect(ids.sort()).toEqual(read ?? ids);
	}
	const rows = await rowsOf('Watched instances');
	expect(rows.flatMap(({ state }) => state ?? [])).toEqual(states);
});

const AUTOMATIC = 'an instance in Workflow Instance Service';

test.each([
	['3.1', '"descriptionType": "manual"', '"descriptionType": "auto"', `Get ${AUTOMATIC}`],
	['2.2', '"typeVersion": 3.1', '"typeVersion": 2.2', 'Returns one instance: its name, stage'],
])('the AI Agent %s changes only what its tools allow', async (_, before, after, description) => {
	const instanceId = SEED.fullyFilled;
	const { deadline, tags = [] } = control().instance(instanceId) ?? {};
	const text = 'Instance 102 is tagged, and urgent.';
	const call = (tool: string, values: IDataObject) => {
		const more = { operation: 'bulkDelete', instanceIds: '101', clearFields: ['tags'] };
		return { tool, arguments: { ...values, ...more } };
	};
	model.play(
		[
			[instanceId, SEED.unknown, 1.5].map((id) => call('Get_Instance', { instanceId: id })),
			[call('Add_Tags', { instanceId, tags: 'late' })],
			[call('Set_Priority', { instanceId, priority: 'V' })],
		],
		text,
	);
	const workflow = recipe('ai-agent.json', { ...NO_DRY_RUN, [before]: after });
	const id = await model.store(withMessage(workflow, 'Tag 102, then rush it'));
	const execution = await stack().n8n.rest.runWorkflow(id);
	expect(problemOf(execution)).toBeUndefined();
	expect(jsonOf(execution, 'AI Agent')[0]?.output).toBe(text);
	expect(model.offered()).toMatchObject([
		{ name: 'Add_Tags', parameters: ['instanceId', 'tags'] },
		{ description: expect.stringContaining(description), parameters: ['instanceId'] },
		{ name: 'Set_Priority', parameters: ['instanceId', 'priority'] },
	]);
	expect(model.responses()).toEqual([
		expect.stringContaining('"id":102,'),
		expect.stringMatching(`did not find instance 999999.*that the instance still exists`),
		expect.stringMatching("1.5 in 'Instance' is not the ID.*Enter a whole number above zero"),
		expect.stringContaining('"late"'),
		expect.stringContaining('"priority":"V"'),
	]);
	expect(bodies('POST')).toEqual([]);
	expect(bodies('PUT')).toMatchObject([
		{ priority: 'H', deadline, tags: [...tags, 'late'] },
		{ priority: 'V', deadline, tags: [...tags, 'late'] },
	]);
});

/** What n8n has stored of an execution, once it's waiting and contains these words. */
async function waiting(id: string, words: string): Promise<string> {
	let data = '';
	await until(async () => {
		const stored = await stack().n8n.rest.call('GET', `/executions/${id}`);
		data = textAt(stored, 'data', 'The execution');
		return textAt(stored, 'status', 'The execution') === 'waiting' && data.includes(words);
	});
	return data;
}

const IDS = { instanceIds: '107, 113' };
const DETAILS = '107, Invoice 20749, Completed';
const SHOWN = { toolParameters: IDS, hitlParameters: { details: DETAILS } };
const PROMPT = 'The agent wants to permanently delete these instances: ';
const DRY_RUN = 'Dry run. Nothing is deleted if you select Delete';

test.each<[does: string, call: IDataObject, prompt: string, chosen: string, learned: string]>([
	['deletes after somebody chose Delete', SHOWN, `${PROMPT}107, 113\\n`, 'true', 'deleted'],
	['deletes nothing while Dry Run is on', SHOWN, DRY_RUN, 'true', 'dryRun'],
	['deletes nothing after Keep, and learns it', SHOWN, `${PROMPT}107, 113\\n`, 'false', 'rejected'],
	['deletes no IDs that the person is not shown', IDS, `${PROMPT}\\n`, 'true', ''],
])('an agent %s, and not before', async (_, call, prompt, chosen, learned) => {
	const { rest } = stack().n8n;
	const changes = prompt === DRY_RUN ? {} : NO_DRY_RUN;
	const chat = withMessage(recipe('approve-deletion.json', changes), 'Delete 107 and 113');
	const get = { tool: 'Get_Instance', arguments: { instanceId: 107 } };
	model.play([[get], [{ tool: 'Delete_Instances', arguments: call }]], 'That is it.');
	const executionId = await rest.startWorkflow(await model.store(chat));
	const data = await waiting(executionId, prompt);
	expect(data.includes(DETAILS)).toBe(call === SHOWN);
	expect(bodies('POST')).toEqual([]);
	const links = data.match(/http:[^"]+\/webhook-waiting\/[^"]+/g) ?? [];
	const link = links.find((each) => each.includes(`approved=${chosen}`));
	expect(await (await fetch(String(link), { headers })).text()).toContain('Got it, thanks');
	await waiting(executionId, '"That is it."');
	await rest.call('POST', `/executions/${executionId}/stop`, {});
	expect(bodies('POST')).toEqual(learned === 'deleted' ? [{ ids: [107, 113] }] : []);
	expect(model.responses()).toEqual([
		expect.stringContaining('"id":107'),
		expect.stringContaining(learned),
	]);
});
