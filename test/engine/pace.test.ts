import { createServer } from 'node:net';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { askedPause } from '../../nodes/WorkflowInstanceService/api/retryAfter';
import { pools } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import { type FaultAction, type RespondAction, SEED } from '../../sandbox/service';
import { runNode, type RunNodeOptions, useVirtualClock } from '../harness';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

const ALWAYS = 0;
const NOW = Date.UTC(2026, 6, 1, 10);
const MINUTE = 60_000;

const response = (status: number, headers: IDataObject = {}) => ({
	status,
	headers,
	text: '',
	isGarbled: false,
	quotable: () => '',
});
const busy = (retryAfter?: string, status = 429): RespondAction => ({
	type: 'respond',
	status,
	body: '{"detail": "Request was throttled."}',
	headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
});

describe('how long the service asks to wait', () => {
	test.each([
		['0', 0],
		[' 7 ', 7_000],
		['1.25', 1_250],
		['9'.repeat(400), Infinity],
		['Wed, 01 Jul 2026 10:00:30 GMT', 30_000],
		['Wed, 01 Jul 2026 09:00:00 GMT', 0],
		[String(NOW / 1000 + 20), 20_000],
		['', 0],
		['-1', 0],
		['60 seconds', 0],
		['1e3', 0],
		['1000000000', 0],
		['July', 0],
		['99:99:99', 0],
		[['7', '8'], 0],
	])('Retry-After: %p is %p milliseconds', (value, expected) => {
		expect(askedPause(response(429, { 'retry-after': value }), NOW)).toBe(expected);
	});

	test.each<[IDataObject, number]>([
		[{ 'ratelimit-reset': '12' }, 12_000],
		[{ 'x-ratelimit-reset': String(NOW / 1000 + 12) }, 12_000],
		[{ 'x-ratelimit-reset': String(NOW + 12_345) }, 12_345],
		[{ 'x-rate-limit-reset': '3' }, 3_000],
		[{ 'retry-after': '0', 'x-ratelimit-retry-after': '5' }, 5_000],
		[{ 'retry-after': '2', 'ratelimit-reset': '50' }, 2_000],
		// By the clock of the service.
		[
			{ date: 'Wed, 01 Jul 2026 08:00:00 GMT', 'retry-after': 'Wed, 01 Jul 2026 08:00:20 GMT' },
			20_000,
		],
	])('%j is %p milliseconds', (headers, expected) => {
		expect(askedPause(response(429, headers), NOW)).toBe(expected);
	});
});

test('only Retry-After says how long a service that is unavailable asks to wait', () => {
	const headers = { 'retry-after': '2', 'ratelimit-reset': '3600' };
	expect(askedPause(response(503, headers), NOW)).toBe(2_000);
	expect(askedPause(response(503, { 'x-ratelimit-reset': '3600' }), NOW)).toBe(0);
});

