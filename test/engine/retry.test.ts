import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { locks } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { schedulers } from '../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import { useVirtualClock } from '../harness';
import { bodies, stored } from './support/instances';
import { CONTINUE, DELETE_BY_FIELD, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

const BULK_DELETE: INodeParameters = { ...DELETE_BY_FIELD, options: { batchSize: 10 } };
const ADD_TAG: INodeParameters = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags: '={{ $json.tag }}' },
};
const SERVER_DOWN = respond(500, { detail: 'Down.' });
const busy = (status: number, seconds: number) =>
	respond(status, '', { 'retry-after': `${seconds}` });
const RETRY = { retryOnFail: true, maxTries: 3 };

describe('the ways in which n8n runs a node', () => {
	const sandbox = useSandbox();
	const { run, remaining } = sandbox;
	const clock = useVirtualClock();
	afterEach(async () => {
		await new Promise(setImmediate);
		expect(locks.size).toBe(0);
	});
	const sent = () => bodies(sandbox, 'POST').map(({ ids }) => ids);

	test('Retry On Fail of Update does not take what a replica returns for newer than an earlier try', async () => {
		const id = SEED.fullyFilled;
		const old = { ...stored(sandbox, id), last_updated_time: '2000-01-01T00:00:00Z' };
		sandbox.control.addFault({ match: { method: 'GET' }, times: 0, action: respond(200, old) });
		sandbox.control.addFault({ match: { method: 'PUT', nth: 2 }, action: SERVER_DOWN });
		const items = ['x', 'y'].map((tag) => ({ id, tag }));
		const { error } = await run(ADD_TAG, items, RETRY);
		expect(error).toBeUndefined();
		expect(stored(sandbox, id).tags).toEqual([...old.tags, 'x', 'y']);
	});

	describe('Retry On Fail of Bulk Delete', () => {
		let ids: number[];
		let items: IDataObject[];
		let batches: number[][];
		beforeEach(() => {
			ids = sandbox.control.addInstances(25);
			items = ids.map((id) => ({ id }));
			batches = [ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)];
		});
		const fail = (nth: number) =>
			sandbox.control.addFault({ match: { method: 'POST', nth }, action: SERVER_DOWN });

		test('sends only what remains in each of three tries', async () => {
			const [first, second, third] = batches;
			// The first try ends at its second request, the second try at its second again.
			fail(2);
			fail(3);
			const { outputs, error } = await run(BULK_DELETE, items, RETRY);
			expect(error).toBeUndefined();
			expect(sent()).toEqual([first, second, second, third, third]);
			expect(remaining(ids)).toEqual([]);
			expect(outputs[0]).toEqual(
				ids.map((id, item) => ({ json: { id, deleted: true }, pairedItem: { item } })),
			);
		});

		test('does the same with Continue', async () => {
			const [first, second, third] = batches;
			// n8n tries again when the first item that comes out is an error item.
			fail(1);
			const { outputs } = await run(BULK_DELETE, items, { ...RETRY, ...CONTINUE });
			expect(sent()).toEqual([first, second, third, first]);
			expect(outputs[0]?.every(({ json }) => json.deleted === true)).toBe(true);
			expect(remaining(ids)).toEqual([]);
		});

		test.each([{}, CONTINUE])('holds up the batches after a failed one, with %j', async (more) => {
			sandbox.control.addFault({ match: { method: 'POST', nth: 1 }, action: busy(503, 1) });
			await run(BULK_DELETE, items, more);
			expect(sent()).toEqual([0, 0, 1, 2].map((index) => batches[index]));
			expect(remaining(ids)).toEqual([]);
		});

		test('starts over in the next run of the node, as in a loop', async () => {
			const [first, second, third] = batches;
			fail(2);
			await run(BULK_DELETE, items, { ...RETRY, runs: 2 });
			expect(sent()).toEqual([first, second, second, third, ...batches]);
		});
	});

	const TWO = [101, 102].map((id) => ({ id, tag: 'x' }));

	test('Retry On Fail of Update does not do again what was done', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', ids: [102] }, action: SERVER_DOWN });
		const { outputs } = await run(ADD_TAG, TWO, RETRY);
		const update = (id: number) => [`GET /api/instances/${id}/`, `PUT /api/instances/${id}/`];
		const again = sandbox.requests().slice(4);
		expect(again).toEqual(update(102));
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101, 102]);
	});

	test('Retry On Fail with Continue keeps the order of two changes of one instance', async () => {
		sandbox.control.addFault({ match: { method: 'PUT' }, action: SERVER_DOWN });
		const items = ['A', 'B'].map((name) => ({ id: 101, name }));
		const updateFields = { name: '={{ $json.name }}' };
		await run({ ...ADD_TAG, updateFields }, items, { ...RETRY, ...CONTINUE });
		expect(stored(sandbox, 101).name).toBe('B');
		expect(bodies(sandbox, 'PUT').map(({ name }) => name)).toEqual(['A', 'B', 'A', 'B']);
	});

	test('What an earlier attempt changed is not forgotten when a later one is refused unsent', async () => {
		sandbox.control.addFault({ match: { method: 'PUT' }, action: SERVER_DOWN });
		const match = { method: 'PUT', nth: 2 };
		sandbox.control.addFault({ match, times: 0, action: busy(429, 3_600) });
		const items = ['a', 'b'].map((tag) => ({ id: 101, tag }));
		const { outputs } = await run(ADD_TAG, items, { ...RETRY, ...CONTINUE });
		const description = expect.stringContaining('The change may already have been made.');
		const error = expect.stringMatching(/ was not (retried|sent), because the service says/);
		expect(outputs).toMatchObject([
			[1, 2].map(() => ({ json: { error, details: { description } } })),
		]);
	});

	test('Execute Once lets Bulk Delete delete only what the first item names', async () => {
		const { outputs } = await run(BULK_DELETE, TWO, { executeOnce: true });
		expect(sent()).toEqual([[101]]);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101]);
	});

	describe('an update that people change under its hands', () => {
		const id = SEED.bare;
		const changed = { name: 'By hand', deadline: '2027-01-01T10:00:00Z', tags: ['by hand'] };
		const update = async (settings = {}) => await run(ADD_TAG, [{ id, tag: 'late' }], settings);
		const onPut = (action: FaultAction, times = 1) =>
			sandbox.control.addFault({ match: { method: 'PUT' }, action, times });
		const methods = () => sandbox.log().map(({ method }) => method);

		test('keeps what they entered while it waited', async () => {
			onPut(busy(429, 12));
			void clock()
				.sleep(5_000)
				.then(() => sandbox.control.change(id, changed));
			expect((await update()).error).toBeUndefined();
			expect(stored(sandbox, id)).toMatchObject({ ...changed, tags: ['by hand', 'late'] });
			expect(methods()).toEqual(['GET', 'PUT', 'GET', 'PUT']);
		});

		test.each<[FaultAction, string]>([
			[busy(503, 6), 'GET PUT GET PUT GET PUT GET PUT'],
			[respond(502), 'GET PUT GET PUT GET PUT GET PUT'],
		])('keeps what they entered between attempts that failed: %j', async (action, requests) => {
			onPut(action, 3);
			void clock()
				.sleep(5_000)
				.then(() => sandbox.control.change(id, changed));
			expect((await update()).error).toBeUndefined();
			expect(stored(sandbox, id)).toMatchObject({ ...changed, tags: ['by hand', 'late'] });
			expect(methods().join(' ')).toBe(requests);
		});

		test('is given up after six attempts, with a read before each', async () => {
			onPut(respond(503), 0);
			expect((await update()).error?.message).toContain('503');
			expect(methods().join(' ')).toBe(Array(6).fill('GET PUT').join(' '));
		});

		test('is read again after a lost connection', async () => {
			onPut({ type: 'reset' });
			expect((await update()).error).toBeUndefined();
			expect(methods().join(' ')).toBe('GET PUT GET PUT');
		});

		test.each([
			['is read once more, however often it is rate-limited', 3, 3, 'GET PUT GET PUT PUT PUT'],
			['is sent as it is when the last read is less than two seconds ago', 1, 1, 'GET PUT PUT'],
		])('%s', async (_what, seconds, times, requests) => {
			onPut(busy(429, seconds), times);
			expect((await update()).error).toBeUndefined();
			expect(methods().join(' ')).toBe(requests);
		});

		test.each<[FaultAction, RegExp]>([
			[busy(503, 3), /in this node\. The change may already have been made\. Running .* safe\.$/],
			[busy(429, 3), /in this node\. Nothing was updated\.$/],
		])('is refused if it can no longer be kept after %j', async (response, description) => {
			onPut(response);
			const action = respond(200, { ...stored(sandbox, id), name: undefined });
			sandbox.control.addFault({ match: { method: 'GET', nth: 2 }, times: 0, action });
			const { error } = await update(RETRY);
			expect(methods()).toEqual(['GET', 'PUT', 'GET', 'GET', 'GET']);
			expect(error?.message).toContain("so the current value can't be kept");
			expect(error?.description).toMatch(description);
		});
	});

	describe('several items with the same ID', () => {
		const TAGS = ['a', 'b', 'c', 'd', 'e'];
		const tagging = (tags: string[]) => tags.map((tag) => ({ id: SEED.bare, tag }));

		test('are all applied by Update in order', async () => {
			sandbox.control.setLatency(50);
			const { outputs } = await run(ADD_TAG, tagging(TAGS));
			expect(stored(sandbox, SEED.bare).tags).toEqual(TAGS);
			expect(outputs[0]?.map(({ json }) => json.tags)).toEqual(
				TAGS.map((_tag, index) => TAGS.slice(0, index + 1)),
			);
		});

		test.each<[string, number, FaultAction]>([
			['for longer than a single request may take', 600, { type: 'delay', ms: 400 }],
			['while the service asks one of them to wait', 300, busy(429, 1)],
		])('wait for one another %s', async (_, timeout, action) => {
			sandbox.control.addFault({ action, times: action.type === 'delay' ? 0 : 1 });
			const { error } = await run({ ...ADD_TAG, requestOptions: { timeout } }, tagging(['a', 'b']));
			expect(error).toBeUndefined();
			expect(stored(sandbox, SEED.bare).tags).toEqual(['a', 'b']);
		});

		test('of runs that spell the Base URL differently are all applied in order', async () => {
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
			const startedAt = clock().now();
			expect((await run(ADD_TAG, items)).error).toBeUndefined();
			expect(clock().now() - startedAt).toBe(300);
			expect((await hanging).error?.message).toContain('ETIMEDOUT');
		});

		test('do not hold up the others', async () => {
			sandbox.control.setLatency(20);
			const items = [101, 101, 101, 102, 104, 105, 106].map((id) => ({ id, tag: 'a' }));
			await run(ADD_TAG, items);
			expect(sandbox.control.stats().maxInFlight).toBe(5);
		});
	});

	test.each([
		['Bulk Delete', BULK_DELETE],
		['Update', ADD_TAG],
	])('%s sends nothing once it is stopped between two attempts', async (_operation, parameters) => {
		sandbox.control.addFault({ action: SERVER_DOWN });
		const [stop, items] = [new AbortController(), [{ id: 101, tag: 'a' }]];
		const settings = { ...RETRY, waitBetweenTries: 1_000, signal: stop.signal };
		const running = run(parameters, items, settings);
		while (sandbox.requests().length === 0 || schedulers.size > 0) await clock().sleep(0);
		stop.abort();
		await running;
		expect(sandbox.requests()).toHaveLength(1);
		expect(remaining([101])).toEqual([101]);
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
		['has to wait', busy(429, 100), false],
	])('a stopped Bulk Delete logs what it deleted: a batch %s', async (_, action, isUnknown) => {
		const ids = sandbox.control.addInstances(9);
		const [first, second, third] = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)];
		sandbox.control.addFault({ match: { method: 'POST', ids: second }, action });
		const lines = await logOfStopped(ids, { batchSize: 3 });
		const notSent = isUnknown ? third : [...second, ...third];
		const unknown = isUnknown ? ` Unknown: ${second.join(', ')}.` : '';
		expect(lines).toContainEqual([
			`The execution was stopped. Deleted (3 of 9): ${first.join(', ')}.${unknown} Not sent: ${notSent.join(', ')}.`,
			expect.objectContaining({ node: 'Service', workflowId: '1', executionId: '1' }),
		]);
		expect(JSON.stringify(lines)).not.toContain(sandbox.credentials.apiKey);
	});

	test('a Bulk Delete that is stopped between two attempts logs what the first one deleted', async () => {
		const ids = sandbox.control.addInstances(4);
		sandbox.control.addFault({ match: { method: 'POST', nth: 2 }, action: SERVER_DOWN });
		const settings = { ...RETRY, waitBetweenTries: 1_000 };
		const lines = await logOfStopped(ids, { batchSize: 2 }, settings);
		const [first, second] = [ids.slice(0, 2), ids.slice(2)];
		const words = `Deleted (2 of 4): ${first.join(', ')}. Unknown: ${second.join(', ')}.`;
		expect(lines.map(([line]) => line)).toEqual([`The execution was stopped. ${words}`]);
	});

	test.each([8, 20])('a stopped run looks no further for refused IDs, of %d', async (count) => {
		sandbox.control.addFault({ match: { nth: 1 }, action: respond(404) });
		sandbox.control.addFault({ match: { method: 'POST' }, action: { type: 'hang' } });
		const ids = sandbox.control.addInstances(count);
		// An item that failed before doesn't silence what is logged.
		const lines = await logOfStopped([-1, ...ids], {}, CONTINUE);
		expect(sandbox.log()).toHaveLength(2);
		expect(lines[0]?.[0]).toMatch(/^The execution was stopped\. Unknown: [\d, ]+\.$/);
	});
});
