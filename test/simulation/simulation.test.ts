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
