import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { locks } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { schedulers } from '../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import { useVirtualClock } from '../harness';
import { bodies, itemsOf, stored } from './support/instances';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

const ADD_TAG: INodeParameters = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags: '={{ $json.tag }}' },
};
const SERVER_DOWN = respond(500, { detail: 'Down.' });
const CUT_OFF: FaultAction = { type: 'applyThen', then: { type: 'reset' } };
const busy = (status: number, seconds: number) =>
	respond(status, '', { 'retry-after': `${seconds}` });
const RETRY = { retryOnFail: true, maxTries: 3 };

const sandbox = useSandbox();
const { run, remaining, fault } = sandbox;
const clock = useVirtualClock();
afterEach(async () => {
	await new Promise(setImmediate);
	expect(locks.size).toBe(0);
});
const tagging = (id: number, ...tags: string[]) => tags.map((tag) => ({ id, tag }));
const methods = () =>
	sandbox
		.log()
		.map(({ method }) => method)
		.join(' ');

// For what Retry On Fail remembers about deletions, see test/model/writes.
describe('Retry On Fail', () => {
	test('of Bulk Delete starts over in the next run of the node, as in a loop', async () => {
		const ids = sandbox.control.addInstances(25);
		const batches = [ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)];
		const [first, second, third] = batches;
		fault(SERVER_DOWN, { nth: 2 });
		const parameters = { ...DELETE_IDS, options: { batchSize: 10 } };
		await run(parameters, itemsOf(ids), { ...RETRY, runs: 2 });
		const sent = bodies(sandbox, 'POST').map((body) => body.ids);
		expect(sent).toEqual([first, second, second, third, ...batches]);
	});

	test('of Update does not say of an item that was stopped that it failed before', async () => {
		fault({ type: 'delay', ms: 100 }, { ids: [101] });
		fault(SERVER_DOWN, { ids: [102] });
		fault(busy(429, 3_600), { ids: [101], times: 0 });
		const { error } = await run(ADD_TAG, [...tagging(101, 'x'), ...tagging(102, 'x')], RETRY);
		expect(error?.description).toContain("raise 'Max Wait (Seconds)'");
		expect(error?.description).not.toContain('An earlier attempt');
	});

	test('of Update does not write again what was written, if another item only reads the instance', async () => {
		fault(SERVER_DOWN);
		const updateFields = { name: '={{ $json.name }}' };
		const parameters = { ...ADD_TAG, updateFields, options: { emptyValues: 'keep' } };
		const items = ['', 'B'].map((name) => ({ id: 101, name }));
		await run(parameters, items, { ...RETRY, ...CONTINUE });
		expect(methods().split(' ')).toEqual(['GET', 'GET', 'PUT', 'GET']);
	});

	test('of Bulk Delete reports what was deleted before an attempt that cannot begin', async () => {
		const attempted = async (failing: 0 | 1, settings = {}, action = SERVER_DOWN) => {
			const ids = sandbox.control.addInstances(4);
			const batches = [ids.slice(0, 2), ids.slice(2)];
			fault(action, { ids: batches[failing], times: 0 });
			const { apiKey, baseUrl } = sandbox.credentials;
			const most = sandbox.log().length + 2;
			const credentials = {
				baseUrl,
				get apiKey() {
					return sandbox.log().length < most ? apiKey : '';
				},
			};
			const parameters = { ...DELETE_IDS, options: { batchSize: 2 } };
			const outcome = await run(parameters, itemsOf(ids), { ...RETRY, credentials, ...settings });
			return { batches, ...outcome };
		};
		const { batches, error } = await attempted(1);
		expect(error?.message).toContain("The 'API Key' in the credential is empty");
		const [deletedIds, unknownIds] = batches;
		expect(error?.context).toMatchObject({ deletedIds, unknownIds });
		for (const action of [SERVER_DOWN, respond(400)]) {
			const { batches: ofContinue, outputs } = await attempted(0, CONTINUE, action);
			const [first = [], second = []] = ofContinue;
			expect(outputs.flat().map(({ json }) => json)).toEqual([
				...first.map((id) => expect.objectContaining({ id, error: expect.any(String) })),
				...second.map((id) => ({ id, deleted: true })),
			]);
			const mayBeDeleted = JSON.stringify(outputs).includes('may already have been deleted');
			expect(mayBeDeleted).toBe(action === SERVER_DOWN);
		}
	});

	test('of Update does not repeat what was done', async () => {
		fault(SERVER_DOWN, { method: 'PUT', ids: [102] });
		const { outputs } = await run(ADD_TAG, [...tagging(101, 'x'), ...tagging(102, 'x')], RETRY);
		const again = sandbox.requests().slice(4);
		expect(again).toEqual(['GET /api/instances/102/', 'PUT /api/instances/102/']);
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101, 102]);
	});

	test('of Update does not mistake what a replica returns for newer than what the run has written', async () => {
		const id = SEED.fullyFilled;
		const old = { ...stored(sandbox, id), last_updated_time: '2000-01-01T00:00:00Z' };
		const newer = { ...old, tags: ['by hand'], last_updated_time: '2100-01-01T00:00:00Z' };
		fault(respond(200, old), { method: 'GET', times: 3 });
		fault(SERVER_DOWN, { method: 'PUT', nth: 2 });
		fault(respond(200, newer), { method: 'GET' });
		await run(ADD_TAG, tagging(id, 'x', 'y', 'z'), RETRY);
		const x = [...old.tags, 'x'];
		const sent = bodies(sandbox, 'PUT').map(({ tags }) => tags);
		expect(sent).toEqual([x, [...x, 'y'], [...x, 'y'], ['by hand', 'z']]);
	});

	type Seen = [time: string | undefined, ...tags: string[]];
	const OWN = [['x'], ['x', 'y'], ['x', 'y', 'z']];
	const BY_HAND = [['x'], ['x', 'hand', 'y'], ['x', 'hand', 'y', 'z']];
	const [FIRST, THEN] = ['2030-01-01T00:00:00.100Z', '2030-01-01T00:00:00.200Z'];
	const LAST = '2030-01-01T00:00:00.300Z';
	const NO_TIME = undefined;
	const ofLast = OWN.map((tags): Seen => [LAST, ...tags]);
	const HAND: Seen[] = [[NO_TIME], [NO_TIME, 'x', 'hand'], [NO_TIME, 'x', 'hand', 'y']];
	test.each<[situation: string, reads: Seen[], writes?: Seen[], sent?: string[][]]>([
		['returns what others wrote before', [[FIRST], [THEN, 'old'], [THEN, 'old']], ofLast],
		['has changes by hand', HAND, [[NO_TIME], [NO_TIME], [NO_TIME]], BY_HAND],
	])('of Update does not, either, if the service %s', async (...row) => {
		const [, reads, writes = [], sent = OWN] = row;
		const seen = ([last_updated_time, ...tags]: Seen) =>
			respond(200, { ...stored(sandbox, 101), last_updated_time, tags });
		for (const read of reads) fault(seen(read), { method: 'GET' });
		for (const write of writes) fault(seen(write), { method: 'PUT' });
		fault(respond(204, ''), { method: 'PUT', times: 3 });
		await run(ADD_TAG, tagging(101, 'x', 'y', 'z'));
		expect(bodies(sandbox, 'PUT').map(({ tags }) => tags)).toEqual(sent);
	});

	test('of Update returns what the run has written if an item changes nothing', async () => {
		const read = respond(200, { ...stored(sandbox, 101), tags: ['old'] });
		fault(read, { method: 'GET', times: 3 });
		const written = { tags: ['old', 'x'], last_updated_time: '2100-01-01T00:00:00Z' };
		fault(respond(200, { ...stored(sandbox, 101), ...written }), { method: 'PUT' });
		const updateFields = { addTags: '={{ $json.tag }}' };
		const parameters = { ...ADD_TAG, updateFields, options: { emptyValues: 'keep' } };
		const { outputs } = await run(parameters, [{ id: 101, tag: 'x' }, { id: 101 }, { id: 101 }]);
		const [, second, third] = outputs[0] ?? [];
		expect(second?.json).toMatchObject({ id: 101, tags: ['old', 'x'] });
		// What later nodes do to one item must not change another.
		expect(third?.json.tags).toEqual(second?.json.tags);
		expect(third?.json.tags).not.toBe(second?.json.tags);
	});

	test('with Continue keeps the order of two changes of one instance', async () => {
		fault(SERVER_DOWN, { method: 'PUT' });
		const updateFields = { name: '={{ $json.tag }}' };
		const settings = { ...RETRY, ...CONTINUE };
		await run({ ...ADD_TAG, updateFields }, tagging(101, 'A', 'B'), settings);
		expect(stored(sandbox, 101).name).toBe('B');
		expect(bodies(sandbox, 'PUT').map(({ name }) => name)).toEqual(['A', 'B', 'A', 'B']);
	});

	test('does not forget what an earlier attempt changed when a later one is refused unsent', async () => {
		fault(SERVER_DOWN, { method: 'PUT' });
		fault(busy(429, 3_600), { method: 'PUT', nth: 2, times: 0 });
		const { outputs } = await run(ADD_TAG, tagging(101, 'a', 'b'), { ...RETRY, ...CONTINUE });
		const description = expect.stringContaining('The change may already have been made.');
		const error = expect.stringMatching(
			/^The node (gave up on|did not send) .*, because the service says/,
		);
		const json = { error, details: { description } };
		expect(outputs).toMatchObject([[{ json }, { json }]]);
	});
});

