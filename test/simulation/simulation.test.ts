import { historyOf, MIXTURES } from '../../scripts/simulation/histories';
import { median, ratioOf, simulate, simulateMixture } from '../../scripts/simulation/simulate';

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
