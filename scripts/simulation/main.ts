import { parseArgs } from 'node:util';

import { table } from '../../test/docs/repository';
import { readPage, run, withWritten, writePage } from '../pages';
import { MIXTURES } from './histories';
import { isSlow, median, type Outcome, ratioOf, simulateMixture } from './simulate';

const HEAD = ['', 'Histories', 'Items', 'Lost items', 'Time', 'Over 2 × + 5 s', 'Rejected'];

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function row(name: string, outcomes: Outcome[]): string[] {
	const counts = [outcomes.length, sum(outcomes.map(({ items }) => items))];
	const lost = sum(outcomes.map((outcome) => outcome.lost + outcome.refused));
	const time = median(outcomes.map(ratioOf)).toFixed(2);
	const slow = percent(outcomes.filter(isSlow).length / outcomes.length);
	const rejected = percent(median(outcomes.map((outcome) => outcome.rejected)));
	return [
		name,
		...counts.map((count) => count.toLocaleString('en-US')),
		`${lost}`,
		time,
		slow,
		rejected,
	];
}

/** Writes the figures of the simulation into docs/performance.md. `--histories`: how many of each kind. */
run(async () => {
	const options = { histories: { type: 'string', default: '5100' } } as const;
	const { histories } = parseArgs({ options }).values;
	const rows: string[][] = [];
	const all: Outcome[] = [];
	for (const [name, mixture] of Object.entries(MIXTURES)) {
		const outcomes = await simulateMixture(mixture, Number(histories));
		rows.push(row(name, outcomes));
		all.push(...outcomes);
		console.log(
			rows.at(-1)?.join(' | '),
			outcomes.filter((outcome) => outcome.lost + outcome.refused > 0).map(({ seed }) => seed),
		);
	}
	rows.push(row('All', all));
	const page = withWritten('npm run simulate', readPage('performance.md'), table(HEAD, rows));
	await writePage('performance.md', page);
});
