import type { RateLimit } from '../../sandbox/service/rateLimit';
import { seededChance } from '../../test/harness/virtualClock';
import type { Reply, ServiceOptions } from './service';

export interface Run {
	/** Gets, updates, or batches of a bulk delete, one after another. */
	kind: 'get' | 'update' | 'delete';
	paths: string[];
	/** In which n8n process. Default 0. */
	process?: 0 | 1;
	/** In milliseconds. */
	startsAt?: number;
}

/** What runs send to a service, and how it responds. */
export interface History extends ServiceOptions {
	runs: Run[];
	/** What the user knows of the limit; 0 for nothing. */
	requestsPerMinute?: number;
	seed?: number;
}

/** What histories of a kind have in common. One of each list is chosen. */
export interface Kind {
	/** Who knows the limit. Default: there is none. */
	limit?: 'service' | 'user';
	runs: [number, ...number[]];
	processes: [number, ...number[]];
	/** Whether some instances respond with 503, hang, or are slow. */
	fails?: true;
}

const ANY_RUNS: Kind = { runs: [1, 4, 10], processes: [1, 2] };

export const KINDS: Record<string, Kind> = {
	'Rate limit, one run': { limit: 'service', runs: [1], processes: [1] },
	'Rate limit, ten runs': { limit: 'service', runs: [10], processes: [1] },
	'Rate limit, two processes': { limit: 'service', runs: [2, 10], processes: [2] },
	'Requests per Minute': { limit: 'user', runs: [1, 2], processes: [1] },
	'Unavailable, hanging and slow instances': { ...ANY_RUNS, fails: true },
	'The same beside a rate limit': { ...ANY_RUNS, limit: 'service', fails: true },
};

/** A service that asks to wait for so many seconds isn't waited for. */
export const TOO_LONG = '3600';

const WRITES = ['update', 'delete'] as const;
const ANY = ['get', 'get', ...WRITES, 'update'] as const;

type Rate = [requests: number, seconds: number];
const PER_SECOND = [1, 2, 5, 10, 50].map((requests): Rate => [requests, 1]);
const RATES: [Rate, ...Rate[]] = [[20, 10], [100, 60], [10, 60], [500, 3_600], ...PER_SECOND];

/** A random history of a kind, always the same for a seed. */
export function historyOf(kind: Kind, seed: number): History {
	const chance = seededChance(seed);
	const pick = <const T extends string | number | object>(all: readonly [T, ...T[]]): T =>
		all[Math.floor(chance() * all.length)] ?? all[0];

	const isByUser = kind.limit === 'user';
	const [requests, seconds]: Rate = isByUser ? [pick([1, 10, 60, 600]), 60] : pick(RATES);
	const limitOf = (): RateLimit => {
		const window = seconds > 60 ? 'leaky' : pick(['fixed', 'leaky', 'sliding']);
		return {
			requests,
			seconds,
			kind: window,
			countsThrottled: window !== 'leaky' && requests > 1 && chance() < 0.3,
			isForWrites: chance() < 0.1,
			status: chance() < 0.1 ? 503 : 429,
			retryAfter: pick(['seconds', 'seconds', 'seconds', 'date', 'short', 'none', 'none', 'none']),
		};
	};
	const limit = kind.limit === 'service' ? limitOf() : undefined;
	// Enough to reach the limit some ten times, but not for hours.
	const many = Math.max((20 * requests) / seconds, 1.3 * requests) * (0.5 + chance());
	const total = kind.limit === undefined ? pick([5, 30, 200, 1_000]) : many;
	const [count, processes] = [pick(kind.runs), pick(kind.processes)];
	const runs = Array.from({ length: count }, (_, run): Run => {
		const does = pick(limit?.isForWrites ? WRITES : ANY);
		const items = Math.ceil(total / count / (does === 'update' ? 2 : 1));
		const length = does === 'delete' ? Math.min(items, 40) : items;
		const paths = Array.from({ length }, (__, id) => `/${run}/${id}/`);
		const process = run % processes === 1 ? 1 : 0;
		return { kind: does, paths, process, startsAt: pick([0, 0, 500, 3_000]) };
	});

	const unavailable = pick([0, 0.01, 0.05, 0.1, 0.3]);
	const hanging = pick([0, 0, 0.01, 0.03]);
	const slow = pick([0, 0, 0.02, 0.1]);
	const retryAfter = pick(['none', 'none', '1', '2', TOO_LONG]);
	const headers = retryAfter === 'none' ? undefined : { 'retry-after': retryAfter };
	const failureOf = (): Reply => {
		const drawn = chance();
		if (drawn < unavailable) return { status: 503, headers };
		if (drawn < unavailable + hanging) return { status: 'hangs' };
		return drawn < unavailable + hanging + slow ? { slow: 1_000 + 9_000 * chance() } : {};
	};
	// Batches never fail, since those after them wait.
	const failing = kind.fails ? runs.filter((run) => run.kind !== 'delete') : [];
	const failures = failing.flatMap((run) =>
		run.paths.map((path): [string, Reply] => [path, failureOf()]),
	);

	const latency = pick([20, 20, 200, 800]);
	return {
		seed,
		latency: [latency / 2, latency * 1.5],
		burst: pick([0, 0, 0, 250]),
		limit,
		requestsPerMinute: isByUser ? requests : 0,
		failures: new Map(failures),
		runs,
	};
}
