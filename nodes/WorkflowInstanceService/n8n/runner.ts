import { withLock } from '../api/keyedLock';
import { RunStopped } from '../api/waits';
import { UserFacingError } from '../values/userFacingError';
import { asUserFacingError, settle } from './errorText';
import { forEachYielding } from './eventLoop';
import type { Job, NodeOperation, NodeRun, Operation, Output } from './operation';
import type { Failure, ItemResult } from './outputItems';

/** Rejections of several instances after which those that are not meant could still be processed. */
const DIVISIBLE = ['absent', 'conflict', 'forbidden', 'rejected'];
const MAX_EXTRA_REQUESTS = 200;
const NOTHING_DONE = { words: 'Nothing was changed.', details: undefined };
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
class JobRunner {
	private readonly results: Array<Promise<ItemResult[]>> = [];
	/** The instances that jobs change. */
	private readonly changing = new Set<number>();
	private readonly failedIds = new Set<number>();
	private extraRequests = MAX_EXTRA_REQUESTS;
	private hasBegun = false;
	private hasFailed = false;

	constructor(
		private readonly run: NodeRun,
		private readonly done: string,
	) {}

	async runAll(operation: Operation): Promise<ItemResult[]> {
		const { signal } = this.run.connection;
		for (const job of await this.prepareItems(operation)) void this.begin(job);
		const together = signal.aborted ? [] : await operation.prepareAll?.();
		for (const job of together ?? []) {
			const done = this.begin(job);
			if (!job.readsOnly) await done;
		}
		const results = (await Promise.all(this.results)).flat();
		if (signal.aborted && !this.hasFailed) throw this.stopped();
		return this.reported(results.sort((a, b) => Number(a.items[0]) - Number(b.items[0])));
	}

	/** Returns the jobs that have to wait until all items have been checked. The others begin at once. */
	private async prepareItems(operation: Operation): Promise<Job[]> {
		const { connection, continues, items } = this.run;
		const ready: Job[] = [];
		await forEachYielding(items, (item) => {
			if (connection.signal.aborted) return;
			try {
				for (const job of operation.prepare(item)) {
					if (continues || job.readsOnly) void this.begin(job);
					else ready.push(job);
				}
			} catch (cause) {
				const failure = this.failed([item.index], asUserFacingError(cause));
				this.results.push(Promise.resolve([failure]));
			}
		});
		return ready;
	}

	private begin(job: Job): Promise<ItemResult[]> {
		for (const id of job.readsOnly ? [] : job.itemsById.keys()) this.changing.add(id);
		const results = this.perform(job);
		this.results.push(results);
		return results;
	}

	/** Does what earlier attempts of Retry On Fail have left. */
	private async perform(job: Job): Promise<ItemResult[]> {
		const { connection, memory, waitForBatch } = this.run;
		if (connection.signal.aborted) return [];
		const left: Target[] = [];
		const known: ItemResult[] = [];
		for (const [id, items] of job.itemsById) {
			const results = memory.resultsOf(id, Number(items[0]));
			if (results === undefined) left.push([id, items]);
			else known.push(...results);
		}
		const [next] = left;
		if (next === undefined) return known;
		this.hasBegun = true;
		await waitForBatch(Number(next[1][0]));
		return [...known, ...(await this.attempt(job, left))];
	}

	private async attempt(job: Job, targets: readonly Target[]): Promise<ItemResult[]> {
		const { memory } = this.run;
		const ids = targets.map(([id]) => id);
		const outcome = await settle(this.send(job, ids));
		if (outcome instanceof Error) {
			for (const id of ids) this.failedIds.add(id);
			memory.noteFailure(ids, outcome);
			return outcome instanceof RunStopped ? [] : await this.failedJob(job, targets, outcome);
		}
		const byId = new Map(
			targets.map(([id, items]) => {
				const results: ItemResult[] = [];
				return [id, { items, results }];
			}),
		);
		for (const { id = Number(ids[0]), json } of outcome) {
			const target = byId.get(id);
			target?.results.push({ items: target.items, json });
		}
		for (const [id, { items, results }] of job.readsOnly ? [] : byId) {
			// Changes of one instance keep their order: after one that Retry On Fail repeats, they are repeated, too.
			if (!this.failedIds.has(id)) memory.noteDone(id, Number(items[0]), results);
		}
		return [...byId.values()].flatMap(({ results }) => results);
	}

	/** Two changes of one instance at a time would undo each other. */
	private async send({ readsOnly, run: work }: Job, ids: readonly number[]): Promise<Output[]> {
		if (readsOnly || ids.length > 1) return await work(ids);
		const { baseUrl, connection } = this.run;
		const key = `${baseUrl} ${ids[0]}`;
		return await withLock(key, connection.signal, async () => await work(ids));
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
			return [this.failed(items, error.with({ advice, id, mayBeDone }))];
		}
		if (isDivisible && this.extraRequests >= 2) {
			this.extraRequests -= 2;
			const middle = Math.ceil(targets.length / 2);
			const results = await this.attempt(job, targets.slice(0, middle));
			return [...results, ...(await this.attempt(job, targets.slice(middle)))];
		}
		const told = isDivisible ? undecided(error) : error;
		return targets.map(([id, items]) =>
			this.failed(items, told.with({ id, mayBeDone: memory.mayBeDone.has(id) })),
		);
	}

	/** The first failure stops the run, unless the user chose to continue. */
	private failed(items: readonly number[], error: UserFacingError): Failure {
		this.hasFailed = true;
		if (!this.run.continues) this.run.connection.stop();
		return { items, error };
	}

	/** Where a run ended early, its first error, which says what was done if anything was sent. */
	private reported(results: ItemResult[]): ItemResult[] {
		const { continues, memory } = this.run;
		const failure = results.find((result) => 'error' in result);
		if (continues || failure === undefined || this.done === '') return results;
		const isUntouched = !this.hasBegun && memory.isUntouched;
		const ids = [...this.changing];
		if (ids.length < 2 && !isUntouched) return results;
		const { items, error } = failure;
		const { words, details } = isUntouched ? NOTHING_DONE : memory.report(ids, this.done);
		return [{ items, error: error.with({ advice: `${error.advice} ${words}`, details }) }];
	}

	/** n8n shows nothing of a run that was stopped from outside. */
	private stopped(): RunStopped {
		const { connection, memory } = this.run;
		const { words } = memory.report([...this.changing], this.done);
		if (words !== '') connection.log('warn', `The execution was stopped. ${words}`);
		return new RunStopped();
	}
}

/**
 * Does the jobs of an operation, and returns the results in the order of the items. Without Continue, the
 * first error stops what has not been sent.
 *
 * @throws RunStopped when the run was stopped from outside
 */
export async function runJobs(
	{ begin, done = '' }: NodeOperation,
	run: NodeRun,
): Promise<ItemResult[]> {
	return await new JobRunner(run, done).runAll(begin(run));
}
