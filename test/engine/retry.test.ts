import { createServer } from 'node:net';

import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';

import { locks } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { services } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import { type FaultAction, SEED } from '../../sandbox/service';
import { useVirtualClock } from '../harness';
import { bodies, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

const BULK_DELETE: INodeParameters = {
	operation: 'bulkDelete',
	instanceIds: '={{ $json.id }}',
	options: { batchSize: 3 },
};
const UPDATE: INodeParameters = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { name: '={{ $json.name }}' },
};
const RETRY = { retryOnFail: true, maxTries: 3 };
const DOWN = respond(500);
const CUT_OFF: FaultAction = { type: 'applyThen', then: { type: 'reset' } };
const TWO = [101, 102].map((id) => ({ id, name: 'New' }));

const sandbox = useSandbox();
const { run, left } = sandbox;
const clock = useVirtualClock();
afterEach(async () => {
	await new Promise(setImmediate);
	expect(locks.size).toBe(0);
});

describe('Bulk Delete', () => {
	let ids: number[] = [];
	let batches: number[][] = [];
	beforeEach(() => {
		ids = sandbox.control.addInstances(9);
		batches = [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)];
	});
	const bulkDelete = async (settings = {}) =>
		await run(
			BULK_DELETE,
			ids.map((id) => ({ id })),
			settings,
		);
	const fault = (nth: number, action: FaultAction) =>
		sandbox.control.addFault({ match: { method: 'POST', nth }, action });
	const sent = () => bodies(sandbox, 'POST').map((body) => body.ids);

	test.each<[string, failing: number[], settings: object, batches: number[]]>([
		// The first try ends at its second request, and so does the second try.
		['what is left', [2, 3], {}, [0, 1, 1, 2, 2]],
		// n8n tries again when the first item that comes out is an error item.
		['what is left, with Continue,', [1], CONTINUE, [0, 1, 2, 0]],
		['all in the next run of the node, as in a loop,', [2], { runs: 2 }, [0, 1, 1, 2, 0, 1, 2]],
	])('with Retry On Fail sends %s', async (_what, failing, settings, expected) => {
		for (const nth of failing) fault(nth, DOWN);
		const { outputs } = await bulkDelete({ ...RETRY, ...settings });
		expect(sent()).toEqual(expected.map((batch) => batches[batch]));
		expect(left(ids)).toEqual([]);
		expect(outputs[0]).toEqual(
			ids.map((id, item) => ({ json: { id, deleted: true }, pairedItem: { item } })),
		);
	});

	test('with Execute Once deletes only what the first item names', async () => {
		await bulkDelete({ executeOnce: true });
		expect(sent()).toEqual([ids.slice(0, 1)]);
	});

	const REJECTED = respond(404);
	test.each<[string, first: FaultAction[], second: FaultAction, log: string]>([
		['hangs', [], { type: 'hang' }, 'Deleted: 1. Not deleted: 3. Unknown: 2.'],
		['was cut off', [], CUT_OFF, 'Deleted: 1. Not deleted: 3. Unknown: 2.'],
		[
			'has to wait',
			[],
			respond(429, '', { 'retry-after': '100' }),
			'Deleted: 1. Not deleted: 2, 3.',
		],
		['is half of one', [REJECTED], { type: 'hang' }, 'Not deleted: 2, 3. Unknown: 1.'],
	])('that is stopped when a batch %s logs what it had deleted', async (...row) => {
		const [, first, second, log] = row;
		const warn = jest.spyOn(Container.get(Logger), 'warn');
		fault(2, second);
		for (const action of first) fault(1, action);
		const stop = new AbortController();
		const running = bulkDelete({ ...CONTINUE, signal: stop.signal });
		while (sandbox.log().length < 2) await clock().sleep(0);
		await clock().sleep(1);
		stop.abort();
		await running;
		await clock().sleep(1_000);
		expect(sent()).toHaveLength(2);
		const words = log.replace(/\d/g, (batch) => String(batches[Number(batch) - 1]?.join(', ')));
		expect(warn.mock.calls).toContainEqual([
			`Bulk Delete was stopped. ${words}`,
			expect.objectContaining({ node: 'Service', workflowId: '1', executionId: '1' }),
		]);
		expect(JSON.stringify(warn.mock.calls)).not.toContain(sandbox.credentials.apiKey);
		warn.mockRestore();
	});
});

