import { cpus, totalmem } from 'node:os';

import { table } from '../docs/table';
import { CLIENTS } from './cases';
import { memoryRatio, type Peak } from './memory';
import { kilobytes, loadText, type PackageFacts } from './package';
import type { Results, Row } from './results';
import { count, median, spread } from './stats';
import { targets } from './targets';

/** What a report says about the run. */
export interface Circumstances {
	rounds: number;
	n8n: string;
	http: number;
	/** Expressions that n8n evaluates for each item, by what was run. */
	evaluations: Array<{ text: string; perItem: number }>;
	peaks: Peak[];
	/** What the profiles show, as Markdown. */
	notes: string;
}

const GIGABYTE = 1024 ** 3;

const times = (ratio: number | undefined): string =>
	ratio === undefined ? '' : String(Number(ratio.toPrecision(3)));

function rowCells(results: Results, row: Row, reference: string): string[] {
	const { group, client, cpu, scaled } = row;
	return [
		client + (scaled ? ' (scaled up from 1,000)' : ''),
		spread(row.times),
		times(results.ratio(group, client, reference)),
		cpu.length === 0 ? '' : count(median(cpu)),
		times(results.cpuRatio(group, client, reference)),
	];
}

function groupTable(results: Results, group: string): string {
	const rows = results.rows().filter((row) => row.group === group);
	const isDelete = group.startsWith('Bulk Delete');
	const reference = isDelete ? CLIENTS.oneByOne : CLIENTS.predefined;
	const to = isDelete ? 'To one by one' : 'To predefined';
	const head = ['', 'Time in ms (least to most)', to, 'CPU in ms', `${to} in CPU`];
	return `### ${group}\n\n${table(
		head,
		rows.map((row) => rowCells(results, row, reference)),
	)}`;
}

function memoryTable(peaks: Peak[]): string {
	const rows = peaks.map((peak) => {
		const { group, client, megabytes } = peak;
		return [group, client, count(megabytes), times(memoryRatio(peak, peaks))];
	});
	return `### Memory\n\n${table(['', '', 'Most memory of n8n in MB', 'To HTTP Request'], rows)}`;
}

/** The figures of all groups and the targets, as Markdown. */
export function tables(results: Results, facts: PackageFacts, peaks: Peak[]): string {
	const cells = targets(results, facts, peaks).map(({ text, measured, met }) => [
		text,
		measured,
		met ? 'yes' : 'no',
	]);
	const groups = results.groups().map((group) => groupTable(results, group));
	const figures = [...groups, memoryTable(peaks)].join('\n\n');
	return `## Targets\n\n${table(['Target', 'Measured', 'Met'], cells)}\n\n## Figures\n\n${figures}`;
}

/** The whole of docs/performance.md. */
export function report(results: Results, facts: PackageFacts, run: Circumstances): string {
	const { evaluations, peaks } = run;
	const memory = `${Math.round(totalmem() / GIGABYTE)} GB of memory`;
	const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'of unknown make'}) and ${memory}`;
	return `# Performance

Written by \`npm run bench\`. Measured on a machine with ${machine}, with Node.js ${process.versions.node}
and n8n ${run.n8n} (its default settings, so the \`vm\` expression engine), HTTP Request ${run.http}, and the
sandbox service in a process of its own on the same machine. Absolute times differ from machine to
machine; the ratios of one run hold.

- 1,000 items each, 10,000 in Bulk Delete; one by one 1,000 of them, times ten. The time is what n8n notes as the node's execution time.
- The median of ${run.rounds} rounds, with the least and the most. All is measured in each round, in turn, what is
  short several times. A ratio is the median of those of the rounds.
- This node talks to the service for 10 items at a time unless the user chooses otherwise; HTTP
  Request sends all of them at once. So with a slow service this node takes its time on purpose, and
  _Max Concurrent Requests_ shortens it.
- The bare client is a loop of \`fetch\` in Node.js, without n8n: less than that is not possible.
- CPU is the processor time of the whole n8n process for the whole workflow, which a busy machine
  disturbs less than the time on the clock. It includes answering every 0.1 s whether the run has ended.
- Memory is the most that an n8n process had that ran this and nothing before, all of n8n included.

${tables(results, facts, peaks)}

${run.notes.trim()}

## Expressions

n8n takes about a millisecond for each expression it evaluates. For one item it evaluates:

${table(
	['', 'Expressions'],
	evaluations.map(({ text, perItem }) => [text, String(perItem)]),
)}

## The package

| | |
| --- | --- |
| Packed | ${kilobytes(facts.packed)} |
| Unpacked | ${kilobytes(facts.unpacked)} in ${facts.files} files |
| Loading node and credential (n8n-workflow being loaded) | ${loadText(facts)} |
| Dependencies | 0 |
`;
}
