import { systemClock } from '../api/clock';
import { withLock } from '../api/keyedLock';
import { asUserFacingError, type UserFacingError } from '../values/userFacingError';
import { forEachYielding } from './eventLoop';
import type { Job, NodeOperation, NodeRun } from './operation';
import type { ItemResult } from './outputItems';

/** Rejections of several instances after which those that are not meant could still be processed. */
const DIVISIBLE = ['absent', 'conflict', 'forbidden', 'rejected'];
const MAX_EXTRA_REQUESTS = 200;
const CONTINUE_TO_DIVIDE =
	"To process the others anyway, set 'On Error' in the settings of this node to Continue. The node then finds the rejected IDs.";

/** The rejection of several instances, for those of which nobody knows whether it is about them. */
function undecided(error: UserFacingError): UserFacingError {
	return error.with({
		message: `The batch that contains this ID was rejected. ${error.message}`,
		advice: `Other IDs in the batch may be the reason. The node stopped looking for the rejected IDs after ${MAX_EXTRA_REQUESTS} extra requests. Run this node again with the remaining IDs. ${error.advice}`,
	});
}

/** An instance, and the indexes of the input items that name it. */
type Target = readonly [id: number, items: readonly number[]];

/** Does the jobs of one operation in one run. */
export class JobRunner {
	private readonly startedAt = systemClock.elapsed();
	private readonly results: Array<Promise<ItemResult[]>> = [];
	/** The instances that jobs change. */
	private readonly changing = new Set<number>();
	private readonly failedIds = new Set<number>();
	private extraRequests = MAX_EXTRA_REQUESTS;
	private hasBegun = false;

	constructor(
		private readonly operation: NodeOperation,
		private readonly run: NodeRun,
	) {}

	/** Returns the results in the order of the items. Without Continue, the first error stops what has not been sent. */
	async runAll(): Promise<ItemResult[]> {
		const { connection, continues, items } = this.run;
		const { prepare, prepareAll } = this.operation.begin(this.run);
		/** What has to wait until all items have been checked. */
		const ready: Job[] = [];
		await forEachYielding(items, (parameters) => {
			if (connection.signal.aborted) return;
			try {
				for (const job of prepare(parameters)) {
					if (continues || job.readsOnly) void this.begin(job);
					else ready.push(job);
				}
			} catch (cause) {
				const failure = this.failure([parameters.item], asUserFacingError(cause));
				this.results.push(Promise.resolve([failure]));
			}
		});
		await forEachYielding(ready, (job) => void this.begin(job));
		const together = connection.signal.aborted ? [] : ((await prepareAll?.()) ?? []);
		const reading = together.filter(({ readsOnly }) => readsOnly);
		await forEachYielding(reading, (job) => void this.begin(job));
		for (const job of together) if (!job.readsOnly) await this.begin(job);
		const results = (await Promise.all(this.results)).flat();
		return this.reported(results.sort((a, b) => Number(a.items[0]) - Number(b.items[0])));
	}

	private begin(job: Job): Promise<ItemResult[]> {
		for (const id of job.readsOnly ? [] : job.itemsById.keys()) this.changing.add(id);
		const results = this.perform(job);
		this.results.push(results);
		return results;
	}

	/** Does what earlier attempts of Retry On Fail have left. */
	private async perform(job: Job): Promise<ItemResult[]> {
		const { connection, delayOf, memory } = this.run;
		if (connection.signal.aborted) return [];
		const targets = [...job.itemsById];
		const known = targets.flatMap((target) => memory.resultsOf(...target) ?? []);
		const left = targets.filter((target) => memory.resultsOf(...target) === undefined);
		const [next] = left;
		if (next === undefined) return known;
		this.hasBegun = true;
		const delay = this.startedAt + delayOf(Number(next[1][0])) - systemClock.elapsed();
		if (delay > 0) await systemClock.sleep(delay, connection.signal);
		return [...known, ...(await this.attempt(job, left))];
	}

