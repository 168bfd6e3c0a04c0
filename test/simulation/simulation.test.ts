import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import {
	type History,
	historyOf,
	type Kind,
	KINDS,
	type Run,
} from '../../scripts/simulation/histories';
import { simulate } from '../../scripts/simulation/simulate';

// `npm run simulate` tries thousands, also of four more kinds: a limit by 503 looks like failing instances, a service
// that works on one request at a time may let none of one process through, and a limit that has ended, or isn't one, still
// slows requests down.
const isSure = ({ status, fault }: Kind) =>
	status !== 503 && !['full', 'lifted', 'chance'].includes(String(fault));
const SURE = Object.entries(KINDS).filter(([, kind]) => isSure(kind));
test.each(SURE)('%s: all runs end, and hardly an item is lost', async (_, kind) => {
	const outcomes: Array<Awaited<ReturnType<typeof simulate>>> = [];
	while (outcomes.length < 20) outcomes.push(await simulate(historyOf(kind, outcomes.length)));
	const sum = (figures: number[]) => figures.reduce((total, figure) => total + figure, 0);
	expect(sum(outcomes.map(({ lost }) => lost))).toBeLessThan(5);
	expect(outcomes.filter(({ isLate }) => isLate).length).toBeLessThan(5);
	expect(outcomes.filter(({ end }) => end === Infinity)).toEqual([]);
	expect(Math.max(...outcomes.map((each) => each.mostInFlight))).toBeLessThan(101);
	const slow = outcomes.filter((each) => each.isAtSlowLimit);
	const requests = sum(slow.map((each) => each.requests));
	expect(sum(slow.map((each) => each.throttled))).toBeLessThanOrEqual(requests / 3);
});

const runOf = (kind: Run['kind'], length: number, run: number, process: number): Run => ({
	kind,
	paths: Array.from({ length }, (_, id) => `/${run}/${id}/`),
	process,
});
const gets = (length: number, process = 0) => runOf('get', length, process, process);
const runs = [gets(300)];
const updates = (length: number, run = 0) => runOf('update', length, run, 0);
const deletions = (run: number, process: number) => runOf('delete', 40, run, process);
const failing = (ids: (id: number) => boolean, reply: object = { status: 503 }) =>
	new Map(gets(300).paths.flatMap((path, id) => (ids(id) ? [[path, reply]] : [])));
const tenASecond = { requests: 10, retryAfter: 'none' } as const;
const tenAMinute = { ...tenASecond, seconds: 60 };
const HALF_A_MINUTE = { from: 500, until: 30_500 };
const punishing = { ...tenAMinute, countsThrottled: true, retryAfter: 'short' } as const;

