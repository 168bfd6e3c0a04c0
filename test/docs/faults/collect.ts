import { createSandbox, type SandboxHandle, systemClock } from '../../../sandbox/service';
import { clockOfSandbox } from '../../harness';
import { type Condition, CONDITIONS } from './conditions';
import { type Observation, observe, type Setting, SETTINGS } from './observe';
import { type Scenario, SCENARIOS } from './scenarios';

/** One cell of the page: an operation under a condition, with one setting of 'On Error'. */
export interface Cell {
	scenario: Scenario;
	condition: Condition;
	setting: Setting;
}

export interface ObservedCell extends Cell {
	observation: Observation;
}

/** The API key that the runs have. */
export const KEY = 'kEy+of/the-sandbox=';
/** Messages quote the instances, whose times must not depend on the day. */
export const SEED_TIME = new Date(Date.UTC(2026, 0, 1));
/** Most of a run is waiting, or n8n's own work. */
const RUNS_AT_A_TIME = 8;
/** Has no divisor in common with the number of columns, so that it leads through all of them. */
const STEP = 7;

/** The operations with each setting that a condition makes sense for. */
const cellsOf = (condition: Condition): Cell[] =>
	SCENARIOS.filter(({ hasBody }) => hasBody || condition.needsBody !== true).flatMap((scenario) =>
		SETTINGS.map(({ onError }) => ({ scenario, condition, setting: onError })),
	);

/** The whole table. */
export const CELLS: Cell[] = CONDITIONS.flatMap(cellsOf);

/** One cell of each condition, so that together they are in all columns. */
export const SAMPLE: Cell[] = CONDITIONS.flatMap((condition, index) => {
	const cells = cellsOf(condition);
	const at = (index * STEP) % cells.length;
	return cells.slice(at, at + 1);
});

/**
 * Lets operations meet conditions in n8n's engine.
 *
 * @returns the cells in the order of `cells`, and the number of requests to the server that redirects
 * point to
 */
export async function collect(
	cells: Cell[],
): Promise<{ observed: ObservedCell[]; strayRequests: number }> {
	const other = await createSandbox();
	const clock = clockOfSandbox(systemClock(SEED_TIME));
	const sandboxes: SandboxHandle[] = [];
	while (sandboxes.length < RUNS_AT_A_TIME) {
		sandboxes.push(await createSandbox({ apiKey: KEY, clock }));
	}
	const observed: ObservedCell[] = [];
	const pending = [...cells.entries()];
	const work = async (sandbox: SandboxHandle) => {
		for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
			const [index, cell] = next;
			const observation = await observe(cell, { sandbox, otherOrigin: other.url });
			observed[index] = { ...cell, observation };
		}
	};
	try {
		await Promise.all(sandboxes.map(work));
		return { observed, strayRequests: other.control.stats().requests };
	} finally {
		await Promise.all([...sandboxes, other].map(async (sandbox) => await sandbox.close()));
	}
}
