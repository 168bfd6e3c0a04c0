import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { outputItems } from '../../sandbox/n8n/executions';
import { textAt } from '../../sandbox/guards';
import {
	asWorkflow,
	type CredentialReference,
	type Workflow,
	withCredential,
} from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { type ScriptedModel, startScriptedModel, type ToolCall } from './support/agentModel';
import {
	agentWorkflow,
	chat,
	mcpClientWorkflow,
	mcpServerWorkflow,
	MODEL_TYPE,
} from './support/agentWorkflows';
import { type OnError, useStack } from './support/stack';

// Older versions of n8n kept community nodes from agents without it; those of today do not read it.
const stack = useStack({ env: { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'false' } });
const FULL = SEED.fullyFilled;
let model: ScriptedModel;
let modelCredential: CredentialReference;

beforeAll(async () => {
	model = await startScriptedModel();
	const { rest } = stack().n8n;
	modelCredential = await rest.createCredential('Model', 'openAiApi', { ...model.credential });
});
afterAll(async () => await model.close());

/** The requests that the service received, each with its body. */
function received(): Array<[request: string, body: IDataObject | undefined]> {
	const log = stack().sandbox.control.log();
	expect(log.filter(({ authorized }) => !authorized)).toEqual([]);
	return log.map(({ method, url, body }) => [
		`${method} ${url}`,
		body === '' ? undefined : JSON.parse(body),
	]);
}

/** What clients can set, as the service has it stored. */
function settable(id: number): IDataObject {
	const stored = stack().sandbox.control.instance(id);
	if (stored === undefined) throw new Error(`There is no instance ${id}.`);
	const { process, name, deadline, priority, tags } = stored;
	const step_assignments = stored.step_assignments.map((assignment) => ({ ...assignment }));
	return { process, name, deadline, priority, tags, step_assignments };
}

const storeAgent = async (workflow: Workflow) =>
	await stack().store(withCredential(workflow, MODEL_TYPE, modelCredential));

const lookUp = (instanceId: number): ToolCall => ({ tool: 'Look_Up', arguments: { instanceId } });
const change: ToolCall = {
	tool: 'Change',
	arguments: { instanceId: FULL, priority: 'V', tags: 'late, vip' },
};
const remove: ToolCall = { tool: 'Remove', arguments: { ids: '107, 108' } };

/** What `change` has to send, and what the instance was before. */
function changeRequests() {
	const before = settable(FULL);
	const tags = [before.tags ?? []].flat();
	return [
		[`GET /api/instances/${FULL}/`, undefined],
		[`PUT /api/instances/${FULL}/`, { ...before, priority: 'V', tags: [...tags, 'late', 'vip'] }],
	];
}

describe.each([3.1, 2.2, 1.7])('the AI Agent %s', (version) => {
	const converse = async (rounds: ToolCall[][], onError?: OnError) => {
		model.play(rounds, 'All done.');
		const id = await storeAgent(agentWorkflow(version, onError));
		const execution = await stack().n8n.rest.runWorkflow(id);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(outputItems(execution, 'Agent')[0]?.json.output).toBe('All done.');
	};

	test('is told what the tools do and which values they take', async () => {
		await converse([]);
		const offered = model
			.offered()
			.map(({ name, description, parameters }) => [
				name,
				description,
				Object.keys(parameters.properties).sort(),
			]);
		expect(offered.sort()).toEqual([
			[
				'Change',
				'Update an instance in Workflow Instance Service',
				['instanceId', 'priority', 'tags'],
			],
			['Look_Up', 'Get an instance in Workflow Instance Service', ['instanceId']],
			['Remove', 'Delete instances permanently in Workflow Instance Service', ['ids']],
		]);
	});

	test('looks up, changes and deletes with exactly the right requests', async () => {
		const changes = changeRequests();
		await converse([[lookUp(SEED.running)], [change], [remove]]);
		expect(received()).toEqual([
			[`GET /api/instances/${SEED.running}/`, undefined],
			...changes,
			['POST /api/instances/bulk/delete', { ids: [107, 108] }],
		]);
		const [found, changed, deleted] = model.answers().map((answer) => JSON.parse(answer));
		expect(found).toEqual([expect.objectContaining({ id: SEED.running })]);
		expect(changed).toEqual([expect.objectContaining({ id: FULL, priority: 'V' })]);
		expect(deleted).toEqual([
			{ id: 107, deleted: true },
			{ id: 108, deleted: true },
		]);
	});

	test('may call a tool several times at once', async () => {
		const alone = (ids: string): ToolCall => ({ tool: 'Remove', arguments: { ids } });
		await converse(
			[[101, 999_999, 102, 103].map(lookUp), [alone('107'), alone('108, 109')]],
			'continueRegularOutput',
		);
		expect(model.answers().map((answer) => JSON.parse(answer))).toEqual([
			[expect.objectContaining({ id: 101 })],
			[expect.objectContaining({ error: expect.any(String) })],
			[expect.objectContaining({ id: 102 })],
			[expect.objectContaining({ id: 103 })],
			[{ id: 107, deleted: true }],
			[
				{ id: 108, deleted: true },
				{ id: 109, deleted: true },
			],
		]);
	});

	test.each(['', 'all', '107, 1.5'])(
		'deletes nothing when it asks for %p, and reads why',
		async (ids) => {
			await converse([[{ tool: 'Remove', arguments: { ids } }]], 'continueRegularOutput');
			expect(received()).toEqual([]);
			expect(model.answers()).toEqual([expect.stringMatching(/no IDs to delete|'Instance IDs'/)]);
		},
	);

	test('cannot make a tool do anything else than what it is for', async () => {
		const more = {
			operation: 'bulkDelete',
			instanceIds: '107, 108',
			ids: '107, 108',
			unsetFields: 'reset',
			clearFields: ['tags'],
		};
		const changes = changeRequests();
		const withMore = ({ tool, arguments: values }: ToolCall): ToolCall => ({
			tool,
			arguments: { ...values, ...more },
		});
		await converse([[withMore(lookUp(SEED.running))], [withMore(change)]], 'continueRegularOutput');
		expect(received()).toEqual([[`GET /api/instances/${SEED.running}/`, undefined], ...changes]);
	});

	test('reads why a call was refused when the tools continue, and goes on', async () => {
		await converse(
			[[lookUp(SEED.unknown)], [lookUp(1.5)], [lookUp(SEED.running)]],
			'continueRegularOutput',
		);
		const [missing, refused, found] = model.answers();
		expect(missing).toContain(`The service did not find instance ${SEED.unknown}`);
		expect(missing).toContain('Check that the instance still exists');
		expect(refused).toContain("1.5 in 'Instance' is not a valid instance ID");
		expect(refused).toContain('Enter a whole number above zero');
		expect(found).toContain('"stage"');
		expect(received().map(([request]) => request)).toEqual([
			`GET /api/instances/${SEED.unknown}/`,
			`GET /api/instances/${SEED.running}/`,
		]);
	});
});

