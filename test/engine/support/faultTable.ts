import { type Cell, collect, KEY, SEED_TIME } from '../../docs/faults/collect';
import { takeUnexpectedRequests, useLocalServers, useVirtualClock } from '../../harness';
import { leaks } from './leaks';
import { watchThrown } from './thrown';

const cellName = ({ scenario, condition, setting }: Cell) =>
	`${scenario.title}: ${condition.name}, ${setting}`;

async function runTable(cells: Cell[]) {
	const thrown = watchThrown();
	const collection = await collect(cells);
	jest.restoreAllMocks();
	return { ...collection, foreignRequests: takeUnexpectedRequests(), thrown };
}

/**
 * The tests of what operations do under conditions.
 *
 * @param cells the cells to observe
 */
export function describeFaultTable(cells: Cell[]): void {
	useLocalServers();
	useVirtualClock({ start: SEED_TIME.getTime() });
	let running: ReturnType<typeof runTable> | undefined;
	// In the first test, not before it: that is where the clock is.
	const table = async () => await (running ??= runTable(cells));

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
}
