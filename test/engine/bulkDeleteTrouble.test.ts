import type { INodeParameters } from 'n8n-workflow';

import { expressionEngine } from '../harness';
import { bodies } from './support/instances';
import { useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const FROM_FIELD: INodeParameters = { operation: 'bulkDelete', idSource: 'inputField' };
const FROM_LIST: INodeParameters = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };
// Nothing of this depends on the engine that evaluates expressions, because none is evaluated.
const COUNT = expressionEngine() === 'legacy' ? 10_000 : 1_000;

describe('Bulk Delete', () => {
	const sandbox = useSandbox();
	const { run, left } = sandbox;

	test(`of ${COUNT} items is ${COUNT / 100} requests, evaluates nothing, and pairs what comes out`, async () => {
		const ids = sandbox.control.addInstances(COUNT);
		const { outputs, evaluations } = await run(
			FROM_FIELD,
			ids.map((id) => ({ id })),
		);
		expect(sandbox.control.stats().requests).toBe(COUNT / 100);
		expect(bodies(sandbox, 'POST').flatMap(({ ids: sent }) => sent)).toEqual(ids);
		expect(left(ids)).toEqual([]);
		expect(outputs[0]).toEqual(
			ids.map((id, item) => ({ json: { id, deleted: true }, pairedItem: { item } })),
		);
		expect(evaluations).toBe(0);
	});

	test('of items that all name the same IDs by a list, an expression or a field deletes them once, each paired to 100 items at most', async () => {
		const count = 1_000;
		const items = (ids: number[]) => Array.from({ length: count }, () => ({ id: [...ids] }));
		for (const from of ['list', 'expression', 'field']) {
			sandbox.control.reset();
			const ids = sandbox.control.addInstances(count);
			const parameters = from === 'field' ? FROM_FIELD : FROM_LIST;
			const { outputs, tasks } = await run(
				from === 'list' ? { ...parameters, instanceIds: ids.join() } : parameters,
				items(from === 'list' ? [] : ids),
			);
			expect(left(ids)).toEqual([]);
			expect(tasks[0]?.hints?.map(({ message }) => message)).toEqual([
				expect.stringContaining("turn on 'Execute Once'"),
				expect.stringContaining('the service accepted the request'),
			]);
			expect(sandbox.control.stats().requests).toBe(count / 100);
			expect(outputs[0]).toHaveLength(count);
			const first = Array.from({ length: 100 }, (_, item) => ({ item }));
			// One list for all of them, which n8n saves once.
			const pairings = new Set(outputs[0]?.map(({ pairedItem }) => pairedItem));
			expect([...pairings]).toEqual([first]);
		}
	});

	test.each([
		['100 items name one list', 100, () => [101, 102]],
		['items name one ID', 101, () => [101]],
		['items name two lists', 101, (item: number) => (item % 2 === 0 ? [101, 102] : [102, 101])],
	])('says nothing of Execute Once where %s', async (_, count, idsOf) => {
		const items = Array.from({ length: count }, (_each, item) => ({ id: idsOf(item) }));
		const { tasks } = await run(FROM_FIELD, items);
		expect(tasks[0]?.hints).toHaveLength(1);
	});

	test('pairs an ID that many items name in several lists to the first 100 of them', async () => {
		const items = Array.from({ length: 240 }, (_, item) => ({
			id: item % 2 === 0 ? [101, 102] : [102, 103],
		}));
		const { outputs } = await run(FROM_FIELD, items);
		const every = (step: number, first: number) =>
			Array.from({ length: 100 }, (_, place) => ({ item: first + step * place }));
		expect(outputs[0]).toEqual([
			{ json: { id: 101, deleted: true }, pairedItem: every(2, 0) },
			{ json: { id: 102, deleted: true }, pairedItem: every(1, 0) },
			{ json: { id: 103, deleted: true }, pairedItem: every(2, 1) },
		]);
	});

	test('of many items without an ID makes one error item, paired to 100 of them', async () => {
		const items = Array.from({ length: 120 }, () => ({ id: [] }));
		const { outputs } = await run(FROM_FIELD, items, { onError: 'continueRegularOutput' });
		expect(outputs[0]).toHaveLength(1);
		expect(outputs[0]?.[0]?.pairedItem).toHaveLength(100);
	});

	describe('with items that cannot be used and Continue', () => {
		const BAD = [{ id: 101 }, { id: 'x' }, { id: 102 }, { id: 1.5, note: 'n' }, { id: [103, 101] }];

		test.each<[string, INodeParameters]>([
			['a field', FROM_FIELD],
			['a list', FROM_LIST],
		])('from %s, deletes the good ones and reports the bad ones', async (_, parameters) => {
			const { outputs, downstream } = await run(parameters, BAD, {
				onError: 'continueErrorOutput',
				downstream: true,
			});
			const [success = [], errors = []] = outputs;
			expect(success).toEqual([
				{ json: { id: 101, deleted: true }, pairedItem: [{ item: 0 }, { item: 4 }] },
				{ json: { id: 102, deleted: true }, pairedItem: { item: 2 } },
				{ json: { id: 103, deleted: true }, pairedItem: { item: 4 } },
			]);
			expect(errors.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 3 }]);
			expect(errors[1]?.json).toMatchObject({ id: 1.5, note: 'n' });
			expect(downstream.error).toEqual([{ value: BAD[1] }, { value: BAD[3] }]);
			expect(downstream.success.slice(1)).toEqual([{ value: BAD[2] }, { value: BAD[4] }]);
			expect(left([101, 102, 103])).toEqual([]);
			expect(bodies(sandbox, 'POST')).toEqual([{ ids: [101, 102, 103] }]);
		});

		test('puts the bad ones among the good ones on the one output', async () => {
			const onError = 'continueRegularOutput';
			const { outputs } = await run(FROM_FIELD, BAD.slice(0, 4), { onError });
			const pairs = outputs[0]?.map(({ pairedItem }) => pairedItem);
			expect(pairs).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
		});

		test('sends nothing when they are all there is', async () => {
			const items = [{ id: 'x' }, { id: 'y' }];
			const { outputs } = await run(FROM_FIELD, items, { onError: 'continueRegularOutput' });
			expect(outputs[0]?.map(({ json }) => json.details)).toEqual([
				expect.objectContaining({ item: 0 }),
				expect.objectContaining({ item: 1 }),
			]);
			expect(sandbox.requests()).toEqual([]);
		});
	});
});
