import { createServer } from 'node:net';
import { type IDataObject, type INodeParameters, sleep } from 'n8n-workflow';

import {
	askedPause,
	type History,
	LONGEST_WAIT_MS,
	pauseBeforeRetry,
} from '../../nodes/WorkflowInstanceService/api/retry';
import { type FaultAction, type RespondAction, SEED } from '../../sandbox/service';
import { runNode, type RunNodeOptions } from '../harness';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';
import { skipPauses } from './support/time';

jest.setTimeout(60_000);

const ALWAYS = 0;
const NOW = Date.UTC(2026, 6, 1, 10);

const answer = (status: number, headers: IDataObject = {}, text = '') => ({
	status,
	headers,
	text,
	isGarbled: false,
	quotable: () => text,
});
const busy = (retryAfter?: string, status = 429): RespondAction => ({
	type: 'respond',
	status,
	body: '{"detail": "Request was throttled."}',
	headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
});

describe('Retry-After', () => {
	test.each([
		['0', 0],
		['7', 7_000],
		[' 7 ', 7_000],
		['0.5', 500],
		['1.25', 1_250],
		['86400', 86_400_000],
		['9'.repeat(400), Infinity],
		['Wed, 01 Jul 2026 10:00:30 GMT', 30_000],
		['Wednesday, 01-Jul-26 10:00:30 GMT', 30_000],
		['2026-07-01T10:00:30Z', 30_000],
		['Wed, 01 Jul 2026 09:00:00 GMT', 0],
	])('%p is %p milliseconds', (value, expected) => {
		expect(askedPause(answer(429, { 'retry-after': value }), NOW)).toBe(expected);
	});

	test.each(['', '-1', 'soon', '60 seconds', '1e3', 'July', '10:00', '99:99:99', ['7', '8']])(
		'%p says nothing',
		(value) => {
			expect(askedPause(answer(429, { 'retry-after': value }), NOW)).toBe(0);
		},
	);

	test('as a date counts by the clock of the service', () => {
		const headers = {
			date: 'Wed, 01 Jul 2026 08:00:00 GMT',
			'retry-after': 'Wed, 01 Jul 2026 08:00:20 GMT',
		};
		expect(askedPause(answer(503, headers), NOW)).toBe(20_000);
	});
});

describe('the pause before a request is sent again', () => {
	const history: History = { retriesInVain: 0, lost: 0, stalled: 0 };
	const options = { maxRetries: 4, now: NOW };
	const asked = (seconds: number) => answer(429, { 'retry-after': String(seconds) });
	const limit = LONGEST_WAIT_MS / 1000;

	test.each([429, 503])('of %d is left to the node when the service names none', (status) => {
		expect(pauseBeforeRetry(answer(status), history, options)).toBe(0);
	});

	test('exists until as many retries as allowed were in vain', () => {
		const after = (retriesInVain: number, maxRetries: number) =>
			pauseBeforeRetry(asked(7), { ...history, retriesInVain }, { maxRetries, now: NOW });
		expect([0, 1, 2, 3].map((inVain) => after(inVain, 4))).toEqual(Array(4).fill(7_000));
		expect(after(4, 4)).toBeUndefined();
		expect(after(5, 4)).toBeUndefined();
		expect(after(4, 5)).toBe(7_000);
		expect(after(0, 0)).toBeUndefined();
	});

	test('ends when nothing would have got through for five minutes', () => {
		const after = (stalled: number, seconds: number) =>
			pauseBeforeRetry(asked(seconds), { ...history, stalled }, options);
		expect(after(0, limit)).toBe(LONGEST_WAIT_MS);
		expect(after(0, limit + 1)).toBeUndefined();
		expect(after(200_000, 100)).toBe(100_000);
		expect(after(200_000, 101)).toBeUndefined();
		const unnamed = (stalled: number) =>
			pauseBeforeRetry(answer(429), { ...history, stalled }, options);
		expect(unnamed(LONGEST_WAIT_MS)).toBe(0);
		expect(unnamed(LONGEST_WAIT_MS + 1)).toBeUndefined();
	});

	test.each([200, 204, 301, 400, 401, 403, 404, 408, 409, 500, 502, 504])(
		'does not exist for %p',
		(status) => {
			expect(pauseBeforeRetry(answer(status, { 'retry-after': '1' }), history, options)).toBe(
				undefined,
			);
		},
	);

	test.each(['ECONNRESET', 'EPIPE', 'ERR_BAD_RESPONSE', 'ERR_STREAM_PREMATURE_CLOSE'])(
		'exists once for %s',
		(networkCode) => {
			const after = (change: Partial<History>, maxRetries = 4) =>
				pauseBeforeRetry(
					{ networkCode, words: '' },
					{ ...history, ...change },
					{ maxRetries, now: NOW },
				);
			expect(after({ lost: 1 })).toBe(1_000);
			expect(after({ lost: 2 })).toBeUndefined();
			expect(after({ lost: 2, retriesInVain: 1 })).toBeUndefined();
			expect(after({ lost: 1, retriesInVain: 3 })).toBe(1_000);
			expect(after({ lost: 1 }, 0)).toBeUndefined();
		},
	);

	test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNABORTED', 'ETIMEDOUT', 'EPROTO', 'CERT_X', ''])(
		'does not exist for the network failure %p',
		(networkCode) => {
			const failure = { networkCode, words: '' };
			expect(pauseBeforeRetry(failure, history, options)).toBeUndefined();
		},
	);
});

