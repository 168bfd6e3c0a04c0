import { parseArgs } from 'node:util';

import { table } from '../docs/table';
import { run } from '../docs/stage';
import { readPage, withWritten, writePage } from '../docs/write';
import { KINDS } from './histories';
import { isSlow, median, type Outcome, ratioOf, simulateKind } from './simulate';

const HEAD = ['', 'Histories', 'Lost items', 'Time', 'Over 2 × + 5 s', 'Requests per item'];

/** Median and worst, e.g. `1.1 (5.3)`. */
const spread = (values: number[], digits: number): string =>
	`${median(values).toFixed(digits)} (${Math.max(...values).toFixed(digits)})`;

function row(name: string, outcomes: Outcome[]): string[] {
	const slow = `${((100 * outcomes.filter(isSlow).length) / outcomes.length).toFixed(1)} %`;
	const lost = outcomes.reduce((sum, outcome) => sum + outcome.lost, 0);
	const requests = outcomes.map((outcome) => outcome.requests);
	const counts = [outcomes.length, lost].map(String);
	return [name, ...counts, spread(outcomes.map(ratioOf), 2), slow, spread(requests, 1)];
}

/** Says which histories to look at. */
function report(name: string, outcomes: Outcome[]): void {
	const slowest = outcomes.reduce((a, b) => (ratioOf(b) > ratioOf(a) ? b : a));
	const interesting = outcomes.filter((each) => each.lost > 0 || each === slowest);
	console.log(name, interesting);
}

/** Writes the figures of the simulation into docs/performance.md. `--histories`: how many of each kind. */
run(async () => {
	const options = { histories: { type: 'string', default: '2000' } } as const;
	const { histories } = parseArgs({ options }).values;
	const rows: string[][] = [];
	for (const [name, kind] of Object.entries(KINDS)) {
		const outcomes = await simulateKind(kind, Number(histories));
		report(name, outcomes);
		rows.push(row(name, outcomes));
	}
	const page = withWritten('npm run simulate', readPage('performance.md'), table(HEAD, rows));
	await writePage('performance.md', page);
});
