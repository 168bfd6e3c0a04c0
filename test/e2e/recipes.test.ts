import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { outputItems } from '../../sandbox/n8n/executions';
import { textAt } from '../../sandbox/guards';
import { asWorkflow, type Workflow, withCredential } from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { type ScriptedModel, startScriptedModel } from './support/agentModel';
import { chat, MODEL_TYPE } from './support/agentWorkflows';
import { recipe, withItems, withParameters } from './support/recipe';
import { useStack } from './support/stack';

const stack = useStack();

const start = async (workflow: Workflow, trigger?: string) =>
	await stack().n8n.rest.runWorkflow(await stack().store(workflow), { trigger });

/** From its n-th Get on, the service answers that the instance has these values. */
function becomes(id: number, values: IDataObject, nth = 1): void {
	const { control } = stack().sandbox;
	control.addFault({
		match: { method: 'GET', ids: [id], nth },
		times: 0,
		action: {
			type: 'respond',
			status: 200,
			body: JSON.stringify({ ...control.instance(id), ...values }),
		},
	});
}

/** The instances that were read, in the order of the requests. */
const read = () =>
	stack()
		.sandbox.control.log()
		.filter(({ method }) => method === 'GET')
		.map(({ url }) => Number(/\/instances\/(\d+)\//.exec(url)?.[1]));

/** An execution as n8n has it stored, once it waits and the words are in its data. */
async function waiting(id: string, words: string): Promise<{ waitTill: string; data: string }> {
	const what = `Execution ${id}`;
	for (let tries = 0; tries < 300; tries++) {
		const stored = await stack().n8n.rest.call('GET', `/executions/${id}`);
		const data = textAt(stored, 'data', what);
		if (textAt(stored, 'status', what) === 'waiting' && data.includes(words)) {
			return { waitTill: textAt(stored, 'waitTill', what), data };
		}
		await sleep(100);
	}
	throw new Error(`${what} does not wait with the words '${words}'.`);
}

const stop = async (id: string) =>
	await stack().n8n.rest.call('POST', `/executions/${id}/stop`, {});

describe('wait-until-finished.json', () => {
	const rounds = (amount: number) => ({
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: 'rounds',
					leftValue: '={{ $runIndex + 1 }}',
					rightValue: amount,
					operator: { type: 'number', operation: 'lt' },
				},
			],
			combinator: 'and',
		},
	});
	const quick = withParameters(recipe('wait-until-finished.json'), 'Wait', {
		amount: 1,
		unit: 'seconds',
	});

	test('looks again until the instance is completed', async () => {
		const completed_time = '2027-03-31T15:00:00Z';
		becomes(SEED.running, { completed_time }, 3);
		const execution = await start(quick);
		expect(execution.status).toBe('success');
		expect(read()).toEqual([101, 101, 101]);
		expect(outputItems(execution, 'Finished').map(({ json }) => json)).toEqual([
			{ id: 101, name: expect.any(String), outcome: 'completed', time: completed_time },
		]);
		expect(execution.data.resultData.runData).not.toHaveProperty('Not Finished in Time');
	});

	test('lets each instance of a list go on by itself, and gives up after the last round', async () => {
		const items = [SEED.running, SEED.aborted, SEED.unknown, SEED.overdue].map((id) => ({ id }));
		const listed = withItems(
			withParameters(quick, 'Any Rounds Left', rounds(2)),
			'Choose an Instance',
			items,
		);
		becomes(SEED.overdue, { completed_time: '2027-03-31T15:00:00Z' }, 2);
		const execution = await start(listed);
		expect(read()).toEqual([101, 105, 999_999, 104, 101, 104]);
		const { Finished: runs = [] } = execution.data.resultData.runData;
		const finished = runs.flatMap(({ data }) => data?.main?.[0] ?? []).map(({ json }) => json);
		expect(finished).toEqual([
			expect.objectContaining({ id: 105, outcome: 'aborted' }),
			expect.objectContaining({ id: 104, outcome: 'completed' }),
		]);
		expect(outputItems(execution, 'Not Finished in Time').map(({ json }) => json.id)).toEqual([
			101,
		]);
		expect(outputItems(execution, 'Could Not Be Read').map(({ json }) => json)).toEqual([
			{ id: SEED.unknown, reason: expect.any(String), advice: expect.any(String) },
		]);
	});

	test('as it is, gives its worker free while it waits', async () => {
		const { rest } = stack().n8n;
		const id = await rest.startWorkflow(await stack().importExample('wait-until-finished.json'));
		const { waitTill } = await waiting(id, 'Any Rounds Left');
		const minutes = (Date.parse(waitTill) - Date.now()) / 60_000;
		expect(minutes).toBeGreaterThan(13);
		expect(minutes).toBeLessThan(16);
		await stop(id);
	});
});

