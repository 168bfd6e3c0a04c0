import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { doubted } from '../api/errors';
import { withLock } from '../api/keyedLock';
import { RunStopped } from '../api/pace/runStopped';
import type { ServiceResponse } from '../api/response';
import { UserFacingError } from '../values/userFacingError';
import type { Operation } from './entryPoints';
import { forEachYielding } from './eventLoop';
import type { InputItem, NodeRun } from './nodeRun';
import { asUserFacingError, type Result } from './outputItems';
import type { Parameters } from './parameters';
import { requestLimits } from './sharedOptions';

/** The service as the work on one item sees it. */
export interface Service {
	/** The base URL of the credential, without a trailing slash. */
	readonly baseUrl: string;
	/**
	 * @returns the response, whose status is 2xx
	 * @throws UserFacingError when the service rejected the request, or did not respond
	 */
	send(request: ApiRequest): Promise<ServiceResponse>;
	/**
	 * Sends a read, and at once the write that its response leads to.
	 *
	 * @returns the response to the write, whose status is 2xx
	 * @throws what {@link send} and `write` throw
	 */
	readThenWrite(
		read: ApiRequest,
		write: (response: ServiceResponse) => ApiRequest,
	): Promise<ServiceResponse>;
}

/** What an operation does with one item: first without, then with the service. */
export interface ItemOperation<Job extends { id: number }> {
	/** Whether it changes nothing, so that it may begin while other items are still being checked. */
	readsOnly: boolean;
	/**
	 * Reads and checks the parameters; nothing has been sent yet.
	 *
	 * @param isTool whether an AI agent uses the node as a tool
	 * @throws UserFacingError when a value cannot be used
	 */
	prepare(parameters: Parameters, { isTool }: { isTool: boolean }): Job;
	/** Does the job and returns the `json` of the output item. */
	perform(job: Job, service: Service): Promise<IDataObject>;
	/** What the job changes, e.g. `instance 42`: only one job at a time may work on it. */
	changes?(job: Job): string;
}

/** Checks an item, and returns the work on it. */
function prepareWork<Job extends { id: number }>(
	operation: ItemOperation<Job>,
	item: InputItem,
	run: NodeRun,
): { id: number; work: () => Promise<IDataObject> } {
	const limits = requestLimits(item.parameters);
	const job = operation.prepare(item.parameters, run);
	const changed = operation.changes?.(job);
	const work = async () => {
		const known = run.memory.done.get(item.index);
		if (known?.input === item.json) return known.output;
		const client = await run.connection.open();
		await run.waitForBatch(item);
		const { baseUrl } = client;
		const perform = async () =>
			await operation.perform(job, {
				baseUrl,
				send: async (request) => await client.send(request, limits),
				readThenWrite: async (read, write) => await client.readThenWrite(read, write, limits),
			});
		if (changed === undefined) return await perform();
		return await withLock(`${baseUrl} ${changed}`, run.connection.signal, perform);
	};
	return { id: job.id, work };
}

/** What may have been done stays in doubt over the tries of Retry On Fail, whatever the last one meets. */
function errorOf(cause: unknown, { index }: InputItem, { memory }: NodeRun): UserFacingError {
	const error = asUserFacingError(cause);
	if (error.mayBeDone) memory.mayBeDone.add(index);
	return memory.mayBeDone.has(index) ? doubted(error) : error;
}

/**
 * An operation that handles each item by itself, several at the same time. When an item cannot be
 * processed and the user did not choose to continue, the others are no longer begun.
 */
export function forEachItem<Job extends { id: number }>(operation: ItemOperation<Job>): Operation {
	return async (run) => {
		const { connection, continues, memory } = run;
		const results: Result[] = [];
		const running: Array<Promise<void>> = [];
		const ready: Array<() => Promise<void>> = [];

		const noteError = (item: InputItem, cause: unknown, id?: number) => {
			const { index } = item;
			if (cause instanceof RunStopped) {
				if (cause.mayBeDone) memory.mayBeDone.add(index);
				return;
			}
			results[index] = { items: [index], error: errorOf(cause, item, run).with({ id }) };
			if (!continues) connection.stop();
		};
		const begin = async (item: InputItem, { id, work }: ReturnType<typeof prepareWork>) => {
			const { index, json: input } = item;
			try {
				const output = await work();
				// The next try would otherwise do it again.
				const isChange = run.node.retryOnFail && !operation.readsOnly;
				if (isChange) memory.done.set(index, { input, output });
				results[index] = { items: [index], json: output };
			} catch (cause) {
				noteError(item, cause, id);
			}
		};

		await forEachYielding(run.items, (item) => {
			try {
				connection.assertGoing();
				const prepared = prepareWork(operation, item, run);
				if (continues || operation.readsOnly) running.push(begin(item, prepared));
				else ready.push(async () => await begin(item, prepared));
			} catch (cause) {
				noteError(item, cause);
			}
		});
		await Promise.all([...running, ...ready.map(async (work) => await work())]);
		return Object.values(results);
	};
}
