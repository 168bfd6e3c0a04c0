import type { UserFacingError } from '../../values/userFacingError';
import { type ApiMethod, METHODS } from '../apiRequest';
import type { Clock } from '../clock';
import type { Retry } from '../failureMessages';
import type { ServiceResponse } from '../response';
import { stoppedError, type Wait, waitError, whyWait, Withdrawn } from '../waits';
import { Client, type ScheduledRequest, type Task, type Waiting } from './client';
import { MinuteLimit } from './limits';
import { ServiceLimits } from './serviceLimits';

const MAX_RETRIES_OF_LOST = 1;
/** So many requests are refused at a stretch, so that n8n stays responsive. */
const REFUSED_AT_ONCE = 100;

/** Why an attempt has no 2xx response, and how to retry it. */
type Failed = { error: UserFacingError; retry?: Retry };
/** What came of an attempt. */
export type Outcome = { response: ServiceResponse } | Failed;

/** By base URL and key: what is in use, or was less than a minute ago. */
export const schedulers = new Map<string, Scheduler>();

/** The scheduler for a base URL and key, which all clients in this process with the same two share. */
export function schedulerFor(baseUrl: string, apiKey: string, clock: Clock): Scheduler {
	const id = `${baseUrl} ${apiKey}`;
	const last = schedulers.get(id);
	if (last?.isInUse) return last;
	// What was learned ends with the last client, but not what counts toward the limit per minute.
	const scheduler = new Scheduler(clock, last?.minute);
	schedulers.set(id, scheduler);
	return scheduler;
}

/** Decides when the requests of its clients are sent, and sent again (docs/dev/architecture.md). */
export class Scheduler {
	private readonly clients = new Set<Client>();
	/** In the order in which they started. */
	private readonly inFlight = new Set<Task>();
	private readonly limits: ServiceLimits;
	/** The order of what started last: a new client comes in there, however much others wait for (fair queuing). */
	private order = 0;
	private timer = new AbortController();

	constructor(
		readonly clock: Clock,
		readonly minute = new MinuteLimit(),
	) {
		this.limits = new ServiceLimits(clock, (client) => this.nextOrder(client));
	}

	get isInUse(): boolean {
		return this.clients.size > 0;
	}

	/** Lets a client take part until a signal is aborted. */
	join(requestsPerMinute: number, signal: AbortSignal): Client {
		const client = new Client(requestsPerMinute, signal);
		this.clients.add(client);
		signal.addEventListener('abort', () => void this.leave(client));
		return client;
	}

	/** Sends a request until it succeeds or is given up. Throws UserFacingError or Withdrawn. */
	async schedule(
		client: Client,
		request: ScheduledRequest,
		send: () => Promise<Outcome>,
	): Promise<ServiceResponse> {
		const order = request.isUrgent ? 0 : this.nextOrder(client);
		const task = { client, request, order, startedAt: 0, startNumber: 0 };
		for (;;) {
			await this.untilStarted(task);
			const outcome = await send().finally(() => this.release(task));
			if ('response' in outcome) {
				this.limits.onResponse(task);
				return outcome.response;
			}
			request.attempts.lastFailure = outcome.error;
			const delay = this.onFailure(task, outcome);
			if (delay === undefined) throw outcome.error;
			await this.clock.sleep(delay, client.signal);
		}
	}

	/** Returns how long to wait before a retry, or undefined for none. */
	private onFailure(task: Task, { error, retry }: Failed): number | undefined {
		const { limits } = this;
		if (retry === 'lost') {
			return task.request.attempts.lost++ < MAX_RETRIES_OF_LOST ? limits.backOff(0, 0) : undefined;
		}
		if (retry === 'throttled' || retry === 'failed') {
			const handle = retry === 'throttled' ? 'onThrottled' : 'onUnavailable';
			const delay = limits[handle](task, error.pause);
			void this.refuseWaiting();
			return delay;
		}
		if (error.httpCode !== undefined) limits.onResponse(task);
		return undefined;
	}

	private async leave(client: Client): Promise<void> {
		void this.refuseWaiting();
		this.clients.delete(client);
		this.dispatch();
		const memory = () => (this.isInUse ? 0 : this.minute.freeAt(1) - this.clock.elapsed());
		if (memory() > 0) await this.clock.sleep(memory());
		if (this.isInUse) return;
		for (const [id, scheduler] of schedulers) if (scheduler === this) schedulers.delete(id);
	}

