import { cpus, totalmem } from 'node:os';

import { table } from '../../test/docs/repository';
import { median } from '../pages';
import type { Comparison } from './comparisons';
import { type Measurement, versions } from './stack';

/** A comparison with what was measured in each round, in milliseconds. */
export interface Compared {
	comparison: Comparison;
	ours: number[];
	others: number[];
}

/** What a run over a number of items takes. */
export interface Size extends Measurement {
	name: string;
	items: number;
	requests: number;
}

/** Milliseconds in seconds, with two digits that count, e.g. `1.3`, `0.085` or `91`. */
function seconds(milliseconds: number): string {
	const value = milliseconds / 1_000;
	return value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}

/** Median in seconds with the smallest and the largest value, e.g. `1.2 (1.1 to 1.4)`. */
function spread(values: number[]): string {
	const middle = seconds(median(values));
	if (values.length === 1) return middle;
	return `${middle} (${seconds(Math.min(...values))} to ${seconds(Math.max(...values))})`;
}

/**
 * How many times this node takes what the other does, e.g. `0.25`: the median of what it is in each
 * round, in which both were measured one after the other.
 */
const ratioOf = ({ ours, others }: Compared): number =>
	median(ours.map((value, round) => value / (others[round] ?? NaN)));

const number = (value: number): string => value.toLocaleString('en-US');
const megabytes = (value: number, digits = 0): string =>
	Number.isNaN(value) ? 'not measured' : `${number(Number(value.toFixed(digits)))} MB`;
const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`;
const isMissed = (compared: Compared): boolean => ratioOf(compared) > compared.comparison.limit;

function comparisonTable(compared: Compared[], other: 'Bare client' | 'HTTP Request'): string {
	const rows = compared
		.filter(({ comparison }) => (comparison.task.http === undefined) === (other === 'Bare client'))
		.map((one) => [
			one.comparison.name,
			spread(one.ours),
			spread(one.others),
			ratioOf(one).toPrecision(2),
			`at most ${one.comparison.limit}${isMissed(one) ? ', not met' : ''}`,
		]);
	return table(['Time in seconds', 'This node', other, 'Ratio', 'Target'], rows);
}

/** The figures of queue mode, as Markdown. */
export function queueFigures(sizes: Size[]): string {
	const head = ['', 'Items', 'Requests', 'Node', 'Whole execution', 'Peak memory', 'Stored'];
	const rows = sizes.map(({ name, items, requests, time, total, peak, stored }) => [
		...[name, number(items), number(requests), `${seconds(time)} s`, `${seconds(total)} s`],
		...[megabytes(peak), megabytes(stored, stored < 10 ? 1 : 0)],
	]);
	return `${table(head, rows)}\n\nMeasured on ${cpus().length} cores and ${memory} for all processes together.`;
}

/** The figures of a run on one machine, as Markdown. */
export function figures(rounds: string, compared: Compared[], sizes: Size[]): string {
	const { n8n, http } = versions();
	const sizeRows = sizes.map(({ name, items, time, requests, memory: taken }) => [
		name,
		number(items),
		seconds(time),
		number(requests),
		megabytes(taken),
	]);
	return [
		`Measured in ${rounds} rounds on ${cpus().length} cores and ${memory}, with Node.js ${process.versions.node}, n8n ${n8n} and HTTP Request ${http}.`,
		'1,000 items, with a service that responds after 0, 20 or 200 ms:',
		comparisonTable(compared, 'HTTP Request'),
		'10,000 IDs:',
		comparisonTable(compared, 'Bare client'),
		'One run each, on an n8n that just started, with a service that responds immediately. Memory is the peak of the n8n process above its level before the run:',
		table(['', 'Items', 'Seconds', 'Requests', 'Memory'], sizeRows),
	].join('\n\n');
}
