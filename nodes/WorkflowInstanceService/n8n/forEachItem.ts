import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { doubted } from '../api/errors';
import { inWords } from '../api/duration';
import { type Holder, LockHeld, withLock } from '../api/keyedLock';
import { RunStopped } from '../api/pace/runStopped';
import type { ServiceResponse } from '../api/response';
import { UserFacingError } from '../values/userFacingError';
import type { Operation } from './entryPoints';
import { forEachYielding } from './eventLoop';
import type { InputItem, Memory, NodeRun } from './nodeRun';
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
}

/** What an item is about. */
export interface OneInstance {
	/** The ID of the instance. */
	id: number;
}

/** What an operation does with one item: first without, then with the service. */
export interface ItemOperation<Job extends OneInstance> {
	/** Whether it changes nothing, so that it may begin while other items are still being checked. */
	readsOnly: boolean;
	/**
	 * Reads and checks the parameters; nothing has been sent yet.
	 *
	 * @throws UserFacingError when a value cannot be used
	 */
	prepare(parameters: Parameters): Job;
	/** Does the job and gives the `json` of the output item. */
	perform(job: Job, service: Service): Promise<IDataObject>;
	/** What the job changes, e.g. `instance 42`: only one job at a time may work on it. */
	changes?(job: Job): string;
}

/** One piece of work, ready to be done. */
type Work<T = void> = () => Promise<T>;

/**
 * An operation that handles each item by itself, several at the same time. When an item cannot be
 * processed and the user did not choose to continue, no other item is begun any more.
 */
export function forEachItem<Job extends OneInstance>(operation: ItemOperation<Job>): Operation {
	return async (run) => {
		const results: Result[] = [];
		const running: Array<Promise<void>> = [];
		const ready: Work[] = [];
		const startsAtOnce = run.continues || operation.readsOnly;

		const noteError = ({ index }: InputItem, cause: unknown, id?: number) => {
			if (cause instanceof RunStopped) {
				if (cause.mayBeDone) run.memory.mayBeDone.add(index);
				return;
			}
			const error = withDoubt(asUserFacingError(cause), index, run.memory).with({ id });
			results[index] = { items: [index], error };
			if (!run.continues) run.connection.stop();
		};
		const start = (item: InputItem) => {
			const { id, work } = workOn(operation, item, run);
			return async () => {
				try {
					const json = await work();
					if (!operation.readsOnly) remember(item, json, run);
					results[item.index] = { items: [item.index], json };
				} catch (cause) {
					noteError(item, cause, id);
				}
			};
		};

		await forEachYielding(
			run.items,
			(item) => {
				try {
					run.connection.assertGoing();
					const work = start(item);
					if (startsAtOnce) running.push(work());
					else ready.push(work);
				} catch (cause) {
					noteError(item, cause);
				}
			},
			run.clock,
		);
		running.push(...ready.map(async (work) => await work()));
		await Promise.all(running);
		return Object.values(results);
	};
}

/** n8n's next try would otherwise do again what was done, and tell of it as if it had not been. */
function remember({ index, json: input }: InputItem, output: IDataObject, run: NodeRun): void {
	if (run.node.retryOnFail) run.memory.done.set(index, { input, output });
}

function remembered({ index, json }: InputItem, { memory }: NodeRun): IDataObject | undefined {
	const known = memory.done.get(index);
	return known?.input === json ? known.output : undefined;
}

/** What may have been done stays in doubt over the tries of Retry On Fail, whatever the last one meets. */
function withDoubt(error: UserFacingError, item: number, { mayBeDone }: Memory): UserFacingError {
	if (error.mayBeDone) mayBeDone.add(item);
	return mayBeDone.has(item) ? doubted(error) : error;
}

/** Checks the item, and gives the work on it. */
function workOn<Job extends OneInstance>(
	operation: ItemOperation<Job>,
	item: InputItem,
	run: NodeRun,
): { id: number; work: Work<IDataObject> } {
	const limits = requestLimits(item.parameters);
	const job = operation.prepare(item.parameters);
	const changed = operation.changes?.(job);
	const work = async () => {
		const output = remembered(item, run);
		if (output !== undefined) return output;
		const client = await run.connection.open();
		await run.waitForBatch(item);
		const { baseUrl } = client;
		const perform = async (holder?: Holder) =>
			await operation.perform(job, {
				baseUrl,
				send: async (request) => await client.send({ ...request, holder }, limits),
			});
		if (changed === undefined) return await perform();
		return await withLock(`${baseUrl} ${changed}`, run.waiter, perform).catch((cause: unknown) =>
			Promise.reject(cause instanceof LockHeld ? heldUp(changed, run) : cause),
		);
	};
	return { id: job.id, work };
}

function heldUp(changed: string, { waiter: { patience } }: NodeRun): UserFacingError {
	return new UserFacingError(
		`Another update of ${changed} has been waiting for the service for more than ${inWords(patience)}`,
		"This update wasn't sent, so that it doesn't undo the other one. Run this node again. To wait longer, raise 'Timeout' under 'Request Options'.",
	);
}
