const UNITS = [
	{ unit: 'days', seconds: 86_400 },
	{ unit: 'hours', seconds: 3_600 },
	{ unit: 'minutes', seconds: 60 },
] as const;

const A_YEAR = 366 * 86_400;

/** A time for people, rounded up, e.g. `90 seconds`, `2 hours`. */
export function inWords(milliseconds: number): string {
	// A sum of times is off by a fraction of a millisecond, which must not add a minute.
	const total = Math.ceil(Math.round(milliseconds) / 1000);
	if (total > A_YEAR) return 'more than a year';
	if (total === 1) return '1 second';
	const fits = UNITS.find(({ seconds }) => total >= 2 * seconds);
	if (fits === undefined) return `${total} seconds`;
	return `${Math.ceil(total / fits.seconds)} ${fits.unit}`;
}
