import type { INodeParameters } from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { services } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import { type FaultAction, type FaultRule, type RateLimit, SEED } from '../../sandbox/service';
import { type RunNodeOptions, useVirtualClock } from '../harness';
import { bodies, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

const START = Date.UTC(2026, 6, 1, 10);
const GET: INodeParameters = { instanceId: ID_OF_ITEM };
const UPDATE: INodeParameters = { ...GET, operation: 'update', updateFields: { name: 'New' } };
const BULK_DELETE: INodeParameters = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };

const HANGS: FaultAction = { type: 'hang' };
const UNAVAILABLE = respond(503);
const wait = (status: number, seconds: number) =>
	respond(status, '', { 'retry-after': `${seconds}` });

const sandbox = useSandbox();
const clock = useVirtualClock({ start: START });
// What runs have learned is forgotten when the last one ends.
afterEach(() => expect(services.size).toBe(0));

/** In seconds since the test began, as all times here. */
const now = () => (clock().now() - START) / 1000;
const sleep = async (seconds: number) => await clock().sleep(seconds * 1000);

/** Lets requests for some instances, or for all, meet with something: always, or so many times. */
const fault = (action: FaultAction, ids?: number[], times = 0, method?: string) =>
	sandbox.control.addFault({ action, times, match: { ids, method } });

