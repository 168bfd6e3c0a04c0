import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { messageOf } from '../../sandbox/guards';
import { writePage } from '../docs/write';
import { agreement } from './agreement';
import { allCases, type Case } from './cases';
import { measureMemory } from './memory';
import { measurePackage } from './package';
import { evaluationsPerItem } from './evaluations';
import { report, tables } from './report';
import { createResults, type Results } from './results';
import { type BenchStack, type Measurement, startStack } from './stack';
import { median } from './stats';

const USAGE = `Usage: npm run bench -- [options]

  --rounds N         how often everything is measured, one after another; default 7
  --latency 0,20     latencies of the service in milliseconds; default 0,20,200
  --only TEXT        only what has the text in its name, e.g. "Bulk Delete"
  --profile FOLDER   writes a CPU profile of n8n there
  --print            shows the figures without writing docs/performance.md`;

const PAGE = resolve(__dirname, '../../docs/performance.md');
const NOTES = resolve(__dirname, 'notes.md');

const say = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

function readOptions() {
	return parseArgs({
		options: {
			rounds: { type: 'string', default: '7' },
			latency: { type: 'string', default: '0,20,200' },
			only: { type: 'string', default: '' },
			profile: { type: 'string' },
			print: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	}).values;
}

function profileEnvironment(folder: string | undefined): Record<string, string> {
	if (folder === undefined) return {};
	const path = resolve(folder);
	mkdirSync(path, { recursive: true });
	return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path}` };
}

const shown = ({ time, cpu }: Measurement): string =>
	`${Math.round(time)} ms${cpu === undefined ? '' : `, CPU ${cpu} ms`}`;

/** What a case takes in one round. */
async function measureRound(
	{ measure, repeats = 1 }: Case,
	stack: BenchStack,
): Promise<Measurement> {
	const all: Measurement[] = [];
	while (all.length < repeats) all.push(await measure(stack));
	const medianOf = (figures: Array<number | undefined>) => {
		const known = figures.filter((figure) => figure !== undefined);
		return known.length === 0 ? undefined : median(known);
	};
	return {
		time: median(all.map(({ time }) => time)),
		cpu: medianOf(all.map(({ cpu }) => cpu)),
		memory: medianOf(all.map(({ memory }) => memory)),
	};
}

async function measure(cases: Case[], rounds: number, results: Results, profile?: string) {
	const stack = await startStack(profileEnvironment(profile));
	try {
		for (let round = 1; round <= rounds; round++) {
			for (const one of cases) {
				const measured = await measureRound(one, stack);
				results.add(one, measured);
				say(`round ${round} of ${rounds}: ${one.group}: ${one.client}: ${shown(measured)}`);
			}
		}
		const peaks = await measureMemory(
			stack,
			cases.filter(({ inMemoryTable }) => inMemoryTable),
		);
		return { peaks, n8n: stack.n8nVersion, http: stack.httpVersion };
	} finally {
		await stack.stop();
	}
}

async function main(): Promise<void> {
	const { rounds, latency, only, profile, print, help } = readOptions();
	if (help) return say(USAGE);
	const cases = allCases(latency.split(',').map(Number)).filter(({ group, client }) =>
		`${group}: ${client};`.includes(only),
	);
	const results = createResults();
	const measured = await measure(cases, Number(rounds), results, profile);
	const facts = measurePackage();
	say(`\n${tables(results, facts, measured.peaks)}`);
	if (print) return;
	const evaluations = await evaluationsPerItem();
	const notes = readFileSync(NOTES, 'utf8');
	const circumstances = { ...measured, rounds: Number(rounds), evaluations, notes };
	const page = report(results, facts, circumstances);
	const difference = agreement(readFileSync(PAGE, 'utf8'), page);
	await writePage('performance.md', `${page}\n## The run before\n\n${difference}\n`);
	say(difference);
}

main().catch((error: unknown) => {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
});
