/** The value in the middle of a list that is not empty. */
export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const upper = sorted[Math.floor(middle)] ?? NaN;
	return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

/** A time in milliseconds as people read it, e.g. `1,234`. */
export function count(value: number): string {
	return Math.round(value).toLocaleString('en-US');
}

/** Median with the smallest and the largest value, e.g. `1,200 (1,100 to 1,400)`. */
export function spread(values: number[]): string {
	if (values.length === 0) return 'not measured';
	if (values.length === 1) return count(median(values));
	return `${count(median(values))} (${count(Math.min(...values))} to ${count(Math.max(...values))})`;
}

/**
 * How many times the one takes what the other does, e.g. `0.25`: the median of what it is in each
 * round, in which both were measured one shortly after the other.
 */
export function ratio(values: number[], others: number[]): number {
	return median(values.map((value, round) => value / (others[round] ?? NaN)));
}
