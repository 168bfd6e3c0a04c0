import type { RateLimit } from '../../sandbox/service/rateLimit';
import type { Capacity, PassingFailures, Reply, ServiceOptions } from './service';

/** The method of the last request for an item. Before an update, there's a read. */
export const METHODS = { get: 'GET', update: 'PUT', delete: 'POST' } as const;

export interface Run {
	/** Gets, updates, or the batches of a bulk delete, which run one after another. */
	kind: keyof typeof METHODS;
	paths: string[];
	/** The n8n process that it's in. Default 0. */
	process?: number;
	/** In milliseconds. */
	startsAt?: number;
}

/** What runs send to a service, and how it responds. */
export interface History extends ServiceOptions {
	runs: Run[];
	/** The limit, if the user knows it; 0 if not. */
	requestsPerMinute?: number;
	seed?: number;
}

/** What histories of one kind have in common. One entry of each list is chosen. */
export interface Kind {
	runs: [number, ...number[]];
	processes: [number, ...number[]];
	/** Who knows the limit. Default: there is no limit. */
	limit?: 'service' | 'user';
	/** Whether they take longer than Max Wait. */
	isLong?: boolean;
	/** The status of its limits, a third only for writes. Default: 429, one in ten 503; one in ten only for writes. */
	status?: 503;
	/** Whether some instances are unavailable, hang or are slow. */
	hasFailing?: boolean;
	/** What is wrong with the service. */
	fault?: 'capacity' | 'full' | 'attempts' | 'restart' | 'method' | 'chance' | 'headers' | 'lifted';
}

const ANY_RUNS: Kind = { runs: [1, 4, 10], processes: [1, 2] };
const TWO_PROCESSES: Kind = { limit: 'service', runs: [2, 10], processes: [2] };

export const KINDS = {
	'Rate limit, one run': { limit: 'service', runs: [1], processes: [1] },
	'Rate limit, ten runs': { limit: 'service', runs: [10], processes: [1] },
	'Rate limit, two processes': TWO_PROCESSES,
	'Rate limit, two processes for long': { ...TWO_PROCESSES, isLong: true },
	'Rate limit by 503': { ...ANY_RUNS, limit: 'service', status: 503 },
	'Requests per Minute': { limit: 'user', runs: [1, 2], processes: [1] },
	'Unavailable, hanging and slow instances': { ...ANY_RUNS, hasFailing: true },
	'The same beside a rate limit': { ...ANY_RUNS, limit: 'service', hasFailing: true },
	'Limited capacity': { ...ANY_RUNS, fault: 'capacity' },
	'Concurrency limit': { ...ANY_RUNS, fault: 'full' },
	'Passing failures': { ...ANY_RUNS, fault: 'attempts' },
	'Passing failures beside such instances': { ...ANY_RUNS, hasFailing: true, fault: 'attempts' },
	Restart: { ...ANY_RUNS, fault: 'restart' },
	'One kind of request throttled': { runs: [2, 4, 10], processes: [1, 2], fault: 'method' },
	'Contradictory headers': { runs: [1, 4], processes: [1], limit: 'service', fault: 'headers' },
	'Throttled by chance': { ...ANY_RUNS, fault: 'chance' },
	'Rate limit that ends': { runs: [1, 4], processes: [1], limit: 'service', fault: 'lifted' },
} satisfies Record<string, Kind>;

/** A wait of this many seconds, so long that it's refused. */
export const TOO_LONG = '3600';

const GETS_AND_UPDATES = ['get', 'update'] as const;
const WRITES = ['update', 'delete'] as const;
const ANY = ['get', 'get', ...WRITES, 'update'] as const;

type Rate = [requests: number, seconds: number];
const PER_SECOND = [1, 2, 5, 10, 50].map((requests): Rate => [requests, 1]);
const RATES: [Rate, ...Rate[]] = [[20, 10], [100, 60], [10, 60], [500, 3_600], ...PER_SECOND];

