import { cpus, totalmem } from 'node:os';

import { dependencies } from '../../sandbox/n8n/package.json';
import { median, table } from '../pages';
import type { Comparison, Task } from './comparisons';
import type { BenchStack } from './stack';

/** The latest version of the HTTP Request node in the measured n8n. */
export const HTTP_REQUEST_VERSION = 4.5;

/** What each round of a comparison measured, in milliseconds. */
export interface Compared {
	comparison: Comparison;
	ours: number[];
	others: number[];
}

/** A task, and what one run of it takes. */
export type Size = Task & Awaited<ReturnType<BenchStack['run']>>;

/** Milliseconds as seconds, with two significant digits, e.g. `1.3`, `0.085` or `91`. */
const seconds = (milliseconds: number): string =>
	String(Number((milliseconds / 1_000).toPrecision(2)));

/** The median in seconds, with the smallest and the largest value, e.g. `1.2 (1.1–1.4)`. */
function spread(values: number[]): string {
	const [least, most] = [seconds(Math.min(...values)), seconds(Math.max(...values))];
	return least === most ? least : `${seconds(median(values))} (${least}–${most})`;
}

const number = (value: number): string => Number(value.toFixed(1)).toLocaleString('en-US');

function rowOf({ comparison, ours, others }: Compared): string[] {
	const { name, latencyMs, other, limit } = comparison;
	// In each round, both were measured one right after the other.
	const ratio = median(ours.map((value, round) => value / (others[round] ?? NaN)));
	const goal = `${limit}${ratio > limit ? ', not met' : ''}`;
	const task = latencyMs === undefined ? name : `${name}, ${latencyMs} ms`;
	return [task, spread(ours), other.name, spread(others), ratio.toPrecision(2), goal];
}

/** The figures of runs with more and more items, as Markdown. */
export function sizesTable(sizes: Size[]): string {
	const rows = sizes.map(({ name, instances, time, memory, stored }) => {
		return [name, number(instances), seconds(time), number(memory), number(stored)];
	});
	return table(['', 'Items', 'Seconds', 'Memory (MB)', 'Stored (MB)'], rows);
}

/** All figures of one machine, as Markdown. */
export function figures(compared: Compared[], sizes: Size[]): string {
	const machine = `${cpus().length} cores and ${Math.round(totalmem() / 1024 ** 3)} GB`;
	const software = `Node.js ${process.versions.node}, n8n ${dependencies.n8n} and HTTP Request ${HTTP_REQUEST_VERSION}`;
	const head = ['', 'This node', 'Compared with', 'Its time', 'Ratio', 'At most'];
	return [
		`In seconds, in ${compared[0]?.ours.length} rounds on ${machine}, with ${software}:`,
		table(head, compared.map(rowOf)),
		'One run each, on an n8n that just started, with a service that responds immediately:',
		sizesTable(sizes),
	].join('\n\n');
}
