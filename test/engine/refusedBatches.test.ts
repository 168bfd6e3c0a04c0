import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode, type RunNodeOptions } from '../harness';
import { useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const ALWAYS = 0;
const FROM_FIELD: INodeParameters = { operation: 'bulkDelete', idSource: 'inputField' };
const FROM_LIST: INodeParameters = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };

describe('Bulk Delete', () => {
	const sandbox = useSandbox();
	afterEach(() => {
		jest.restoreAllMocks();
	});
	const run = async (
		parameters: INodeParameters,
		items: IDataObject[],
		settings: Partial<RunNodeOptions> = {},
	) => await runNode({ parameters, items, credentials: sandbox.credentials, ...settings });
	const left = (ids: number[]) => ids.filter((id) => sandbox.control.instance(id) !== undefined);
	const refuse = (id: number, status: number) =>
		sandbox.control.addFault({
			match: { method: 'POST', ids: [id] },
			times: ALWAYS,
			action: { type: 'respond', status, body: '{"detail":"Not this one."}' },
		});

	describe.each([400, 403, 404, 409, 422])(
		'of a batch that is refused with %d for one of its IDs',
		(status) => {
			let ids: number[];
			let stale: number;
			beforeEach(() => {
				ids = sandbox.control.addInstances(100);
				stale = ids[37] ?? 0;
				refuse(stale, status);
			});
			const deleteAll = async (onError: RunNodeOptions['onError']) =>
				await run(
					FROM_FIELD,
					ids.map((id) => ({ id })),
					{ onError, downstream: '={{ $("Items").item.json.id }}' },
				);

			test('deletes all others with Continue, and reports that one alone', async () => {
				const { outputs, downstream } = await deleteAll('continueErrorOutput');
				const [success = [], errors = []] = outputs;
				const others = ids.filter((id) => id !== stale);
				expect(success.map(({ json }) => json)).toEqual(
					others.map((id) => ({ id, deleted: true })),
				);
				expect(errors).toHaveLength(1);
				expect(errors[0]?.json).toMatchObject({ id: stale, details: { id: stale, item: 37 } });
				expect(errors[0]?.json.error).toContain(`instance ${stale}`);
				expect(downstream.error).toEqual([{ value: stale }]);
				expect(left(ids)).toEqual([stale]);
				// Seven halvings lead from a hundred to one.
				expect(sandbox.control.stats().requests).toBeLessThanOrEqual(1 + 2 * 7);
			});

			test('deletes none with Stop, and says that Continue does better', async () => {
				const { error } = await deleteAll('stopWorkflow');
				expect(error?.message).toContain('100 instances');
				expect(error?.description).toContain(
					"set 'On Error' in the settings of this node to Continue",
				);
				expect(left(ids)).toEqual(ids);
				expect(sandbox.control.stats().requests).toBe(1);
			});
		},
	);

	test.each([401, 429, 500, 502])(
		'of a batch that is refused with %d is not taken apart',
		async (status) => {
			const ids = sandbox.control.addInstances(8);
			refuse(ids[3] ?? 0, status);
			const { outputs } = await run(
				{ ...FROM_FIELD, options: { maxRetries: 0 } },
				ids.map((id) => ({ id })),
				{
					onError: 'continueRegularOutput',
				},
			);
			expect(outputs[0]?.every(({ json }) => json.error !== undefined)).toBe(true);
			expect(sandbox.control.stats().requests).toBe(1);
		},
	);

	test('takes apart with at most 200 extra requests a run, and tells what is left as refused with its batch', async () => {
		const ids = sandbox.control.addInstances(300);
		sandbox.control.addFault({
			match: { method: 'POST' },
			times: ALWAYS,
			action: { type: 'respond', status: 400, body: '{"detail":"None of these."}' },
		});
		const { outputs } = await run(
			FROM_FIELD,
			ids.map((id) => ({ id })),
			{
				onError: 'continueRegularOutput',
			},
		);
		expect(sandbox.control.stats().requests).toBe(3 + 200);
		const errors = (outputs[0] ?? []).map(({ json }) => String(json.error));
		expect(errors).toHaveLength(300);
		expect(errors[0]).toContain(`values for instance ${ids[0]} (400)`);
		expect(errors[299]).toContain('values for one or more of 100 instances (400)');
		expect(left(ids)).toEqual(ids);
	});

	test('says "one or more of" where one of several may be missing', async () => {
		const ids = sandbox.control.addInstances(21);
		refuse(ids[20] ?? 0, 404);
		const { error } = await run(
			FROM_FIELD,
			ids.map((id) => ({ id })),
		);
		expect(error?.message).toBe(
			'The service did not find one or more of 21 instances (404): Not this one.',
		);
	});

	describe('of items that all name the same IDs', () => {
		const COUNT = 1_000;
		const list = (ids: number[]) => Array.from({ length: COUNT }, () => ({ id: ids }));

		test.each<[string, (ids: number[]) => [INodeParameters, IDataObject[]]]>([
			['by a fixed list', (ids) => [{ ...FROM_LIST, instanceIds: ids.join() }, list([])]],
			['by an expression', (ids) => [FROM_LIST, list(ids)]],
			['by a field', (ids) => [FROM_FIELD, list(ids)]],
		])('%s deletes them once, each paired to 100 items at most', async (_how, of) => {
			const ids = sandbox.control.addInstances(COUNT);
			const { outputs, tasks } = await run(...of(ids));
			expect(left(ids)).toEqual([]);
			expect(tasks[0]?.hints?.map(({ message }) => message)).toEqual([
				expect.stringContaining("turn on 'Execute Once'"),
				expect.stringContaining('the service accepted the request'),
			]);
			expect(sandbox.control.stats().requests).toBe(COUNT / 100);
			expect(outputs[0]).toHaveLength(COUNT);
			const first = Array.from({ length: 100 }, (_, item) => ({ item }));
			for (const { pairedItem } of outputs[0] ?? []) expect(pairedItem).toEqual(first);
		});
	});

	describe('that is stopped', () => {
		test("leaves a line in n8n's log with what had been deleted", async () => {
			const warn = jest.spyOn(Container.get(Logger), 'warn');
			const ids = sandbox.control.addInstances(9);
			const stop = new AbortController();
			sandbox.control.addFault({
				match: { method: 'POST', ids: ids.slice(3, 6) },
				action: { type: 'hang' },
			});
			const running = run(
				{ ...FROM_FIELD, options: { batchSize: 3 } },
				ids.map((id) => ({ id })),
				{ signal: stop.signal },
			);
			while (sandbox.log().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
			stop.abort();
			await running;
			await new Promise((resolve) => setTimeout(resolve, 200));
			const [first, second, third] = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)];
			expect(warn).toHaveBeenCalledWith(
				`Bulk Delete was stopped. Deleted: ${first.join(', ')}. Not deleted: ${third.join(', ')}. Unknown: ${second.join(', ')}.`,
				expect.objectContaining({ node: 'Service', workflowId: '1', executionId: '1' }),
			);
			expect(JSON.stringify(warn.mock.calls)).not.toContain(sandbox.credentials.apiKey);
		});
	});
});
