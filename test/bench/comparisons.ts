import { FIRST_LIMIT, HIGHEST_LIMIT } from '../../nodes/WorkflowInstanceService/api/adaptiveLimit';
import type { BenchStack } from './stack';
import { renamable, type Task, TASKS } from './tasks';

/** This node beside something else that does the same. */
export interface Comparison {
	name: string;
	task: Task;
	/** The most that this node may take, in times of the other. */
	limit: number;
	/** What a profile shows, for the page when the limit is not kept. */
	reason: string;
	/** How long the service takes for each request. */
	latencyMs: number;
}

const BATCH = 100;
const EVALUATION =
	"Half of its time are n8n's evaluations of the expression, a third n8n's request helper.";
const UPDATE = "Two fifths of its time are n8n's evaluations, a quarter n8n's request helper.";
const LIMITS = `from ${FIRST_LIMIT} up to ${HIGHEST_LIMIT}`;

const comparison = (
	name: string,
	task: Task,
	limit: number,
	reason: string,
	latencyMs = 0,
): Comparison => ({ name, task, limit, reason, latencyMs });

/** All comparisons, with their limits. */
export const COMPARISONS: Comparison[] = [
	comparison('Get, ID from an expression, 0 ms', TASKS.get, 0.35, EVALUATION),
	comparison(
		'Get, one ID, 0 ms',
		TASKS.getOne,
		0.2,
		"More than half of its time is n8n's request helper.",
	),
	comparison('Get, ID from an expression, 20 ms', TASKS.get, 0.5, EVALUATION, 20),
	comparison(
		'Get, ID from an expression, 200 ms',
		TASKS.get,
		0.9,
		`It waits for 2.6 seconds while the requests in flight go ${LIMITS}.`,
		200,
	),
	comparison('Update, Reset, 0 ms', TASKS.reset, 0.4, UPDATE),
	comparison('Update, Keep (a read and a PUT, beside one PUT), 0 ms', TASKS.keep, 0.7, UPDATE),
	comparison(
		'Bulk Delete, IDs from a field of 10,000 items',
		TASKS.deleteField,
		8,
		"A quarter of its time is this node's own code; most of the rest are the 100 requests.",
	),
	comparison(
		'Bulk Delete, 10,000 IDs from one expression',
		TASKS.deleteList,
		4,
		'A third of its time is one evaluation, which carries 10,000 numbers into the node.',
	),
];

const prepare = async ({ task, latencyMs }: Comparison, { service }: BenchStack) =>
	await renamable(task.http ? 1_000 : 10_000, async (all) => await service.prepare(all, latencyMs));

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
