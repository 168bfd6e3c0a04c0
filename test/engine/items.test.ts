import { type IDataObject, type INodeParameters, sleep } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

// The vm engine takes a millisecond for each of the thousands of evaluations.
jest.setTimeout(60_000);

const MISSING = new Set([3, 9, 16]);

describe('20 items of which 3 do not exist', () => {
	const sandbox = useSandbox();
	const items = Array.from({ length: 20 }, (_, index) => ({
		id: MISSING.has(index) ? 9_000_000 + index : 101 + index,
		label: `item ${index}`,
	}));
	const good = items.filter((_, index) => !MISSING.has(index));
	const bad = items.filter((_, index) => MISSING.has(index));
	const run = async (onError: 'continueErrorOutput' | 'continueRegularOutput' | 'stopWorkflow') =>
		await sandbox.run({ instanceId: ID_OF_ITEM }, items, { onError, downstream: true });

	test('with the error output, both branches are right and paired', async () => {
		const { outputs, downstream } = await run('continueErrorOutput');
		const [success = [], errors = []] = outputs;
		expect(success.map(({ json }) => json.id)).toEqual(good.map(({ id }) => id));
		expect(downstream.success).toEqual(good.map((value) => ({ value })));
		expect(downstream.error).toEqual(bad.map((value) => ({ value })));
		expect(errors.map(({ pairedItem }) => pairedItem)).toEqual(
			[...MISSING].map((item) => ({ item })),
		);
		for (const [index, { json }] of errors.entries()) {
			expect(json).toMatchObject(bad[index] ?? {});
			expect(json.error).toMatch(
				/did not find instance 90000\d\d \(404\): Not found\. \[item \d+\]/,
			);
		}
	});

	test('with Continue, all come out on the one output, paired', async () => {
		const { outputs, downstream } = await run('continueRegularOutput');
		expect(outputs).toHaveLength(1);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_, item) => ({ item })),
		);
		expect(downstream.success).toEqual(items.map((value) => ({ value })));
		const errors = (outputs[0] ?? []).filter(({ json }) => json.error !== undefined);
		expect(errors.map(({ json }) => json.details)).toEqual(
			[...MISSING].map((item) => expect.objectContaining({ item, httpCode: '404' })),
		);
	});

	test('with Stop, the message carries the words of the service and the item', async () => {
		const { outputs, error } = await run('stopWorkflow');
		expect(outputs).toEqual([]);
		expect(error?.message).toBe('The service did not find instance 9000003 (404): Not found.');
		expect(error?.description).toContain('(item 3)');
		expect(error?.itemIndex).toBe(3);
		expect(error?.httpCode).toBe('404');
	});
});

describe('500 items against a slow service', () => {
	const sandbox = useSandbox();
	const items = Array.from({ length: 500 }, () => ({ id: SEED.running }));
	const run = async (first: number, options = {}) =>
		await sandbox.run({ instanceId: ID_OF_ITEM, options }, [{ id: first }, ...items.slice(1)]);

	test('are ten in flight at most before the first answer, and more after it', async () => {
		sandbox.control.setLatency(20);
		const { outputs } = await run(SEED.running);
		expect(outputs[0]).toHaveLength(500);
		const { maxInFlight, requests } = sandbox.control.stats();
		const log = sandbox.log();
		const firstAnswer = Math.min(...log.map(({ respondedAt }) => respondedAt ?? Infinity));
		expect(log.filter(({ receivedAt }) => receivedAt < firstAnswer).length).toBeLessThan(11);
		expect(maxInFlight).toBeGreaterThan(10);
		expect(maxInFlight).toBeLessThanOrEqual(100);
		expect(requests).toBe(500);
	});

	test.each([1, 3, 15])('keep to the bound of %d that the user set', async (bound) => {
		sandbox.control.setLatency(5);
		await run(SEED.running, { maxConcurrentRequests: bound });
		expect(sandbox.control.stats().maxInFlight).toBe(bound);
	});

	test.each([1, 10])('are not sent any more once one of %d was not processed', async (bound) => {
		sandbox.control.setLatency(20);
		const { error } = await run(9_000_000, { maxConcurrentRequests: bound });
		expect(error?.itemIndex).toBe(0);
		expect(sandbox.control.stats().requests).toBeLessThanOrEqual(bound);
	});

	describe.each<[string, INodeParameters]>([
		['the other fields kept', {}],
		['the other fields reset', { unsetFields: 'reset', process: locator(11) }],
	])('of Update, %s,', (_what, rest) => {
		const update = async (parameters: INodeParameters, updated: IDataObject[]) =>
			await sandbox.run(
				{
					operation: 'update',
					instanceId: ID_OF_ITEM,
					updateFields: { tags: 'a' },
					...rest,
					...parameters,
				},
				updated,
			);

		test('are all refused before the first is sent, when the last cannot be', async () => {
			const { error } = await update({}, [...items, { id: 'abc' }]);
			expect(error?.itemIndex).toBe(500);
			expect(sandbox.requests()).toEqual([]);
		});

		test('are all kept back when an expression of the last cannot be evaluated', async () => {
			const instanceId = locator('={{ $itemIndex === 499 ? $("Nowhere").item.json.id : 101 }}');
			const { error } = await update({ instanceId }, items);
			expect(error?.message).toMatch(/^The expression in 'Instance' cannot be evaluated: ./);
			expect(error?.itemIndex).toBe(499);
			await sleep(50);
			expect(sandbox.requests()).toEqual([]);
		});

		test.each<[string, FaultAction]>([
			['was refused', { type: 'respond', status: 403 }],
			['was answered with something else', { type: 'respond', status: 200, body: '{}' }],
		])('are not sent any more once one %s', async (_how, action) => {
			sandbox.control.addFault({ action });
			const { error } = await update({ options: { maxConcurrentRequests: 1 } }, items);
			expect(error?.itemIndex).toBe(0);
			await sleep(50);
			expect(sandbox.requests()).toHaveLength(1);
		});
	});

	test('of Get may be read while later ones are checked, but the bad one is told', async () => {
		const bad = [...items, { id: 'abc' }];
		const { error, outputs } = await sandbox.run({ instanceId: ID_OF_ITEM }, bad);
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(500);
		expect(sandbox.requests().filter((request) => !request.startsWith('GET '))).toEqual([]);
	});
});
