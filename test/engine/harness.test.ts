import { createServer, type Server } from 'node:http';
import { Expression } from 'n8n-workflow';
import {
	connect,
	CREDENTIALS,
	createNodeRunner,
	expressionEngine,
	mockService,
	NAMES,
	node,
	nodeTypes,
	registerCredentialType,
	registerNodeType,
	runAsTool,
	runNode,
	runWorkflow,
	takeUnexpectedRequests,
	testCredential,
	toItems,
	useLocalServers,
} from '../harness';
import { FunctionCredential, GenericCredential } from '../harness/fixtures/fixtureCredentials';
import { FixtureNode } from '../harness/fixtures/fixtureNode';

const FIXTURE = 'fixture.service';
const GENERIC = 'fixture.generic';
const ID = '={{ $json.id }}';
const hooked = { type: FIXTURE, parameters: { operation: 'hooked', id: ID } };
const plain = { type: FIXTURE, parameters: { operation: 'plain', id: ID } };
const twoItems = [
	{ id: 1, source: 'a' },
	{ id: 2, source: 'b' },
];

registerCredentialType(new FunctionCredential());
registerCredentialType(new GenericCredential());
registerNodeType(FIXTURE, new FixtureNode('fixtureFunctionApi'));
registerNodeType(GENERIC, new FixtureNode('fixtureGenericApi'));

test('runs on the engine that the project names', () => {
	expect(Expression.getActiveImplementation()).toBe(expressionEngine());
});

