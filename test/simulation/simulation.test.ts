import { MIXTURES } from '../../scripts/simulation/histories';
import { median, ratioOf, simulateMixture } from '../../scripts/simulation/simulate';

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
