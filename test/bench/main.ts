import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { isRecord } from '../../sandbox/guards';
import { nodeBinary, npmScript } from '../../sandbox/n8n/paths';
import { run } from '../docs/stage';
import { writePage } from '../docs/write';
import { COMPARISONS, measureOther, measureOurs, repeatsOf } from './comparisons';
import { measureCounts } from './counts';
import { type Compared, performancePage, queueFigures, type Results } from './report';
import { measureSizes } from './sizes';
import { type BenchStack, startQueueStack, startStack } from './stack';
import { median, ratio } from './stats';

const USAGE = `Usage: npm run bench -- [options]

  --rounds N         how often everything is compared, one after another; default 5
  --sizes 1000,…     numbers of items of 'How much it takes'; default 1000,10000,50000; '' for none
  --only TEXT        compares only what has the text in its name, e.g. "Bulk Delete"
  --profile FOLDER   writes CPU profiles of n8n there
  --queue            only 'How much it takes', through a worker in queue mode, and writes it into docs/operations.md
  --print            shows the page instead of writing docs/performance.md, as do --only and --profile`;

const ROOT = resolve(__dirname, '../..');
const QUEUE_PAGE = 'operations.md';
const QUEUE_FIGURES =
	/(?<=<!-- npm run bench -- --queue: begin -->\n).*(?=<!-- npm run bench -- --queue: end -->)/s;

const say = (text: string): void => {
	process.stdout.write(`${text}\n`);
};

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

async function compare({ comparison, ours, others }: Compared, stack: BenchStack): Promise<string> {
	const { name } = comparison;
	const repeats = repeatsOf(comparison);
	const our = await medianOf(repeats, async () => await measureOurs(comparison, stack));
	const other = await medianOf(repeats, async () => await measureOther(comparison, stack));
	ours.push(our);
	others.push(other);
	const times = `${Math.round(our)} / ${Math.round(other)} ms`;
	return `${name}: ${times} = ${ratio([our], [other]).toFixed(2)}`;
}

/** Measures the package that is built in `dist`. */
function measurePackage(): Results['packed'] {
	const args = [npmScript(), 'pack', '--dry-run', '--json', '--ignore-scripts'];
	const { status, stdout, stderr } = spawnSync(nodeBinary(), args, { cwd: ROOT, encoding: 'utf8' });
	if (status !== 0) throw new Error(stderr);
	const parsed: unknown = JSON.parse(stdout);
	// A list, or (newer npm) an object.
	const [packed]: unknown[] =
		isRecord(parsed) || Array.isArray(parsed) ? Object.values(parsed) : [];
	if (!isRecord(packed)) throw new Error('npm packed nothing.');
	return packed;
}

/** Measures runs through a worker, and writes the figures into docs/operations.md, between its marks. */
async function measureQueue(itemCounts: number[], print: boolean): Promise<void> {
	const [loadBefore = 0] = loadavg();
	const stack = await startQueueStack();
	try {
		const text = queueFigures(await measureSizes(stack, itemCounts, say), loadBefore);
		if (print) return say(`\n${text}`);
		const before = readFileSync(resolve(ROOT, 'docs', QUEUE_PAGE), 'utf8');
		if (!QUEUE_FIGURES.test(before)) throw new Error(`docs/${QUEUE_PAGE} has no marks.`);
		await writePage(
			QUEUE_PAGE,
			before.replace(QUEUE_FIGURES, () => `\n${text}\n\n`),
		);
	} finally {
		await stack.stop();
	}
}

run(async () => {
	const { rounds, sizes, only, profile, print, queue, help } = parseArgs({
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
	if (help) return say(USAGE);
	const itemCounts = sizes.split(',').filter(Boolean).map(Number);
	if (queue) return await measureQueue(itemCounts, print);
	const compared = COMPARISONS.filter(({ name }) => name.includes(only)).map(
		(comparison): Compared => ({ comparison, ours: [], others: [] }),
	);
	const stack = await startStack(profileEnvironment(profile));
	try {
		for (let round = 1; round <= Number(rounds); round++) {
			for (const each of compared) say(`${round}/${rounds} ${await compare(each, stack)}`);
		}
		const page = performancePage({
			rounds,
			compared,
			sizes: await measureSizes(stack, itemCounts, say),
			counts: await measureCounts(),
			packed: measurePackage(),
		});
		if (print || only !== '' || profile !== undefined) return say(`\n${page}`);
		await writePage('performance.md', page);
	} finally {
		await stack.stop();
	}
});
