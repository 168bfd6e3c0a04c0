import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/service';
import { expressionEngine, runNode, type RunNodeOptions } from '../harness';
import { bodies } from './support/instances';
import { useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const FROM_FIELD: INodeParameters = { operation: 'bulkDelete', idSource: 'inputField' };
const FROM_LIST: INodeParameters = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };
const WORDS = /error|problem|failure|mistake|undefined/i;
/** What n8n itself calls a setting is no word of ours. */
const withoutLabels = (text: string) => text.replace("'On Error'", '');

describe('Bulk Delete in trouble', () => {
	const sandbox = useSandbox();
	const run = async (
		parameters: INodeParameters,
		items: IDataObject[],
		settings: Partial<RunNodeOptions> = {},
	) => await runNode({ parameters, items, credentials: sandbox.credentials, ...settings });
	const left = (ids: number[]) => ids.filter((id) => sandbox.control.instance(id) !== undefined);

	// Nothing of this depends on the engine that evaluates expressions, because none is evaluated.
	const COUNT = expressionEngine() === 'legacy' ? 10_000 : 1_000;

	describe(`${COUNT} items`, () => {
		let ids: number[];
		let items: IDataObject[];
		beforeEach(() => {
			ids = sandbox.control.addInstances(COUNT);
			items = ids.map((id) => ({ id }));
		});

		test(`are ${COUNT / 100} requests, evaluate nothing, and come out paired`, async () => {
			const { outputs, evaluations } = await run(FROM_FIELD, items);
			expect(sandbox.control.stats().requests).toBe(COUNT / 100);
			expect(bodies(sandbox, 'POST').flatMap(({ ids: sent }) => sent)).toEqual(ids);
			expect(left(ids)).toEqual([]);
			expect(outputs[0]).toEqual(
				ids.map((id, item) => ({ json: { id, deleted: true }, pairedItem: { item } })),
			);
			expect(evaluations).toBe(0);
		});

		test('are not sent when one of them has no usable ID', async () => {
			items[765] = { id: `${ids[765]}/../1` };
			const { error, outputs } = await run(FROM_FIELD, items);
			expect(error?.message).toContain(`"${ids[765]}/../1"`);
			expect(error?.description).toContain('(item 765)');
			expect(error?.itemIndex).toBe(765);
			expect(outputs).toEqual([]);
			expect(sandbox.requests()).toEqual([]);
			expect(left(ids)).toHaveLength(COUNT);
		});
	});

	const refused = (status: number): FaultAction => ({
		type: 'respond',
		status,
		body: '{"detail":"Not these."}',
	});
	const ANSWERS: Array<[what: string, action: FaultAction, really: boolean]> = [
		['answered with 500', refused(500), false],
		['cut off', { type: 'reset' }, false],
		['deleted, but cut off', { type: 'applyThen', then: { type: 'reset' } }, true],
	];

	describe.each(ANSWERS)('250 IDs whose second batch is %s', (_, action, really) => {
		// A lost connection would be tried again, after a second.
		const parameters = { ...FROM_FIELD, options: { maxRetries: 0 } };
		let ids: number[];
		let items: IDataObject[];
		let batches: number[][];
		beforeEach(() => {
			ids = sandbox.control.addInstances(250);
			items = ids.map((id) => ({ id }));
			batches = [ids.slice(0, 100), ids.slice(100, 200), ids.slice(200)];
			sandbox.control.addFault({ match: { method: 'POST', nth: 2 }, action });
		});

		test('with Stop: what is gone and what is not', async () => {
			const [first = [], second = [], third = []] = batches;
			const { error, outputs } = await run(parameters, items);
			expect(outputs).toEqual([]);
			expect(error?.message).toMatch(/^Batch 2 of 3: /);
			expect(error?.itemIndex).toBe(100);
			expect(error?.context).toMatchObject({
				deletedIds: first,
				notDeletedIds: third,
				uncertainIds: second,
			});
			expect(error?.description).toContain(`Deleted: ${first.join(', ')}.`);
			expect(error?.description).toContain(`Not deleted: ${third.join(', ')}.`);
			expect(error?.description).toContain(`Unknown: ${second.join(', ')}.`);
			expect(error?.description).not.toContain('to Continue');
			expect(error?.description).toContain('(item 100)');
			expect(`${error?.message} ${error?.description}`).not.toMatch(WORDS);
			expect(left(ids)).toEqual(really ? third : [...second, ...third]);
			expect(sandbox.control.stats().requests).toBe(2);
		});

		test('with Continue: the others are deleted, in one output, all paired', async () => {
			const { outputs } = await run(parameters, items, { onError: 'continueRegularOutput' });
			expect(outputs).toHaveLength(1);
			const output = outputs[0] ?? [];
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
				ids.map((_id, item) => ({ item })),
			);
			const failed = output.filter(({ json }) => json.error !== undefined);
			expect(failed.map(({ json }) => json.details)).toEqual(
				batches[1]?.map((id, index) => expect.objectContaining({ id, item: 100 + index })),
			);
			expect(left(ids)).toEqual(really ? [] : batches[1]);
			expect(sandbox.control.stats().requests).toBe(3);
		});

		test('with the error output: both branches are right, all paired', async () => {
			const { outputs, downstream } = await run(parameters, items, {
				onError: 'continueErrorOutput',
				downstream: '={{ $("Items").item.json.id }}',
			});
			const [success = [], errors = []] = outputs;
			const gone = [...(batches[0] ?? []), ...(batches[2] ?? [])];
			expect(success.map(({ json }) => json)).toEqual(gone.map((id) => ({ id, deleted: true })));
			expect(errors.map(({ json }) => json.id)).toEqual(batches[1]);
			for (const { json } of errors) {
				expect(json.error).toMatch(/\S \[item \d+\]$/);
				expect(json.error).not.toMatch(WORDS);
			}
			expect(downstream.success).toEqual(gone.map((value) => ({ value })));
			expect(downstream.error).toEqual(batches[1]?.map((value) => ({ value })));
		});
	});

	describe('250 IDs of which three are refused', () => {
		let ids: number[];
		let items: IDataObject[];
		let bad: number[];
		beforeEach(() => {
			ids = sandbox.control.addInstances(250);
			items = ids.map((id) => ({ id }));
			bad = [100, 157, 199].flatMap((place) => ids[place] ?? []);
			sandbox.control.addFault({ match: { ids: bad }, times: 0, action: refused(400) });
		});

		test('with Stop: what is gone and what is not, and that Continue finds them', async () => {
			const { error, outputs } = await run(FROM_FIELD, items);
			expect(outputs).toEqual([]);
			expect(error?.message).toMatch(/^Batch 2 of 3: .* one or more of 100 instances /);
			expect(error?.itemIndex).toBe(100);
			expect(error?.context).toMatchObject({
				deletedIds: ids.slice(0, 100),
				notDeletedIds: ids.slice(100),
				uncertainIds: [],
			});
			expect(error?.description).toContain(`Deleted: ${ids.slice(0, 100).join(', ')}.`);
			expect(error?.description).toContain(`Not deleted: ${ids.slice(100).join(', ')}.`);
			expect(error?.description).toContain(
				"set 'On Error' in the settings of this node to Continue",
			);
			expect(error?.description).toContain('(item 100)');
			expect(withoutLabels(`${error?.message} ${error?.description}`)).not.toMatch(WORDS);
			expect(left(ids)).toEqual(ids.slice(100));
			expect(sandbox.control.stats().requests).toBe(2);
		});

		test('with Continue: the others are deleted, in one output, all paired', async () => {
			const { outputs } = await run(FROM_FIELD, items, { onError: 'continueRegularOutput' });
			expect(outputs).toHaveLength(1);
			const output = outputs[0] ?? [];
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
				ids.map((_id, item) => ({ item })),
			);
			const failed = output.filter(({ json }) => json.error !== undefined);
			expect(failed.map(({ json }) => json.details)).toEqual(
				bad.map((id) => expect.objectContaining({ id, item: ids.indexOf(id) })),
			);
			for (const { json } of failed) {
				expect(json.error).not.toContain('one or more of');
				expect(JSON.stringify(json)).not.toContain("'On Error'");
			}
			expect(left(ids)).toEqual(bad);
			// Two more for each of the seven halvings that lead to an ID.
			expect(sandbox.control.stats().requests).toBeLessThanOrEqual(3 + 3 * 2 * 7);
			expect(sandbox.control.stats().maxInFlight).toBe(1);
		});

		test('with the error output: both branches are right, all paired', async () => {
			const { outputs, downstream } = await run(FROM_FIELD, items, {
				onError: 'continueErrorOutput',
				downstream: '={{ $("Items").item.json.id }}',
			});
			const [success = [], errors = []] = outputs;
			const gone = ids.filter((id) => !bad.includes(id));
			expect(success.map(({ json }) => json)).toEqual(gone.map((id) => ({ id, deleted: true })));
			expect(errors.map(({ json }) => json.id)).toEqual(bad);
			for (const { json } of errors) {
				expect(json.error).toMatch(/ instance \d+ .*\S \[item \d+\]$/);
				expect(json.error).not.toMatch(WORDS);
			}
			expect(downstream.success).toEqual(gone.map((value) => ({ value })));
			expect(downstream.error).toEqual(bad.map((value) => ({ value })));
		});
	});

	test('250 IDs named by one item are told apart as well', async () => {
		const ids = sandbox.control.addInstances(250);
		const bad = ids.slice(120, 123);
		sandbox.control.addFault({ match: { ids: bad }, times: 0, action: refused(400) });
		const { outputs } = await run(FROM_LIST, [{ id: ids }], { onError: 'continueErrorOutput' });
		const [success = [], errors = []] = outputs;
		expect(success).toHaveLength(247);
		expect(errors.map(({ json }) => json.details)).toEqual(
			bad.map((id) => expect.objectContaining({ id, item: 0 })),
		);
		for (const { pairedItem } of [...success, ...errors]) expect(pairedItem).toEqual({ item: 0 });
	});

	test.each([
		[[101], 'instance 101'],
		[[101, 102], 'one or more of 2 instances'],
	])('the message about %j names %s', async (id, subject) => {
		sandbox.control.addFault({ action: refused(403) });
		const { error } = await run(FROM_LIST, [{ id }]);
		expect(error?.message).toBe(`The API key does not have access to ${subject} (403): Not these.`);
	});

	test('a web page is not taken for success', async () => {
		const body = '<!doctype html><title>Sign in</title>';
		sandbox.control.addFault({ action: { type: 'respond', status: 200, body } });
		const { error } = await run(FROM_LIST, [{ id: [101, 102] }]);
		expect(error?.message).toContain('The response for 2 instances is not what');
		expect(error?.context).toMatchObject({ deletedIds: [] });
	});

	test.each([503, 504])('after %d it is not known what has become of the IDs', async (status) => {
		sandbox.control.addFault({ action: refused(status) });
		const { error } = await run({ ...FROM_LIST, options: { maxRetries: 0 } }, [{ id: 101 }]);
		expect(error?.description).toContain('Unknown: 101.');
	});

	test('a field without a value is named', async () => {
		const { error } = await run(FROM_FIELD, [{ id: null }]);
		expect(error?.message).toBe('\'ID Field\' names "id", which is empty in this item');
	});

	test('a single batch is not counted', async () => {
		sandbox.control.addFault({ action: refused(403) });
		const { error } = await run(FROM_LIST, [{ id: 101 }, { id: 102 }]);
		expect(error?.message).not.toContain('Batch');
		expect(error?.description).toContain('Not deleted: 101, 102.');
		expect(error?.itemIndex).toBe(0);
	});

	describe('with items that cannot be used and Continue', () => {
		const BAD = [{ id: 101 }, { id: 'x' }, { id: 102 }, { id: 1.5, note: 'n' }, { id: [103, 101] }];

		test.each<[string, INodeParameters]>([
			['a field', FROM_FIELD],
			['a list', FROM_LIST],
		])('from %s, the good ones are deleted and the bad ones reported', async (_, parameters) => {
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

		test('and one output, the bad ones stand among the good ones', async () => {
			const { outputs } = await run(FROM_FIELD, BAD.slice(0, 4), {
				onError: 'continueRegularOutput',
			});
			const pairs = outputs[0]?.map(({ pairedItem }) => pairedItem);
			expect(pairs).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
		});

		test('that are all there is, nothing is sent', async () => {
			const { outputs } = await run(FROM_FIELD, [{ id: 'x' }, { id: 'y' }], {
				onError: 'continueRegularOutput',
			});
			expect(outputs[0]?.map(({ json }) => json.details)).toEqual([
				expect.objectContaining({ item: 0 }),
				expect.objectContaining({ item: 1 }),
			]);
			expect(sandbox.requests()).toEqual([]);
		});

		test('an option that cannot be used makes an item of each', async () => {
			const options = { batchSize: 0 };
			const { outputs } = await run({ ...FROM_FIELD, options }, [{ id: 101 }, { id: 102 }], {
				onError: 'continueRegularOutput',
			});
			expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
			expect(sandbox.requests()).toEqual([]);
		});
	});

	describe.each([0, 1, 2])('with an expression that cannot be evaluated in item %d', (bad) => {
		const ids = [101, 102, 103];
		const items = ids.map((id) => ({ id }));
		const parameters = {
			...FROM_LIST,
			instanceIds: `={{ $itemIndex === ${bad} ? $("Nowhere").item.json.id : $json.id }}`,
		};

		test('nothing is deleted', async () => {
			const { error } = await run(parameters, items);
			expect(error?.itemIndex).toBe(bad);
			await new Promise((resolve) => setTimeout(resolve, 50));
			expect(sandbox.requests()).toEqual([]);
		});

		test('nothing is deleted with Batching either', async () => {
			const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 20 } } };
			const { error } = await run({ ...parameters, requestOptions }, items);
			expect(error?.itemIndex).toBe(bad);
			expect(sandbox.requests()).toEqual([]);
		});

		test('the others are deleted with Continue', async () => {
			const { outputs } = await run(parameters, items, { onError: 'continueRegularOutput' });
			expect(left(ids)).toEqual([ids[bad]]);
			expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
				ids.map((_id, item) => ({ item })),
			);
			expect(outputs[0]?.[bad]?.json.error).toEqual(
				expect.stringContaining("The expression in 'Instance IDs' cannot be evaluated: "),
			);
			expect(sandbox.control.stats().requests).toBe(1);
		});
	});

	describe('Request Options of n8n', () => {
		const items = [{ id: 101 }, { id: 102 }, { id: 103 }];
		const batching = { batch: { batchSize: 1, batchInterval: 40 } };

		test('Timeout', async () => {
			sandbox.control.addFault({ action: { type: 'hang' } });
			const { error } = await run({ ...FROM_FIELD, requestOptions: { timeout: 100 } }, items);
			expect(error?.message).toContain('did not respond in time');
			expect(error?.context).toMatchObject({ uncertainIds: [101, 102, 103] });
		});

		test('Batching does not take the merged request apart', async () => {
			const requestOptions = { batching, allowUnauthorizedCerts: true, timeout: 5_000 };
			const { outputs } = await run({ ...FROM_FIELD, requestOptions }, items);
			expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101, 102, 103]);
			expect(sandbox.control.stats().requests).toBe(1);
		});

		test.each([0, 1, 2])('Batching ends when item %d stops the run', async (bad) => {
			const unhandled: unknown[] = [];
			const note = (reason: unknown) => unhandled.push(reason);
			process.on('unhandledRejection', note);
			const { error } = await run(
				{ ...FROM_FIELD, requestOptions: { batching } },
				items.map((item, index) => (index === bad ? { id: 'x' } : item)),
			);
			await new Promise((resolve) => setTimeout(resolve, 50));
			process.off('unhandledRejection', note);
			expect(unhandled).toEqual([]);
			expect(error?.itemIndex).toBe(bad);
			expect(sandbox.requests()).toEqual([]);
		});

		test('Batching ends when the request is refused', async () => {
			sandbox.control.addFault({ action: refused(403) });
			const { error } = await run({ ...FROM_FIELD, requestOptions: { batching } }, items);
			expect(error?.message).toContain('Not these.');
			expect(error?.itemIndex).toBe(0);
			expect(left([101, 102, 103])).toHaveLength(3);
		});
	});
});
