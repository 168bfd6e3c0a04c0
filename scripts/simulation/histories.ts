import { seededChance } from './clock';

/** A rate limit: so many requests in so many milliseconds. */
export interface Limit {
	/** In windows by the clock, in any such time, or one after another (GCRA). */
	kind: 'fixed' | 'leaky' | 'sliding';
	count: number;
	per: number;
	/** Whether requests that are rejected count as well. */
	countsRejected: boolean;
	/** Whether it holds for writes alone. */
	isOfWrites: boolean;
	/** What it says about how long to wait: the truth, nothing, or something else. */
	retryAfter: 'date' | 'none' | 'past' | 'seconds' | 'short' | 'zero';
}

/** What always comes of an instance: a status, no response, or one that takes so many milliseconds longer. */
export type Illness = { status: 429 | 503; retryAfter?: string } | 'hangs' | { slow: number };

export type Kind = 'delete' | 'get' | 'update';

export interface Run {
	kind: Kind;
	/** In which n8n process. */
	worker: number;
	/** From when on, in milliseconds. */
	startsAt: number;
	paths: string[];
}

/** What becomes of the runs of some n8n processes at a service, but for what the nodes do about it. */
export interface History {
	seed: number;
	/** The least and the most that a response takes, in milliseconds. */
	latency: [number, number];
	/** When n8n gives up a request that hangs, in milliseconds. */
	timeout: number;
	limit?: Limit;
	/** What the user knows of the limit; 0 for nothing. */
	requestsPerMinute: number;
	illnesses: Map<string, Illness>;
	runs: Run[];
	/** The IDs that a poll checks each minute, for half a minute, beside the runs. */
	polled: string[];
}

/** What the histories of a kind have in common. One of each list is chosen. */
export interface Mixture {
	limit: 'by the user' | 'none' | 'some';
	runs: number[];
	workers: number[];
	/** The share of instances that answer 429 or 503, that hang, and that are slow. */
	unavailable: number[];
	hanging: number[];
	slow: number[];
}

const HEALTHY = { unavailable: [0], hanging: [0], slow: [0] };
const ILL = {
	unavailable: [0, 0.01, 0.05, 0.1, 0.3],
	hanging: [0, 0, 0.01, 0.03],
	slow: [0, 0, 0.02, 0.1],
};
const SOME_RUNS = { runs: [1, 4, 10], workers: [1, 2] };

export const MIXTURES = {
	'Rate limit, one run': { limit: 'some', runs: [1], workers: [1], ...HEALTHY },
	'Rate limit, ten runs': { limit: 'some', runs: [10], workers: [1], ...HEALTHY },
	'Rate limit, two processes': { limit: 'some', runs: [2, 10], workers: [2], ...HEALTHY },
	'Requests per Minute': { limit: 'by the user', runs: [1, 2], workers: [1], ...HEALTHY },
	'Unavailable, hanging and slow instances': { limit: 'none', ...SOME_RUNS, ...ILL },
	'The same beside a rate limit': { limit: 'some', ...SOME_RUNS, ...ILL },
} satisfies Record<string, Mixture>;

/** For a service that asks to wait for so many seconds, the node does not wait. */
export const TOO_LONG = '3600';

/** How many requests in how many milliseconds. */
const LIMITS: Array<[number, number]> = [
	...[1, 2, 5, 10, 50].map((count): [number, number] => [count, 1_000]),
	[20, 10_000],
	[100, 60_000],
	[10, 60_000],
	[500, 3_600_000],
];

type Pick = <T>(...all: T[]) => T;

function limitOf([count, per]: [number, number], chance: () => number, pick: Pick): Limit {
	return {
		kind: per > 60_000 ? 'leaky' : pick('fixed', 'leaky', 'sliding'),
		count,
		per,
		countsRejected: count > 1 && chance() < 0.3,
		isOfWrites: chance() < 0.1,
		retryAfter: pick(
			'seconds',
			'seconds',
			'seconds',
			'date',
			'past',
			'zero',
			'short',
			'none',
			'none',
			'none',
		),
	};
}

/** A history of a mixture, always the same for a seed. */
export function historyOf(mixture: Mixture, seed: number): History {
	const chance = seededChance(seed);
	const pick: Pick = (...all) => all[Math.floor(chance() * all.length)] ?? pick(...all);
	const [count, per] = pick(...LIMITS);
	const limit = mixture.limit === 'some' ? limitOf([count, per], chance, pick) : undefined;
	const requestsPerMinute = mixture.limit === 'by the user' ? pick(1, 10, 60, 600) : 0;
	// Long enough to reach the limit some ten times, but not for hours.
	const enough = Math.max(
		(count / per) * 1000 * (10 + 20 * chance()),
		count * (0.5 + 1.7 * chance()),
	);
	const byUser = Math.max(1, requestsPerMinute * (0.5 + 2 * chance()));
	const items = { some: enough, none: pick(5, 30, 200, 1_000), 'by the user': byUser }[
		mixture.limit
	];
	const [runs, workers] = [pick(...mixture.runs), pick(...mixture.workers)];
	const shares = [pick(...mixture.unavailable), pick(...mixture.hanging), pick(...mixture.slow)];
	const [unavailable = 0, hanging = 0, slow = 0] = shares;
	const status = pick(429 as const, 503 as const);
	const retryAfter = pick(undefined, undefined, '1', '2', TOO_LONG);
	const illnessFor = (kind: string): Illness | undefined => {
		// A batch that is never deleted is rare.
		const drawn = chance() * (kind === 'delete' ? 10 : 1);
		if (drawn < unavailable) return { status, retryAfter };
		if (kind === 'delete') return undefined;
		if (drawn < unavailable + hanging) return 'hangs';
		return drawn < unavailable + hanging + slow ? { slow: 1_000 + 9_000 * chance() } : undefined;
	};
	const history: History = {
		seed,
		latency: pick([20, 20], [10, 40], [100, 400], [300, 1200]),
		timeout: pick(10_000, 30_000, 300_000),
		limit,
		requestsPerMinute,
		illnesses: new Map(),
		runs: Array.from({ length: runs }, (_, run) => {
			const kind = limit?.isOfWrites
				? pick('update', 'delete')
				: pick('get', 'get', 'update', 'update', 'delete');
			const requests = kind === 'update' ? 2 : 1;
			// Batches go one after another.
			const length = Math.min(
				Math.ceil(items / runs / requests),
				kind === 'delete' ? 40 : Infinity,
			);
			return {
				kind,
				worker: run % workers,
				startsAt: pick(0, 0, 500, 3_000),
				paths: Array.from({ length }, (__, id) => `/${run}/${id}/`),
			};
		}),
		polled: mixture.limit === 'by the user' ? ['/p/1/', '/p/2/', '/p/3/'] : [],
	};
	for (const { kind, paths } of history.runs) {
		for (const path of paths) {
			const illness = illnessFor(kind);
			if (illness !== undefined) history.illnesses.set(path, illness);
		}
	}
	return history;
}

/** Whether something comes out of an instance, sooner or later. */
export function isHealthy(illness: Illness | undefined): boolean {
	return illness === undefined || (typeof illness === 'object' && 'slow' in illness);
}
