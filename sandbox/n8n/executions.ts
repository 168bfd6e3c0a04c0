import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import type { INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

import { isRecord, textAt } from '../guards';

/** Calls n8n's internal REST interface, with a path without `/rest`. Returns `data` of the response. */
export type RestCall = (method: string, path: string, body?: unknown) => Promise<unknown>;

export interface Execution {
	id: string;
	/** n8n's word for its status: `success`, `error`, `canceled`, `running`, `waiting`, … */
	status: string;
	data: IRunExecutionData;
	/** How many bytes n8n stores for it; NaN in versions that don't say. */
	storedBytes: number;
}

const pollMs = 100;
const timeoutMs = 240_000;
const runningStatuses = ['new', 'running', 'waiting'];

async function readExecution(call: RestCall, id: string): Promise<Execution | undefined> {
	const what = `Execution ${id}`;
	const response = await call('GET', `/executions/${id}`);
	const status = textAt(response, 'status', what);
	if (runningStatuses.includes(status)) return undefined;
	// In the flatted format, because it may contain circular references.
	const data: IRunExecutionData = parseFlatted(textAt(response, 'data', what));
	const { jsonSizeBytes } = isRecord(response) ? response : {};
	return { id, status, data, storedBytes: Number(jsonSizeBytes) };
}

/**
 * Waits until a run has ended in any way.
 *
 * @throws when it hasn't after four minutes
 */
export async function waitForExecution(call: RestCall, id: string): Promise<Execution> {
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
