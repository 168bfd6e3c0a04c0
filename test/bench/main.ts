import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { messageOf } from '../../sandbox/guards';
import { writePage } from '../docs/write';
import { COMPARISONS } from './comparisons';
import { measureCounts } from './counts';
import { measurePackage } from './package';
import { measureQueue } from './queue';
import { type Compared, figures, page } from './report';
import { measureSizes } from './sizes';
import { type BenchStack, startStack } from './stack';
import { median, ratio } from './stats';

const USAGE = `Usage: npm run bench -- [options]

  --rounds N         how often everything is compared, one after another; default 5
  --sizes 1000,…     numbers of items of 'How much it takes'; default 1000,10000,50000; '' for none
  --only TEXT        compares only what has the text in its name, e.g. "Bulk Delete"
  --profile FOLDER   writes CPU profiles of n8n there
  --queue            only 'How much it takes', through a worker in queue mode, and writes it into docs/operations.md
  --print            shows the figures instead of writing docs/performance.md, as do --only and --profile`;

const NOTES = resolve(__dirname, 'notes.md');

const say = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

function readOptions() {
	return parseArgs({
		options: {
			rounds: { type: 'string', default: '5' },
			sizes: { type: 'string', default: '1000,10000,50000' },
			only: { type: 'string', default: '' },
			profile: { type: 'string' },
			print: { type: 'boolean', default: false },
			queue: { type: 'boolean', default: false },
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

async function medianOf(repeats: number, measure: () => Promise<number>): Promise<number> {
	const all: number[] = [];
	while (all.length < repeats) all.push(await measure());
	return median(all);
}

async function compare(compared: Compared[], rounds: number, stack: BenchStack): Promise<void> {
	for (let round = 1; round <= rounds; round++) {
		for (const { comparison, ours, others } of compared) {
			const { name, repeats, measureOurs, measureOther } = comparison;
			const our = await medianOf(repeats, async () => await measureOurs(stack));
			const other = await medianOf(repeats, async () => await measureOther(stack));
			ours.push(our);
			others.push(other);
			const times = `${Math.round(our)} / ${Math.round(other)} ms`;
			say(`${round}/${rounds} ${name}: ${times} = ${ratio([our], [other]).toFixed(2)}`);
		}
	}
}

async function main(): Promise<void> {
	const { rounds, sizes, only, profile, print, queue, help } = readOptions();
	if (help) return say(USAGE);
	const itemCounts = sizes.split(',').filter(Boolean).map(Number);
	if (queue) return await measureQueue(itemCounts, print, say);
	const compared = COMPARISONS.filter(({ name }) => name.includes(only)).map(
		(comparison): Compared => ({ comparison, ours: [], others: [] }),
	);
	const stack = await startStack(profileEnvironment(profile));
	try {
		await compare(compared, Number(rounds), stack);
		const results = {
			...stack,
			rounds: Number(rounds),
			compared,
			sizes: await measureSizes(stack, itemCounts, say),
			counts: await measureCounts(),
			size: measurePackage(),
		};
		if (print || only !== '' || profile !== undefined) return say(`\n${figures(results)}`);
		await writePage('performance.md', page(results, readFileSync(NOTES, 'utf8')));
	} finally {
		await stack.stop();
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
});
