import { Expression } from 'n8n-workflow';
import {
	CREDENTIALS,
	expressionEngine,
	mockService,
	NAMES,
	registerCredentialType,
	registerNodeType,
	runNode,
	takeUnexpectedRequests,
	useLocalServers,
} from '../harness';
import { FixtureCredential, FixtureNode } from '../harness/fixtureNode';

const FIXTURE = 'fixture.service';
const ID = '={{ $json.id }}';
const hooked = { type: FIXTURE, parameters: { operation: 'hooked', id: ID } };
const plain = { type: FIXTURE, parameters: { operation: 'plain', id: ID } };
const twoItems = [
	{ id: 1, source: 'a' },
	{ id: 2, source: 'b' },
];

registerCredentialType(new FixtureCredential());
registerNodeType(FIXTURE, new FixtureNode());

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

	test('sees requests that nothing was set up to answer', async () => {
		const run = await runNode({ ...hooked, items: [{ id: 5 }] });
		expect(run.status).toBe('error');
		expect(takeUnexpectedRequests()).toEqual(['GET service.example/api/instances/5/']);
		service.get('/instances/6/').reply(200, {});
		await runNode({ ...hooked, items: [{ id: 6 }, { id: 7 }] });
		expect(takeUnexpectedRequests()).toEqual(['GET service.example/api/instances/7/']);
	});
});

describe('against servers on this machine', () => {
	useLocalServers();

	test('sees requests to other hosts', async () => {
		const credentials = { ...CREDENTIALS, baseUrl: 'http://service.invalid/api' };
		await runNode({ ...hooked, items: [{ id: 1 }], credentials });
		expect(takeUnexpectedRequests()).toEqual(['GET service.invalid/api/instances/1/']);
	});
});