	private async attempt(job: Job, targets: readonly Target[]): Promise<ItemResult[]> {
		const { baseUrl, connection, memory } = this.run;
		const ids = targets.map(([id]) => id);
		const run = async () => await job.run(ids);
		// Two changes of one instance at a time would undo each other.
		const isAlone = !job.readsOnly && ids.length === 1;
		try {
			const running = isAlone ? withLock(`${baseUrl} ${ids[0]}`, connection.signal, run) : run();
			const outputsOf = await running;
			return targets.flatMap(([id, items]) => {
				const results = outputsOf(id).map((json) => ({ items, json }));
				// Changes of one instance keep their order: after one that Retry On Fail repeats, they are repeated, too.
				if (!job.readsOnly && !this.failedIds.has(id)) memory.noteDone(id, items, results);
				return results;
			});
		} catch (cause) {
			const error = asUserFacingError(cause);
			if (error.kind === 'stopped') return [];
			for (const id of ids) this.failedIds.add(id);
			memory.noteFailure(ids, error);
			return await this.failedJob(job, targets, error);
		}
	}

	/** Under Continue, halves what was rejected, until the instances that are meant stand alone. */
	private async failedJob(
		job: Job,
		targets: readonly Target[],
		error: UserFacingError,
	): Promise<ItemResult[]> {
		const { continues, memory } = this.run;
		const isOne = targets.length === 1;
		const isDivisible = !isOne && error.words !== undefined && DIVISIBLE.includes(error.kind);
		if (!continues) {
			const items = targets.flatMap(([, each]) => each);
			const advice = isDivisible ? `${error.advice} ${CONTINUE_TO_DIVIDE}` : error.advice;
			const id = isOne ? targets[0]?.[0] : undefined;
			const mayBeDone = targets.some(([each]) => memory.mayBeDone.has(each));
			return [this.failure(items, error.with({ advice, id, mayBeDone }))];
		}
		if (isDivisible && this.extraRequests >= 2) {
			this.extraRequests -= 2;
			const middle = Math.ceil(targets.length / 2);
			const results = await this.attempt(job, targets.slice(0, middle));
			return [...results, ...(await this.attempt(job, targets.slice(middle)))];
		}
		const told = isDivisible ? undecided(error) : error;
		return targets.map(([id, items]) =>
			this.failure(items, told.with({ id, mayBeDone: memory.mayBeDone.has(id) })),
		);
	}

	/** The first failure stops the run, unless it's a dry run, or the user chose to continue. */
	private failure(items: readonly number[], error: UserFacingError): ItemResult {
		const { connection, continues, isDryRun } = this.run;
		if (isDryRun) {
			const { id = null, message } = connection.shown(error);
			return { items, json: { id, ...this.operation.preview, message } };
		}
		if (!continues) connection.stop();
		return { items, error };
	}

	/** Where a run ended early, its first error, which says what was done if anything was sent. */
	private reported(results: ItemResult[]): ItemResult[] {
		const { connection, continues, memory } = this.run;
		const { done } = this.operation;
		if (done === undefined) return results;
		const ids = [...this.changing];
		const failure = results.find((result) => 'error' in result);
		if (continues || failure === undefined) {
			// n8n shows nothing of a run that was stopped from outside.
			const isStopped = connection.signal.aborted && ids.length > 0;
			if (isStopped)
				connection.log('warn', `The execution was stopped. ${memory.report(ids, done).words}`);
			return results;
		}
		const { items, error } = failure;
		if (!this.hasBegun && memory.isUntouched) {
			return [{ items, error: error.with({ advice: `${error.advice} Nothing was changed.` }) }];
		}
		if (ids.length < 2) return results;
		const { words, details } = memory.report(ids, done);
		return [{ items, error: error.with({ advice: `${error.advice} ${words}`, details }) }];
	}
}