/** Runs the node on instances, and returns which of them failed, and all of what their error items say. */
async function run(
	ids: number[],
	parameters: INodeParameters = GET,
	settings: Partial<RunNodeOptions> = {},
) {
	const items = ids.map((id) => ({ id }));
	const { outputs } = await sandbox.run(parameters, items, { ...CONTINUE, ...settings });
	const errors = (outputs[0] ?? []).filter(({ json }) => json.error !== undefined);
	return {
		failed: errors.map(({ json }) => json.id),
		words: errors.map(({ json }) => JSON.stringify(json)),
	};
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
const methods = () => requests().map(({ method }) => method);

describe('The number of requests at a time', () => {
	const ONE_LIMIT = { match: { nth: 31 }, action: wait(429, 10) };
	const SLOWER: FaultRule = { match: { nth: 11 }, action: { type: 'delay', ms: 300 }, times: 0 };
	test.each<[string, count: number, fault: FaultRule | undefined, expected: number[]]>([
		['is 10, and doubles with each window up to 100', 340, undefined, [10, 20, 40, 80, 100, 90]],
		[
			'is halved by a rate limit, and then grows by one',
			134,
			ONE_LIMIT,
			[10, 20, 40, 1, 21, 22, 21],
		],
		['does not grow where responses become slower', 70, SLOWER, [10, 20, 20, 20]],
	])('%s', async (_what, count, rule, expected) => {
		sandbox.control.setLatency(200);
		if (rule) sandbox.control.addFault(rule);
		await run(sandbox.control.addInstances(count));
		const arrivals = [...new Set(times())];
		expect(arrivals.map((time) => times().filter((at) => at === time).length)).toEqual(expected);
	});

	test('does not include those that hang, each of which is sent once', async () => {
		const ids = sandbox.control.addInstances(300);
		const hanging = ids.slice(0, 10);
		fault(HANGS, hanging);
		const { failed } = await run(ids, { ...GET, requestOptions: { timeout: 60_000 } });
		expect(failed).toEqual(hanging);
		expect(Math.max(...times())).toBeLessThan(7);
		expect(times()).toHaveLength(300);
		expect(now()).toBe(60);
	});
});

describe('A rate limit (429)', () => {
	test('lets one Get wait 1, 2, 4, 8 and 16 seconds, a little longer by chance, and costs nothing', async () => {
		systemClock.chance = () => 0.5;
		fault(respond(429), [101], 6);
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
		[{ 'x-ratelimit-reset': String(SECONDS * 1000 + 12_345) }, 12.345],
		[{ 'x-rate-limit-reset': '3' }, 3],
		[{ 'retry-after': '0', 'x-ratelimit-retry-after': '5' }, 5],
		[{ 'retry-after': '2', 'ratelimit-reset': '50' }, 2],
		...['', '0', BEFORE, '-1', '60 seconds', '1e3', '1000000000', 'July', '99:99:99'].map(
			(value): [Record<string, string>, number] => [{ 'retry-after': value }, 1],
		),
	])('with %j is waited for %p seconds', async (headers, seconds) => {
		fault(respond(429, '', headers), [101], 1);
		await run([101]);
		expect(times()).toEqual([0, seconds]);
	});

	test('is waited for by all in their order, also when the clock is set back meanwhile', async () => {
		const ids = sandbox.control.addInstances(30);
		fault(wait(429, 10), ids, 10);
		systemClock.now = () => clock().now() - (now() > 5 ? 3_600_000 : 0);
		await run(ids);
		const later = requests().slice(10);
		expect(later.map(({ id }) => id)).toEqual(ids);
		expect(later[0]?.at).toBe(10);
	});

	const PER_MINUTE = { requests: 100, seconds: 60 };
	test.each<[string, INodeParameters, RateLimit, count: number, maxWait: number, most: number]>([
		['100 Gets at one a second', GET, { requests: 1 }, 100, 15, 130],
		['50 Updates at one a second', UPDATE, { requests: 1, retryAfter: 'none' }, 50, 15, 140],
		['220 Gets at 100 a minute', GET, { ...PER_MINUTE, retryAfter: 'none' }, 220, 300, 150],
		['110 Updates at 100 a minute', UPDATE, PER_MINUTE, 110, 300, 150],
	])('lets %s through', async (_what, parameters, limit, count, maxWait, most) => {
		sandbox.control.setRateLimit(limit);
		const ids = sandbox.control.addInstances(count);
		expect((await run(ids, { ...parameters, options: { maxWait } })).failed).toEqual([]);
		expect(now()).toBeLessThan(most);
		const throttled = requests().filter(({ status }) => status === 429);
		expect(throttled.length).toBeLessThan(requests().length / 2);
	});

	test('of a single instance holds up the others, but they are read, and all ends', async () => {
		const ids = sandbox.control.addInstances(300);
		fault(respond(429), ids.slice(0, 1));
		expect((await run(ids)).failed).toEqual(ids.slice(0, 1));
		expect(now()).toBeLessThan(600);
	});
});

describe('An instance that is unavailable', () => {
	test.each<[string, FaultAction, expected: number[]]>([
		['502', respond(502), [0, 1, 3, 7, 15, 31]],
		['503 with Retry-After', wait(503, 3), [0, 3, 6, 10, 18, 34]],
		['504', respond(504), [0, 1, 3, 7, 15, 31]],
		['503 with a Retry-After that is too long', wait(503, 3_600), [0]],
		['500', respond(500), [0]],
		['a lost connection', { type: 'reset' }, [0, 1]],
	])('is retried by itself, beside the others: %s', async (_what, action, expected) => {
		const ids = sandbox.control.addInstances(300);
		const [ill, others] = [ids.slice(0, 1), ids.slice(1)];
		fault(action, ill);
		expect((await run(ids)).failed).toEqual(ill);
		expect(times(ill)).toEqual(expected);
		expect(Math.max(...times(others))).toBeLessThan(1);
	});

	test.each<[string, INodeParameters, method: string, FaultAction, most: number]>([
		['Gets', GET, 'GET', UNAVAILABLE, 1_300],
		['Gets with Retry-After', GET, 'GET', wait(503, 1), 1_300],
		['writes of Updates', UPDATE, 'PUT', UNAVAILABLE, 2_400],
	])('does not hold up the others: the first ten of 1,000 %s', async (_what, ...row) => {
		const [parameters, method, action, most] = row;
		sandbox.control.setLatency(20);
		const ids = sandbox.control.addInstances(1_000);
		const [ill, others] = [ids.slice(0, 10), ids.slice(10)];
		fault(action, ill, 0, method);
		expect((await run(ids, parameters)).failed).toEqual(ill);
		expect(Math.max(...times(others))).toBeLessThan(10);
		expect(times().length).toBeLessThanOrEqual(most);
		expect(now()).toBeLessThan(60);
	});
});

test.each([
	[3, 20],
	[10, 120],
])('A service that is down costs none of %d Gets in %d seconds', async (count, seconds) => {
	fault(UNAVAILABLE);
	void sleep(seconds).then(() => sandbox.control.clearFaults());
	expect((await run(sandbox.control.addInstances(count))).failed).toEqual([]);
	// One request a second finds out whether it is back.
	expect(times().filter((at) => at > 1 && at < seconds).length).toBeLessThan(seconds);
	expect(now()).toBeLessThan(1.75 * seconds);
});

describe('A wait that is longer than Max Wait', () => {
	const ADVICE = "raise 'Max Wait (Seconds)' in the options (currently 60 seconds)";
	const WITHIN_60 = { ...GET, options: { maxWait: 60 } };

	test('ends all unsent at once where the service asks for it', async () => {
		fault(wait(429, 3_600));
		const { words } = await run(sandbox.control.addInstances(200), WITHIN_60);
		expect(words).toHaveLength(200);
		const because = 'because the service says to retry in 60 minutes';
		expect(words[0]).toContain(`was not sent again, ${because} (429)`);
		expect(words[199]).toContain(`was not sent, ${because}`);
		expect(words[199]).toContain(ADVICE);
		expect(times()).toEqual(Array(10).fill(0));
		expect(now()).toBe(0);
	});

	test.each([429, 503])('ends all where nothing succeeds for so long (%d)', async (status) => {
		fault(respond(status));
		const { words } = await run(sandbox.control.addInstances(50), WITHIN_60);
		expect(words).toHaveLength(50);
		expect(words[49]).toMatch(/because no request has succeeded for \d+ seconds/);
		expect(words[49]).toContain(ADVICE);
		expect(now()).toBeGreaterThan(60);
		expect(now()).toBeLessThan(80);
	});

	test('is that of one run, however long another run has waited', async () => {
		fault(respond(429));
		void sleep(80).then(() => sandbox.control.clearFaults());
		const other = run([101]);
		await sleep(50);
		expect((await run([102], WITHIN_60)).failed).toEqual([]);
		expect((await other).failed).toEqual([]);
	});
});

describe('Runs with the same base URL and key', () => {
	test('take turns, however they spell the URL: a short one does not wait for a long one', async () => {
		sandbox.control.setRateLimit({ requests: 10 });
		const ids = sandbox.control.addInstances(310);
		const [long, short] = [ids.slice(0, 300), ids.slice(300)];
		const baseUrl = ` ${sandbox.credentials.baseUrl.replace('http', 'HTTP')}// `;
		const credentials = { ...sandbox.credentials, baseUrl };
		await Promise.all([run(long), run(short, GET, { credentials })]);
		expect(Math.max(...times(short))).toBeLessThan(7);
		expect(Math.max(...times(long))).toBeGreaterThan(25);
	});

	test.each([
		['Get', GET],
		['Update', UPDATE],
		['Bulk Delete', BULK_DELETE],
	])('do not wait for what a stopped %s waited for', async (_what, parameters) => {
		for (const action of [wait(429, 60), HANGS]) {
			fault(action);
			const [begun, stop] = [now(), new AbortController()];
			const stopped = run([101, 102, 103], parameters, { signal: stop.signal });
			await sleep(1);
			const sent = times();
			stop.abort();
			await stopped;
			expect(times()).toEqual(sent);
			sandbox.control.clearFaults();
			expect((await run([104])).failed).toEqual([]);
			expect(now() - begun).toBeLessThan(2);
		}
	});
});

describe('Requests per Minute', () => {
	const limited = (requestsPerMinute: number | string) => ({
		credentials: { ...sandbox.credentials, requestsPerMinute: String(requestsPerMinute) },
	});
	// What was sent counts for a minute, also after the last run.
	afterEach(async () => await sleep(62));

	test('hold in any minute, for all runs, retries included', async () => {
		fault(wait(429, 1), [101], 1);
		const runs = [
			[0, 12],
			[0, 12],
			[200, 5],
			[230, 2],
			[260, 3],
			[290, 10],
		];
		const start = async ([at = 0, items = 0]) => {
			await sleep(at);
			await run(Array<number>(items).fill(101), GET, limited(10));
		};
		// The lowest limit holds.
		await Promise.all([...runs.map(start), run([102, 103, 104])]);
		const all = times();
		const spans = all.slice(10).map((at, index) => at - Number(all[index]));
		expect(Math.min(...spans)).toBeGreaterThan(60);
	});

	test('of 1 let an Update end, after one more read', async () => {
		expect((await run([101], UPDATE, limited(1))).failed).toEqual([]);
		expect(methods()).toEqual(['GET', 'GET', 'PUT']);
		expect(now()).toBeLessThan(125);
	});

	test.each([-1, 1.5, 'many'])('of %p send nothing, and are named', async (value) => {
		const { words } = await run([101], GET, limited(value));
		expect(words[0]).toContain("in 'Requests per Minute' in the credential");
		expect(times()).toEqual([]);
	});
});

test('Bulk Delete sends its batches one after another, also when one has to wait', async () => {
	const ids = sandbox.control.addInstances(25);
	const batches = [ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)];
	sandbox.control.setLatency(20);
	fault(wait(503, 1), batches[0], 1);
	await run(ids, { ...BULK_DELETE, options: { batchSize: 10 } });
	expect(bodies(sandbox, 'POST').map((body) => body.ids)).toEqual([batches[0], ...batches]);
	expect(sandbox.control.stats().maxInFlight).toBe(1);
});