const CONTRADICTIONS: [Record<string, string>, ...Array<Record<string, string>>] = [
	{ 'retry-after': '0', 'x-ratelimit-reset': TOO_LONG },
	{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT', 'ratelimit-reset': TOO_LONG },
	{ 'retry-after': '1', 'x-ratelimit-reset': TOO_LONG, 'x-ratelimit-remaining': '0' },
	{ 'x-ratelimit-remaining': '4990', 'x-ratelimit-reset': TOO_LONG },
	{ 'ratelimit-remaining': '12', 'ratelimit-reset': TOO_LONG },
];

const retryAfter = (seconds: string): Record<string, string> =>
	seconds === '' ? {} : { 'retry-after': seconds };

/** Whether all requests for an item can succeed. */
export function isHealthy({ failures, limits = [] }: History, kind: Run['kind'], path: string) {
	const method = METHODS[kind];
	const isBlocked = limits.some((each) => each.requests === 0 && each.methods?.includes(method));
	return !isBlocked && failures?.get(path)?.status === undefined;
}

/** Numbers from 0 to below 1, always the same for the same seed. */
export function seededChance(seed: number): () => number {
	let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** A random history of a kind, always the same for the same seed. */
export function historyOf({ fault, limit: knower, ...kind }: Kind, seed: number): History {
	const chance = seededChance(seed);
	const pick = <const T extends string | number | object>(all: readonly [T, ...T[]]): T =>
		all[Math.floor(chance() * all.length)] ?? all[0];
	const [count, processes] = [pick(kind.runs), pick(kind.processes)];
	const average = fault === 'restart' ? pick([800, 2_000]) : pick([0, 20, 20, 200, 800]);
	const latency: [number, number] =
		chance() < 0.3 ? [average, average] : [average / 2, average * 1.5];

	const isByUser = knower === 'user';
	const [requests, seconds]: Rate = isByUser ? [pick([1, 10, 60, 600]), 60] : pick(RATES);
	const randomLimit = (): RateLimit => {
		const window = seconds > 60 ? 'leaky' : pick(['fixed', 'leaky', 'sliding']);
		return {
			requests,
			seconds,
			kind: window,
			countsThrottled: window !== 'leaky' && requests > 1 && chance() < 0.3,
			methods: chance() < (kind.status ? 1 / 3 : 0.1) ? ['PUT', 'POST'] : undefined,
			status: chance() < 0.1 ? 503 : (kind.status ?? 429),
			retryAfter: pick(['seconds', 'seconds', 'seconds', 'date', 'short', 'none', 'none', 'none']),
		};
	};
	const method = pick(['PUT', 'POST']);
	const oneMethod = (): RateLimit[] => {
		const headers = retryAfter(pick(['', '', '1', TOO_LONG]));
		const status = pick([429, 429, 503]);
		const methods = [method];
		const blocked: RateLimit = { requests: 0, methods, status, retryAfter: 'none', headers };
		const slow: RateLimit = { ...randomLimit(), requests: 1, seconds: 1, countsThrottled: false };
		if (chance() < 0.5) return [{ ...slow, methods, status: 429 }];
		return chance() < 0.3 ? [blocked, { requests: 10, retryAfter: 'none' }] : [blocked];
	};
	const limits = fault === 'method' ? oneMethod() : knower === 'service' ? [randomLimit()] : [];
	if (fault === 'headers') {
		const headers = pick(CONTRADICTIONS);
		Object.assign(limits[0] ?? {}, { headers, retryAfter: 'none', status: 429 });
	}

	const takes = pick([50, 200, 400, 1_000, 2_500, 5_000, 10_000]);
	// In the fast phase, no more requests may start than can be done in time.
	const fastUntil = takes > 1_000 ? 0 : pick([0, 0, 5_000, 20_000]);
	const capacity: Capacity = { workers: pick([1, 2, 4, 8]), takes, fastUntil };
	// If the first requests exceed the timeout, no rule helps, unless a gateway gives up: then they're retried.
	const first = Math.ceil((10 * processes) / capacity.workers) * takes;
	const hasGateway = chance() < 0.5;
	const isShort = chance() < 1 / 3 && (first < 27_000 || hasGateway) && fastUntil === 0;
	const status = pick([502, 503]);
	const from = pick([0, 2_000, 20_000]);
	// All runs have had a response by then.
	const restartAt = pick([7_000, 15_000]);
	const down = fault === 'restart' ? restartAt : Infinity;
	const passing = pick<PassingFailures>([
		{ status, share: 0.02 + 0.31 * chance() },
		{ status, share: pick([0.01, 0.05, 0.2]), isOnce: true },
		{ status, share: pick([0.3, 0.6, 1]), from, until: from + pick([10, 30, 60]) * 1_000 },
	]);

	/** As several servers do that each have a limit of their own. */
	const throttling = (): PassingFailures => ({ status: 429, share: pick([0.01, 0.05, 0.1, 0.2]) });

	// Enough to reach the limit about ten times, but not for hours.
	const windows = (seconds > 60 ? 1.3 : 4) * (kind.isLong ? 4 : 1);
	const many = Math.max((20 * requests) / seconds, windows * requests) * (0.5 + chance());
	const hasCapacity = fault === 'capacity' || fault === 'full';
	const most = hasCapacity ? pick([30, 100, 300]) : pick([5, 30, 200, 1_000]);
	const total = knower === undefined ? most : many + (fault === 'lifted' ? 300 : 0);
	const limited = method === 'POST' ? 'delete' : 'update';
	const runs = Array.from({ length: count }, (_, run): Run => {
		const others = hasCapacity ? GETS_AND_UPDATES : limits[0]?.methods ? WRITES : ANY;
		const does = fault !== 'method' ? pick(others) : run % 2 === 0 ? 'get' : limited;
		const items = Math.ceil(total / count / (does === 'update' ? 2 : 1));
		const length = does === 'delete' ? Math.min(items, 40) : items;
		const paths = Array.from({ length }, (__, id) => `/${run}/${id}/`);
		return { kind: does, paths, process: run % processes, startsAt: pick([0, 0, 500, 3_000]) };
	});

	const unavailable = pick([0, 0.01, 0.05, 0.1, 0.3]);
	const hanging = pick([0, 0, 0.01, 0.03]);
	const slow = pick([0, 0, 0.02, 0.1]);
	const headers = retryAfter(pick(['', '', '1', '2', TOO_LONG]));
	const failureOf = (): Reply => {
		const drawn = chance();
		if (drawn < unavailable) return { status: 503, headers };
		if (drawn < unavailable + hanging) return { status: 'hangs' };
		return drawn < unavailable + hanging + slow ? { slow: 1_000 + 9_000 * chance() } : {};
	};
	// Batches never fail, since later ones wait for them.
	const failing = kind.hasFailing ? runs.filter((run) => run.kind !== 'delete') : [];
	const failures = new Map(
		failing.flatMap((run) => run.paths.map((path): [string, Reply] => [path, failureOf()])),
	);
	const isHealthyPath = (path: string) => Number(failures.get(path)?.status === undefined);
	if (chance() < 0.25)
		for (const run of failing) run.paths.sort((a, b) => isHealthyPath(a) - isHealthyPath(b));

	if (fault === 'full') {
		const asks = headers['retry-after'] === TOO_LONG ? {} : headers;
		Object.assign(capacity, { fastUntil: 0, full: { status: pick([429, 503]), headers: asks } });
	}

	return {
		seed,
		latency,
		burst: pick([0, 0, 0, 250]),
		limits,
		liftedAt: fault === 'lifted' ? pick([5, 20, 60]) * 1_000 : undefined,
		passing: fault === 'chance' ? throttling() : fault === 'attempts' ? passing : undefined,
		capacity: hasCapacity ? capacity : undefined,
		timeout: fault === 'capacity' && isShort ? 30_000 : undefined,
		hasGateway: isShort && hasGateway,
		restart: { from: down, until: down + pick([3, 10, 30, 120]) * 1_000 },
		requestsPerMinute: isByUser ? requests : 0,
		failures,
		runs,
	};
}
