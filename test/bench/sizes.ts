import type { BenchStack, Measurement } from './stack';
import { type Task, TASKS } from './tasks';

/** What a run over a number of items takes. */
export interface Size extends Measurement {
	name: string;
	items: number;
	requests: number;
}

const SIZED: Array<[name: string, task: Task]> = [
	['Get, ID from an expression', TASKS.getSimplified],
	['Bulk Delete, IDs from a field', TASKS.deleteField],
];

/** So that what n8n loads for its first run is not counted. */
const WARM_UP_ITEMS = 10;

/**
 * Runs each operation once with each number of items, in an n8n that has just started.
 *
 * @param say called with a line for each run
 */
export async function measureSizes(
	{ service, run, restart }: BenchStack,
	counts: number[],
	say: (text: string) => void,
): Promise<Size[]> {
	const sizes: Size[] = [];
	for (const [name, task] of SIZED) {
		for (const items of counts) {
			await restart();
			await run(task, await service.prepare(WARM_UP_ITEMS));
			const measured = await run(task, await service.prepare(items));
			sizes.push({ name, items, ...measured, requests: await service.requests() });
			say(`${name}, ${items} items: ${Math.round(measured.time)} ms`);
		}
	}
	return sizes;
}
