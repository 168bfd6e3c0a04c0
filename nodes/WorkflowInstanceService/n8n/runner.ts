import type { IDataObject } from 'n8n-workflow';

import type { Service } from '../api/apiClient';
import { withLock } from '../api/keyedLock';
import { RunStopped } from '../api/waits';
import { UserFacingError } from '../values/userFacingError';
import type { createConnection } from './connection';
import { asUserFacingError, settle } from './errorText';
import { forEachYielding } from './eventLoop';
import type { Result } from './outputItems';
import type { Parameters } from './parameters';
import type { RunMemory } from './runMemory';

export interface InputItem {
	readonly index: number;
	readonly parameters: Parameters;
}

/** One execution of the node. */
export interface NodeRun {
	readonly items: readonly InputItem[];
	/** Of the first item, where one value applies to the whole run. */
	readonly parameters: Parameters;
	readonly connection: ReturnType<typeof createConnection>;
	readonly memory: RunMemory;
	/** The base URL of the credential. */
	readonly baseUrl: string;
	/** Whether the user chose to continue when an item can't be processed. */
	readonly continues: boolean;
	/** Whether an AI agent uses the node as a tool. */
	readonly isTool: boolean;
	/** The service, for requests that wait no longer than 'Max Wait' says. */
	serviceFor(parameters: Parameters): Service;
	/** Waits until it is an item's time by n8n's own Batching. */
	waitForBatch(item: number): Promise<void>;
	/** Shows a hint beside the output, where n8n can. */
	hint(message: string): void;
}

/** The `json` of an output item, and the instance of the job that it is about: by default the first. */
export interface Output {
	json: IDataObject;
	id?: number;
}

/** Work on one instance, or on several in one request. */
export interface Job {
	/** The instances, each with the indexes of the input items that name it. */
	readonly itemsById: ReadonlyMap<number, readonly number[]>;
	/** Whether it changes nothing: then it need not wait until all items have been checked. */
	readonly readsOnly: boolean;
	/** Does it for some of its instances, and returns zero or more outputs for each. */
	run(ids: readonly number[]): Promise<Output[]>;
}

/** What an operation does in one run. */
export interface Operation {
	/** What is said of instances that it has changed, e.g. `Updated`; absent where it only reads. */
	readonly done?: string;
	/** Reads and checks the parameters of one item, of which nothing has been sent yet. */
	prepare(item: InputItem): Job[];
	/** The jobs for all items together. Those that change something are done one after another. */
	prepareAll?(): Promise<Job[]>;
}

/** Rejections of several instances after which those that are not meant could still be processed. */
const DIVISIBLE = ['absent', 'conflict', 'forbidden', 'rejected'];
const MAX_EXTRA_REQUESTS = 200;
const UNTOUCHED = 'Nothing was changed.';
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
	private readonly results: Array<Promise<Result[]>> = [];
	/** The instances that jobs change. */
	private readonly changing = new Set<number>();
	private readonly failedIds = new Set<number>();
	private extraRequests = MAX_EXTRA_REQUESTS;
	private hasBegun = false;
	private hasFailed = false;

	constructor(
		private readonly operation: Operation,
		private readonly run: NodeRun,
	) {}

	async runAll(): Promise<Result[]> {
		const { operation, run } = this;
		const { signal } = run.connection;
		const ready: Job[] = [];
		await forEachYielding(run.items, (item) => {
			if (signal.aborted) return;
			try {
				for (const job of operation.prepare(item)) {
					if (run.continues || job.readsOnly) void this.begin(job);
					else ready.push(job);
				}
			} catch (cause) {
				const failure = this.failed([item.index], asUserFacingError(cause));
				this.results.push(Promise.resolve([failure]));
			}
		});
		for (const job of ready) void this.begin(job);
		const together = signal.aborted ? [] : await operation.prepareAll?.();
		for (const job of together ?? []) {
			const done = this.begin(job);
			if (!job.readsOnly) await done;
		}
		const results = (await Promise.all(this.results)).flat();
		return this.reported(results.sort((a, b) => Number(a.items[0]) - Number(b.items[0])));
	}

	private begin(job: Job): Promise<Result[]> {
		for (const id of job.readsOnly ? [] : job.itemsById.keys()) this.changing.add(id);
		const results = this.perform(job);
		this.results.push(results);
		return results;
	}

	/** Does what earlier attempts of Retry On Fail have left. */
	private async perform(job: Job): Promise<Result[]> {
		const { connection, memory, waitForBatch } = this.run;
		if (connection.signal.aborted) return [];
		const left: Target[] = [];
		const known: Result[] = [];
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

	private async attempt(job: Job, targets: readonly Target[]): Promise<Result[]> {
		const { memory } = this.run;
		const ids = targets.map(([id]) => id);
		const outcome = await settle(this.send(job, ids));
		if (outcome instanceof Error) {
			for (const id of ids) this.failedIds.add(id);
			memory.noteFailure(ids, outcome);
			return outcome instanceof RunStopped ? [] : await this.rejected(job, targets, outcome);
		}
		const byId = new Map(
			targets.map(([id, items]) => {
				const results: Result[] = [];
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
	private async rejected(
		job: Job,
		targets: readonly Target[],
		error: UserFacingError,
	): Promise<Result[]> {
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
	private failed(items: readonly number[], error: UserFacingError): Result {
		this.hasFailed = true;
		if (!this.run.continues) this.run.connection.stop();
		return { items, error };
	}

	/** Says what a run that ended early has done, as far as it has sent anything. */
	private reported(results: Result[]): Result[] {
		const { connection, continues, memory } = this.run;
		const { changing: ids } = this;
		const { done = '' } = this.operation;
		const { words, details } = memory.report([...ids], done);
		if (connection.signal.aborted && !this.hasFailed) {
			if (ids.size > 0) connection.log('warn', `The execution was stopped. ${words}`);
			throw new RunStopped();
		}
		const isUntouched = !this.hasBegun && memory.isUntouched;
		if (continues || done === '' || (ids.size < 2 && !isUntouched)) return results;
		return results.map((result) => {
			if (!('error' in result)) return result;
			const { error } = result;
			if (isUntouched)
				return { ...result, error: error.with({ advice: `${error.advice} ${UNTOUCHED}` }) };
			return { ...result, error: error.with({ advice: `${error.advice} ${words}`, details }) };
		});
	}
}

/**
 * Does the jobs of an operation, and returns the results in the order of the items. Without Continue, the
 * first error stops what has not been sent.
 *
 * @throws RunStopped when the run was stopped from outside
 */
export async function runJobs(operation: Operation, run: NodeRun): Promise<Result[]> {
	return await new JobRunner(operation, run).runAll();
}
