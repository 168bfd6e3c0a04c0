import { parseArgs } from 'node:util';

import { median, table, writeMeasurements } from '../pages';
import { historyOf, KINDS } from './histories';
import { simulate } from './simulate';

type Outcome = Awaited<ReturnType<typeof simulate>>;

const sum = (all: Outcome[], key: keyof Outcome): number =>
	all.reduce((total, one) => total + Number(one[key]), 0);

function row(name: string, all: Outcome[]): string[] {
	const percent = (part: number, whole: number) => `${((100 * part) / (whole || 1)).toFixed(1)}%`;
	const slow = all.filter(({ isAtSlowLimit }) => isAtSlowLimit);
	return [
		name,
		((10_000 * sum(all, 'lost')) / sum(all, 'items')).toFixed(2),
		median(all.map(({ ratio }) => ratio)).toFixed(2),
		percent(sum(all, 'isLate'), all.length),
		percent(sum(slow, 'throttled'), sum(slow, 'requests')),
	];
}

/** What all kinds have in common, or should have. */
function summary(all: Outcome[]): string {
	const number = (value: number) => value.toLocaleString('en-US');
	const endless = all.filter(({ end }) => end === Infinity).length;
	const inFlight = Math.max(...all.map(({ mostInFlight }) => mostInFlight));
	return `${number(all.length)} histories with ${number(sum(all, 'items'))} items. Never ended: ${endless}. Most in flight in a process: ${Math.ceil(inFlight)}.`;
}

/** Options: `--histories` of each kind, `--only` some kinds. Without any, it also writes the page. */
async function main(): Promise<void> {
	const histories = { type: 'string', default: '1000' } as const;
	const only = { type: 'string', default: '' } as const;
	const { values } = parseArgs({ options: { histories, only } });
	const rows: string[][] = [];
	const all: Outcome[] = [];
	for (const [name, kind] of Object.entries(KINDS)) {
		if (!name.includes(values.only)) continue;
		const outcomes: Outcome[] = [];
		while (outcomes.length < Number(values.histories)) {
			outcomes.push(await simulate(historyOf(kind, outcomes.length)));
		}
		rows.push(row(name, outcomes));
		all.push(...outcomes);
		const lost = outcomes.flatMap((one, seed) => (one.lost > 0 ? [seed] : []));
		const late = outcomes.flatMap((one, seed) => (one.isLate ? [seed] : []));
		console.log(`${name}: lost ${lost.join()}; late ${late.join()}`);
	}
	const head = ['', 'Lost of 10,000', 'Time', 'Late', 'Throttled'];
	const written = `${summary(all)}\n\n${table(head, [...rows, row('All', all)])}`;
	console.log(written);
	if (process.argv.length === 2) await writeMeasurements('npm run simulate', written);
}

void main();
