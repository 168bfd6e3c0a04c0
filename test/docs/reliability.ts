import '../harness/jest/environment';

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { startVirtualClock, VirtualClock } from '../harness';
import { CELLS, collect, SEED_TIME } from './faults/collect';
import { parsePage, render, withObserved } from './faults/page';
import { writePage } from './write';

const PAGE = 'reliability.md';

/** Writes docs/reliability.md from real runs, with `--only` the lines of some conditions. */
async function main(): Promise<void> {
	const { only } = parseArgs({ options: { only: { type: 'string', default: '' } } }).values;
	const cells = CELLS.filter(({ condition }) => condition.name.includes(only));
	if (cells.length === 0) throw new Error(`No condition has "${only}" in its name.`);
	const before = only === '' ? '' : readFileSync(join(__dirname, '../../docs', PAGE), 'utf8');
	const end = startVirtualClock(new VirtualClock({ start: SEED_TIME.getTime() }));
	const { observed } = await collect(cells);
	end();
	await writePage(PAGE, render(withObserved(parsePage(before), observed)));
}

void main();