	private nextOrder(client: Client): number {
		client.lastOrder = Math.max(client.lastOrder, this.order) + 1;
		return client.lastOrder;
	}

	/** As soon as the caller has handled the response, others may start: it may stop the client first. */
	private release(task: Task): void {
		this.inFlight.delete(task);
		void this.clock.sleep(0).then(() => this.dispatch());
	}

	private async untilStarted(task: Task): Promise<void> {
		const { client, request } = task;
		client.firstAt[request.method] ??= this.clock.elapsed();
		const wait = this.waitOf(client, request.method);
		if (isOver(wait, task)) throw refusal(wait, task);
		await new Promise<void>((start, refuse) => {
			client.enqueue({ task, start, refuse });
			this.dispatch();
		});
	}

	/** Starts what may start, and comes back when more may. */
	private dispatch(): void {
		this.timer.abort();
		for (let next = this.next(); next !== undefined; next = this.next()) {
			const wait = Math.ceil(next.at - this.clock.elapsed());
			if (wait > 0) return this.dispatchAfter(wait);
			this.start(next.head);
		}
	}

	private dispatchAfter(wait: number): void {
		if (wait === Infinity) return;
		const { signal } = (this.timer = new AbortController());
		void this.clock.sleep(wait, signal).then(() => signal.aborted || this.dispatch());
	}

	/** What starts next, and when: of what may start now, that with the lowest order. */
	private next(): { head: Waiting; at: number } | undefined {
		const now = this.clock.elapsed();
		const slotFreeAt = this.limits.slotFreeAt([...this.inFlight].map((task) => task.startedAt));
		const freeAt = Math.max(now, slotFreeAt, this.minute.freeAt(this.perMinute()));
		const heads = [...this.clients].flatMap((client) => client.heads());
		const all = heads.map((head) => {
			const { order, request } = head.task;
			return { head, order, at: Math.max(freeAt, this.limits.freeAt(request.method)) };
		});
		return all.sort((a, b) => (a.at === b.at ? a.order - b.order : a.at - b.at))[0];
	}

	private start({ task, start, refuse }: Waiting): void {
		const { client, order, request } = task;
		client.queues[request.method].shift();
		if (request.isStale?.()) return refuse(new Withdrawn());
		if (this.perMinute() < Infinity) this.minute.onStart(this.clock.elapsed());
		this.limits.onStart(task);
		this.inFlight.add(task);
		this.order = Math.max(this.order, order);
		request.onSend?.();
		start();
	}

	/** The lowest limit that the users of its clients know. */
	private perMinute(): number {
		return Math.min(...[...this.clients].map((client) => client.requestsPerMinute || Infinity));
	}

	private waitOf(client: Client, method: ApiMethod): Wait {
		const wait = this.limits.waitOf(client, method);
		const untilFree = this.minute.freeAt(this.perMinute()) - this.clock.elapsed();
		const isLimit = client.signal.aborted && untilFree > wait.wait;
		return isLimit ? { wait: untilFree, reason: 'credential' } : wait;
	}

	/** Refuses what may wait no longer, a few at a time. */
	private async refuseWaiting(): Promise<void> {
		const refusals: Array<() => void> = [];
		for (const client of this.clients) {
			for (const method of METHODS) {
				const wait = this.waitOf(client, method);
				const why = whyWait(wait);
				const queue = client.queues[method];
				client.queues[method] = queue.filter(({ task }) => !isOver(wait, task));
				for (const { task, refuse } of queue) {
					if (isOver(wait, task)) refusals.push(() => refuse(refusal(wait, task, why)));
				}
			}
		}
		for (const [index, refuse] of refusals.entries()) {
			if (index % REFUSED_AT_ONCE === REFUSED_AT_ONCE - 1) await this.clock.sleep(0);
			refuse();
		}
	}
}

function isOver({ wait }: Wait, { client, request }: Task): boolean {
	return client.signal.aborted || wait > request.maxWait;
}

function refusal(wait: Wait, { client, request }: Task, why = whyWait(wait)): UserFacingError {
	return client.signal.aborted ? stoppedError(wait, request, why) : waitError(wait, request, why);
}