test('Execute Once lets Bulk Delete delete only what the first item lists', async () => {
	const { outputs } = await run(DELETE_IDS, [{ id: 101 }, { id: 102 }], { executeOnce: true });
	expect(bodies(sandbox, 'POST')).toEqual([{ ids: [101] }]);
	expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101]);
});

describe('An instance that people change half a second after an update has read it', () => {
	const id = SEED.bare;
	const changed = { name: 'By hand', deadline: '2027-01-01T10:00:00Z', tags: ['by hand'] };
	const update = async (settings = {}) => {
		void clock()
			.sleep(500)
			.then(() => sandbox.control.change(id, changed));
		return await run(ADD_TAG, tagging(id, 'late'), settings);
	};

	test.each<[FaultAction, times: number, requests: string]>([
		[busy(429, 12), 1, 'GET PUT GET PUT'],
		[busy(429, 3), 3, 'GET PUT GET PUT PUT PUT'],
		[busy(503, 6), 3, 'GET PUT GET PUT GET PUT GET PUT'],
		[respond(502), 3, 'GET PUT GET PUT GET PUT GET PUT'],
		[{ type: 'reset' }, 1, 'GET PUT GET PUT'],
	])('keeps what they entered, if the write meets %j %d times: %s', async (...row) => {
		const [action, times, requests] = row;
		fault(action, { method: 'PUT', times });
		expect((await update()).error).toBeUndefined();
		expect(stored(sandbox, id)).toMatchObject({ ...changed, tags: ['by hand', 'late'] });
		expect(methods()).toBe(requests);
	});

	test('is reported with what the write met, if it is not found when it is read again', async () => {
		fault(respond(503, { detail: 'Broken.' }), { method: 'PUT' });
		fault(respond(404), { method: 'GET', nth: 2 });
		const { error } = await update();
		const met =
			'An earlier attempt failed: The service is not available at the moment (503): Broken.';
		expect(error?.description).toContain(met);
	});

	test('is read again after a failure, and once more after a long wait', async () => {
		fault(respond(502), { method: 'PUT' });
		fault(busy(429, 12), { method: 'PUT' });
		expect((await update()).error).toBeUndefined();
		expect(methods()).toBe('GET PUT GET PUT GET PUT');
	});

	test.each<[FaultAction, times: number, message: unknown, requests: string]>([
		[busy(429, 1), 1, undefined, 'GET PUT PUT'],
		[respond(503), 0, expect.stringContaining('(503)'), Array(6).fill('GET PUT').join(' ')],
	])('is read only this often, if the write meets %j %d times: %s, %s', async (...row) => {
		const [action, times, message, requests] = row;
		fault(action, { method: 'PUT', times });
		expect((await update()).error?.message).toEqual(message);
		expect(methods()).toBe(requests);
	});

	test.each<[FaultAction, end: string]>([
		[busy(503, 3), 'The change may already have been made. Running this node again is safe.'],
		[busy(429, 3), 'Nothing was updated in this run of the node.'],
	])('is not updated if it can no longer be kept after %j', async (response, end) => {
		fault(response, { method: 'PUT' });
		const unnamed = respond(200, { ...stored(sandbox, id), name: undefined });
		fault(unnamed, { method: 'GET', nth: 2, times: 0 });
		const { error } = await update(RETRY);
		expect(methods()).toBe('GET PUT GET GET GET');
		expect(error?.message).toContain("so the current value can't be kept");
		const words = error?.description?.split('The current value will be lost. ')[1];
		expect(words).toBe(end);
	});
});

