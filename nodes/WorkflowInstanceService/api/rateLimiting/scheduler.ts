import { UserFacingError } from '../../values/userFacingError';
import type { ApiMethod, AttemptOutcome, ScheduledRequest, Wait } from '../apiRequest';
import { METHODS, Withdrawn } from '../apiRequest';
import { NOT_NEEDED, systemClock } from '../clock';
import { stoppedError, waitError, whyWait } from '../requestErrors';
import type { ServiceResponse } from '../response';
import { Client, type Task } from './client';
import { MinuteLimit } from './minuteLimit';
import { RetryPolicy } from './retryPolicy';

/** No more requests than this are refused at a stretch, so that n8n stays responsive. */
const REFUSED_AT_ONCE = 100;

/** By base URL and key: those in use, and those whose requests still count toward a limit per minute. */
export const schedulers = new Map<string, Scheduler>();

/** The scheduler for a base URL and key, which all clients in this process with the same two share. */
export function schedulerFor(baseUrl: string, apiKey: string): Scheduler {
	const id = `${baseUrl} ${apiKey}`;
	const scheduler = schedulers.get(id) ?? new Scheduler();
	schedulers.set(id, scheduler);
	return scheduler;
}

/** Decides when the requests of its clients are sent, and when they are retried (docs/dev/architecture.md). */
export class Scheduler {
	private readonly clients = new Set<Client>();
	/** In the order in which they started. */
	private readonly inFlight = new Set<Task>();
	private readonly minute = new MinuteLimit();
	private policy = new RetryPolicy();
	/** The place that all clients have reached (start-time fair queuing). */
	private virtualTime = 0;
	private timerAbort = new AbortController();

	/** Adds a client that stays until its signal is aborted. The signal must not be aborted yet. */
	join(requestsPerMinute: number, signal: AbortSignal): Client {
		const now = systemClock.elapsed();
		const client = new Client(requestsPerMinute, signal, now);
		for (const other of this.clients) other.othersJoinedAt = now;
		this.clients.add(client);
		signal.addEventListener('abort', () => void this.leave(client));
		return client;
	}

	/** Sends a request until it succeeds or is given up. Throws UserFacingError or Withdrawn. */
	async schedule(
		client: Client,
		request: ScheduledRequest,
		attempt: (request: ScheduledRequest) => Promise<AttemptOutcome>,
	): Promise<ServiceResponse> {
		const order = request.isUrgent ? 0 : client.nextOrder(this.virtualTime);
		const task: Task = { client, request, order, startedAt: 0 };
		for (;;) {
			await this.untilStarted(task);
			const outcome = await attempt(request).finally(() => this.release(task));
			if ('response' in outcome) {
				this.policy.onSuccess(task);
				return outcome.response;
			}
			const next = this.policy.onFailure(task, outcome);
			if (this.policy.methods[request.method].isStalled()) void this.refuseWaiting(this.clients);
			if (next instanceof UserFacingError) throw next;
			if (next.goesLast) task.order = client.nextOrder(this.virtualTime);
			await systemClock.sleep(next.delay, client.signal);
		}
	}

	/** Others start only after the caller has handled the response, because it may stop the client. */
	private release(task: Task): void {
		this.inFlight.delete(task);
		void systemClock.sleep(0).then(() => this.dispatch());
	}

	private async untilStarted(task: Task): Promise<void> {
		const { client, request } = task;
		const wait = this.waitOf(client, request.method);
		if (client.signal.aborted) throw refusal(wait, task);
		if (exceedsMaxWait(wait, request.maxWait)) {
			const now = systemClock.elapsed();
			const idleTime = now - this.policy.methods[request.method].freeAt();
			if (idleTime <= 0) throw refusal(wait, task);
			// Nobody has tried for longer than Max Wait, so its time starts now.
			if (idleTime > request.maxWait) client.waitingSince = now;
		}
		await new Promise<void>((resolve, reject) => {
			client.enqueue(Object.assign(task, { resolve, reject }));
			if (client.heads().includes(task)) this.dispatch();
		});
	}

	/** Starts what may start now, and runs again when more may. */
	private dispatch(): void {
		this.timerAbort.abort(NOT_NEEDED);
		for (let next = this.next(); next !== undefined; next = this.next()) {
			const wait = Math.ceil(next.at - systemClock.elapsed());
			if (wait > 0) {
				const { signal } = (this.timerAbort = new AbortController());
				void systemClock.sleep(wait, signal).then(() => {
					if (!signal.aborted) this.dispatch();
				});
				return;
			}
			this.start(next.task);
		}
	}