describe('against nock', () => {
	const service = mockService();

	const answerOneOfTwo = (): void => {
		service.get('/instances/1/').reply(404, { message: 'Not found.' });
		service.get('/instances/2/').reply(200, { id: 2 });
	};

	test('pairs neither branch of a plain node (docs/n8n-engine.md#pairing)', async () => {
		answerOneOfTwo();
		const run = await runNode({
			...plain,
			items: twoItems,
			onError: 'continueErrorOutput',
			downstream: true,
		});
		const [success = [], errors = []] = run.outputs;
		expect(success.map(({ json }) => json)).toEqual([{ id: 2 }]);
		expect(errors).toHaveLength(1);
		expect(errors[0]?.error?.name).toBe('NodeApiError');
		expect([...success, ...errors].map(({ pairedItem }) => pairedItem)).toEqual([
			undefined,
			undefined,
		]);
		expect(run.downstream.success).toEqual([{ unresolved: expect.any(String) }]);
		expect(run.downstream.error).toEqual([{ unresolved: expect.any(String) }]);
	});

	test('pairs both branches of a hook (docs/n8n-engine.md#error-items)', async () => {
		answerOneOfTwo();
		const run = await runNode({
			...hooked,
			items: twoItems,
			onError: 'continueErrorOutput',
			downstream: true,
		});
		expect(run.status).toBe('success');
		expect(run.outputs).toEqual([
			[{ json: { id: 2 }, pairedItem: { item: 1 } }],
			[
				{
					json: { id: 1, source: 'a', error: expect.any(String), details: { code: '404' } },
					pairedItem: { item: 0 },
				},
			],
		]);
		expect(run.downstream).toEqual({
			success: [{ value: twoItems[1] }],
			error: [{ value: twoItems[0] }],
		});
	});

	test('reports the error that stops the node, with its item', async () => {
		answerOneOfTwo();
		const run = await runNode({ ...plain, items: twoItems });
		expect(run.status).toBe('error');
		expect(run.outputs).toEqual([]);
		expect(run.error).toMatchObject({ name: 'NodeApiError', itemIndex: 0, httpCode: '404' });
		expect(run.error?.description).toBe('Not found.');
		expect(run.run.error?.message).toBe(run.error?.message);
	});

	test('counts the evaluations of the node alone', async () => {
		answerOneOfTwo();
		const run = await runNode({ ...plain, items: twoItems, onError: 'continueRegularOutput' });
		answerOneOfTwo();
		const fast = await runNode({ ...hooked, items: twoItems, onError: 'continueRegularOutput' });
		expect(run.evaluations).toBeGreaterThanOrEqual(2 * 5);
		expect(fast.evaluations).toBeGreaterThanOrEqual(2);
		expect(fast.evaluations).toBeLessThan(run.evaluations);
		expect(fast.run.evaluations[0]).toMatchObject({ node: NAMES.node, itemIndex: 0 });
	});

	test('signs requests by an expression as well as by a function', async () => {
		service.get('/instances/7/').reply(200, { id: 7 });
		const run = await runNode({ type: GENERIC, parameters: { operation: 'plain', id: '7' } });
		expect(run.outputs).toEqual([[{ json: { id: 7 }, pairedItem: { item: 0 } }]]);
		expect(service.requests).toMatchObject([
			{ method: 'GET', path: '/instances/7/', body: undefined },
		]);
	});

	test('retries a failed node', async () => {
		service.get('/instances/1/').reply(503).get('/instances/1/').reply(200, { id: 1 });
		const run = await runNode({ ...hooked, items: [{ id: 1 }], retryOnFail: true, maxTries: 2 });
		expect(run.outputs[0]).toHaveLength(1);
		expect(service.requests).toHaveLength(2);
	});

	test('cancels a running execution', async () => {
		const stop = new AbortController();
		service.get('/instances/1/').reply(() => {
			stop.abort();
			return [200, {}];
		});
		const run = await runNode({ ...hooked, items: [{ id: 1 }], signal: stop.signal });
		expect(run.status).toBe('canceled');
	});

	test('leaves starting to n8n, which refuses an empty required parameter', async () => {
		await expect(runNode({ type: FIXTURE, parameters: { id: '' } })).rejects.toThrow(
			'Parameter "ID" is required',
		);
	});

	test('sees requests that nothing was set up to answer', async () => {
		const run = await runNode({ ...hooked, items: [{ id: 5 }] });
		expect(run.status).toBe('error');
		expect(takeUnexpectedRequests()).toEqual(['GET service.example/api/instances/5/']);
		service.get('/instances/6/').reply(200, {});
		await runNode({ ...hooked, items: [{ id: 6 }, { id: 7 }] });
		expect(takeUnexpectedRequests()).toEqual(['GET service.example/api/instances/7/']);
	});

	test.each(['call', 'request'] as const)('runs the node as a tool, agent: %s', async (agent) => {
		for (const id of [4, 5]) service.get(`/instances/${id}/`).reply(200, { id });
		const parameters = { operation: 'hooked', id: "={{ $fromAI('id', 'The id', 'number') }}" };
		const calls = [{ id: 4 }, { id: 5 }];
		const run = await runAsTool({ type: FIXTURE, parameters, calls, items: twoItems, agent });
		expect(run.status).toBe('success');
		expect(run.answers).toEqual(
			calls.map((call) => ({ response: agent === 'call' ? JSON.stringify([call]) : [call] })),
		);
		expect(run.tasks).toHaveLength(2);
	});

	test('hands over what a tool throws', async () => {
		service.get('/instances/4/').reply(404, { message: 'Gone.' });
		const parameters = { operation: 'hooked', id: '4' };
		const run = await runAsTool({ type: FIXTURE, parameters, calls: [{}], agent: 'call' });
		expect(run.answers[0]?.thrown?.message).toContain('Gone.');
	});

	test.each([
		[404, 1, 'OK', 'Connection successful!'],
		[401, 2, 'Error', 'Key refused'],
	])('tests a credential, answer: %d', async (status, requests, verdict, message) => {
		service.get('/instances/0/').times(requests).reply(status, {});
		const result = await testCredential(CREDENTIALS, 'fixtureFunctionApi');
		expect(result).toEqual({ status: verdict, message });
	});

	test("runs this package's node and credential from their sources", async () => {
		service.get('/instances/3/').reply(200, { id: 3 });
		const instanceId = { __rl: true, mode: 'id', value: '3' };
		const run = await runNode({ parameters: { instanceId } });
		expect(run.outputs[0]?.[0]?.json).toMatchObject({ id: 3 });
		expect(service.requests[0]?.headers.authorization).toBe(`Api-Key ${CREDENTIALS.apiKey}`);
	});

	test('runs loops', async () => {
		for (const id of [1, 2]) service.get(`/instances/${id}/`).reply(200, { id });
		const run = await runWorkflow({
			nodes: [
				node('Start', nodeTypes.MANUAL_TRIGGER),
				node('Items', nodeTypes.NO_OP),
				node('Loop', nodeTypes.SPLIT_IN_BATCHES, {}, { typeVersion: 3 }),
				node('Service', FIXTURE, hooked.parameters),
				node('Done', nodeTypes.EVALUATE, { expression: "={{ $('Items').item.json.source }}" }),
			],
			connections: connect([
				{ from: 'Start', to: 'Items' },
				{ from: 'Items', to: 'Loop' },
				{ from: 'Loop', output: 0, to: 'Done' },
				{ from: 'Loop', output: 1, to: 'Service' },
				{ from: 'Service', to: 'Loop' },
			]),
			pinData: { Items: toItems(twoItems) },
		});
		expect(run.node('Service').tasks).toHaveLength(2);
		expect(run.node('Done').outputs[0]?.map(({ json }) => json)).toEqual([
			{ value: 'a' },
			{ value: 'b' },
		]);
	});

	test('runs a single step, from nothing and from an earlier run', async () => {
		service.get('/instances/1/').times(2).reply(200, { id: 1 });
		const options = { ...hooked, items: [{ id: 1 }], downstream: true, step: NAMES.node };
		const first = await runNode(options);
		const second = await runNode({ ...options, previous: first.run.raw });
		expect(first.downstream.success).toEqual([]);
		expect(second.outputs).toEqual(first.outputs);
	});

	test('evaluates in the given time zone', async () => {
		const run = await runWorkflow(
			{
				nodes: [
					node('Start', nodeTypes.MANUAL_TRIGGER),
					node('Set', nodeTypes.SET, {
						assignments: {
							assignments: [{ id: '1', name: 'zone', value: '={{ $now.zoneName }}' }],
						},
					}),
				],
				connections: connect([{ from: 'Start', to: 'Set' }]),
			},
			{ timezone: 'Asia/Tokyo' },
		);
		expect(run.node('Set').outputs[0]?.[0]?.json).toEqual({ zone: 'Asia/Tokyo' });
	});
});

