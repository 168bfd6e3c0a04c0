import { parseArgs } from 'node:util';

import { median, run, table, writeMeasurements } from '../pages';
import { historyOf, type Kind, KINDS } from './histories';
import { simulate } from './simulate';

const HEAD = ['', 'Lost of 10,000', 'Time', 'Late', 'Throttled'];

type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** What is kept of each history. */
async function figuresOf(kind: Kind, seed: number) {
	return { seed, ...(await simulate(historyOf(kind, seed))) };
}

function sum(all: Figures[], figure: (one: Figures) => number | boolean): number {
	return all.reduce((total, one) => total + Number(figure(one)), 0);
}

function row(name: string, all: Figures[]): string[] {
	const percent = (part: number, whole: number) => `${((100 * part) / (whole || 1)).toFixed(1)}%`;
	const lost = (10_000 * sum(all, (one) => one.lost)) / sum(all, (one) => one.items);
	const time = median(all.map(({ ratio }) => ratio));
	const late = sum(all, (one) => one.isLate);
	const throttled = sum(all, (one) => one.isAtSlowLimit && one.throttled);
	const requests = sum(all, (one) => one.isAtSlowLimit && one.requests);
	const shares = [percent(late, all.length), percent(throttled, requests)];
	return [name, lost.toFixed(2), time.toFixed(2), ...shares];
}

/** What all kinds have in common, or should have. */
function summary(all: Figures[]): string {
	const number = (value: number) => value.toLocaleString('en-US');
	const items = sum(all, (one) => one.items);
	const endless = sum(all, (one) => one.end === Infinity);
	const inFlight = Math.max(...all.map((one) => one.mostInFlight / one.processes));
	return `${number(all.length)} histories with ${number(items)} items. Never ended: ${endless}. Most in flight in a process: ${Math.ceil(inFlight)}.`;
}

/** Options: `--histories` of each kind, `--from` a seed, `--only` some kinds. Without any, it also writes the page. */
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
	const written = `${summary(all)}\n\n${table(HEAD, [...rows, row('All', all)])}`;
	console.log(written);
	if (process.argv.length === 2) await writeMeasurements('npm run simulate', written);
});