	/** The task that starts next, and when. Of those that may start now, it's the one with the lowest order. */
	private next(): { task: Task; at: number } | undefined {
		const startTimes = [...this.inFlight].map(({ startedAt }) => startedAt);
		const { concurrency, methods } = this.policy;
		// All that may start now count as equally early.
		const slotAt = Math.max(systemClock.elapsed(), concurrency.freeAt(startTimes));
		// None starts until one in flight ends. In older versions of n8n, an endless timer would stay.
		if (slotAt === Infinity) return undefined;
		const perMinute = this.perMinute();
		const timed = [...this.clients].flatMap((client) => {
			const clientAt = Math.max(slotAt, this.minute.freeAt(perMinute, client.othersJoinedAt));
			const atFor = ({ request }: Task) => Math.max(clientAt, methods[request.method].freeAt());
			return client.heads().map((task) => ({ task, at: atFor(task) }));
		});
		// While the service seems down, tasks that have failed alone come last. Within a queue, `rotate` decides.
		const isLast = ({ request }: Task) =>
			Number(request.attempts.failuresAlone > 0 && methods[request.method].isDown());
		return timed.sort(
			(a, b) => a.at - b.at || isLast(a.task) - isLast(b.task) || a.task.order - b.task.order,
		)[0];
	}

	private start(task: Task): void {
		const { client, request } = task;
		client.queues[request.method].shift();
		if (request.isWithdrawn?.()) return task.reject?.(new Withdrawn());
		task.startedAt = systemClock.elapsed();
		// Not past what this client still has queued: a client that joins now must not come after all of that.
		const waiting = METHODS.flatMap((method) => client.queues[method][0]?.order ?? []);
		this.virtualTime = Math.max(this.virtualTime, Math.min(task.order, ...waiting));
		if (this.perMinute() < Infinity) this.minute.onStart(task.startedAt);
		this.policy.methods[request.method].onStart(task.startedAt);
		this.inFlight.add(task);
		request.onSend?.();
		task.resolve?.();
	}

	/** The lowest limit that users have entered for its clients. */
	private perMinute(): number {
		return Math.min(...[...this.clients].map((client) => client.requestsPerMinute || Infinity));
	}

	private waitOf(client: Client, method: ApiMethod): Wait {
		const now = systemClock.elapsed();
		const untilMinuteLimit = this.minute.freeAt(this.perMinute(), client.othersJoinedAt) - now;
		return { ...this.policy.methods[method].currentWait(client, now), untilMinuteLimit };
	}

	/** Refuses what may wait no longer, a few at a time. Until a try of its method fails, one in flight may still succeed. */
	private async refuseWaiting(clients: Iterable<Client>): Promise<void> {
		const refusals = [...clients].flatMap((client) =>
			METHODS.flatMap((method) => {
				const wait = this.waitOf(client, method);
				const isOver = (maxWait: number) => client.signal.aborted || exceedsMaxWait(wait, maxWait);
				// Usually, none is refused, so thousands aren't searched after each failure.
				if (!isOver(client.shortestMaxWait)) return [];
				const why = whyWait(wait);
				const queue = client.queues[method];
				client.queues[method] = queue.filter(({ request }) => !isOver(request.maxWait));
				const refused = queue.filter(({ request }) => isOver(request.maxWait));
				return refused.map((task) => () => task.reject?.(refusal(wait, task, why)));
			}),
		);
		for (const [index, refuse] of refusals.entries()) {
			if (index > 0 && index % REFUSED_AT_ONCE === 0) await systemClock.sleep(0);
			refuse();
		}
	}

	/** What was learned is forgotten with the last client, and what counts toward a limit per minute, a minute later. */
	private async leave(client: Client): Promise<void> {
		// Empties the queues while the client is still one of the clients, then refuses a few at a time.
		void this.refuseWaiting([client]);
		this.clients.delete(client);
		this.dispatch();
		if (this.clients.size > 0) return;
		this.policy = new RetryPolicy();
		const expiresAt = this.minute.lastExpiresAt();
		const remaining = Math.ceil(expiresAt - systemClock.elapsed());
		if (remaining > 0) await systemClock.sleep(remaining);
		// Clients that have come since then delete it when they leave.
		if (this.clients.size > 0 || this.minute.lastExpiresAt() !== expiresAt) return;
		for (const [id, scheduler] of schedulers) if (scheduler === this) schedulers.delete(id);
	}
}

function exceedsMaxWait({ retryIn, stalled }: Wait, maxWait: number): boolean {
	return retryIn + stalled > maxWait;
}

function refusal(wait: Wait, { client, request }: Task, why = whyWait(wait)): UserFacingError {
	return client.signal.aborted ? stoppedError(request, wait, why) : waitError(wait, request, why);
}