describe('Updates of one instance', () => {
	const id = SEED.bare;

	test('are all applied in order, even if they wait for longer than a request may take', async () => {
		const tags = ['a', 'b', 'c', 'd', 'e'];
		fault({ type: 'delay', ms: 400 }, { times: 0 });
		const settings = { requestOptions: { timeout: 600 }, options: { emptyValues: 'keep' } };
		// The last one changes nothing.
		const { outputs } = await run({ ...ADD_TAG, ...settings }, tagging(id, ...tags, ''));
		expect(stored(sandbox, id).tags).toEqual(tags);
		const shown = [...tags, ''].map((_tag, index) => tags.slice(0, index + 1));
		expect(outputs[0]?.map(({ json }) => json.tags)).toEqual(shown);
	});

	test('write, and read again after a failure, before others are read', async () => {
		const ids = sandbox.control.addInstances(200);
		sandbox.control.setLatency(400);
		fault(respond(502), { method: 'PUT', ids: ids.slice(0, 1) });
		const items = ids.map((each) => ({ id: each, tag: 'a' }));
		await run(ADD_TAG, items);
		const lastWrite = sandbox.requests().lastIndexOf(`PUT /api/instances/${ids[0]}/`);
		const lastRead = sandbox.requests().indexOf(`GET /api/instances/${ids.at(-1)}/`);
		expect(lastWrite).toBeLessThan(lastRead);
	});

	test('do not hold up the others', async () => {
		sandbox.control.setLatency(20);
		const others = [102, 104, 105, 106].map((each) => ({ id: each, tag: 'a' }));
		await run(ADD_TAG, [...tagging(101, 'a', 'a', 'a'), ...others]);
		expect(sandbox.control.stats().maxInFlight).toBe(5);
	});
});

