/** The value in the middle of a list that is not empty. */
export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const upper = sorted[Math.floor(middle)] ?? NaN;
	return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

/** Milliseconds in seconds, with two digits that count, e.g. `1.3`, `0.085` or `91`. */
export function seconds(milliseconds: number): string {
	const value = milliseconds / 1_000;
	return value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}

/** Median in seconds with the smallest and the largest value, e.g. `1.2 (1.1 to 1.4)`. */
export function spread(values: number[]): string {
	const middle = seconds(median(values));
	if (values.length === 1) return middle;
	return `${middle} (${seconds(Math.min(...values))} to ${seconds(Math.max(...values))})`;
}

/**
 * How many times the one takes what the other does, e.g. `0.25`: the median of what it is in each
 * round, in which both were measured one after the other.
 */
export function ratio(values: number[], others: number[]): number {
	return median(values.map((value, round) => value / (others[round] ?? NaN)));
}