describe('Update', () => {
	test('with Retry On Fail does not do again what was done', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', ids: [102] }, action: DOWN });
		const { outputs } = await run(UPDATE, TWO, RETRY);
		const update = (id: number) => [`GET /api/instances/${id}/`, `PUT /api/instances/${id}/`];
		expect(sandbox.requests().slice(4)).toEqual(update(102));
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual([101, 102]);
	});

	const NAMES = ['a', 'b', 'c'];
	const naming = (...names: string[]) => names.map((name) => ({ id: SEED.bare, name }));
	const methods = () => sandbox.log().map(({ method }) => method);
	const IN_TURN = ['GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT'];

	test.each<[string, INodeParameters]>([
		// Shorter than they wait for each other.
		['come at once', { timeout: 60 }],
		['come one by one', { batching: { batch: { batchSize: 1, batchInterval: 70 } } }],
	])('makes the updates of one instance in turn that %s', async (_how, requestOptions) => {
		sandbox.control.setLatency(50);
		const { outputs } = await run({ ...UPDATE, requestOptions }, naming(...NAMES));
		expect(outputs[0]?.map(({ json }) => json.name)).toEqual(NAMES);
		expect(methods()).toEqual(IN_TURN);
	});

	test('makes the updates of one instance in turn, although the service rejects one', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', nth: 2 }, action: respond(403) });
		await run(UPDATE, naming(...NAMES), CONTINUE);
		expect(methods()).toEqual(IN_TURN);
		expect(stored(sandbox, SEED.bare).name).toBe('c');
	});

	test('makes the updates of one instance in turn by runs that spell the Base URL differently', async () => {
		const { apiKey, baseUrl } = sandbox.credentials;
		const spellings = [baseUrl, baseUrl.replace('http', 'HTTP'), ` ${baseUrl}// `];
		const runs = spellings.map(async (spelled, index) => {
			await run(UPDATE, naming(`${index}`), { credentials: { apiKey, baseUrl: spelled } });
		});
		await Promise.all(runs);
		expect(methods()).toEqual(IN_TURN);
	});

	test('makes the updates of one instance in turn, and those of others meanwhile', async () => {
		sandbox.control.setLatency(20);
		await run(
			UPDATE,
			[101, 101, 101, 102, 104, 105, 106].map((id) => ({ id, name: 'New' })),
		);
		expect(sandbox.control.stats().maxInFlight).toBe(5);
	});
});

test.each([
	['Bulk Delete', BULK_DELETE],
	['Update', UPDATE],
])('%s sends nothing once it is stopped between two attempts', async (_operation, parameters) => {
	sandbox.control.addFault({ action: DOWN });
	const stop = new AbortController();
	const settings = { ...RETRY, waitBetweenTries: 1_000, signal: stop.signal };
	const running = run(parameters, TWO.slice(0, 1), settings);
	while (sandbox.requests().length === 0 || services.size > 0) await clock().sleep(0);
	stop.abort();
	await running;
	expect(sandbox.requests()).toHaveLength(1);
});

test.each([
	['http', 'SSH-2.0-OpenSSH_9.6\r\n', 'did not respond with HTTP'],
	['https', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'A secure connection to'],
])('A server that speaks something else than %s is asked once', async (...row) => {
	const [protocol, greeting, words] = row;
	let connections = 0;
	const server = createServer((socket) => {
		connections++;
		socket.on('error', () => undefined);
		socket.write(greeting, () => socket.destroySoon());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	const credentials = { baseUrl: `${protocol}://127.0.0.1:${port}/api`, apiKey: 'key-of-a-test' };
	const { error } = await run({ instanceId: ID_OF_ITEM }, TWO.slice(0, 1), { credentials });
	await new Promise((resolve) => server.close(resolve));
	expect(error?.message).toContain(words);
	expect(connections).toBe(1);
});
