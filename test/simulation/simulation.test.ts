import { type History, historyOf, KINDS, type Run } from '../../scripts/simulation/histories';
import { simulate } from '../../scripts/simulation/simulate';

/** `npm run simulate` tries thousands. */
const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

test.each(Object.entries(KINDS))('%s: every run ends, and no item is lost', async (_, kind) => {
	const lost: number[] = [];
	for (const seed of SEEDS) {
		const outcome = await simulate(historyOf(kind, seed));
		expect(outcome.end).toBeLessThan(Infinity);
		if (outcome.lost > 0) lost.push(seed);
	}
	expect(lost).toEqual([]);
});

const paths = (count: number, name = '') =>
	Array.from({ length: count }, (_, id) => `/${name}${id}/`);
const gets = (count: number, run: Partial<Run> = {}): Run => ({
	kind: 'get',
	paths: paths(count),
	...run,
});
const UNAVAILABLE = { status: 503 } as const;
const failing = (count: number, of: number) =>
	new Map(paths(of).flatMap((path, id) => ((id * 31) % of < count ? [[path, UNAVAILABLE]] : [])));

test.each<[string, History]>([
	[
		'Two n8n processes share a slow limit',
		{
			latency: [100, 400],
			limit: { requests: 10, seconds: 60, retryAfter: 'none' },
			runs: [gets(20), gets(20, { paths: paths(20, 'b'), process: 1 })],
		},
	],
	[
		'The service counts throttled requests for a minute, and says to wait for a second',
		{
			limit: { requests: 10, seconds: 60, countsThrottled: true, retryAfter: 'short' },
			runs: [gets(20)],
		},
	],
	[
		'A third of the instances is unavailable beside a rate limit',
		{
			limit: { requests: 10, seconds: 1, retryAfter: 'none' },
			failures: failing(100, 300),
			runs: [gets(300)],
		},
	],
	['Only unavailable instances are left', { failures: failing(30, 100), runs: [gets(100)] }],
	[
		'The limit is for writes, and throttles the second one already',
		{
			limit: { requests: 1, seconds: 1, isForWrites: true, retryAfter: 'none' },
			runs: [gets(20, { kind: 'update' })],
		},
	],
	[
		'Slow instances beside unavailable ones',
		{
			failures: new Map([
				...failing(20, 100),
				...paths(10).map((path): [string, object] => [path, { slow: 9_000 }]),
			]),
			runs: [gets(100)],
		},
	],
	[
		'All responses of half a second arrive at once',
		{ burst: 500, limit: { requests: 10, seconds: 1 }, runs: [gets(100)] },
	],
])('%s: the others are read in time', async (_, history) => {
	const outcome = await simulate(history);
	expect(outcome).toMatchObject({ lost: 0, isLate: false });
	expect(outcome.end).toBeLessThan(Infinity);
});

test('A short run has its turns beside a long one', async () => {
	const short = paths(8, 'short');
	const outcome = await simulate({
		latency: [300, 1_200],
		limit: { requests: 10, seconds: 60, retryAfter: 'none' },
		runs: [gets(400), gets(8, { paths: short, startsAt: 30_000 })],
	});
	// The long one takes 40 minutes.
	expect(outcome.lastOf(short)).toBeLessThan(300_000);
});
