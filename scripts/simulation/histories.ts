import type { RateLimit } from '../../sandbox/service/rateLimit';
import type { Reply, ServiceOptions } from './service';

export interface Run {
	/** Gets, updates, or batches of a bulk delete. */
	kind: 'get' | 'update' | 'delete';
	paths: string[];
	/** In which n8n process. Default 0. */
	process?: number;
	/** In milliseconds. */
	startsAt?: number;
}

/** What runs send to a service, and what it's like. What the node makes of it is the outcome. */
export interface History extends ServiceOptions {
	runs: Run[];
	/** By path, what always comes of it. Other paths are healthy. */
	failures?: Map<string, Reply>;
	/** What the user knows of the limit; 0 for nothing. */
	requestsPerMinute?: number;
	seed?: number;
}

/** What histories of a kind have in common. One of each list is chosen. */
export interface Kind {
	limit: 'by the service' | 'by the user' | 'none';
	runs: number[];
	processes: number[];
	/** Whether some instances answer 503, hang, or are slow. */
	fails: boolean;
}

const ANY_RUNS = { runs: [1, 4, 10], processes: [1, 2] };

export const KINDS: Record<string, Kind> = {
	'Rate limit, one run': { limit: 'by the service', runs: [1], processes: [1], fails: false },
	'Rate limit, ten runs': { limit: 'by the service', runs: [10], processes: [1], fails: false },
	'Rate limit, two processes': {
		limit: 'by the service',
		runs: [2, 10],
		processes: [2],
		fails: false,
	},
	'Requests per Minute': { limit: 'by the user', runs: [1, 2], processes: [1], fails: false },
	'Unavailable, hanging and slow instances': { limit: 'none', ...ANY_RUNS, fails: true },
	'The same beside a rate limit': { limit: 'by the service', ...ANY_RUNS, fails: true },
};

/** For a service that asks to wait for so many seconds, the node does not wait. */
export const TOO_LONG = '3600';

const RETRY_AFTER: Array<RateLimit['retryAfter'] & string> = [
	...(['seconds', 'seconds', 'seconds', 'date'] as const),
	...(['short', 'none', 'none', 'none'] as const),
];

/** Requests in so many seconds. */
const RATES: Array<[requests: number, seconds: number]> = [
	...[1, 2, 5, 10, 50].map((requests): [number, number] => [requests, 1]),
	[20, 10],
	[100, 60],
	[10, 60],
	[500, 3_600],
];

/** Numbers from 0 to below 1, always the same for a seed. */
export function seededChance(seed: number): () => number {
	let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** A random history of a kind, always the same for a seed. */
export function historyOf(kind: Kind, seed: number): History {
	const chance = seededChance(seed);
	const pick = <T extends string | number | object>(all: T[]): T => {
		const picked = all[Math.floor(chance() * all.length)];
		if (picked === undefined) throw new RangeError('There is nothing to pick from.');
		return picked;
	};

	const limitOf = (requests: number, seconds: number): RateLimit => {
		const window = seconds > 60 ? 'leaky' : pick(['fixed', 'leaky', 'sliding']);
		return {
			requests,
			seconds,
			kind: window,
			countsThrottled: window !== 'leaky' && requests > 1 && chance() < 0.3,
			isForWrites: chance() < 0.1,
			status: chance() < 0.1 ? 503 : 429,
			retryAfter: pick(RETRY_AFTER),
		};
	};

	/** How much the runs do: long enough to reach the limit some ten times, but not for hours. */
	const requestsAt = (requests: number, seconds: number): number =>
		Math.max((requests / seconds) * (10 + 20 * chance()), requests * (0.5 + 1.7 * chance()));

	const [requests, seconds] = pick(RATES);
	const perMinute = pick([1, 10, 60, 600]);
	const total = {
		'by the service': requestsAt(requests, seconds),
		'by the user': perMinute * (0.5 + 2 * chance()),
		none: pick([5, 30, 200, 1_000]),
	}[kind.limit];
	const limit = kind.limit === 'by the service' ? limitOf(requests, seconds) : undefined;
	const [count, processes] = [pick(kind.runs), pick(kind.processes)];

	const runs = Array.from({ length: count }, (_, run): Run => {
		const writes = ['update', 'delete'] as const;
		const does = pick(limit?.isForWrites ? [...writes] : ['get', 'get', 'update', ...writes]);
		const items = Math.ceil(total / count / (does === 'update' ? 2 : 1));
		// Batches go one after another.
		const length = does === 'delete' ? Math.min(items, 40) : items;
		const paths = Array.from({ length }, (__, id) => `/${run}/${id}/`);
		return { kind: does, paths, process: run % processes, startsAt: pick([0, 0, 500, 3_000]) };
	});

	const [unavailable, hanging, slow] = [
		pick([0, 0.01, 0.05, 0.1, 0.3]),
		pick([0, 0, 0.01, 0.03]),
		pick([0, 0, 0.02, 0.1]),
	];
	const retryAfter = pick(['none', 'none', '1', '2', TOO_LONG]);
	const headers: Record<string, string> =
		retryAfter === 'none' ? {} : { 'retry-after': retryAfter };
	const failureOf = (run: Run): Reply | undefined => {
		// A batch that is never deleted is rare.
		const drawn = chance() * (run.kind === 'delete' ? 10 : 1);
		if (drawn < unavailable) return { status: 503, headers };
		if (run.kind === 'delete') return undefined;
		if (drawn < unavailable + hanging) return { status: 'hangs' };
		return drawn < unavailable + hanging + slow ? { slow: 1_000 + 9_000 * chance() } : undefined;
	};
	const failures = new Map<string, Reply>();
	for (const run of kind.fails ? runs : []) {
		for (const path of run.paths) {
			const failure = failureOf(run);
			if (failure !== undefined) failures.set(path, failure);
		}
	}

	return {
		seed,
		latency: pick<[number, number]>([
			[20, 20],
			[10, 40],
			[100, 400],
			[300, 1_200],
		]),
		burst: pick([0, 0, 0, 250]),
		timeout: pick([10_000, 30_000, 300_000]),
		limit,
		requestsPerMinute: kind.limit === 'by the user' ? perMinute : 0,
		failures,
		runs,
	};
}