describe('against a server on this machine', () => {
	useLocalServers();
	let server: Server;
	let baseUrl: string;

	beforeAll(async () => {
		server = createServer((request, response) => {
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({ key: request.headers.authorization }));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		if (address === null || typeof address === 'string') throw new Error('No port');
		baseUrl = `http://127.0.0.1:${address.port}/api`;
	});
	afterAll(() => {
		server.close();
	});

	test('sends real requests', async () => {
		const run = await runNode({
			...hooked,
			items: [{ id: 1 }],
			credentials: { baseUrl, apiKey: 'k' },
		});
		expect(run.outputs[0]?.[0]?.json).toEqual({ key: 'Api-Key k' });
	});

	test('sees requests to other hosts', async () => {
		const credentials = { ...CREDENTIALS, baseUrl: 'http://service.invalid/api' };
		await runNode({ ...hooked, items: [{ id: 1 }], credentials });
		expect(takeUnexpectedRequests()).toEqual(['GET service.invalid/api/instances/1/']);
	});

	test('runs a node many times with one set-up', async () => {
		const runner = await createNodeRunner(hooked);
		const credentials = { baseUrl, apiKey: 'k' };
		const runs = 100;
		for (let id = 1; id <= runs; id += 1) {
			const { outputs, evaluations } = await runner.run({ items: [{ id }], credentials });
			expect(outputs[0]).toHaveLength(1);
			expect(evaluations).toBe(3);
		}
		await runner.close();
	});
});
