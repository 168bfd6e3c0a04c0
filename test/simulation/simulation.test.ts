import { KINDS } from './histories';
import { isSlow, median, ratioOf, simulateKind } from './simulate';

/** `npm run simulate` tries thousands. */
const HISTORIES = 20;
/** Hardly any takes longer than {@link isSlow} says, and none this many times as long and a minute. */
const MOST_SLOW = 1;
const WORST_RATIO = 6;

test.each(Object.entries(KINDS))('%s: all is read, in good time', async (_, kind) => {
	const outcomes = await simulateKind(kind, HISTORIES);
	expect(outcomes.filter(({ lost }) => lost > 0)).toEqual([]);
	expect(median(outcomes.map(ratioOf))).toBeLessThan(1.5);
	expect(outcomes.filter(isSlow).length).toBeLessThanOrEqual(MOST_SLOW);
	const excess = outcomes.map(({ time, perfect }) => time - WORST_RATIO * perfect);
	expect(Math.max(...excess)).toBeLessThan(60_000);
});
