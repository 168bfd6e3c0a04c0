import { parseArgs } from 'node:util';

import { table } from '../../test/docs/repository';
import { median, readPage, run, withWritten, writePage } from '../pages';
import { historyOf, type Kind, KINDS } from './histories';
import { simulate } from './simulate';

const HEAD = [
	'',
	'Histories',
	'Items',
	'Lost of 10,000',
	'Time',
	'Late',
	'Throttled',
	'Never ended',
	'In flight',
];

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** What is kept of a history. */
async function figuresOf(kind: Kind, seed: number) {
	return { seed, ...(await simulate(historyOf(kind, seed))) };
}

function row(name: string, all: Figures[]): string[] {
	const sum = (figure: (one: Figures) => number | boolean) =>
		all.reduce((total, one) => total + Number(figure(one)), 0);
	const percent = (part: number, whole: number) => `${((100 * part) / (whole || 1)).toFixed(1)} %`;
	const items = sum((one) => one.items);
	const late = sum((one) => one.isLate);
	const throttled = sum((one) => one.isAtSlowLimit && one.throttled);
	const requests = sum((one) => one.isAtSlowLimit && one.requests);
	return [
		name,
		all.length.toLocaleString('en-US'),
		items.toLocaleString('en-US'),
		((10_000 * sum((one) => one.lost)) / items).toFixed(2),
		median(all.map(({ ratio }) => ratio)).toFixed(2),
		percent(late, all.length),
		percent(throttled, requests),
		`${sum((one) => one.end === Infinity)}`,
		`${Math.ceil(Math.max(...all.map((one) => one.mostInFlight / one.processes)))}`,
	];
}

/** Takes `--histories`, how many of each kind, `--from`, a seed, and `--only`, a part of a kind's name. Without options it writes the page. */
run(async () => {
	const histories = { type: 'string', default: '1000' } as const;
	const from = { type: 'string', default: '0' } as const;
	const only = { type: 'string', default: '' } as const;
	const { values } = parseArgs({ options: { histories, from, only } });
	const rows: string[][] = [];
	const all: Figures[] = [];
	for (const [name, kind] of Object.entries(KINDS)) {
		if (!name.includes(values.only)) continue;
		const figures: Figures[] = [];
		while (figures.length < Number(values.histories)) {
			figures.push(await figuresOf(kind, Number(values.from) + figures.length));
		}
		rows.push(row(name, figures));
		all.push(...figures);
		const seeds = (test: (one: Figures) => boolean) => figures.filter(test).map(({ seed }) => seed);
		const [lost, late] = [seeds((one) => one.lost > 0), seeds((one) => one.isLate)];
		console.log(`${name}: lost ${lost.join()}; late ${late.join()}`);
	}
	const written = table(HEAD, [...rows, row('All', all)]);
	console.log(written);
	if (process.argv.length > 2) return;
	const page = withWritten('npm run simulate', readPage('dev/measurements.md'), written);
	await writePage('dev/measurements.md', page);
});