test("the example's agent looks up, then changes what it was asked to change", async () => {
	const file = resolve(__dirname, '../../examples/ai-agent.json');
	const example = asWorkflow(JSON.parse(readFileSync(file, 'utf8')), 'examples/ai-agent.json');
	const id = await storeAgent(example);
	const before = settable(SEED.overdue);
	const instanceId = SEED.overdue;
	const deadline = '2027-03-31T17:00:00+02:00';
	model.play(
		[
			[{ tool: 'Look_Up_Instance', arguments: { instanceId } }],
			[{ tool: 'Set_Deadline', arguments: { instanceId, deadline } }],
			[{ tool: 'Prioritize_and_Tag', arguments: { instanceId, priority: 'H', addTags: 'late' } }],
		],
		'Instance 104 has time until 31 March.',
	);
	const { rest } = stack().n8n;
	const execution = await rest.waitForExecution(await chat(rest, id, 'Give 104 until 31 March'));
	expect(outputItems(execution, 'Agent')[0]?.json.output).toBe(
		'Instance 104 has time until 31 March.',
	);
	expect(
		model
			.offered()
			.map(({ name }) => name)
			.sort(),
	).toEqual(['Look_Up_Instance', 'Prioritize_and_Tag', 'Set_Deadline']);
	expect(received()).toEqual([
		['GET /api/instances/104/', undefined],
		['GET /api/instances/104/', undefined],
		['PUT /api/instances/104/', { ...before, deadline }],
		['GET /api/instances/104/', undefined],
		[
			'PUT /api/instances/104/',
			{ ...before, deadline, priority: 'H', tags: [...[before.tags ?? []].flat(), 'late'] },
		],
	]);
});

describe('the MCP Server Trigger', () => {
	const path = 'instances';
	beforeAll(async () => {
		const { rest, url } = stack().n8n;
		const id = await stack().store(mcpServerWorkflow(path));
		const versionId = textAt(await rest.call('GET', `/workflows/${id}`), 'versionId', 'It');
		await rest.call('POST', `/workflows/${id}/activate`, { versionId });
		// n8n registers the path a moment after it has answered.
		const isMissing = async () =>
			(await fetch(`${url}/mcp/${path}`, { method: 'POST' })).status === 404;
		for (let tries = 0; tries < 50 && (await isMissing()); tries++) await sleep(100);
	});

	/** What n8n's own MCP client gets to read from the tool. */
	const call = async ({ tool, arguments: values }: ToolCall): Promise<string> => {
		const { rest, url } = stack().n8n;
		const client = mcpClientWorkflow(`${url}/mcp/${path}`, tool, values);
		const execution = await rest.runWorkflow(await rest.createWorkflow(client));
		expect(execution.data.resultData.error).toBeUndefined();
		return JSON.stringify(outputItems(execution, 'Client').map(({ json }) => json.content));
	};

	test('looks up, changes and deletes', async () => {
		const changes = changeRequests();
		expect(await call(lookUp(SEED.running))).toContain('"stage"');
		expect(await call(change)).toContain('"priority":"V"');
		expect(await call(remove)).toContain('{"id":108,"deleted":true}');
		expect(received()).toEqual([
			[`GET /api/instances/${SEED.running}/`, undefined],
			...changes,
			['POST /api/instances/bulk/delete', { ids: [107, 108] }],
		]);
	});

	test('says why a call was refused', async () => {
		const answer = await call(lookUp(SEED.unknown));
		expect(answer).toContain(`The service did not find instance ${SEED.unknown}`);
		expect(answer).toContain('Check that the instance still exists');
	});
});