describe('An Update', () => {
	const id = SEED.bare;

	test('sends its write right after its read, before what other runs wait for', async () => {
		sandbox.control.setRateLimit({ requests: 1 });
		await Promise.all([run(sandbox.control.addInstances(20)), run([id], UPDATE)]);
		const done = requests().filter(({ status }) => status === 200);
		const write = done.findIndex(({ method }) => method === 'PUT');
		expect(done[write - 1]).toMatchObject({ id, method: 'GET' });
	});

	test.each([
		['once more after a wait', 12, 1, 'GET PUT GET PUT'],
		['only once more, however often it waits', 3, 3, 'GET PUT GET PUT PUT PUT'],
		['once when it was read less than two seconds ago', 1, 1, 'GET PUT PUT'],
	])('reads its instance %s, and keeps what others change', async (...row) => {
		const [, seconds, rejections, expected] = row;
		const byHand = { deadline: '2027-01-01T10:00:00Z', tags: ['by hand'] };
		fault(wait(429, seconds), [id], rejections, 'PUT');
		const changed = sleep(2.5).then(() => sandbox.control.change(id, byHand));
		expect((await run([id], UPDATE)).failed).toEqual([]);
		expect(methods().join(' ')).toBe(expected);
		await changed;
		expect(stored(sandbox, id)).toMatchObject({ ...byHand, name: 'New' });
	});

	test.each([
		[503, true],
		[429, false],
	])('that cannot be sent again after %d may have been made: %p', async (status, mayBeDone) => {
		fault(wait(status, 3), [id], 1, 'PUT');
		const action = respond(200, { ...stored(sandbox, id), tags: undefined });
		sandbox.control.addFault({ match: { method: 'GET', nth: 2 }, action });
		const { words } = await run([id], UPDATE);
		expect(methods()).toEqual(['GET', 'PUT', 'GET']);
		expect(words[0]?.includes('may have processed an earlier attempt')).toBe(mayBeDone);
	});
});