describe('a run', () => {
	const sandbox = useSandbox();
	let random = 0;
	const clock = useVirtualClock({ chance: () => random });
	afterEach(() => {
		random = 0;
		expect(pools.size).toBe(0);
	});
	const get = async (
		ids: number[],
		options: INodeParameters = {},
		settings: Partial<RunNodeOptions> = {},
	) =>
		await sandbox.run(
			{ instanceId: ID_OF_ITEM, options },
			ids.map((id) => ({ id })),
			settings,
		);
	const fault = (action: FaultAction, times = ALWAYS, ...ids: number[]) =>
		sandbox.control.addFault({ action, times, match: ids.length > 0 ? { ids } : {} });
	const CONTINUE = { onError: 'continueRegularOutput' as const };
	/** Between which requests how much time passed, in seconds. */
	const gaps = () => {
		const times = sandbox.log().map(({ receivedAt }) => receivedAt);
		return times.slice(1).map((time, index) => (time - Number(times[index])) / 1000);
	};

	test('retries a request that fails after pauses that double, longer by chance', async () => {
		random = 0.8;
		fault(busy('Thu, 01 Jan 1970 00:00:00 GMT', 503));
		const { error } = await get([101]);
		expect(error?.httpCode).toBe('503');
		expect(gaps()).toEqual([1.08, 2.16, 4.32, 8.64, 17.28]);
	});

	test('retries a lost connection once, a second later, beside other retries', async () => {
		fault(busy('1'), 1);
		fault({ type: 'reset' }, 1);
		fault(busy('3'), 1);
		expect((await get([101])).outputs[0]).toHaveLength(1);
		expect(gaps()).toEqual([1, 1, 3]);
		fault({ type: 'reset' });
		await get([101]);
		expect(sandbox.log()).toHaveLength(4 + 2);
	});

	test('waits as long as Max Wait while nothing gets through, and once for all items', async () => {
		fault(busy('40'));
		const { outputs } = await get(Array(6).fill(101), {}, CONTINUE);
		expect(outputs[0]).toHaveLength(6);
		expect(new Set(gaps().filter((gap) => gap > 0))).toEqual(new Set([40]));
		const { details } = outputs[0]?.[0]?.json ?? {};
		expect(JSON.stringify(details)).toContain('(currently 5 minutes)');
	});

	test('told to wait for too long sends no more, and names Max Wait', async () => {
		fault(busy('3600'));
		const ids = Array.from({ length: 200 }, (_, nth) => 101 + nth);
		const { outputs } = await get(ids, {}, CONTINUE);
		expect(outputs[0]).toHaveLength(200);
		expect(sandbox.log().length).toBeLessThanOrEqual(20);
		const last = JSON.stringify(outputs[0]?.at(-1)?.json);
		expect(last).toContain('was not sent, because the service says to retry in 60 minutes');
		expect(last).toContain("raise 'Max Wait (Seconds)'");
	});

	describe.each<[string, INodeParameters]>([
		['Get', { instanceId: locator(SEED.running) }],
		[
			'Update',
			{ operation: 'update', instanceId: locator(SEED.running), updateFields: { name: 'x' } },
		],
		['Bulk Delete', { operation: 'bulkDelete', instanceIds: '101, 102' }],
	])('of %s that is stopped', (_name, parameters) => {
		test.each<[string, FaultAction]>([
			['while it waits', busy('60')],
			['while a request is under way', { type: 'hang' }],
		])('%s ends at once, and the next one waits for nothing', async (_when, action) => {
			fault(action, 5);
			const stop = new AbortController();
			const running = sandbox.run(parameters, [{}, {}, {}], { signal: stop.signal });
			while (sandbox.log().length === 0) await clock().sleep(1);
			await clock().sleep(1_000);
			const sent = sandbox.log().length;
			stop.abort();
			expect((await running).status).toBe('canceled');
			const stoppedAt = clock().now();
			expect(sandbox.log()).toHaveLength(sent);
			sandbox.control.clearFaults();
			await get([101]);
			expect(clock().now() - stoppedAt).toBeLessThan(1_000);
		});
	});

	describe('with Requests per Minute', () => {
		const UPDATE = {
			operation: 'update',
			instanceId: ID_OF_ITEM,
			updateFields: { addTags: 'checked', automaticNaming: true },
		};
		const limited = (requestsPerMinute: unknown) => ({
			credentials: { ...sandbox.credentials, requestsPerMinute: String(requestsPerMinute) },
		});

		test.each([
			[1, [0, 70, 125], [1, 1, 1]],
			[10, [0, 0, 200, 230, 260, 290], [12, 12, 5, 2, 3, 10]],
		])('of %d holds in any minute, over runs from %j on', async (limit, starts, items) => {
			fault(busy('1'), 1);
			const run = async (at: number, index: number) => {
				await clock().sleep(at * 1000);
				await get(Array(items[index]).fill(101), {}, limited(limit));
			};
			await Promise.all(starts.map(run));
			const times = sandbox.log().map(({ receivedAt }) => receivedAt);
			const minutes = times.slice(limit).map((time, index) => time - Number(times[index]));
			expect(Math.min(...minutes)).toBeGreaterThan(MINUTE);
			await clock().sleep(MINUTE + 1000);
		});

		test('of 10 lets 10 updates, each a read and a write, end within three minutes', async () => {
			const start = clock().now();
			const ids = sandbox.control.addInstances(10);
			const items = ids.map((id) => ({ id }));
			const { error, outputs } = await sandbox.run(UPDATE, items, limited(10));
			expect(error).toBeUndefined();
			expect(outputs[0]).toHaveLength(10);
			expect(clock().now() - start).toBeLessThan(3 * MINUTE);
			await clock().sleep(MINUTE + 1000);
		});

		test('of 1 lets an update end, after one more read', async () => {
			const [id] = sandbox.control.addInstances(1);
			expect((await sandbox.run(UPDATE, [{ id }], limited(1))).error).toBeUndefined();
			expect(sandbox.log().map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT']);
			await clock().sleep(MINUTE + 1000);
		});

		test.each([-1, 1.5, 'many'])('of %p sends nothing, and names it', async (value) => {
			const { error } = await get([101], {}, limited(value));
			expect(error?.message).toContain("in 'Requests per Minute' in the credential");
			expect(sandbox.log()).toEqual([]);
		});
	});
});

describe('a server that speaks something else', () => {
	useSandbox();

	test.each([
		['http', 'SSH-2.0-OpenSSH_9.6\r\n', 'did not respond with HTTP'],
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
