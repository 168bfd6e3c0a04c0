import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

import { isRecord, textAt } from '../guards';

/** Calls n8n's internal REST interface, with a path without `/rest`. Returns `data` of the response. */
export type RestCall = (
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
	path: string,
	body?: unknown,
) => Promise<unknown>;

/** A run of a workflow as n8n stored it. */
export interface Execution {
	id: string;
	/** n8n's word for how it stands: `success`, `error`, `canceled`, `running`, `waiting`, … */
	status: string;
	/** Everything that the nodes received and gave. */
	data: IRunExecutionData;
	/** The bytes that n8n stores it in; undefined in versions that do not say. */
	storedBytes: number | undefined;
}

const pollMs = 100;
const runningStatuses = ['new', 'running', 'waiting'];

const isRunExecutionData = (value: unknown): value is IRunExecutionData =>
	isRecord(value) && isRecord(value.resultData) && isRecord(value.resultData.runData);

/** n8n stores the data of a run in the flatted format, because it may hold circular references. */
function parseData(data: unknown): IRunExecutionData {
	const parsed: unknown = typeof data === 'string' ? parseFlatted(data) : data;
	if (isRunExecutionData(parsed)) return parsed;
	throw new Error('n8n returned an execution without its run data.');
}

async function readExecution(call: RestCall, id: string): Promise<Execution | undefined> {
	const response = await call('GET', `/executions/${id}`);
	const status = textAt(response, 'status', `Execution ${id}`);
	if (runningStatuses.includes(status)) return undefined;
	const { data, jsonSizeBytes } = isRecord(response) ? response : {};
	const storedBytes = typeof jsonSizeBytes === 'number' ? jsonSizeBytes : undefined;
	return { id, status, data: parseData(data), storedBytes };
}

/**
 * Waits until a run has ended, in whatever way.
 *
 * @throws when it has not ended by then
 */
export async function waitForExecution(
	call: RestCall,
	id: string,
	timeoutMs = 60_000,
): Promise<Execution> {
	const deadline = Date.now() + timeoutMs;
	while (Date.now() < deadline) {
		const execution = await readExecution(call, id);
		if (execution) return execution;
		await sleep(pollMs);
	}
	throw new Error(`Execution ${id} didn't end within ${timeoutMs / 1_000} seconds.`);
}

/** The items that a node returned on one output in its last run; an empty list when it did not run. */
export function outputItems(
	execution: Execution,
	nodeName: string,
	output = 0,
): INodeExecutionData[] {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.at(-1)?.data?.main?.[output] ?? [];
}
