import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecutePaginationFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { NodeConnectionTypes, sleep } from 'n8n-workflow';

import { type Concealer, concealer } from '../service/secret';
import type { Trouble } from '../values/trouble';

/** Thrown in items that are not to be sent any more: another item of the run was stopped before. */
export class Halted extends Error {}

interface Plan {
	itemCount: number;
	/** Whether the user chose to continue when an item cannot be processed. */
	continues: boolean;
	/** Whether error items have an output of their own. */
	hasErrorOutput: boolean;
	/** Whether n8n's own Batching spreads the start of the items over time. */
	spread: boolean;
	signal: AbortSignal | undefined;
}

/** What came of one piece of merged work, and the indexes of the items that asked for it. */
export type Outcome = { items: number[] } & ({ json: IDataObject } | { trouble: Trouble });

const runs = new WeakMap<object, Run>();

/**
 * The run that other items of the same execute data have joined. An older agent calls a tool with
 * the agent's own execute data: then there is nothing to share, and its items are not ours.
 */
function isOwnRun(context: IExecutePaginationFunctions): boolean {
	return context.getExecuteData()?.node?.name === context.getNode().name;
}

/** The input items of the node. An agent's tool has one, on a connection of its own (ENGINE, 14). */
export function inputItems(context: IExecutePaginationFunctions): INodeExecutionData[] {
	const { main, ai_tool: tool } = isOwnRun(context) ? context.getExecuteData().data : {};
	const items = (main ?? tool)?.[0] ?? [context.getInputData(0, NodeConnectionTypes.AiTool)];
	// 'Execute Once' runs the node for the first item, but leaves the others among its data.
	return context.getNode().executeOnce ? items.slice(0, 1) : items;
}

function planOf(context: IExecutePaginationFunctions): Plan {
	const interval = context.getNodeParameter('requestOptions.batching.batch.batchInterval', 0);
	return {
		itemCount: inputItems(context).length,
		continues: context.continueOnFail(),
		hasErrorOutput: context.getNode().onError === 'continueErrorOutput',
		spread: Number(interval) > 0,
		signal: context.getExecutionCancelSignal(),
	};
}

/**
 * What the items of one run of the node share. n8n starts all items at once and lets none know of
 * the others (ENGINE, 1 and 2); here they find the bound on what is in flight, the stop after the
 * first item that cannot be processed, and the pause that the service asked for.
 */
export class Run {
	/** Ids that earlier tries of the same run have deleted: Retry On Fail must not send them again. */
	readonly deleted: Set<number>;

	/** What came of the work that is done once for all items. */
	outcomes?: Promise<Outcome[]>;

	/** Most items that talk to the service at the same time. */
	bound = 1;

	credentials?: Promise<ICredentialDataDecryptedObject>;

	private halted = false;

	private busy = 0;

	private readonly queue: Array<() => void> = [];

	private resumeAt = 0;

	private stalledSince: number | undefined;

	private secret = { key: '', concealer: concealer('') };

	private lastItem = 0;

	private readonly atLastItem: Array<() => void> = [];

	private readonly lastItemReached = new Promise<void>((resolve) => this.atLastItem.push(resolve));

	/** The `sleep` of older versions of n8n does not end when the execution is cancelled. */
	private readonly cancelled: Promise<void>;

	private constructor(
		private readonly plan: Plan,
		previous?: Run,
	) {
		this.deleted = previous?.deleted ?? new Set();
		this.cancelled = new Promise((resolve) => {
			plan.signal?.addEventListener('abort', () => resolve(), { once: true });
		});
	}

	/**
	 * The run that the item of `context` belongs to. All items of a run have the same execute data, and
	 * so have the tries of Retry On Fail (ENGINE, 5); items come in order, so an item that is not
	 * behind the last one begins a new try.
	 */
	static join(context: IExecutePaginationFunctions): Run {
		const item = context.getItemIndex();
		const shared = isOwnRun(context) ? context.getExecuteData() : {};
		const known = runs.get(shared);
		const run =
			known !== undefined && item > known.lastItem ? known : new Run(planOf(context), known);
		runs.set(shared, run);
		run.lastItem = item;
		if (item >= run.plan.itemCount - 1) for (const announce of run.atLastItem) announce();
		return run;
	}

	/**
	 * Waits until n8n has read the parameters of every item, so that an expression that cannot be
	 * evaluated, or a value that is refused, in any item stops the run before anything was sent. When
	 * n8n gives up on the run meanwhile, this never ends, and nothing is sent.
	 *
	 * Not waited for: items that the user lets fail one by one, or lets n8n start one by one.
	 */
	async beforeSending(): Promise<void> {
		if (this.plan.continues || this.plan.spread) return;
		await this.lastItemReached;
	}

	/**
	 * Waits until n8n listens to the item's outcome. A promise that is rejected earlier would end the
	 * whole n8n process.
	 */
	async beforeRejecting(): Promise<void> {
		await this.lastItemReached;
	}

	/** What hides the API key in what leaves the node, as soon as the credential was read. */
	get concealer(): Concealer {
		return this.secret.concealer;
	}

	/** Names the API key, which nothing that leaves the node may hold. */
	hide(apiKey: string): void {
		if (apiKey !== this.secret.key) this.secret = { key: apiKey, concealer: concealer(apiKey) };
	}

	/** Whether the user chose to continue when an item cannot be processed. */
	get continues(): boolean {
		return this.plan.continues;
	}

	/** Whether error items have an output of their own. */
	get hasErrorOutput(): boolean {
		return this.plan.hasErrorOutput;
	}

	/** Keeps back everything that has not been sent, unless the user chose to continue. */
	private halt(): void {
		if (!this.plan.continues) this.halted = true;
	}

	/** Reads and checks values at once; when that throws, no item of the run is sent any more. */
	check<T>(task: () => T): T {
		let passed = false;
		try {
			const result = task();
			passed = true;
			return result;
		} finally {
			if (!passed) this.halt();
		}
	}

	/** Runs a task as soon as fewer than the bound are running. */
	async inTurn<T>(task: () => Promise<T>): Promise<T> {
		if (this.busy < this.bound) this.busy++;
		else await new Promise<void>((resolve) => this.queue.push(resolve));
		let passed = false;
		try {
			const result = await task();
			passed = true;
			return result;
		} finally {
			// Before the turn is handed on, so that no other item starts meanwhile.
			if (!passed) this.halt();
			const next = this.queue.shift();
			if (next === undefined) this.busy--;
			else next();
		}
	}

	/** Holds back new requests of all items for a time, in milliseconds. */
	pause(milliseconds: number): void {
		this.stalledSince ??= Date.now();
		this.resumeAt = Math.max(this.resumeAt, Date.now() + milliseconds);
	}

	/** Takes note that the service answers, so that its next pauses are counted anew. */
	answered(): void {
		this.stalledSince = undefined;
	}

	/** How long the items have done nothing but wait for the service, in milliseconds. */
	get stalled(): number {
		return this.stalledSince === undefined ? 0 : Date.now() - this.stalledSince;
	}

	/**
	 * Waits out a pause.
	 *
	 * @throws Halted when the run was stopped meanwhile
	 */
	async clearance(): Promise<void> {
		this.assertGoing();
		for (let wait = this.resumeAt - Date.now(); wait > 0; wait = this.resumeAt - Date.now()) {
			await Promise.race([sleep(wait, this.plan.signal).catch(() => undefined), this.cancelled]);
			this.assertGoing();
		}
	}

	/** @throws Halted when the run was stopped or the execution cancelled */
	assertGoing(): void {
		if (this.halted || this.plan.signal?.aborted) throw new Halted();
	}
}
