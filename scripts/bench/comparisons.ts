import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import type { BenchStack } from './stack';

/** What the node is measured at. */
export interface Task {
	parameters: INodeParameters;
	/** The `json` of the input items, for the ids that the task is about. */
	items(ids: number[]): IDataObject[];
	/** What n8n's HTTP Request node needs for the same. */
	http?(baseUrl: string): INodeParameters;
}

const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const NAME = "'Renamed ' + $json.id";
const process = String(SEED.processes.onboarding);
const each = (ids: number[]) => ids.map((id) => ({ id }));
const get = { resource: 'instance', operation: 'get', output: 'raw' };

/** Gives every item a name of its own; the HTTP Request sends process and name, as Reset does. */
const update = (unsetFields: 'keep' | 'reset'): Task => ({
	parameters: {
		...get,
		operation: 'update',
		instanceId: ID,
		options: { unsetFields },
		updateFields: {
			name: `={{ ${NAME} }}`,
			...(unsetFields === 'reset' && { process: { ...ID, value: process } }),
		},
	},
	items: each,
	http: (baseUrl) => ({
		method: 'PUT',
		url: `=${baseUrl}/instances/{{ $json.id }}/`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ { process: '${baseUrl}/processes/${process}/', name: ${NAME} } }}`,
	}),
});

const bulkDelete = { resource: 'instance', operation: 'bulkDelete' };

export const TASKS = {
	get: {
		parameters: { ...get, instanceId: ID },
		items: each,
		http: (baseUrl) => ({ url: `=${baseUrl}/instances/{{ $json.id }}/` }),
	},
	getEvaluated: {
		parameters: { ...get, instanceId: { ...ID, value: '={{ Number($json.id) }}' } },
		items: each,
		http: (baseUrl) => ({ url: `=${baseUrl}/instances/{{ Number($json.id) }}/` }),
	},
	getSimplified: { parameters: { ...get, instanceId: ID, output: 'simplified' }, items: each },
	getOne: {
		parameters: { ...get, instanceId: { ...ID, value: String(SEED.running) } },
		items: each,
		http: (baseUrl) => ({ url: `${baseUrl}/instances/${SEED.running}/` }),
	},
	reset: update('reset'),
	keep: update('keep'),
	deleteField: {
		parameters: { ...bulkDelete, idSource: 'inputField', idField: 'id' },
		items: each,
	},
	deleteList: {
		parameters: { ...bulkDelete, idSource: 'list', instanceIds: '={{ $json.ids }}' },
		items: (ids) => [{ ids }],
	},
} satisfies Record<string, Task>;

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
