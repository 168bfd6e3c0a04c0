import { forEachYielding, systemClock } from '../api/clock';
import { withLock } from '../api/keyedLock';
import { asUserFacingError, type UserFacingError, wholeMessage } from '../values/userFacingError';
import { errorAbout, MAX_EXTRA_REQUESTS, batchRejection } from './advice';
import { DIVISIBLE, type ItemResult, type Target } from './executionMemory';
import type { Job, NodeExecution, NodeOperation } from './operation';

export class JobRunner {
	private readonly startedAt = systemClock.elapsed();
	private extraRequests = MAX_EXTRA_REQUESTS;
	/** Only counted in a dry run, which lists them. */
	private failedCount = 0;

	constructor(
		private readonly operation: NodeOperation,
		private readonly execution: NodeExecution,
	) {}

	/** Returns the results, in any order. Without Continue, the first error stops what has not been sent. */
	async executeAll(): Promise<ItemResult[]> {
		const { connection, hint, isTool, items, memory } = this.execution;
		const { jobsOf, afterItems, jobsOfAll } = this.operation.plan(this.execution);
		const jobs: Job[] = [];
		const results: Array<ItemResult[] | Promise<ItemResult[]>> = [];
		await forEachYielding(items, (parameters) => {
			if (connection.wasStopped()) return;
			try {
				jobs.push(...jobsOf(parameters));
			} catch (cause) {
				const error = asUserFacingError(cause).forReader(isTool);
				results.push([this.failItems([parameters.itemIndex], error)]);
			}
		});
		if (!connection.wasStopped()) {
			afterItems?.();
			const jobsForAll = (await jobsOfAll?.()) ?? [];
			await forEachYielding([...jobs, ...jobsForAll], async (job) => {
				const targets = memory.planTargets(job.itemIndexesById, job.readsOnly);
				await this.untilBatchStarts(targets);
				const done = this.executeJob(job, targets);
				results.push(done);
				if (jobsOfAll && !job.readsOnly) await done;
			});
		}
		const allResults = (await Promise.all(results)).flat();
		if (this.failedCount > 0)
			hint(`Items that can't be processed: ${this.failedCount}. See the message field of each.`);
		return allResults;
	}

	/** Waits as long as n8n's Batching demands. */
	private async untilBatchStarts(targets: readonly Target[]): Promise<void> {
		const { connection, delayOf } = this.execution;
		const first = targets.find(({ result }) => result === undefined);
		const delay = first === undefined ? 0 : delayOf(Number(first.itemIndexes[0]));
		if (delay === 0 || connection.signal.aborted) return;
		const rest = this.startedAt + delay - systemClock.elapsed();
		if (rest > 0) await systemClock.sleep(rest, connection.signal);
	}

	/** Does what earlier attempts of Retry On Fail have left to do. */
	private async executeJob(job: Job, targets: readonly Target[]): Promise<ItemResult[]> {
		const { baseUrl, connection } = this.execution;
		const remaining = targets.filter(({ result }) => result === undefined);
		const execute = async () => await this.executeTargets(job, remaining);
		// Two changes of one instance at a time would undo each other, and a read must come after earlier changes.
		// A deletion of several instances undoes nothing.
		const needsLock = this.operation.writes && remaining.length === 1;
		if (needsLock) await withLock(`${baseUrl} ${remaining[0]?.id}`, connection.signal, execute);
		else await execute();
		return targets.flatMap(({ result }) => result ?? []);
	}

	private async executeTargets(job: Job, targets: readonly Target[]): Promise<void> {
		const { connection, isTool, memory } = this.execution;
		if (targets.length === 0) return;
		// Nothing is recorded, since `pendingIds` may contain an instance that another item has sent.
		if (connection.signal.aborted)
			return await this.divideOrFail(job, targets, asUserFacingError(connection.signal.reason));
		try {
			const outputOf = await job.execute(targets.map(({ id }) => id));
			for (const target of targets) memory.recordDone(target, outputOf(target.id));
		} catch (cause) {
			const error = asUserFacingError(cause).forReader(isTool);
			memory.recordFailure(targets, error);
			await this.divideOrFail(job, targets, error);
		}
	}

	/** Under Continue, halves a rejected batch of Bulk Delete until the rejected instances are found. */
	private async divideOrFail(
		job: Job,
		targets: readonly Target[],
		error: UserFacingError,
	): Promise<void> {
		if (error.kind === 'stopped') return;
		const { continues } = this.execution;
		const isDivisible = DIVISIBLE.includes(error.kind) && targets.length > 1;
		if (continues && isDivisible && this.extraRequests >= 2) {
			this.extraRequests -= 2;
			const middle = Math.ceil(targets.length / 2);
			await this.executeTargets(job, targets.slice(0, middle));
			await this.executeTargets(job, targets.slice(middle));
			return;
		}
		this.failTargets(targets, isDivisible ? batchRejection(error, continues) : error);
	}

	/** Makes an error the result of each target. Without Continue, one error is about all. */
	private failTargets(targets: readonly Target[], error: UserFacingError): void {
		const { continues } = this.execution;
		const { writes } = this.operation;
		for (const target of continues ? targets : targets.slice(0, 1)) {
			const result = errorAbout(target, continues ? [target] : targets, error, writes);
			target.result = this.failItems(target.itemIndexes, result);
		}
	}

	/** The first failure stops the execution, unless it's a dry run, or the user chose to continue. */
	private failItems(itemIndexes: readonly number[], error: UserFacingError): ItemResult {
		const { connection, continues, isDryRun } = this.execution;
		if (isDryRun) {
			this.failedCount++;
			const { id = null } = error;
			const message = wholeMessage(connection.forDisplay(error));
			return { itemIndexes, json: { id, ...this.operation.failedPreview, message } };
		}
		if (!continues) connection.refuseUnsent();
		return { itemIndexes, error };
	}
}