test('An Update sends nothing once it is stopped between two attempts', async () => {
	fault(SERVER_DOWN);
	const stop = new AbortController();
	const settings = { ...RETRY, waitBetweenTries: 1_000, signal: stop.signal };
	const running = run(ADD_TAG, tagging(101, 'a'), settings);
	while (sandbox.requests().length === 0 || schedulers.size > 0) await clock().sleep(0);
	stop.abort();
	expect(await running).toMatchObject({ status: 'canceled', error: undefined });
	expect(sandbox.requests()).toHaveLength(1);
});

describe('A Bulk Delete that is stopped', () => {
	const logged = async (ids: number[], options = {}, settings = {}, requests = 2) => {
		const warn = jest.spyOn(Container.get(Logger), 'warn');
		const hint = jest.spyOn(ExecuteContext.prototype, 'addExecutionHints');
		const stop = new AbortController();
		const parameters = { ...DELETE_IDS, options };
		const running = run(parameters, itemsOf(ids), { signal: stop.signal, ...settings });
		while (sandbox.log().length < requests) await clock().sleep(0);
		await clock().sleep(1);
		stop.abort();
		await running;
		await clock().sleep(1_000);
		expect(sandbox.log()).toHaveLength(requests);
		const lines = [...warn.mock.calls];
		const hints = hint.mock.calls.flat().map(({ message }) => message);
		jest.restoreAllMocks();
		return { lines, hints };
	};

	test.each<[string, FaultAction, isUnknown: boolean, settings?: object]>([
		['hangs', { type: 'hang' }, true],
		['was cut off', CUT_OFF, true],
		['has to wait', busy(429, 100), false],
		['is for the next try', SERVER_DOWN, true, { ...RETRY, waitBetweenTries: 1_000 }],
	])('logs and shows what it deleted: a batch %s', async (_, action, isUnknown, settings = {}) => {
		const ids = sandbox.control.addInstances(9);
		const [first, second, third] = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)];
		fault(action, { ids: second });
		const { lines, hints } = await logged(ids, { batchSize: 3 }, settings);
		const notSent = isUnknown ? third : [...second, ...third];
		const unknown = isUnknown ? ` Unknown: ${second.join(', ')}.` : '';
		const report = `The execution was stopped. Deleted (3 of 9): ${first.join(', ')}.${unknown} Not sent: ${notSent.join(', ')}.`;
		expect(lines).toContainEqual([
			`Service (workflow 1, execution 1): ${report}`,
			expect.objectContaining({ node: 'Service', workflowId: '1', executionId: '1' }),
		]);
		// After a time limit, n8n shows it.
		expect(hints).toContain(report);
		expect(JSON.stringify(lines)).not.toContain(sandbox.credentials.apiKey);
		expect(remaining(ids)).toEqual(action === CUT_OFF ? third : [...second, ...third]);
	});

	test('also reports a single one', async () => {
		const [id = 0] = sandbox.control.addInstances(1);
		fault({ type: 'hang' });
		const { lines } = await logged([id], {}, {}, 1);
		expect(lines.at(-1)?.[0]).toContain(`The execution was stopped. Unknown: ${id}.`);
	});

	test('stops looking for rejected IDs', async () => {
		fault(respond(404));
		fault({ type: 'hang' });
		// An item that failed earlier doesn't keep this from being logged.
		const { lines } = await logged([-1, ...sandbox.control.addInstances(8)], {}, CONTINUE);
		expect(lines[0]?.[0]).toMatch(
			/^Service \(workflow 1, execution 1\): The execution was stopped\. Unknown: [\d, ]+\.$/,
		);
	});
});
