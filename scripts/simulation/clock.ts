import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';

/** No history takes so long. */
const LONGEST_MS = 24 * 3_600_000;

interface Sleeper {
	at: number;
	order: number;
	wake(): void;
}

/** Numbers from 0 to below 1, always the same for a seed. */
export function seededChance(seed: number): () => number {
	let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** A clock that jumps to the next moment at which somebody wakes, as soon as nobody does anything else. */
export class SimulatedClock implements Clock {
	private time = 0;

	private order = 0;

	/** A binary heap, the next one to wake first. */
	private readonly sleepers: Sleeper[] = [];

	readonly chance: () => number;

	constructor(seed: number) {
		this.chance = seededChance(seed);
	}

	now = (): number => this.time;

	elapsed = (): number => this.time;

	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const at = this.time + Math.max(0, milliseconds);
			const wake = () => {
				signal?.removeEventListener('abort', wake);
				resolve();
			};
			this.push({ at, order: ++this.order, wake });
			signal?.addEventListener('abort', wake);
		});
	}

	/** Lets time pass until the work is done. */
	async run(work: Promise<unknown>, longest = LONGEST_MS): Promise<void> {
		let isDone = false;
		void work.finally(() => (isDone = true));
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			const next = isDone ? undefined : this.pop();
			if (isDone) return await work.then(() => undefined);
			if (next === undefined || next.at > longest) return;
			this.time = next.at;
			next.wake();
		}
	}

	private isBefore(a: Sleeper | undefined, b: Sleeper | undefined): boolean {
		if (a === undefined || b === undefined) return a !== undefined;
		return a.at < b.at || (a.at === b.at && a.order < b.order);
	}

	private swap(a: number, b: number): void {
		const { sleepers: heap } = this;
		const [one, other] = [heap[a], heap[b]];
		if (one === undefined || other === undefined) return;
		[heap[a], heap[b]] = [other, one];
	}

	private push(sleeper: Sleeper): void {
		const { sleepers: heap } = this;
		let child = heap.push(sleeper) - 1;
		while (child > 0) {
			const parent = (child - 1) >> 1;
			if (!this.isBefore(heap[child], heap[parent])) return;
			this.swap(child, parent);
			child = parent;
		}
	}

	private pop(): Sleeper | undefined {
		const { sleepers: heap } = this;
		this.swap(0, heap.length - 1);
		const first = heap.pop();
		for (let parent = 0; ; ) {
			const [left, right] = [2 * parent + 1, 2 * parent + 2];
			const child = this.isBefore(heap[right], heap[left]) ? right : left;
			if (!this.isBefore(heap[child], heap[parent])) return first;
			this.swap(child, parent);
			parent = child;
		}
	}
}
