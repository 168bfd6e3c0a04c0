import type { ApiMethod, ApiRequest, Attempts } from '../apiRequest';

/** A request, its attempts, and its longest wait for the service in milliseconds. */
export type ScheduledRequest = ApiRequest & { attempts: Attempts; maxWait: number };

/** A request over all its attempts. */
export interface Task {
	readonly client: Client;
	readonly request: ScheduledRequest;
	/** The lowest starts first; 0 if it is urgent. */
	order: number;
	/** When it last started, in milliseconds, and how many had started by then. */
	startedAt: number;
	startNumber: number;
}

/** A task in a queue, and what ends its wait. */
export interface Waiting {
	readonly task: Task;
	start(): void;
	refuse(reason: Error): void;
}

/** An execution, poll or list, with its queues. */
export class Client {
	readonly queues: Record<ApiMethod, Waiting[]> = { GET: [], PUT: [], POST: [] };
	/** When it had the first request of each method. */
	readonly firstAt: Partial<Record<ApiMethod, number>> = {};
	lastOrder = 0;

	/** @param requestsPerMinute a limit that the user knows; 0 for none */
	constructor(
		readonly requestsPerMinute: number,
		readonly signal: AbortSignal,
	) {}

	enqueue(waiting: Waiting): void {
		const { order, request } = waiting.task;
		const queue = this.queues[request.method];
		// What is new comes last. What returns to its place was first, so that it's near the front.
		const isLast = (queue.at(-1)?.task.order ?? 0) <= order;
		const place = isLast ? queue.length : queue.findIndex(({ task }) => task.order > order);
		queue.splice(place, 0, waiting);
	}

	/** The first of each queue. While a write waits, nothing new is read, so that what was read is fresh. */
	heads(): Waiting[] {
		const { GET, PUT, POST } = this.queues;
		const isHeld = PUT.length > 0 && !GET[0]?.task.request.isUrgent;
		return [...(isHeld ? [] : GET.slice(0, 1)), ...PUT.slice(0, 1), ...POST.slice(0, 1)];
	}
}
