import { parseArgs } from 'node:util';

import { readPage, run, withWritten, writePage } from '../pages';
import { COMPARISONS, measureOther, measureOurs, TASKS } from './comparisons';
import { type Compared, figures, queueFigures, type Size } from './report';
import { type BenchStack, startQueueStack, startStack } from './stack';

const USAGE = `Usage: npm run bench -- [options]

  --rounds N         how often everything is compared, one after another; default 5
  --sizes 1000,…     numbers of items in the table of single runs; default 1000,10000,50000; '' for none
  --only TEXT        compares only what has the text in its name, e.g. "Bulk Delete"
  --profile FOLDER   writes CPU profiles of n8n there
  --queue            only the figures from a worker in queue mode
  --print            shows the figures instead of writing them into docs/performance.md, as do --only and --profile`;

const PAGE = 'performance.md';
const SIZED = {
	'Get, ID from a field': TASKS.getSimplified,
	'Bulk Delete, IDs from a field': TASKS.deleteField,
};
/** So that what n8n loads for its first run is not counted. */
const WARM_UP_ITEMS = 10;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs each operation once with each number of items, in an n8n that has just started. */
async function measureSizes(stack: BenchStack, counts: number[]): Promise<Size[]> {
	const { service } = stack;
	const sizes: Size[] = [];
	for (const [name, task] of Object.entries(SIZED)) {
		for (const items of counts) {
			await stack.restart();
			await stack.run(task, await service.prepare(WARM_UP_ITEMS));
			const measured = await stack.run(task, await service.prepare(items));
			sizes.push({ name, items, ...measured, requests: await service.requests() });
			say(`${name}, ${items} items: ${Math.round(measured.time)} ms`);
		}
	}
	return sizes;
}

async function compare({ comparison, ours, others }: Compared, stack: BenchStack): Promise<void> {
	const our = await measureOurs(comparison, stack);
	const other = await measureOther(comparison, stack);
	ours.push(our);
	others.push(other);
	const times = `${Math.round(our)} / ${Math.round(other)} ms`;
	say(`${ours.length}: ${comparison.name}: ${times} = ${(our / other).toFixed(2)}`);
}

run(async () => {
	const { rounds, sizes, only, profile, print, queue, help } = parseArgs({
		options: {
			rounds: { type: 'string', default: '5' },
			sizes: { type: 'string', default: '1000,10000,50000' },
			only: { type: 'string', default: '' },
			profile: { type: 'string', default: '' },
			print: { type: 'boolean', default: false },
			queue: { type: 'boolean', default: false },
			help: { type: 'boolean', short: 'h', default: false },
		},
	}).values;
	if (help) return say(USAGE);
	const itemCounts = sizes.split(',').filter(Boolean).map(Number);
	const write = async (command: string, text: string) => {
		if (print || only + profile !== '') return say(`\n${text}`);
		await writePage(PAGE, withWritten(command, readPage(PAGE), text));
	};
	const compared = COMPARISONS.filter(({ name }) => name.includes(only)).map(
		(comparison): Compared => ({ comparison, ours: [], others: [] }),
	);
	const stack = queue ? await startQueueStack() : await startStack(profile);
	try {
		if (queue) {
			const text = queueFigures(await measureSizes(stack, itemCounts));
			return await write('npm run bench -- --queue', text);
		}
		for (let round = 1; round <= Number(rounds); round++) {
			for (const each of compared) await compare(each, stack);
		}
		const sizes = await measureSizes(stack, itemCounts);
		await write('npm run bench', figures(rounds, compared, sizes));
	} finally {
		await stack.stop();
	}
});
