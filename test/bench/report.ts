import { FIRST_LIMIT, HIGHEST_LIMIT } from '../../nodes/WorkflowInstanceService/api/adaptiveLimit';
import { cpus, totalmem } from 'node:os';

import { table } from '../docs/table';
import type { Comparison, Other } from './comparisons';
import type { Count } from './counts';
import type { PackageSize } from './package';
import type { Size } from './sizes';
import { ratio, seconds, spread } from './stats';

/** A comparison with what was measured in each round, in milliseconds. */
export interface Compared {
	comparison: Comparison;
	ours: number[];
	others: number[];
}

/** All that was measured. */
export interface Results {
	rounds: number;
	n8nVersion: string;
	httpVersion: number;
	compared: Compared[];
	sizes: Size[];
	counts: Count[];
	size: PackageSize;
}

const GIGABYTE = 1024 ** 3;

/** A number as the pages write it, e.g. `10,000`. */
export const number = (value: number): string => value.toLocaleString('en-US');
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
const ratioOf = ({ ours, others }: Compared): number => ratio(ours, others);
const isMissed = (compared: Compared): boolean => ratioOf(compared) > compared.comparison.limit;

function comparisonTable(compared: Compared[], other: Other): string {
	const rows = compared
		.filter(({ comparison }) => comparison.other === other)
		.map((one) => [
			one.comparison.name,
			spread(one.ours),
			spread(one.others),
			ratioOf(one).toPrecision(2),
			`at most ${one.comparison.limit}${isMissed(one) ? ', not met' : ''}`,
		]);
	return table(['Time in seconds', 'This node', other, 'Ratio', 'Target'], rows);
}

function missedTargets(compared: Compared[]): string {
	const missed = compared.filter(isMissed);
	if (missed.length === 0) return 'All targets are met.';
	return missed
		.map((one) => {
			const { name, limit, reason } = one.comparison;
			return `- ${name}: ${ratioOf(one).toPrecision(2)} instead of ${limit}. ${reason}`;
		})
		.join('\n');
}

const sizeTable = (sizes: Size[]): string =>
	table(
		['', 'Items', 'Seconds', 'Requests', 'Memory'],
		sizes.map(({ name, items, time, requests, memory }) => [
			name,
			number(items),
			seconds(time),
			number(requests),
			memory === undefined ? 'not measured' : `${number(Math.round(memory))} MB`,
		]),
	);

const countTable = (counts: Count[]): string =>
	table(
		['', 'Items', 'Evaluations', 'Requests'],
		counts.map(({ name, items, evaluations, requests }) => [
			name,
			...[items, evaluations, requests].map(number),
		]),
	);

/** The tables and the targets that are not met, as Markdown. */
export function figures({ compared, sizes, counts, size }: Results): string {
	return `## Beside the HTTP Request node

1,000 items each, the service answering after 0, 20 or 200 ms. The HTTP Request node uses this package's credential.

${comparisonTable(compared, 'HTTP Request')}

## Beside a bare client

The bare client is a loop of \`fetch\` in Node.js, without n8n, that sends the same 100 requests of 100 IDs.

${comparisonTable(compared, 'Bare client')}

## Targets that are not met

${missedTargets(compared)}

## How much it takes

One run each, in an n8n that has just started, with default options and a service that answers at once. Add the time
that your service takes: a Get begins with ${FIRST_LIMIT} requests at a time and goes up to ${HIGHEST_LIMIT}, Bulk Delete sends one after another.
Memory is the peak of the whole n8n process over what it had before the run, saving the execution included.

${sizeTable(sizes)}

## Evaluations and requests

Each expression is evaluated once for each item, and nothing else is.

${countTable(counts)}

## The package

${kilobytes(size.packed)} packed, ${kilobytes(size.unpacked)} unpacked in ${size.files} files, no dependencies.
`;
}

/**
 * The whole of docs/performance.md.
 *
 * @param notes where the time goes, as Markdown
 */
export function page(results: Results, notes: string): string {
	const { rounds, n8nVersion, httpVersion } = results;
	const memory = `${Math.round(totalmem() / GIGABYTE)} GB of memory`;
	const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'of unknown make'}) and ${memory}`;
	return `# Performance

Written by \`npm run bench\`, on a machine with ${machine}, with Node.js ${process.versions.node}, n8n ${n8nVersion}
with its default settings, HTTP Request ${httpVersion}, and the sandbox service as a process of its own on the same machine.
Times differ from machine to machine. Ratios hold, but for 200 ms: there this node waits for the service, while
the HTTP Request node is kept busy by n8n, so a faster machine shortens only the latter.

A time is n8n's own execution time of the node: the median of ${rounds} rounds, with the least and the most. In
each round both sides are measured one after the other, in the same n8n process. A ratio is the median of those of
the rounds.

${figures(results)}
${notes}`;
}
