import type { ApiMethod, ScheduledRequest } from '../apiRequest';
import { systemClock } from '../clock';

/** A request over all its attempts. Times are in milliseconds of the monotonic clock. */
export interface Task {
	readonly client: Client;
	readonly request: ScheduledRequest;
	/** Its place: the lowest starts first. An urgent task has 0, until it fails while all wait. */
	order: number;
	startedAt: number;
	/** What ends its wait in a queue. */
	resolve?(): void;
	reject?(reason: Error): void;
}

/** An execution, poll or list, with its queues. */
export class Client {
	readonly queues: Record<ApiMethod, Task[]> = { GET: [], PUT: [], POST: [] };
	/** When another client last joined, after this one did. */
	othersJoinedAt = -Infinity;
	shortestMaxWait = Infinity;
	private lastOrder = 0;

	/**
	 * @param requestsPerMinute a limit that the user knows; 0 for none
	 * @param waitingSince from when on its waits count: when it joined, or tried again after nobody had for Max Wait
	 */
	constructor(
		readonly requestsPerMinute: number,
		readonly signal: AbortSignal,
		public waitingSince: number,
	) {}

	/**
	 * A place behind its other requests, and not ahead of what has started.
	 * @param virtualTime the place that all clients have reached
	 */
	nextOrder(virtualTime: number): number {
		this.lastOrder = Math.max(this.lastOrder, virtualTime) + 1;
		return this.lastOrder;
	}

	enqueue(task: Task): void {
		const queue = this.queues[task.request.method];
		// What is new, or has failed, comes last. What was throttled returns to its place, near the front.
		const before = queue.findLastIndex(({ order }) => order <= task.order);
		queue.splice(before + 1, 0, task);
		this.shortestMaxWait = Math.min(this.shortestMaxWait, task.request.maxWait);
	}

	/**
	 * Puts a random request first, so that one that always fails doesn't block the others. Those behind it follow, so
	 * neighbors, which may fail for the same reason, stay neighbors.
	 * @param failedFirst whether those that have failed come first, or those that haven't
	 */
	rotate(method: ApiMethod, failedFirst: boolean): void {
		const queue = this.queues[method];
		const places = queue.map(({ order }) => order);
		const first = Math.floor(queue.length * systemClock.chance());
		const rotated = [...queue.slice(first), ...queue.slice(0, first)];
		const hasFailed = ({ request }: Task) => request.attempts.lastFailure !== undefined;
		const isFirst = (task: Task) => hasFailed(task) === failedFirst;
		rotated.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
		for (const [index, task] of rotated.entries()) task.order = Number(places[index]);
		this.queues[method] = rotated;
	}

	/** The first of each queue. */
	heads(): Task[] {
		const { GET, PUT, POST } = this.queues;
		// While a write waits, nothing new is read, so that what was read stays fresh. A read before a retry is urgent.
		const readsWait = PUT.length > 0 && !GET[0]?.request.isUrgent;
		return [readsWait ? undefined : GET[0], PUT[0], POST[0]].filter((task) => task !== undefined);
	}
}
