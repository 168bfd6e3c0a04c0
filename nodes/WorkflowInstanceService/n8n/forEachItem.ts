import type { IDataObject } from 'n8n-workflow';

import { doubted } from '../api/errors';
import { withLock } from '../api/keyedLock';
import { RunStopped } from '../api/waits';
import type { Service } from '../api/apiClient';
import { forEachYielding } from './eventLoop';
import type { InputItem, NodeRun, Operation } from './nodeRun';
import { asUserFacingError, type Result } from './outputItems';
import { type Parameters, maxWaitOf } from './parameters';

/** What an operation does with the instance of one item: first without, then with the service. */
interface ItemOperation<Job extends { id: number }> {
	/** Whether it changes nothing, so that jobs need not wait for other items, or for each other. */
	readsOnly: boolean;
	/** Reads and checks the parameters; nothing has been sent yet. */
	prepare(parameters: Parameters, run: Pick<NodeRun, 'isTool'>): Job;
	/** Does the job and returns the `json` of the output item. */
	perform(job: Job, service: Service): Promise<IDataObject>;
}

/** An operation on each item by itself, several at a time. Without Continue, the first error stops the rest. */
export function forEachItem<Job extends { id: number }>(operation: ItemOperation<Job>): Operation {
	const { readsOnly } = operation;
	return async (run) => {
		const { connection, continues, memory } = run;
		const { signal } = connection;
		const results: Result[] = [];
		const running: Array<Promise<void>> = [];
		const ready: Array<() => Promise<void>> = [];

		const outputOf = async (item: InputItem, job: Job, maxWait: number) => {
			const known = memory.done.get(item.index);
			if (known?.input === item.json) return known.output;
			const service = await connection.open(maxWait);
			await run.waitForBatch(item.index);
			const perform = async () => await operation.perform(job, service);
			if (readsOnly) return await perform();
			return await withLock(`${service.baseUrl} ${job.id}`, signal, perform);
		};

		const noteError = (cause: unknown, { index }: InputItem, id?: number) => {
			const error = cause instanceof RunStopped ? cause : asUserFacingError(cause);
			// It stays in doubt over the attempts of Retry On Fail, whatever the last one meets.
			if (error.mayBeDone) memory.mayBeDone.add(index);
			if (error instanceof RunStopped) return;
			const told = memory.mayBeDone.has(index) ? doubted(error) : error;
			results[index] = { items: [index], error: told.with({ id }) };
			if (!continues) connection.stop();
		};

		const begin = async (item: InputItem, job: Job, maxWait: number) => {
			const { index, json: input } = item;
			try {
				const output = await outputOf(item, job, maxWait);
				// The next attempt would otherwise do it again.
				if (run.node.retryOnFail && !readsOnly) memory.done.set(index, { input, output });
				results[index] = { items: [index], json: output };
			} catch (cause) {
				noteError(cause, item, job.id);
			}
		};

		await forEachYielding(run.items, (item) => {
			try {
				signal.throwIfAborted();
				const maxWait = maxWaitOf(item.parameters);
				const job = operation.prepare(item.parameters, run);
				if (continues || readsOnly) running.push(begin(item, job, maxWait));
				else ready.push(async () => await begin(item, job, maxWait));
			} catch (cause) {
				noteError(cause, item);
			}
		});
		await Promise.all([...running, ...ready.map(async (work) => await work())]);
		return Object.values(results);
	};
}
