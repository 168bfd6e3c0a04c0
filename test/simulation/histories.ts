/** A rate limit: so many requests in so many milliseconds. */
export interface Limit {
	kind: 'bucket' | 'fixed' | 'sliding';
	count: number;
	per: number;
}

export interface Illness {
	status: 429 | 503 | 'hangs';
	retryAfter?: string;
}

/** What becomes of the runs of some n8n processes at a service, but for what the nodes do about it. */
export interface History {
	seed: number;
	/** The least and the most that a response takes, in milliseconds. */
	latency: [number, number];
	limit?: Limit;
	/** How the service says how long to wait when its limit is reached. */
	retryAfter: 'date' | 'none' | 'past' | 'seconds' | 'zero';
	/** What always comes of a path. */
	sick: Map<string, Illness>;
	/** The paths that each run reads, in which process, and from when on, in milliseconds. */
	runs: Array<{ worker: number; paths: string[]; startsAt: number }>;
}

/** What the histories of a kind have in common. */
export interface Kind {
	isLimited: boolean;
	/** One of these is the number of runs, of processes, and the share of sick instances. */
	runs: number[];
	workers: number[];
	sick: number[];
}

const MIXED = { runs: [1, 4, 10], workers: [1, 2], sick: [0.01, 0.05, 0.1, 0.3] };

export const KINDS: Record<string, Kind> = {
	'Rate limit, one run': { isLimited: true, runs: [1], workers: [1], sick: [0] },
	'Rate limit, ten runs': { isLimited: true, runs: [10], workers: [1], sick: [0] },
	'Rate limit, two workers': { isLimited: true, runs: [2, 10], workers: [2], sick: [0] },
	'Unavailable instances': { isLimited: false, ...MIXED },
	'Rate limit and unavailable instances': { isLimited: true, ...MIXED },
};

const REFUSALS = [429, 503] as const;
const ILLNESSES = [...REFUSALS, 'hangs'] as const;
/** For a service that asks to wait for so many seconds, the node does not wait. */
export const TOO_LONG = '3600';
/** More than a run may have in flight would hold it up until n8n ends them, whoever schedules it. */
const MOST_HANGING = 0.05;

/** How many requests in how many milliseconds. */
const LIMITS: Array<[number, number]> = [
	...[1, 2, 5, 10, 50].map((count): [number, number] => [count, 1_000]),
	[20, 10_000],
	[100, 60_000],
];

/** Numbers from 0 to below 1, always the same for a seed. */
export function seededChance(seed: number): () => number {
	let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** A history of a kind, always the same for a seed. */
export function historyOf({ isLimited, ...kind }: Kind, seed: number): History {
	const chance = seededChance(seed);
	const pick = <T>(...all: T[]): T => all[Math.floor(chance() * all.length)] ?? pick(...all);
	const [count, per] = pick(...LIMITS);
	// Long enough to reach the limit, some ten times.
	const enough = Math.max(
		(count / per) * 1000 * (10 + 20 * chance()),
		count * (0.5 + 1.7 * chance()),
	);
	const items = isLimited ? enough : pick(5, 30, 200, 1_000);
	const [runs, workers, share] = [pick(...kind.runs), pick(...kind.workers), pick(...kind.sick)];
	const illness = {
		status: pick(...(isLimited || share > MOST_HANGING ? REFUSALS : ILLNESSES)),
		retryAfter: pick(undefined, undefined, '1', '2', TOO_LONG),
	};
	const history: History = {
		seed,
		latency: pick([20, 20], [10, 40], [100, 400], [300, 1200]),
		retryAfter: pick('seconds', 'seconds', 'date', 'past', 'zero', 'none', 'none'),
		sick: new Map(),
		runs: Array.from({ length: runs }, (_, run) => ({
			worker: run % workers,
			paths: Array.from({ length: Math.ceil(items / runs) }, (_, id) => `/${run}/${id}/`),
			startsAt: pick(0, 0, 500, 3_000),
		})),
		...(isLimited && { limit: { kind: pick('bucket', 'fixed', 'sliding'), count, per } }),
	};
	for (const path of history.runs.flatMap(({ paths }) => paths)) {
		if (chance() < share) history.sick.set(path, illness);
	}
	return history;
}
