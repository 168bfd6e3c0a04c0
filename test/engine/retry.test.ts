import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type AfterWorkAction, type FaultAction, SEED } from '../../sandbox/service';
import { lockCount } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { useNodeRunner, useVirtualClock } from '../harness';
import { bodies, stored } from './support/instances';
import { ID_OF_ITEM, useSandbox } from './support/sandbox';

const BULK_DELETE: INodeParameters = {
	operation: 'bulkDelete',
	idSource: 'inputField',
	idField: 'id',
	options: { batchSize: 10 },
};
const ADD_TAG: INodeParameters = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags: '={{ $json.tag }}' },
};
const SERVER_DOWN: AfterWorkAction = { type: 'respond', status: 500, body: '{"detail":"Down."}' };
const RETRY = { retryOnFail: true, maxTries: 3 };

describe('the ways in which n8n runs a node', () => {
	const sandbox = useSandbox();
	const { run, left } = sandbox;
	const clock = useVirtualClock();
	afterEach(async () => {
		await new Promise(setImmediate);
		expect(lockCount()).toBe(0);
	});
	const sent = () => bodies(sandbox, 'POST').map(({ ids }) => ids);

	describe('Retry On Fail of Bulk Delete', () => {
		const runner = useNodeRunner({ parameters: BULK_DELETE, ...RETRY, maxTries: 2 });
		let ids: number[];
		let items: IDataObject[];
		let batches: number[][];
		beforeEach(() => {
			ids = sandbox.control.addInstances(25);
			items = ids.map((id) => ({ id }));
			batches = [ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)];
		});
		const fail = (nth: number, times = 1) =>
			sandbox.control.addFault({ match: { method: 'POST', nth }, times, action: SERVER_DOWN });

		test('sends only what is left in each of three tries', async () => {
			const [first, second, third] = batches;
			// The first try ends at its second request, the second try at its second again.
			fail(2);
			fail(3);
			const { outputs, error } = await run(BULK_DELETE, items, RETRY);
			expect(error).toBeUndefined();
			expect(sent()).toEqual([first, second, second, third, third]);
			expect(left(ids)).toEqual([]);
			expect(outputs[0]).toEqual(
				ids.map((id, item) => ({ json: { id, deleted: true }, pairedItem: { item } })),
			);
		});

		test('does the same with Continue', async () => {
			const [first, second, third] = batches;
			// n8n tries again when the first item that comes out is an error item.
			fail(1);
			const { outputs } = await run(BULK_DELETE, items, {
				...RETRY,
				onError: 'continueRegularOutput',
			});
			expect(sent()).toEqual([first, second, third, first]);
			expect(outputs[0]?.every(({ json }) => json.deleted === true)).toBe(true);
			expect(left(ids)).toEqual([]);
		});

		test('starts over in the next run of the node', async () => {
			const { credentials } = sandbox;
			fail(2, 2);
			const failed = await runner.run({ items, credentials });
			expect(failed.error?.context.deletedIds).toEqual(batches[0]);
			sandbox.control.clearLog();
			await runner.run({ items, credentials });
			await runner.run({ items, credentials });
			expect(sent()).toEqual([...batches, ...batches]);
		});
	});

	const TWO = [
		{ id: 101, tag: 'x' },
		{ id: 102, tag: 'y' },
	];
	test('Retry On Fail of Update does not do again what was done', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', ids: [102] }, action: SERVER_DOWN });
		const parameters = { ...ADD_TAG, options: { maxConcurrentRequests: 1 } };
		const { outputs } = await run(parameters, TWO, RETRY);
		const update = (id: number) => [`GET /api/instances/${id}/`, `PUT /api/instances/${id}/`];
		expect(sandbox.requests()).toEqual([...update(101), ...update(102), ...update(102)]);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101, 102]);
	});

	describe('Execute Once', () => {
		const items = [
			{ id: SEED.running, tag: 'x' },
			{ id: SEED.overdue, tag: 'y' },
			{ id: SEED.completed, tag: 'z' },
		];

		test.each<[string, INodeParameters, number]>([
			['Bulk Delete by field', BULK_DELETE, 1],
			['Bulk Delete', { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' }, 1],
			['Update', ADD_TAG, 2],
		])(
			'lets %s do what the first item names, and nothing else',
			async (_, parameters, requests) => {
				const { outputs } = await run(parameters, items, { executeOnce: true });
				expect(sandbox.requests()).toHaveLength(requests);
				expect(outputs[0]?.map(({ json }) => json.id)).toEqual([SEED.running]);
			},
		);
	});

	describe('an update that people change under its hands', () => {
		const id = SEED.bare;
		const changed = { name: 'By hand', deadline: '2027-01-01T10:00:00Z', tags: ['by hand'] };
		const update = async (ids = [id], settings = {}) => {
			const items = ids.map((each) => ({ id: each, tag: 'late' }));
			return await run(ADD_TAG, items, settings);
		};
		const onPut = (action: FaultAction, times = 1) =>
			sandbox.control.addFault({ match: { method: 'PUT' }, action, times });
		const changeAfter = (seconds: number, change: IDataObject) =>
			void clock()
				.sleep(seconds * 1000)
				.then(() => sandbox.control.change(id, change));
		const methods = () => sandbox.log().map(({ method }) => method);

		test('keeps what they entered while it waited', async () => {
			onPut({ type: 'respond', status: 429, headers: { 'retry-after': '12' } });
			changeAfter(5, changed);
			expect((await update()).error).toBeUndefined();
			expect(stored(sandbox, id)).toMatchObject({ ...changed, tags: ['by hand', 'late'] });
			expect(methods()).toEqual(['GET', 'PUT', 'GET', 'PUT']);
		});

		test('is read once more at most, however often it is rate-limited', async () => {
			onPut({ type: 'respond', status: 429, headers: { 'retry-after': '3' } }, 3);
			expect((await update()).error).toBeUndefined();
			expect(methods().join(' ')).toBe('GET PUT GET PUT PUT PUT');
		});

		test('is sent as it is when the last read is less than two seconds ago', async () => {
			onPut({ type: 'respond', status: 429, headers: { 'retry-after': '1' } });
			expect((await update()).error).toBeUndefined();
			expect(methods().join(' ')).toBe('GET PUT PUT');
		});

		test.each<[FaultAction, RegExp]>([
			[
				{ type: 'respond', status: 503, headers: { 'retry-after': '3' } },
				/needed\. The service may have processed an earlier attempt\. Check/,
			],
			[
				{ type: 'respond', status: 429, headers: { 'retry-after': '3' } },
				/needed\. Nothing was changed\.$/,
			],
		])(
			'is refused when what it reads again cannot be kept, after %j',
			async (action, description) => {
				onPut(action);
				const body = JSON.stringify({ ...sandbox.control.instance(id), name: undefined });
				const match = { method: 'GET', nth: 2 };
				sandbox.control.addFault({
					match,
					action: { type: 'respond', status: 200, body },
					times: 0,
				});
				const { error } = await update([id], RETRY);
				expect(methods()).toEqual(['GET', 'PUT', 'GET', 'GET', 'GET']);
				expect(error?.message).toContain("so it can't be kept");
				expect(error?.description).toMatch(description);
			},
		);
	});

	describe('several items with the same ID', () => {
		const TAGS = ['a', 'b', 'c', 'd', 'e'];
		const tagging = (tags: Array<string | null>) => tags.map((tag) => ({ id: SEED.bare, tag }));

		test.each<[string, INodeParameters]>([
			['at once', {}],
			['one by one', { batching: { batch: { batchSize: 1, batchInterval: 70 } } }],
		])('are all applied by Update in turn when they come %s', async (_, requestOptions) => {
			sandbox.control.setLatency(50);
			const { outputs } = await run({ ...ADD_TAG, requestOptions }, tagging(TAGS));
			expect(stored(sandbox, SEED.bare).tags).toEqual(TAGS);
			expect(outputs[0]?.map(({ json }) => json.tags)).toEqual(
				TAGS.map((_tag, index) => TAGS.slice(0, index + 1)),
			);
		});

		const BUSY = { type: 'respond', status: 429, headers: { 'retry-after': '1' } } as const;
		test.each<[string, number, () => unknown]>([
			['for longer than a single request may take', 600, () => sandbox.control.setLatency(400)],
			[
				'while the service asks one of them to wait',
				300,
				() => sandbox.control.addFault({ match: { nth: 1 }, action: BUSY }),
			],
		])('wait for one another %s', async (_, timeout, slowDown) => {
			slowDown();
			const requestOptions = { timeout };
			const { error } = await run({ ...ADD_TAG, requestOptions }, tagging(['a', 'b']));
			expect(error).toBeUndefined();
			expect(stored(sandbox, SEED.bare).tags).toEqual(['a', 'b']);
		});

		test('are applied as far as they can be with Continue', async () => {
			await run(ADD_TAG, tagging(['a', null, 'c']), { onError: 'continueErrorOutput' });
			expect(stored(sandbox, SEED.bare).tags).toEqual(['a', 'c']);
		});

		test('of runs that spell the Base URL differently are all applied in turn', async () => {
			sandbox.control.setLatency(30);
			const { apiKey, baseUrl } = sandbox.credentials;
			const named = baseUrl.replace('127.0.0.1', 'localhost');
			const capitals = named.replace('http://localhost', 'HTTP://LocalHost');
			const runs = [named, `${capitals}//`, ` ${capitals}/ `].map(async (spelled, index) => {
				const credentials = { apiKey, baseUrl: spelled };
				await run(ADD_TAG, tagging([`run ${index}`]), { credentials });
			});
			await Promise.all(runs);
			const { tags } = stored(sandbox, SEED.bare);
			expect([...tags].sort()).toEqual(['run 0', 'run 1', 'run 2']);
		});

		test('of two runs wait for each other no longer than the timeout of the first one', async () => {
			sandbox.control.addFault({ match: { ids: [101] }, action: { type: 'hang' } });
			const items = [{ id: 101, tag: 'x' }];
			const hanging = run({ ...ADD_TAG, requestOptions: { timeout: 300 } }, items);
			while (sandbox.log().length === 0) await clock().sleep(0);
			const begun = clock().now();
			expect((await run(ADD_TAG, items)).error).toBeUndefined();
			expect(clock().now() - begun).toBe(300);
			expect((await hanging).error?.message).toContain('ETIMEDOUT');
		});

		test('do not hold up the others', async () => {
			sandbox.control.setLatency(20);
			const items = [101, 101, 101, 102, 104, 105, 106].map((id) => ({ id, tag: 'a' }));
			await run(ADD_TAG, items);
			expect(sandbox.control.stats().maxInFlight).toBe(5);
		});
	});

	/** Stops a Bulk Delete at its second request, when nothing goes on by itself; gives what n8n logs. */
	const logOfStopped = async (ids: number[], options = {}, settings = {}) => {
		const warn = jest.spyOn(Container.get(Logger), 'warn');
		const stop = new AbortController();
		const items = ids.map((id) => ({ id }));
		const parameters = { ...BULK_DELETE, options };
		const running = run(parameters, items, { signal: stop.signal, ...settings });
		while (sandbox.log().length < 2) await clock().sleep(0);
		await clock().sleep(1);
		stop.abort();
		await running;
		await clock().sleep(1_000);
		const lines = [...warn.mock.calls];
		warn.mockRestore();
		return lines;
	};

	test.each<[string, FaultAction, boolean]>([
		['hangs', { type: 'hang' }, true],
		['was cut off', { type: 'applyThen', then: { type: 'reset' } }, true],
		['has to wait', { type: 'respond', status: 429, headers: { 'retry-after': '100' } }, false],
	])(
		"an execution that is stopped leaves a line in n8n's log with what Bulk Delete had deleted, when a batch %s",
		async (_, action, isUnknown) => {
			const ids = sandbox.control.addInstances(9);
			const [first, second, third] = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)];
			sandbox.control.addFault({ match: { method: 'POST', ids: second }, action });
			const lines = await logOfStopped(ids, { batchSize: 3 });
			const notDeleted = isUnknown ? third : [...second, ...third];
			const unknown = isUnknown ? ` Unknown: ${second.join(', ')}.` : '';
			expect(lines).toContainEqual([
				`Bulk Delete was stopped. Deleted: ${first.join(', ')}. Not deleted: ${notDeleted.join(', ')}.${unknown}`,
				expect.objectContaining({ node: 'Service', workflowId: '1', executionId: '1' }),
			]);
			expect(JSON.stringify(lines)).not.toContain(sandbox.credentials.apiKey);
		},
	);

	test.each([8, 20])(
		'a run that is stopped looks no further for refused IDs, of %d',
		async (count) => {
			sandbox.control.addFault({ match: { nth: 1 }, action: { type: 'respond', status: 404 } });
			sandbox.control.addFault({ match: { method: 'POST' }, action: { type: 'hang' } });
			const ids = sandbox.control.addInstances(count);
			const lines = await logOfStopped(ids, {}, { onError: 'continueRegularOutput' });
			expect(sandbox.log()).toHaveLength(2);
			expect(lines[0]?.[0]).toMatch(/^Bulk Delete was stopped\. Not deleted: .* Unknown: /);
		},
	);
});
