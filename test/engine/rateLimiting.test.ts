import { createServer } from 'node:net';

import type { INodeParameters } from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import {
	type ApiMethod,
	type AttemptOutcome,
	Attempts,
} from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Task } from '../../nodes/WorkflowInstanceService/api/rateLimiting/client';
import {
	schedulerFor,
	schedulers,
} from '../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import { UserFacingError } from '../../nodes/WorkflowInstanceService/values/userFacingError';
import type { FaultAction } from '../../sandbox/service';
import { type RunNodeOptions, useVirtualClock } from '../harness';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

const START = Date.UTC(2026, 6, 1, 10);
const GET: INodeParameters = { instanceId: ID_OF_ITEM };
const UPDATE: INodeParameters = { ...GET, operation: 'update', updateFields: { name: 'New' } };

const HANGS: FaultAction = { type: 'hang' };
const UNAVAILABLE = respond(503);
const wait = (status: number, seconds: number) =>
	respond(status, '', { 'retry-after': `${seconds}` });
const within = (maxWait: number) => ({ options: { maxWait } });

const sandbox = useSandbox();
const { fault } = sandbox;
const clock = useVirtualClock({ start: START });
const leaving: AbortController[] = [];
// What was learned is forgotten when the last run ends.
afterEach(() => {
	for (const client of leaving.splice(0)) client.abort();
	expect(schedulers.size).toBe(0);
});

/** In seconds since the test began, like all times here. */
const now = () => (clock().now() - START) / 1000;
const sleep = async (seconds: number) => await clock().sleep(seconds * 1000);

/** Runs the node on instances. Returns those that failed, and what their error items say. */
async function run(ids: number[], parameters = GET, settings: Partial<RunNodeOptions> = {}) {
	const items = ids.map((id) => ({ id }));
	const { outputs } = await sandbox.run(parameters, items, { ...CONTINUE, ...settings });
	const all = outputs.flat().map(({ json }) => json);
	const errors = all.filter(({ error }) => error !== undefined);
	return { failed: errors.map(({ id }) => id), words: errors.map((json) => JSON.stringify(json)) };
}

/** The requests for some instances, or for all, in the order in which they arrived. */
function requests(ids?: number[]) {
	const all = sandbox.log().map(({ method, url, status, receivedAt }) => {
		const id = Number(/(\d+)\/$/.exec(url)?.[1]);
		return { id, method, status, at: (receivedAt - START) / 1000 };
	});
	return all.filter(({ id }) => ids?.includes(id) ?? true);
}
const times = (ids?: number[]) => requests(ids).map(({ at }) => at);
const lastOf = (ids: number[]) => Math.max(...times(ids));

type Scheduled = Task['request'];
const requestOf = (method: ApiMethod, id: number, isUrgent = false) => {
	const attempts = new Attempts();
	return { method, path: `/${id}/`, ids: [id], isUrgent, attempts, maxWait: 60_000 };
};

/** Lets a client join for the rest of the test. Returns a function with which it sends a request. */
function join() {
	const ending = new AbortController();
	leaving.push(ending);
	const scheduler = schedulerFor('http://x', 'key');
	const client = scheduler.join(0, ending.signal);
	return async (request: Scheduled, outcome: () => AttemptOutcome | Promise<AttemptOutcome>) =>
		await scheduler.schedule(client, request, async () => await outcome());
}

const EMPTY = { headers: {}, text: '{}', json: {}, isGarbled: false, redact: String };
const RESPONSE = { status: 200, ...EMPTY };
const OK: AttemptOutcome = { response: RESPONSE };
const down = new UserFacingError('Down', 'Wait.', { httpCode: '503' });
const DOWN: AttemptOutcome = { error: down, retry: 'unavailable', retryAfter: 0 };
const notFound = new UserFacingError('Not found', '', { kind: 'notFound', httpCode: '404' });
const NOT_FOUND: AttemptOutcome = { error: notFound, retryAfter: 0 };
const throttled = (retryAfter = 0, words = ''): AttemptOutcome => {
	const facts = { kind: 'notProcessed', httpCode: '429', words } as const;
	return { error: new UserFacingError('Slow down', '', facts), retry: 'throttled', retryAfter };
};

/** An attempt at a request: these outcomes in turn, then success. */
const inTurn =
	(...outcomes: AttemptOutcome[]) =>
	() =>
		outcomes.shift() ?? OK;

