import type { BenchStack } from './stack';
import { type Task, TASKS } from './tasks';

/** This node beside something else that does the same. */
export interface Comparison {
	name: string;
	task: Task;
	/** The most that this node may take, in times of the other. */
	limit: number;
	/** How long the service takes for each request. */
	latencyMs?: number;
}

const BATCH = 100;

/** All comparisons, with their limits. */
export const COMPARISONS: Comparison[] = [
	{ name: 'Get, ID from a field, 0 ms', task: TASKS.get, limit: 0.2 },
	{ name: 'Get, ID from an expression, 0 ms', task: TASKS.getEvaluated, limit: 0.35 },
	{ name: 'Get, one ID, 0 ms', task: TASKS.getOne, limit: 0.2 },
	{ name: 'Get, ID from a field, 20 ms', task: TASKS.get, limit: 0.25, latencyMs: 20 },
	{ name: 'Get, ID from a field, 200 ms', task: TASKS.get, limit: 0.9, latencyMs: 200 },
	{ name: 'Update, Reset, 0 ms', task: TASKS.reset, limit: 0.35 },
	{ name: 'Update, Keep (a read and a PUT, beside one PUT), 0 ms', task: TASKS.keep, limit: 0.5 },
	{ name: 'Bulk Delete, IDs from a field of 10,000 items', task: TASKS.deleteField, limit: 8 },
	{ name: 'Bulk Delete, 10,000 IDs from one expression', task: TASKS.deleteList, limit: 4 },
];

const prepare = async ({ task, latencyMs }: Comparison, { service }: BenchStack) =>
	await service.prepare(task.http ? 1_000 : 10_000, latencyMs);

/** Prepares the instances, and gives the milliseconds that this node takes. */
export async function measureOurs(measured: Comparison, stack: BenchStack): Promise<number> {
	return (await stack.run(measured.task, await prepare(measured, stack))).time;
}

/**
 * Prepares the instances, and gives the milliseconds that the other takes: n8n's HTTP Request node, or
 * a loop of `fetch` without n8n, since less than that is not possible.
 */
export async function measureOther(measured: Comparison, stack: BenchStack): Promise<number> {
	const ids = await prepare(measured, stack);
	const { task } = measured;
	const { service, runHttp } = stack;
	if (task.http) return (await runHttp(task.items(ids), task.http(service.baseUrl))).time;
	const headers = {
		authorization: `Api-Key ${service.apiKey}`,
		'content-type': 'application/json',
	};
	const started = performance.now();
	for (let start = 0; start < ids.length; start += BATCH) {
		const body = JSON.stringify({ ids: ids.slice(start, start + BATCH) });
		const url = `${service.baseUrl}/instances/bulk/delete`;
		const response = await fetch(url, { method: 'POST', headers, body });
		const text = await response.text();
		if (!response.ok) throw new Error(`The response to a deletion: ${response.status} ${text}`);
	}
	return performance.now() - started;
}
