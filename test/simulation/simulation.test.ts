import { historyOf, MIXTURES } from '../../scripts/simulation/histories';
import {
	isSlow,
	median,
	ratioOf,
	simulate,
	simulateMixture,
} from '../../scripts/simulation/simulate';

/** `npm run simulate` tries thousands. */
const HISTORIES = 20;

test.each(Object.entries(MIXTURES))(
	'%s: every run ends, and hardly an item is lost',
	async (_, mixture) => {
		const outcomes = await simulateMixture(mixture, HISTORIES);
		expect(outcomes.filter(({ lost, items }) => lost > items / 100)).toEqual([]);
		expect(outcomes.filter(({ time }) => time === Infinity)).toEqual([]);
		expect(median(outcomes.map(ratioOf))).toBeLessThan(2);
	},
);

// In these, unavailable ones that a limit explained came first again and again.
test.each([284, 699])('unavailable instances do not take all turns (history %d)', async (seed) => {
	const history = historyOf(MIXTURES['The same beside a rate limit'], seed);
	expect(await simulate(history)).toMatchObject({ lost: 0, refused: 0 });
});

// In these, a process that took its first turn late took ten seconds for each request from then on.
test.each([2143, 2282])('two processes share a slow limit (history %d)', async (seed) => {
	const outcome = await simulate(historyOf(MIXTURES['Rate limit, two processes'], seed));
	expect(isSlow(outcome)).toBe(false);
});

// In these, the service counts what it rejects for a minute, and asks to wait for a second.
test.each([710, 752])(
	'a Retry-After that is too short refuses nothing (history %d)',
	async (seed) => {
		const outcome = await simulate(historyOf(MIXTURES['Rate limit, two processes'], seed));
		expect(outcome).toMatchObject({ lost: 0, refused: 0 });
	},
);

// In this one, each unavailable instance lowered the rate once more before the first was known as such.
test('unavailable instances do not lower the rate one after another (history 2391)', async () => {
	const history = historyOf(MIXTURES['The same beside a rate limit'], 2391);
	expect(isSlow(await simulate(history))).toBe(false);
});

// In this one, each read that seven unavailable instances were compared with met the limit itself.
test('a run beside unavailable instances ends (history 1264)', async () => {
	const history = historyOf(MIXTURES['The same beside a rate limit'], 1264);
	expect((await simulate(history)).time).toBeLessThan(Infinity);
});

// In these, the service counts what it rejects for a minute, and each waiting item asked again after ten seconds.
test.each([
	['Rate limit, ten runs', 1631],
	['Rate limit, two processes', 1492],
] as const)(
	'waiting items do not keep a limit from ending (%s, history %d)',
	async (kind, seed) => {
		const outcome = await simulate(historyOf(MIXTURES[kind], seed));
		expect(outcome).toMatchObject({ lost: 0, refused: 0 });
	},
);

// In these, the limit rejected what was the first of its method.
test.each([438, 803])('a limit refuses no first write (history %d)', async (seed) => {
	const outcome = await simulate(historyOf(MIXTURES['Rate limit, ten runs'], seed));
	expect(outcome).toMatchObject({ lost: 0, refused: 0 });
});

// In these, all that was left had been rejected before, so that no rejection lowered the rate any more.
test.each([215, 810])('a process leaves another its share (history %d)', async (seed) => {
	const outcome = await simulate(historyOf(MIXTURES['Rate limit, two processes'], seed));
	expect(outcome).toMatchObject({ lost: 0, refused: 0 });
});

// In this one, 277 unavailable instances were left, and each ten of them were taken for a limit.
test('unavailable instances that are left end (history 230)', async () => {
	const history = historyOf(MIXTURES['Unavailable, hanging and slow instances'], 230);
	expect((await simulate(history)).time).toBeLessThan(Infinity);
});

// In these, three of a third that are unavailable were often taken for a limit, and their rejections came first.
test.each([
	['Unavailable, hanging and slow instances', 441],
	['The same beside a rate limit', 284],
	['The same beside a rate limit', 285],
] as const)('a third that is unavailable holds up nobody (%s, history %d)', async (kind, seed) => {
	expect(isSlow(await simulate(historyOf(MIXTURES[kind], seed)))).toBe(false);
});

// In this one, most of what the limit let through were reads that rejected ones were compared with.
test('reads that others are compared with do not use up the limit (history 379)', async () => {
	const outcome = await simulate(historyOf(MIXTURES['Rate limit, one run'], 379));
	expect(outcome.requests).toBeLessThan(2 * outcome.items);
	expect(isSlow(outcome)).toBe(false);
});

// In this one, each slow read that unavailable ones were compared with got through after the next pause had begun.
test('slow reads end a pause (history 2061)', async () => {
	const history = historyOf(MIXTURES['Unavailable, hanging and slow instances'], 2061);
	expect((await simulate(history)).time).toBeLessThan(Infinity);
});

// In this one, so many got through between those that were rejected that no row showed the limit.
test('a limit that lets every fourth through is told (history 10032)', async () => {
	const outcome = await simulate(historyOf(MIXTURES['Rate limit, one run'], 10_032));
	expect(outcome).toMatchObject({ lost: 0, refused: 0 });
});

test('a run that is rejected again and again has its turns beside a long one', async () => {
	const history = historyOf(MIXTURES['Rate limit, ten runs'], 0);
	const pathsOf = (run: number, length: number) =>
		Array.from({ length }, (_, id) => `/${run}/${id}/`);
	const runs = [pathsOf(0, 400), pathsOf(1, 8)].map((paths, run) => ({
		kind: 'get' as const,
		worker: 0,
		startsAt: 30_000 * run,
		paths,
	}));
	const outcome = await simulate({
		...history,
		latency: [300, 1_200],
		limit: {
			kind: 'sliding',
			count: 10,
			per: 60_000,
			countsRejected: false,
			isOfWrites: false,
			retryAfter: 'none',
		},
		runs,
	});
	// It started after 30 seconds; the long one takes 40 minutes.
	expect(outcome.ends[1]).toBeLessThan(300_000);
});