const LONG_TIMEOUT = { ...GET, requestOptions: { timeout: 60_000 } };
// test/simulation covers many other situations.
type Bounds = [last: number, end: number, requests: number];
test.each<[string, INodeParameters, FaultAction, count: number, failing: number, Bounds]>([
	['unavailable', GET, UNAVAILABLE, 1_000, 10, [10, 60, 1_300]],
	['unavailable with Retry-After', GET, wait(503, 1), 1_000, 10, [10, 60, 1_300]],
	['unavailable for writes', UPDATE, UNAVAILABLE, 1_000, 10, [10, 60, 2_400]],
	['hanging', LONG_TIMEOUT, HANGS, 300, 10, [7, 61, 300]],
	['always throttled', GET, respond(429), 300, 1, [600, 600, 2_000]],
])('Instances that are %s do not hold up the others for long', async (_what, ...row) => {
	const [parameters, action, count, failing, bounds] = row;
	// The bounds of the last request for the others, of the end, and of the number of requests.
	const [last, end, most] = bounds;
	sandbox.control.setLatency(20);
	const ids = sandbox.control.addInstances(count);
	const [bad, others] = [ids.slice(0, failing), ids.slice(failing)];
	const method = parameters.operation === 'update' ? 'PUT' : 'GET';
	fault(action, { ids: bad, method, times: 0 });
	expect((await run(ids, parameters)).failed).toEqual(bad);
	expect(lastOf(others)).toBeLessThan(last);
	expect(now()).toBeLessThan(end);
	expect(times().length).toBeLessThanOrEqual(most);
});

describe('The number of requests at a time', () => {
	const HALVED_BY_LIMIT = [10, 20, 40, 1, 21, 22, 21];
	const HALVED_ONCE = [10, 4, ...Array<number>(7).fill(1), 5, 5, 6, 3];
	const SLOWER: FaultAction = { type: 'delay', ms: 300 };
	type Row = [string, count: number, expected: number[], ...Partial<Parameters<typeof fault>>];
	test.each<Row>([
		['is 10, and doubles with each window up to 100', 340, [10, 20, 40, 80, 100, 90]],
		['is halved by a 429, then grows by one', 134, HALVED_BY_LIMIT, wait(429, 10), { nth: 31 }],
		['is halved once while the service is down', 20, HALVED_ONCE, UNAVAILABLE, { times: 20 }],
		['shrinks with slower responses', 70, [10, 20, 19, 16, 5], SLOWER, { nth: 11, times: 0 }],
	])('%s', async (...row) => {
		const [, count, expected, action, match] = row;
		sandbox.control.setLatency(200);
		if (action) fault(action, match);
		await run(sandbox.control.addInstances(count));
		const arrivals = [...new Set(times())];
		expect(arrivals.map((time) => times().filter((at) => at === time).length)).toEqual(expected);
	});

	test('grows again if responses stay slower, however many run', async () => {
		sandbox.control.setLatency(20);
		fault({ type: 'delay', ms: 80 }, { nth: 201, times: 0 });
		await run(sandbox.control.addInstances(2_000));
		expect(now()).toBeLessThan(8);
	});

	test('is never above 100, even if requests that hang give up their slots', async () => {
		sandbox.control.setLatency(20);
		const ids = sandbox.control.addInstances(700);
		fault(HANGS, { ids: ids.slice(400), times: 0 });
		await run(ids, LONG_TIMEOUT);
		expect(sandbox.control.stats().maxInFlight).toBe(100);
	});

	test('grows by one after 5, 10 and 20 seconds as long as there is no response', async () => {
		fault(HANGS, { times: 0 });
		await run(sandbox.control.addInstances(13), LONG_TIMEOUT);
		expect(times().slice(9)).toEqual([0, 5, 10, 20]);
	});

	const late = new UserFacingError('', '', { httpCode: '504', isTemporary: true });
	const LATE: AttemptOutcome = { error: late, retry: 'unavailable', retryAfter: 0 };
	type Case = [string, takes: number, failing: AttemptOutcome, failsAfter: number, last: number];
	test.each<Case>([
		['6 seconds, and some are rejected', 6, NOT_FOUND, 6, 400],
		['2 seconds, and some fail after 9', 2, LATE, 9, 60],
	])('does not fall if all take %s', async (_what, takes, failing, failsAfter, last) => {
		const send = join();
		let lastAt = 0;
		const get = async (id: number) => {
			const [seconds, outcome] = id % 10 === 0 ? [failsAfter, failing] : [takes, OK];
			await send(requestOf('GET', id), async () => {
				await sleep(seconds);
				return outcome;
			});
			lastAt = now();
		};
		await Promise.allSettled([...Array(500).keys()].map(get));
		expect(lastAt).toBeLessThan(last);
	});

	test('sets no timer while it is 100', async () => {
		sandbox.control.setLatency(200);
		const sleeping = jest.spyOn(systemClock, 'sleep');
		await run(sandbox.control.addInstances(340));
		// The oldest supported n8n would keep such a timer for 24 days.
		expect(sleeping.mock.calls.filter(([milliseconds]) => milliseconds === Infinity)).toEqual([]);
		sleeping.mockRestore();
	});

	test('takes no longer to decide when more wait', async () => {
		/** How often the scheduler reads from the requests of an update, on average. */
		const looksOf = async (count: number) => {
			let looks = 0;
			const get = (target: Scheduled, key: string): unknown => {
				looks++;
				return Reflect.get(target, key);
			};
			const send = join();
			const outcome = async () => {
				await clock().sleep(0);
				return OK;
			};
			const update = async (id: number) => {
				await send(new Proxy<Scheduled>(requestOf('GET', id), { get }), outcome);
				await send(new Proxy<Scheduled>(requestOf('PUT', id, true), { get }), outcome);
			};
			await Promise.all(Array.from({ length: count }, async (_, id) => await update(id)));
			return looks / count;
		};
		expect(await looksOf(3_000)).toBeLessThan(1.5 * (await looksOf(300)));
	});
});