describe('a service that asks to wait', () => {
	const sandbox = useSandbox();
	const get = async (options: INodeParameters, settings: Partial<RunNodeOptions> = {}) =>
		await sandbox.run({ instanceId: ID_OF_ITEM, options }, [{ id: SEED.running }], settings);
	const fault = (action: FaultAction, times = ALWAYS, match = {}) =>
		sandbox.control.addFault({ action, times, match });
	afterEach(() => {
		jest.restoreAllMocks();
	});

	/** The pauses of a run, without the few milliseconds that its requests took. */
	const inSeconds = (pauses: number[]) => pauses.map((pause) => Math.round(pause / 100) / 10);

	test.each([
		[0, undefined, [1, 2, 4, 8]],
		[0.8, 'Thu, 01 Jan 1970 00:00:00 GMT', [1.1, 2.2, 4.3, 8.6]],
	])(
		'is asked again after pauses that double, longer by chance (%p), when it names the time as %j',
		async (chance, retryAfter, seconds) => {
			jest.spyOn(Math, 'random').mockReturnValue(chance);
			const pauses = skipPauses();
			fault(busy(retryAfter));
			const { error } = await get({});
			expect(error?.httpCode).toBe('429');
			expect(inSeconds(pauses)).toEqual(seconds);
			expect(sandbox.log()).toHaveLength(5);
		},
	);

	test('is asked no more than five minutes long, however many retries are allowed', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const pauses = skipPauses();
		fault(busy('40'));
		const { error } = await get({ maxRetries: 10 });
		expect(error?.httpCode).toBe('429');
		expect(inSeconds(pauses)).toEqual(Array(7).fill(40));
		expect(sandbox.log()).toHaveLength(8);
	});

	test.each([0, '0', '={{ " 0 " }}'])('is asked once with %j retries', async (maxRetries) => {
		fault(busy('1'));
		const { error } = await get({ maxRetries });
		expect(sandbox.log()).toHaveLength(1);
		expect(error?.message).toBe(
			'The service is receiving too many requests and asks to wait 1 second (429): Request was throttled.',
		);
	});

	test('and then cuts the connection is asked once more, a second later', async () => {
		const pauses = skipPauses();
		fault(busy('1'), 1);
		fault({ type: 'reset' }, 1);
		fault(busy('1'), 1);
		const { outputs } = await get({});
		expect(outputs[0]).toHaveLength(1);
		expect(sandbox.log()).toHaveLength(4);
		expect(pauses).toContain(1_000);
	});

	test('costs a run that continues five minutes, not five for each item', async () => {
		const pauses = skipPauses();
		fault(busy('90', 503));
		const { outputs } = await get(
			{ maxConcurrentRequests: 1, maxRetries: 10 },
			{ items: Array(6).fill({ id: SEED.running }), onError: 'continueRegularOutput' },
		);
		expect(outputs[0]).toHaveLength(6);
		expect(pauses).toHaveLength(3);
		expect(sandbox.log()).toHaveLength(4 + 5);
	});

	test('may ask for five minutes again once it has answered in between', async () => {
		skipPauses();
		const items = SEED.all.slice(0, 3).map((id) => ({ id }));
		for (const { id } of items) fault(busy('200'), 1, { ids: [id] });
		const { outputs } = await get({ maxConcurrentRequests: 1 }, { items });
		expect(outputs[0]).toHaveLength(3);
		expect(sandbox.log()).toHaveLength(6);
	});

	describe('for one of several instances', () => {
		const ids = SEED.all.slice(0, 20);
		const items = ids.map((id) => ({ id }));
		const refusals = () => sandbox.log().filter(({ status }) => status === 429);
		beforeEach(() => {
			skipPauses();
			sandbox.control.setLatency(20);
		});

		test('is asked about it more often than that as long as it answers other requests', async () => {
			fault(busy('200'), 3, { ids: ids.slice(0, 1) });
			const { outputs } = await get({ maxRetries: 2 }, { items });
			expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
			expect(refusals()).toHaveLength(3);
		});

		test('is given up, with the others done, when nothing else gets through in between', async () => {
			fault(busy('1'), ALWAYS, { ids: ids.slice(0, 1) });
			const { outputs } = await get({ maxRetries: 2 }, { items, onError: 'continueErrorOutput' });
			expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids.slice(1));
			expect(outputs[1]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
			const statuses = sandbox.log().map(({ status }) => status);
			const last = statuses.lastIndexOf(429);
			expect(statuses.slice(last - 2, last + 1)).toEqual([429, 429, 429]);
		});
	});

	test('holds back the new requests of all items', async () => {
		const bound = 5;
		const items = SEED.all.slice(0, 20).map((id) => ({ id }));
		sandbox.control.setLatency(20);
		fault(busy('1'), 1, { ids: [items[2]?.id ?? 0] });
		const { outputs } = await get({ maxConcurrentRequests: bound }, { items });
		expect(outputs[0]).toHaveLength(20);
		const log = sandbox.log();
		expect(log).toHaveLength(21);
		const refused = log.find(({ status }) => status === 429);
		const from = refused?.respondedAt ?? 0;
		const meanwhile = log.filter(({ receivedAt }) => receivedAt > from && receivedAt < from + 900);
		// What was under way when the answer came.
		expect(meanwhile.length).toBeLessThan(bound);
	});

	describe.each<[string, INodeParameters]>([
		['Get', { instanceId: locator(SEED.running) }],
		[
			'Update',
			{ operation: 'update', instanceId: locator(SEED.running), updateFields: { name: 'x' } },
		],
		['Bulk Delete', { operation: 'bulkDelete', instanceIds: '101, 102' }],
	])('and %s, when the execution is cancelled', (_name, parameters) => {
		test.each<[string, FaultAction]>([
			['while it waits', busy('60')],
			['while a request is under way', { type: 'hang' }],
		])('%s, ends at once', async (_when, action) => {
			fault(action);
			const controller = new AbortController();
			const running = sandbox.run(parameters, [{}, {}, {}], { signal: controller.signal });
			while (sandbox.log().length === 0) await sleep(20);
			await sleep(100);
			const sent = sandbox.log().length;
			controller.abort();
			const { status } = await running;
			expect(status).toBe('canceled');
			await sleep(100);
			expect(sandbox.log()).toHaveLength(sent);
		});
	});
});

describe('a server that speaks something else', () => {
	useSandbox();

	test.each([
		['http', 'SSH-2.0-OpenSSH_9.6\r\n', 'is not a web server'],
		['https', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'A secure connection to'],
	])('than %s is asked once', async (protocol, greeting, words) => {
		let connections = 0;
		const server = createServer((socket) => {
			connections++;
			socket.on('error', () => undefined);
			socket.write(greeting, () => socket.destroySoon());
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		const port = typeof address === 'object' ? address?.port : undefined;
		const { error } = await runNode({
			parameters: { instanceId: locator(SEED.running) },
			credentials: { baseUrl: `${protocol}://127.0.0.1:${port}/api`, apiKey: 'key-of-a-test' },
		});
		await new Promise((resolve) => server.close(resolve));
		expect(error?.message).toContain(words);
		expect(connections).toBe(1);
	});
});
