import { parseArgs } from 'node:util';

import { table } from '../../test/docs/repository';
import { readPage, run, withWritten, writePage } from '../pages';
import { historyOf, type Kind, KINDS } from './histories';
import { median, simulate } from './simulate';

const HEAD = [
	'',
	'Histories',
	'Items',
	'Lost of 10,000',
	'Time',
	'Late',
	'Throttled',
	'Never ended',
];

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const percent = (part: number, all: number): string =>
	`${((100 * part) / (all || 1)).toFixed(1)} %`;

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** What is kept of a history. */
async function figuresOf(kind: Kind, seed: number) {
	const history = historyOf(kind, seed);
	const { requests = Infinity, seconds = 1 } = history.limit ?? {};
	const outcome = await simulate(history);
	const { items, lost, time, perfect, isLate, end } = outcome;
	const atSlowLimit = requests <= seconds ? outcome : { requests: 0, throttled: 0 };
	const ratio = perfect === 0 ? 1 : time / perfect;
	const { requests: sent, throttled } = atSlowLimit;
	return { seed, items, lost, ratio, isLate, isEndless: end === Infinity, sent, throttled };
}

function row(name: string, all: Figures[]): string[] {
	const total = (figure: 'items' | 'lost' | 'sent' | 'throttled') =>
		sum(all.map((figures) => figures[figure]));
	return [
		name,
		all.length.toLocaleString('en-US'),
		total('items').toLocaleString('en-US'),
		((10_000 * total('lost')) / total('items')).toFixed(2),
		median(all.map(({ ratio }) => ratio)).toFixed(2),
		percent(all.filter(({ isLate }) => isLate).length, all.length),
		percent(total('throttled'), total('sent')),
		`${all.filter(({ isEndless }) => isEndless).length}`,
	];
}

/**
 * Simulates histories. Without options, it writes docs/dev/measurements.md.
 * `--histories`: how many of each kind. `--from`: the first seed.
 */
run(async () => {
	const options = {
		histories: { type: 'string', default: '1700' },
		from: { type: 'string', default: '0' },
	} as const;
	const { values } = parseArgs({ options });
	const [count, first] = [Number(values.histories), Number(values.from)];
	const rows: string[][] = [];
	const all: Figures[] = [];
	for (const [name, kind] of Object.entries(KINDS)) {
		const figures: Figures[] = [];
		for (let seed = first; seed < first + count; seed++) figures.push(await figuresOf(kind, seed));
		const seedsOf = (isShown: (one: Figures) => unknown) =>
			figures.flatMap((one) => (isShown(one) ? one.seed : []));
		rows.push(row(name, figures));
		all.push(...figures);
		console.log(rows.at(-1)?.join(' | '));
		console.log(
			'  lost',
			...seedsOf(({ lost }) => lost),
			'| late',
			...seedsOf(({ isLate }) => isLate),
		);
	}
	rows.push(row('All', all));
	const result = table(HEAD, rows);
	console.log(result);
	if (process.argv.length > 2) return;
	const page = readPage('dev/measurements.md');
	await writePage('dev/measurements.md', withWritten('npm run simulate', page, result));
});