describe('A rate limit (429)', () => {
	test('lets one Get wait 1, 2, 4, 8 and 16 seconds, a little longer by chance, and costs nothing', async () => {
		systemClock.chance = () => 0.5;
		fault(respond(429), { times: 6 });
		expect((await run([101])).failed).toEqual([]);
		expect(times()).toEqual([0, 1.05, 3.15, 7.35, 15.75, 32.55, 49.35]);
	});

	const HTTP_DATE = 'Wed, 01 Jul 2026 10:00:30 GMT';
	const BEFORE = 'Wed, 01 Jul 2026 09:00:00 GMT';
	const SECONDS = START / 1000;
	test.each<[headers: Record<string, string>, seconds: number]>([
		[{ 'retry-after': '7' }, 7],
		[{ 'retry-after': '1.25' }, 1.25],
		[{ 'retry-after': HTTP_DATE }, 30],
		[{ 'retry-after': HTTP_DATE, date: 'Wed, 01 Jul 2026 10:00:10 GMT' }, 20],
		[{ 'retry-after': String(SECONDS + 20) }, 20],
		[{ 'ratelimit-reset': '12' }, 12],
		[{ 'x-ratelimit-reset': String(SECONDS + 12) }, 12],
		[{ 'x-rate-limit-reset': '12' }, 12],
		[{ 'x-ratelimit-reset': String(SECONDS * 1000 + 12_345) }, 12.345],
		[{ 'retry-after': '0', 'x-ratelimit-reset': '5' }, 1],
		[{ 'retry-after': BEFORE, 'ratelimit-reset': '5' }, 1],
		[{ 'retry-after': '2', 'ratelimit-reset': '50' }, 2],
		[{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' }, 5],
		[{ 'x-ratelimit-remaining': '4990', 'x-ratelimit-reset': '5' }, 1],
		[{ 'ratelimit-remaining': '1', 'ratelimit-reset': '9', 'x-ratelimit-reset': '5' }, 5],
		...['', '-1', '60 seconds', '1e3', '1000000000', 'July', '99:99:99'].map(
			(value): [Record<string, string>, number] => [{ 'retry-after': value }, 1],
		),
	])('with %j is waited for %p seconds', async (headers, seconds) => {
		fault(respond(429, '', headers));
		await run([101]);
		expect(times()).toEqual([0, seconds]);
	});

	test('is waited for by all in their order, also when the clock is set back meanwhile', async () => {
		const ids = sandbox.control.addInstances(30);
		fault(wait(429, 10), { times: 10 });
		systemClock.now = () => clock().now() - (now() > 5 ? 3_600_000 : 0);
		await run(ids);
		const later = requests().slice(10);
		expect(later.map(({ id }) => id)).toEqual(ids);
		expect(later[0]?.at).toBe(10);
	});

	test('is over once others get any response, such as a 404', async () => {
		fault(respond(429));
		await run(Array.from({ length: 200 }, (_, id) => 900_000 + id));
		expect(now()).toBeLessThan(10);
	});

	test('of one kind of request, however long, does not hold up others', async () => {
		fault(wait(429, 3_600), { method: 'PUT', times: 0 });
		const [updated, ids] = [[101, 102], sandbox.control.addInstances(200)];
		const gets = run(ids);
		expect((await run(updated, { ...UPDATE, ...within(60) })).failed).toEqual(updated);
		expect((await gets).failed).toEqual([]);
		expect(lastOf(ids)).toBeLessThan(20);
		expect(now()).toBeLessThan(90);
	});

	test('of writes ends for them while another run goes on reading', async () => {
		fault(respond(429), { method: 'PUT' });
		sandbox.control.setLatency(300);
		const gets = run(sandbox.control.addInstances(2_000));
		await sleep(1);
		await run([101], UPDATE);
		expect(now()).toBeLessThan(5);
		await gets;
		expect(now()).toBeGreaterThan(6);
	});

	test('for one instance alone ends, although others get through', async () => {
		const send = join();
		let ended: unknown;
		void send(requestOf('GET', 1), () => throttled()).catch((cause: unknown) => (ended = cause));
		let others = 0;
		while (ended === undefined) {
			await sleep(30);
			await send(requestOf('GET', ++others + 1), () => OK);
		}
		expect(ended).toMatchObject({ message: 'Slow down' });
		expect(others).toBe(100);
	});

	test('is waited for as long as Max Wait says, however often nothing gets through', async () => {
		fault(respond(429), { times: 200 });
		expect((await run([101], { ...GET, ...within(86_400) })).failed).toEqual([]);
	});

	test('of writes does not hold up a Get that fails by chance meanwhile', async () => {
		fault(wait(429, 50), { method: 'POST' });
		fault(respond(502), { method: 'GET' });
		sandbox.control.setLatency(500);
		const get = run([101]);
		await sleep(0.1);
		sandbox.control.setLatency(0);
		const deletion = run([102], DELETE_IDS);
		await get;
		expect(times([101])).toEqual([0, 1.5]);
		await deletion;
		expect(now()).toBeGreaterThanOrEqual(50);
	});
});

describe('An instance that is unavailable', () => {
	test.each<[string, FaultAction, expected: number[]]>([
		['502', respond(502), [0, 1, 3, 7, 15, 31]],
		['504', respond(504), [0, 1, 3, 7, 15, 31]],
		['503 with Retry-After', wait(503, 3), [0, 3, 6, 10, 18, 34]],
		['503 with RateLimit', respond(503, '', { 'ratelimit-reset': '3600' }), [0, 1, 3, 7, 15, 31]],
		['503 with a Retry-After that is too long', wait(503, 3_600), [0]],
		['503 with one that is too long with the earlier ones', wait(503, 100), [0, 100, 200, 300]],
		['500', respond(500), [0]],
		['a lost connection', { type: 'reset' }, [0, 1]],
	])('is retried by itself, beside the others: %s', async (_what, action, expected) => {
		const ids = sandbox.control.addInstances(300);
		const [failing, others] = [ids.slice(0, 1), ids.slice(1)];
		fault(action, { ids: failing, times: 0 });
		expect((await run(ids)).failed).toEqual(failing);
		expect(times(failing)).toEqual(expected);
		expect(lastOf(others)).toBeLessThan(1);
	});

	test('is given up after 20 attempts if most fail by chance', async () => {
		const send = join();
		for (const id of [1, 2, 3, 4]) await send(requestOf('GET', id), inTurn(DOWN, DOWN, DOWN));
		const attempt = jest.fn(() => DOWN);
		const advice = 'Wait. The node tried at least 20 times.';
		const failing = send(requestOf('GET', 5), attempt);
		await expect(failing).rejects.toMatchObject({ message: 'Down', advice });
		expect(attempt).toHaveBeenCalledTimes(20);
	});

	test('counts once, however many items contain it', async () => {
		const [first = 0, second = 0] = sandbox.control.addInstances(2);
		fault(UNAVAILABLE, { ids: [first], times: 0 });
		await run([...Array<number>(10).fill(first), second]);
		expect(lastOf([second])).toBe(0);
		expect(now()).toBe(31);
	});
});

describe('A service that refuses connections', () => {
	const refused = new UserFacingError('No connection', '', { kind: 'notProcessed' });
	const unreachable = { error: refused, retry: 'unreachable', retryAfter: 0 } as const;

	/** How many attempts are made if, after a first request, none reaches the service, and why they end. */
	async function attempt(first: AttemptOutcome, others = 0) {
		const send = join();
		await send(requestOf('GET', 0), () => first).catch(() => refused);
		const outcome = jest.fn(() => unreachable);
		const get = async (id: number) => await send(requestOf('GET', id), outcome);
		const ids = Array.from({ length: others }, (_, id) => id + 2);
		const all = await Promise.allSettled([1, ...ids].map(get));
		const attempts = outcome.mock.calls.length;
		return { attempts, reasons: all.map((each) => ('reason' in each ? each.reason.message : '')) };
	}

	test('is reported at once if it has never responded', async () => {
		const reasons = Array(20).fill('No connection');
		expect(await attempt(unreachable, 19)).toEqual({ attempts: 20, reasons });
		expect(now()).toBe(0);
	});

	test.each([OK, NOT_FOUND])('is waited for, for Max Wait, after %j', async (first) => {
		expect(await attempt(first)).toEqual({ attempts: 8, reasons: ['No connection'] });
		expect(now()).toBe(60);
	});

	test('is tried for no longer than Max Wait, however long an attempt takes', async () => {
		const send = join();
		const outcome = async () => {
			await sleep(10);
			return unreachable;
		};
		const ids = [...Array(2_000).keys()];
		const get = async (id: number) => await send(requestOf('GET', id), outcome);
		const reasons = await Promise.allSettled(ids.map(get));
		expect(reasons.at(-1)).toMatchObject({ reason: { kind: 'notProcessed' } });
		expect(now()).toBeLessThanOrEqual(80);
	});

	test('uses up none of the attempts that a request has once the service responds again', async () => {
		const send = join();
		await send(requestOf('GET', 0), () => OK);
		const outcomes = [...Array<AttemptOutcome>(6).fill(unreachable), DOWN];
		await expect(send(requestOf('GET', 1), inTurn(...outcomes))).resolves.toBe(RESPONSE);
	});

	test('does not end the wait after a 429', async () => {
		const send = join();
		const attempt = inTurn(...Array<AttemptOutcome>(10).fill(throttled()), unreachable);
		const startedAt: number[] = [];
		const get = async (id: number) =>
			await send(requestOf('GET', id), () => {
				startedAt.push(now());
				return attempt();
			});
		await Promise.all([...Array(10).keys()].map(get));
		expect(startedAt.slice(10, 13)).toEqual([1, 2, 2]);
	});

	test('is waited for by all', async () => {
		const { reasons } = await attempt(OK, 9);
		const stall = 'no request of this kind has succeeded for 1 minute and 1 second: No connection';
		for (const reason of reasons) expect(reason).toContain(stall);
	});
});

describe('A wait that is longer than Max Wait', () => {
	const ADVICE = "raise 'Max Wait (Seconds)' in the options (currently 60)";
	/** One request every so many seconds. */
	const oneEach = (seconds: number) => {
		const batch = { batchSize: 1, batchInterval: seconds * 1000 };
		return { ...GET, ...within(60), requestOptions: { batching: { batch } } };
	};

	test('ends all unsent at once if the service asks for it', async () => {
		fault(respond(429, { detail: 'Slow down.' }, { 'retry-after': '3600' }), { times: 0 });
		const { words } = await run(sandbox.control.addInstances(200), { ...GET, ...within(60) });
		expect(words).toHaveLength(200);
		const because = 'because the service says to retry in 1 hour (429): Slow down.';
		const first = expect.stringMatching(/gave up on the request for instance \d+, because/);
		const last = expect.stringMatching(/did not send the request for instance \d+, because/);
		expect([words[0], words[199]]).toEqual([first, last]);
		expect(words.filter((each) => each.includes(because))).toHaveLength(200);
		expect(words[199]).toContain(ADVICE);
		expect(times()).toEqual(Array(10).fill(0));
		expect(now()).toBe(0);
	});

	test('quotes the response that asks for it, then what the request itself met', async () => {
		fault(UNAVAILABLE, { ids: [101], times: 0 });
		fault(respond(429, { detail: 'Slow down.' }, { 'retry-after': '3600' }), { times: 0 });
		const { words } = await run([101, 102], { ...GET, ...within(60) });
		expect(words[0]).toMatch(
			/gave up on .*, because the service says to retry in .* \(429\): Slow down\./,
		);
		expect(words[0]).toContain(
			'An earlier attempt failed: The service is not available at the moment (503)',
		);
		expect(words[1]).not.toContain('An earlier attempt');
	});

	test('is quoted from a response to the same kind of request', async () => {
		const send = join();
		const throttle = async (method: ApiMethod, words: string, retryAfter: number) =>
			await send(requestOf(method, 1), () => throttled(retryAfter, words)).catch(String);
		await throttle('GET', 'Reads.', 3_600_000);
		await throttle('PUT', 'Writes.', 7_200_000);
		expect(await throttle('GET', '', 0)).toMatch(
			/did not send .*, because the service says to retry in 1 hour \(429\): Reads\./,
		);
	});

	test('ends all if the service asks for it bit by bit', async () => {
		fault(wait(429, 40), { times: 0 });
		const { words } = await run([101], { ...GET, ...within(60) });
		const inAll = 'for a total of 1 minute and 20 seconds (429)';
		expect(words[0]).toContain(`the service says to retry in 40 seconds, ${inAll}`);
		expect(now()).toBeLessThan(45);
	});

	test('ends thousands that wait a few at a time', async () => {
		const send = join();
		let refused = 0;
		const requests = Array.from({ length: 10_000 }, async (_, id) => {
			await send(requestOf('GET', id), () => throttled(3_600_000)).catch(() => refused++);
		});
		const stretches: number[] = [];
		while (refused < 3_000) {
			const before = refused;
			await new Promise(setImmediate);
			stretches.push(refused - before);
		}
		await Promise.all(requests);
		expect(Math.max(...stretches)).toBeLessThanOrEqual(200);
	});

	const NO_SUCCESS = [respond(429), UNAVAILABLE, wait(503, 3_600)];
	test.each(NO_SUCCESS)('ends all if nothing succeeds: %j', async (action) => {
		fault(action, { times: 0 });
		const { words } = await run(sandbox.control.addInstances(200), { ...GET, ...within(60) });
		expect(words).toHaveLength(200);
		expect(words[199]).toMatch(
			/because no request of this kind has succeeded for 1 minute(?: and [12] seconds?)? \(/,
		);
		expect(words[199]).toContain(ADVICE);
		expect(now()).toBeGreaterThan(60);
		expect(now()).toBeLessThan(63);
	});

	test.each([1, 17, 40])('ends soon after %d seconds', async (maxWait) => {
		fault(respond(429), { times: 0 });
		const { words } = await run([101], { ...GET, ...within(maxWait) });
		expect(words[0]).toContain(`(currently ${maxWait})`);
		expect(now() - maxWait).toBeGreaterThanOrEqual(0);
		expect(now() - maxWait).toBeLessThan(3);
	});

	test('ends what is rejected more slowly than that', async () => {
		const send = join();
		let attempts = 0;
		const end = async (id: number) => {
			const sending = send(requestOf('GET', id), async () => {
				attempts++;
				await sleep(70);
				return throttled();
			});
			await expect(sending).rejects.toThrow('no request of this kind has succeeded for 1 minute');
			return attempts;
		};
		expect(await end(1)).toBe(2);
		await sleep(1);
		expect(await end(2)).toBe(2);
	});

	test.each([
		['Gets', GET, 1_000],
		['batches of Bulk Delete', { ...DELETE_IDS, options: { batchSize: 1, maxWait: 60 } }, 20],
	])('ends %s that a service which hangs has not been sent', async (_what, parameters, count) => {
		const ids = sandbox.control.addInstances(count);
		fault(HANGS, { times: 0 });
		const requestOptions = { timeout: 20_000 };
		const { failed, words } = await run(ids, { ...within(60), ...parameters, requestOptions });
		expect(failed).toEqual(ids);
		expect(words.at(-1)).toMatch(
			/did not send .*, because no request of this kind has succeeded for 1 m/,
		);
		expect(now()).toBeLessThan(170);
		sandbox.control.clearFaults();
		await sleep(61);
		expect((await run([101], parameters)).failed).toEqual([]);
	});

	const timeOut = async (seconds: number): Promise<AttemptOutcome> => {
		await sleep(seconds);
		const error = new UserFacingError('Too late', '', { isTemporary: true });
		return { error, retry: 'timedOut', retryAfter: 0 };
	};

	test('ends what follows after others had no response, until nobody has tried for that long', async () => {
		const send = join();
		const attempt = jest.fn(async () => await timeOut(20));
		const end = async (id: number) => {
			// A real clock would move on, too.
			await sleep(0.01);
			await expect(send(requestOf('POST', id), attempt)).rejects.toThrow();
		};
		for (let id = 1; id <= 20; id++) await end(id);
		expect(attempt.mock.calls.length).toBeLessThan(10);
		attempt.mockClear();
		await sleep(61);
		await end(1);
		expect(attempt).toHaveBeenCalledTimes(1);
	});

	test('ends nothing if only one request had no response, and began before a rate limit', async () => {
		const send = join();
		const hanging = send(requestOf('GET', 1), async () => await timeOut(100));
		await send(requestOf('GET', 2), inTurn(throttled()));
		await expect(hanging).rejects.toThrow('Too late');
		await expect(send(requestOf('GET', 3), () => OK)).resolves.toBe(RESPONSE);
	});

	test.each<[happens: string, act: (send: ReturnType<typeof join>) => Promise<unknown>]>([
		[
			'a request of another kind fails',
			async (send) => await send(requestOf('GET', 9), () => NOT_FOUND).catch(String),
		],
		['another run ends', async () => leaving.pop()?.abort()],
	])('ends nothing if %s while the last attempt is in flight', async (_happens, act) => {
		const send = join();
		const attempts = inTurn(...[1, 2, 3, 4].map(() => throttled()));
		const lastAttempt = async () => {
			const outcome = attempts();
			if (outcome === OK) await sleep(2);
			return outcome;
		};
		const deletions = [1, 2, 3].map(
			async (id) => await send({ ...requestOf('POST', id), maxWait: 3_000 }, lastAttempt),
		);
		const other = join();
		await sleep(4);
		await act(other);
		await Promise.all(deletions);
		expect(now()).toBeGreaterThan(4);
	});

	test('ends nothing that waits while there are responses, however long some requests hang', async () => {
		const ids = sandbox.control.addInstances(300);
		const hanging = ids.filter((id) => id % 10 === 0);
		fault(HANGS, { ids: hanging, times: 0 });
		fault({ type: 'delay', ms: 5_000 }, { times: 0 });
		const requestOptions = { timeout: 90_000 };
		expect((await run(ids, { ...GET, ...within(60), requestOptions })).failed).toEqual(hanging);
	});

	test('does not end what comes after a pause, which may get through', async () => {
		fault(wait(429, 100), { ids: [101] });
		expect((await run([101, 102, 103], oneEach(120))).failed).toEqual([101]);
		expect(times()).toEqual([0, 120, 240]);
	});

	test('does not include a pause: what comes after it waits as long as any other', async () => {
		fault(respond(429), { ids: [101], times: 0 });
		fault(respond(429), { ids: [102] });
		expect((await run([101, 102], oneEach(200))).failed).toEqual([101]);
	});

	test.each([429, 503])('ends nothing that comes after an outage by %d', async (status) => {
		const ids = sandbox.control.addInstances(30);
		fault(respond(status), { times: 0 });
		void sleep(90).then(() => sandbox.control.clearFaults());
		const { failed } = await run(ids, oneEach(5));
		// The last wait after a 429 ends a few seconds after the outage.
		expect(failed).toEqual(ids.slice(0, failed.length));
		expect(failed.length).toBeLessThanOrEqual(20);
	});

	test('of one run is waited for in another one that may wait longer', async () => {
		sandbox.control.setLatency(20);
		fault(wait(429, 100), { times: 2 });
		await Promise.all([run([101], { ...GET, ...within(60) }), run([102])]);
		expect(times([102]).map(Math.floor)).toEqual([0, 100]);
	});

	test('counts for one run, however long another run has waited', async () => {
		fault(respond(429), { times: 0 });
		void sleep(80).then(() => sandbox.control.clearFaults());
		const other = run([101]);
		await sleep(50);
		expect((await run([102], { ...GET, ...within(60) })).failed).toEqual([]);
		expect((await other).failed).toEqual([]);
	});
});

test('A rate limit of writes keeps its waits while a read fails by chance', async () => {
	const send = join();
	const failOnce = async (id: number) => await send(requestOf('GET', id), inTurn(DOWN));
	for (const id of [1, 2, 3]) await failOnce(id);
	const startedAt: number[] = [];
	const put = send(requestOf('PUT', 9), () => {
		startedAt.push(now());
		return startedAt.length > 4 ? OK : throttled();
	});
	await sleep(1.5);
	await Promise.all([failOnce(4), put]);
	const waits = startedAt.slice(1).map((at, index) => at - Number(startedAt[index]));
	expect(waits).toEqual([1, 2, 4, 8]);
});

test('Writes that are throttled while reads of another run already wait keep their places', async () => {
	const [read, write] = [join(), join()];
	const started: string[] = [];
	const next = { GET: inTurn(throttled()), PUT: inTurn(throttled(), throttled(), throttled()) };
	const attemptOf = (method: 'GET' | 'PUT', id: number) => async () => {
		started.push(`${method} ${id}`);
		await sleep(0.2);
		return next[method]();
	};
	const reads = [1, 2].map(async (id) => await read(requestOf('GET', id), attemptOf('GET', id)));
	await sleep(0.3);
	const put = async (id: number) => await write(requestOf('PUT', id, true), attemptOf('PUT', id));
	await Promise.all([...reads, ...[7, 8, 9].map(put)]);
	const writes = ['PUT 7', 'PUT 8', 'PUT 9'];
	expect(started).toEqual(['GET 1', 'GET 2', ...writes, ...writes, 'GET 1']);
});

test('A 403 is about its instance, even if it says when to retry', async () => {
	fault(wait(403, 3_600), { ids: [102], times: 0 });
	expect((await run([101, 102, 103])).failed).toEqual([102]);
	expect(times()).toEqual([0, 0, 0]);
});

test('Bulk Delete waits for a service that is down after five requests in a row were lost', async () => {
	const ids = sandbox.control.addInstances(20);
	fault({ type: 'reset' }, { ids: ids.slice(1), method: 'POST', times: 0 });
	void sleep(60).then(() => sandbox.control.clearFaults());
	const parameters = { ...DELETE_IDS, options: { batchSize: 1 } };
	expect((await run(ids, parameters)).failed).toEqual(ids.slice(1, 5));
	expect(now()).toBeLessThan(80);
});

describe('Runs with the same base URL and key', () => {
	const spelled = (start: string, end: string) => {
		const baseUrl = sandbox.credentials.baseUrl.replace('http://127.0.0.1', start) + end;
		return { credentials: { ...sandbox.credentials, baseUrl } };
	};

	test('alternate: a short one does not wait for a long one', async () => {
		sandbox.control.setRateLimit({ requests: 10 });
		const ids = sandbox.control.addInstances(310);
		const [long, short] = [ids.slice(0, 300), ids.slice(300)];
		await Promise.all([run(long), run(short)]);
		expect(lastOf(short)).toBeLessThan(7);
		expect(lastOf(long)).toBeGreaterThan(25);
	});

	test('do not wait for what an Update still reads after its writes', async () => {
		const sent: number[] = [];
		const work = async (id: number) => {
			sent.push(id);
			await sleep(1);
			return OK;
		};
		const update = join();
		const updates = Array.from({ length: 400 }, async (_, id) => {
			await update(requestOf(id % 2 === 0 ? 'GET' : 'PUT', id), async () => await work(id));
		});
		await sleep(5.5);
		await join()(requestOf('GET', 1_000), async () => await work(1_000));
		await Promise.all(updates);
		expect(sent.length - sent.indexOf(1_000)).toBeGreaterThan(50);
	});

	test('wait for an Update of the same instance, however they spell the URL, unless they are stopped', async () => {
		fault({ type: 'delay', ms: 5_000 }, { ids: [101] });
		const stop = new AbortController();
		const first = run([101], UPDATE, spelled('http://localhost', ''));
		const second = { ...spelled('HTTP://LocalHost', '//'), signal: stop.signal };
		const stopped = run([101], UPDATE, second);
		const last = run([101], UPDATE, spelled(' HTTP://LocalHost', '/ '));
		await sleep(1);
		stop.abort();
		await stopped;
		expect(now()).toBe(1);
		await Promise.all([first, last]);
		const sent = requests().map(({ method, at }) => `${method} ${at}`);
		expect(sent).toEqual(['GET 0', 'PUT 5', 'GET 5', 'PUT 5']);
	});
});

describe('Requests per Minute', () => {
	const limited = (requestsPerMinute: number) => ({
		credentials: { ...sandbox.credentials, requestsPerMinute },
	});
	// What was sent counts for a minute, even after the last run.
	afterEach(async () => await sleep(62));

	test('hold in any minute, for all runs, retries included, and the lowest counts', async () => {
		fault(wait(429, 1), { ids: [101] });
		const start = async (at: number, items: number, limit: number) => {
			await sleep(at);
			await run(Array<number>(items).fill(101), GET, limited(limit));
		};
		const starts = [start(0, 22, 10), start(1, 2, 20), start(200, 5, 10), start(230, 2, 10)];
		await Promise.all([...starts, start(260, 3, 10), start(290, 10, 10)]);
		const all = times();
		const spans = all.slice(10).map((at, index) => at - Number(all[index]));
		expect(Math.min(...spans)).toBeGreaterThan(60);
	});

	test('are not all taken by a run that began before others', async () => {
		const ids = sandbox.control.addInstances(60);
		const long = run(ids, GET, limited(20));
		await sleep(20);
		await run([101], GET, limited(20));
		expect(now()).toBeGreaterThan(60);
		await sleep(100 - now());
		await run([102], GET, limited(20));
		expect(now()).toBeLessThan(101);
		await long;
		expect(now()).toBeLessThan(185);
	});

	test('of a stopped run no longer hold up others', async () => {
		const stop = new AbortController();
		const stopped = run([101, 102], GET, { ...limited(1), signal: stop.signal });
		await sleep(1);
		const other = run([103]);
		await sleep(1);
		stop.abort();
		await Promise.all([stopped, other]);
		expect(now()).toBe(2);
	});

	test('are kept by only one timer after the last run', async () => {
		for (let count = 0; count < 5; count++) {
			await run([101], GET, limited(10));
			await sleep(30);
		}
		const sleeping = jest.spyOn(systemClock, 'sleep');
		await sleep(120);
		expect(sleeping.mock.calls.length).toBeLessThanOrEqual(1);
		sleeping.mockRestore();
	});

	test('of 1 let an Update finish, which reads only once more', async () => {
		expect((await run([101], UPDATE, limited(1))).failed).toEqual([]);
		expect(requests().map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT']);
		expect(now()).toBeLessThan(125);
	});
});

test.each<[protocol: string, greeting: string, expected: string, attempts: number]>([
	['http', 'SSH-2.0-OpenSSH_9.6\r\n', 'did not respond with valid HTTP', 1],
	['https', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'he secure connection to', 2],
])('A server that does not speak %s gets only so many requests: %s, %s, %d', async (...row) => {
	const [protocol, greeting, expected, attempts] = row;
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
	const { words } = await run([101], GET, { credentials });
	await new Promise((resolve) => server.close(resolve));
	expect(words[0]).toContain(expected);
	expect(connections).toBe(attempts);
});

/** An attempt at a request: it's throttled after a time in seconds, then succeeds. */
function throttledAfter(seconds: number, retryAfter = 0) {
	const next = inTurn(throttled(retryAfter));
	return async () => {
		const outcome = next();
		if (outcome !== OK) await sleep(seconds);
		return outcome;
	};
}

test('A write that is throttled while reads already wait is not sent again before its own Retry-After is over', async () => {
	const [write, read] = [join(), join()];
	const [put, get] = [requestOf('PUT', 1), requestOf('GET', 2)];
	await Promise.all([write(put, throttledAfter(0.2, 30_000)), read(get, throttledAfter(0.1))]);
	expect(now()).toBeGreaterThanOrEqual(30);
});

test('When writes are throttled, reads that started meanwhile and are throttled as well prolong the wait only once', async () => {
	const [write, read] = [join(), join()];
	// This read started before the write was throttled, the others after that.
	const all = [
		write(requestOf('PUT', 1), throttledAfter(0.1)),
		read(requestOf('GET', 2), throttledAfter(0.3)),
	];
	await sleep(0.2);
	for (const id of [3, 4, 5, 6]) all.push(read(requestOf('GET', id), throttledAfter(0.2)));
	await Promise.all(all);
	expect(now()).toBeLessThan(3);
});
