import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { RETRY_ON_FAIL } from '../../../nodes/WorkflowInstanceService/api/messages';
import { CONTINUE_TO_TAKE_APART } from '../../../nodes/WorkflowInstanceService/instance/bulkDelete/batchSplitter';
import { type Cell, collect, KEY, type ObservedCell, SEED_TIME } from '../../docs/faults/collect';
import {
	adviceOf,
	columnOf,
	outcomeText,
	type Page,
	parsePage,
	rowName,
	seenText,
	usualOutput,
} from '../../docs/faults/page';
import { takeUnexpectedRequests, useLocalServers, useVirtualClock } from '../../harness';
import { leaks } from './leaks';
import { watchThrown } from './thrown';

export const PAGE = readFileSync(join(__dirname, '../../../docs/reliability.md'), 'utf8');
export const REMAKE = 'If the change is wanted, run: npm run docs:reliability';

/** Words without what only a stop says, and without how many instances they are about. */
function general(words: string): string {
	return words
		.replace(/^Batch \d of 3: /, '')
		.replace(RETRY_ON_FAIL, '')
		.replace(CONTINUE_TO_TAKE_APART, '')
		.replace(/(Deleted|Not deleted|Unknown): [\d, ]+\./g, '')
		.replace(/(one or more of )?2 instances|instance \d+/g, 'it')
		.replace(/\s+/g, ' ')
		.trim();
}

const cellName = (cell: Cell) => `${rowName(cell)}, ${cell.setting}`;

/** What was observed in a cell, as the page says it. */
const found = (page: Page, { observation, ...cell }: ObservedCell): string[] => [
	general(seenText(observation, usualOutput(page, cell))),
	general(adviceOf(observation)),
	outcomeText(observation),
];

/** What the page says about the same cell. */
function expected(page: Page, cell: ObservedCell): string[] {
	const { seen = '', advice = '', outcomes } = page.get(rowName(cell)) ?? {};
	return [general(seen), general(advice), outcomes?.[columnOf(cell)] ?? ''];
}

async function runTable(cells: Cell[]) {
	const thrown = watchThrown();
	const collection = await collect(cells);
	jest.restoreAllMocks();
	return { ...collection, foreignRequests: takeUnexpectedRequests(), thrown };
}

/**
 * The tests of what operations do under conditions.
 *
 * @param cells the cells of the page to observe
 * @returns gives what was observed
 */
export function describeFaultTable(cells: Cell[]): () => Promise<ObservedCell[]> {
	useLocalServers();
	useVirtualClock({ start: SEED_TIME.getTime() });
	let running: ReturnType<typeof runTable> | undefined;
	// In the first test, not before it: that is where the clock is.
	const table = async () => await (running ??= runTable(cells));

	test(`acts as docs/reliability.md says, with the same words whatever the setting. ${REMAKE}`, async () => {
		const { observed } = await table();
		const page = parsePage(PAGE);
		const byCell = (words: typeof found) =>
			Object.fromEntries(observed.map((each) => [cellName(each), words(page, each)]));
		expect(observed).toHaveLength(cells.length);
		expect(byCell(found)).toEqual(byCell(expected));
	});

	test('never leaves a trace of the API key, in the record of the execution or in what is thrown', async () => {
		const { observed, thrown } = await table();
		const leaking = observed.flatMap(({ observation, ...cell }) =>
			observation.leaks.map((path) => `${cellName(cell)}: ${path}`),
		);
		expect(leaking).toEqual([]);
		expect(thrown.length).toBeGreaterThan(0);
		expect(leaks(thrown, KEY)).toEqual([]);
	});

	test('never asks the server that redirects point to, or any other', async () => {
		const { strayRequests, foreignRequests } = await table();
		expect(strayRequests).toBe(0);
		for (const request of foreignRequests) {
			expect(request).toMatch(/^(GET|PUT|POST) x{64}\.invalid\/api\//);
		}
	});

	return async () => (await table()).observed;
}