test('watch-list.json tells each change once, and never again of what has finished', async () => {
	const { rest } = stack().n8n;
	const { control } = stack().sandbox;
	const id = await stack().importExample('watch-list.json');
	const setUp = async () => await rest.runWorkflow(id, { trigger: 'Set Up Once' });
	const look = async () => {
		control.clearLog();
		const execution = await rest.runWorkflow(id, { trigger: 'Every 15 Minutes' });
		expect(execution.status).toBe('success');
		return {
			told: outputItems(execution, 'Tell Someone').map(({ json }) => json.text),
			remembered: outputItems(execution, 'Remember').map(({ json }) => json.instance),
			unread: outputItems(execution, 'Could Not Be Read').map(({ json }) => json.instance),
			read: read().sort(),
		};
	};
	expect((await setUp()).status).toBe('success');
	const unread = [9_000_001];
	expect(await look()).toEqual({
		told: [],
		remembered: [101, 102, 107],
		unread,
		read: [101, 102, 107, 9_000_001],
	});
	const quiet = { told: [], remembered: [], unread, read: [101, 102, 9_000_001] };
	expect(await look()).toEqual(quiet);

	becomes(101, { stage: 'Review' });
	becomes(102, { aborted_time: '2027-03-31T15:00:00Z' });
	const { told, ...others } = await look();
	expect(told).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is running\. Stage: Preparation → Review$/),
		expect.stringMatching(/^Instance 102 \(.+\) is aborted\. Stage: /),
	]);
	expect(others).toEqual({ remembered: [101, 102], unread, read: [101, 102, 9_000_001] });

	expect((await setUp()).status).toBe('success');
	expect(await look()).toEqual({ ...quiet, read: [101, 9_000_001] });
});

describe('update-from-table.json', () => {
	const file = 'update-from-table.json';

	test('updates what it can, and reports the refused rows in one item', async () => {
		const { control } = stack().sandbox;
		const untouched = [104, 106].map((id) => control.instance(id));
		const execution = await start(recipe(file));
		expect(outputItems(execution, 'Updated').map(({ json }) => json.id)).toEqual([101, 102]);
		expect(control.instance(101)).toMatchObject({
			priority: 'H',
			deadline: expect.stringMatching(/^2027-03-31T00:00/),
		});
		expect(control.instance(102)).toMatchObject({
			priority: 'V',
			tags: ['finance', 'urgent'],
			deadline: expect.stringMatching(/^2027-04-15T17:00/),
		});
		expect([104, 106].map((id) => control.instance(id))).toEqual(untouched);
		const row = (id: string, reason: string) => ({
			id,
			reason: expect.stringContaining(reason),
			advice: expect.any(String),
		});
		expect(outputItems(execution, 'Report').map(({ json }) => json)).toEqual([
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
		const rows = [101, 102].map((instance, index) => ({
			id: index + 1,
			instance,
			deadline: '2027-03-31',
			priority: 'High',
		}));
		const renamed = JSON.stringify(recipe(file)).replaceAll(
			'{{ $json.id }}',
			'{{ $json.instance }}',
		);
		const workflow = asWorkflow(JSON.parse(renamed), file);
		const execution = await start(withItems(workflow, 'One Item per Row', rows));
		expect(outputItems(execution, 'Updated').map(({ json }) => json.id)).toEqual([101, 102]);
		expect(execution.data.resultData.runData).not.toHaveProperty('Report');
	});
});

describe('approve-deletion.json', () => {
	// n8n gives the page to people only, because programs that look at links must approve nothing.
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0 Safari/537.36' };
	let model: ScriptedModel;
	let id: string;
	beforeAll(async () => {
		const { rest } = stack().n8n;
		model = await startScriptedModel();
		const credential = await rest.createCredential('Model', 'openAiApi', { ...model.credential });
		const workflow = withCredential(recipe('approve-deletion.json'), MODEL_TYPE, credential);
		id = await stack().store(workflow);
	});
	afterAll(async () => await model.close());

	const deletions = () =>
		stack()
			.sandbox.control.log()
			.filter(({ method }) => method === 'POST')
			.map(({ body }) => JSON.parse(body));

	/** Chats until n8n asks for an approval, and presses a button; ends when the agent has answered. */
	async function converse(call: IDataObject, asked: string, approved: boolean): Promise<void> {
		const lookUp = { tool: 'Look_Up_Instance', arguments: { instanceId: 107 } };
		model.play([[lookUp], [{ tool: 'Delete_Instances', arguments: call }]], 'That is it.');
		const executionId = await chat(stack().n8n.rest, id, 'Delete 107 and 108');
		const { data } = await waiting(executionId, `"${asked}"`);
		expect(deletions()).toEqual([]);
		const links = data.match(/http:[^"]+\/webhook-waiting\/[^"]+/g) ?? [];
		const link = links.find((each) => each.includes(`approved=${approved}`));
		expect(await (await fetch(String(link), { headers })).text()).toContain('Got it, thanks');
		await waiting(executionId, '"That is it."');
		await stop(executionId);
	}

	const ASKED = 'The agent wants to delete for good: ';
	const call = { toolParameters: { instanceIds: '107, 108' }, hitlParameters: {} };

	test('deletes after somebody chose Delete, and not before', async () => {
		await converse(call, `${ASKED}107, 108`, true);
		expect(deletions()).toEqual([{ ids: [107, 108] }]);
		expect(model.answers()).toEqual([
			expect.stringContaining('"id":107'),
			expect.stringContaining('"deleted":true'),
		]);
	});

	test('deletes nothing after Keep, and the agent learns it', async () => {
		await converse(call, `${ASKED}107, 108`, false);
		expect(deletions()).toEqual([]);
		expect(model.answers()).toEqual([
			expect.stringContaining('"id":107'),
			expect.stringContaining('rejected'),
		]);
	});

	test('deletes nothing when IDs are not where the person is shown them', async () => {
		await converse({ instanceIds: '107, 108' }, ASKED, true);
		expect(deletions()).toEqual([]);
	});

	test('offers the model no other way to delete', async () => {
		await converse(call, `${ASKED}107, 108`, false);
		const offered = model
			.offered()
			.map(({ name, parameters }) => [name, Object.keys(parameters.properties)]);
		expect(offered.sort()).toEqual([
			['Delete_Instances', ['toolParameters', 'hitlParameters']],
			['Look_Up_Instance', ['instanceId']],
		]);
	});
});