const HISTORIES: Record<string, History> = {
	'Two processes share 10 a minute': { limits: [tenAMinute], runs: [gets(20), gets(20, 1)] },
	'Throttled requests count, Retry-After is too short': { limits: [punishing], runs: [gets(15)] },
	'Ten a minute, by 503': { limits: [{ ...tenAMinute, status: 503 }], runs: [gets(150)] },
	'Fifty a minute, by 503, and throttled requests count': {
		limits: [{ ...punishing, requests: 50, status: 503 }],
		runs: [gets(60)],
	},
	'One a second, by 503': {
		limits: [{ requests: 1, status: 503, kind: 'fixed', retryAfter: 'short' }],
		runs: [updates(20)],
	},
	'One in seven seconds, by 503': {
		limits: [{ requests: 500, seconds: 3_600, kind: 'leaky', status: 503, retryAfter: 'short' }],
		runs: [updates(400)],
	},
	'PUT is limited': { limits: [{ ...tenASecond, methods: ['PUT'] }], runs: [updates(200)] },
	'Only writes are limited, by 503': {
		limits: [{ requests: 1, status: 503, kind: 'sliding', methods: ['PUT', 'POST'] }],
		runs: [updates(100), gets(300)],
	},
	'A third is unavailable': { limits: [tenASecond], failures: failing((id) => id % 3 === 0), runs },
	'The last third is unavailable': { failures: failing((id) => id >= 200), runs },
	'Some are slow': { failures: failing((id) => id < 10, { slow: 9_000 }), runs },
	'An outage': { passing: { status: 503, share: 0.3, ...HALF_A_MINUTE }, runs: [gets(1_000)] },
	'A restart': { latency: [200, 200], restart: HALF_A_MINUTE, runs: [gets(300), updates(100, 1)] },
	'One at a time, for 10 s, behind a gateway that waits for 30 s': {
		capacity: { workers: 1, takes: 10_000 },
		timeout: 30_000,
		hasGateway: true,
		runs: [gets(100)],
	},
	'One at a time, for 400 ms': { capacity: { workers: 1, takes: 400 }, runs },
	'One at a time, for 10 s': { capacity: { workers: 1, takes: 10_000 }, runs: [gets(30)] },
	'One at a time, for 3 s, and more are throttled': {
		capacity: { workers: 1, takes: 3_000, full: { status: 429 } },
		runs: [gets(60)],
	},
	'One at a time, for 3 s, and more fail': {
		capacity: { workers: 1, takes: 3_000, full: { status: 503 } },
		runs: [gets(100)],
	},
	'Less capacity than before': {
		capacity: { workers: 1, takes: 400, fastUntil: 5_000 },
		timeout: 60_000,
		runs: [gets(1_000)],
	},
	'PUT is always rejected, beside a rate limit': {
		limits: [{ ...tenASecond, requests: 0, methods: ['PUT'] }, tenASecond],
		runs: [...runs, updates(200, 1)],
	},
	'PUT is always rejected by 503, beside a rate limit': {
		limits: [{ ...tenASecond, requests: 0, methods: ['PUT'], status: 503 }, tenASecond],
		runs: [updates(200)],
	},
	'Updates beside deletions, at 5 in 36 seconds': {
		seed: 5,
		limits: [{ requests: 5, seconds: 36, kind: 'leaky', retryAfter: 'none' }],
		runs: [updates(40), deletions(1, 0), runOf('update', 40, 2, 1)],
	},
	'All kinds of requests in two processes, at 20 in 144 seconds': {
		seed: 4,
		limits: [{ requests: 20, seconds: 144, kind: 'leaky', retryAfter: 'none' }],
		runs: [updates(40), deletions(1, 1), deletions(2, 0), runOf('get', 40, 3, 1)],
	},
	'Two processes, 500 an hour, by 503': historyOf(KINDS['Rate limit, two processes'], 2386),
	'Many are unavailable': historyOf(KINDS['Unavailable, hanging and slow instances'], 855),
	'Responses arrive in bursts': { burst: 500, limits: [tenASecond], runs: [gets(100)] },
};

test('A write that is held up is sent right after a second read', async () => {
	const readAt = new Map<string, number>();
	const ages: number[] = [];
	const onAccept = ({ method, path }: ApiRequest, now: number) => {
		if (method === 'GET') readAt.set(path, now);
		else ages.push(now - (readAt.get(path) ?? -Infinity));
	};
	await simulate({ limits: [{ requests: 1 }], runs: [updates(50)], onAccept });
	expect(ages).toHaveLength(50);
	expect(Math.max(...ages)).toBeLessThan(5_000);
});

test('If requests take too long when many run at once, fewer run at once', async () => {
	const capacity = { workers: 1, takes: 5_000 };
	const { lost } = await simulate({ capacity, timeout: 30_000, runs: [gets(100)] });
	expect(lost).toBeLessThan(20);
});

test.each<[string, History]>([
	['Half of all attempts fail', { passing: { status: 502, share: 0.5 }, runs: [updates(200)] }],
	['Each fails once', { passing: { status: 502, share: 1, isOnce: true }, runs }],
	['The first hundred always fail', { failures: failing((id) => id < 100), runs }],
])('%s: the others are done in minutes', async (_, history) => {
	const { lost, time } = await simulate(history);
	expect([lost, time < 600_000]).toEqual([0, true]);
});

test.each(Object.entries(HISTORIES))('%s: the others are done in time', async (_, history) => {
	const outcome = await simulate(history);
	expect(outcome).toMatchObject({ lost: 0, isLate: false });
	expect(outcome.end).toBeLessThan(Infinity);
});
