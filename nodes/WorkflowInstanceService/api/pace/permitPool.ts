import type { ApiRequest } from '../apiRequest';
import type { Clock } from '../clock';
import { backOff, FIRST_BACK_OFF_MS } from '../retryAfter';
import { RunStopped, type Wait, WaitTooLong, Withdrawn } from '../waits';
import { CircuitBreaker } from './circuitBreaker';
import { ConcurrencyLimit, MinuteLimit, RateLimiter } from './limits';
import type { PacedRequest, Run } from './request';

/** What takes longer takes no place in flight, in milliseconds. */
const HANGS_MS = 5_000;

/** By base URL and key: the pools of all runs, and of those that ended less than a minute ago. */
export const services = new Map<string, PermitPool>();

/** The pool for a base URL and key, which all runs of this process with the same two share. */
export function poolFor(baseUrl: string, apiKey: string, clock: Clock): PermitPool {
	const id = `${baseUrl} ${apiKey}`;
	const pool = services.get(id) ?? new PermitPool(clock);
	services.set(id, pool);
	return pool;
}

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	private readonly runs = new Set<Run>();
	/** What waits for a permit, in order. */
	private readonly queue: PacedRequest[] = [];
	/** The turn of what began last: a new run comes in there, however much others wait for (fair queuing). */
	private turn = 0;
	/** In the order in which they began. */
	private readonly inFlight = new Set<PacedRequest>();
	private concurrency = new ConcurrencyLimit();
	private rate = new RateLimiter();
	private breaker = new CircuitBreaker();
	private readonly minute = new MinuteLimit();
	private alarm = new AbortController();

	constructor(readonly clock: Clock) {}

	join(requestsPerMinute: number): Run {
		const run = { requestsPerMinute, closing: new AbortController(), lastTurn: 0 };
		this.runs.add(run);
		return run;
	}

	/** @param maxWait in milliseconds */
	request(run: Run, { isUrgent = false, onSend }: ApiRequest, maxWait: number): PacedRequest {
		const since = this.clock.elapsed();
		const turn = isUrgent ? 0 : this.nextTurnOf(run);
		return { run, maxWait, since, onSend, turn, begunAt: 0, notBefore: 0, hasFailed: false };
	}

	/** Waits until a request may be sent. Throws RunStopped, WaitTooLong or Withdrawn. */
	async acquire(request: PacedRequest): Promise<void> {
		const reason = this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		await new Promise<void>((grant, refuse) => {
			Object.assign(request, { grant, refuse });
			let place = this.queue.length;
			while (Number(this.queue[place - 1]?.turn) > request.turn) place--;
			this.queue.splice(place, 0, request);
			this.grantPermits();
		});
	}

	/** Gives a permit back, as soon as the caller has handled the response: it may stop the run first. */
	end(request: PacedRequest): void {
		this.inFlight.delete(request);
		void this.clock.sleep(0).then(() => this.grantPermits());
	}

	succeeded(request: PacedRequest): void {
		const now = this.clock.elapsed();
		this.concurrency.succeeded(now - request.begunAt);
		this.breaker.succeeded(request, now);
		this.rate.succeeded();
	}

	/** Nothing gets through at the moment: all wait, longer each time if the service doesn't say how long. */
	throttled(request: PacedRequest, asked: number, rejections = this.breaker.openings): void {
		const { breaker, clock } = this;
		const isFirst = breaker.openings === 0;
		const wait = backOff(rejections, asked, clock.chance());
		if (!breaker.open(request, clock.elapsed(), asked, wait)) return;
		if (isFirst) this.rate.throttled();
		// Whether anything gets through is for another one to find out next time.
		else request.turn = this.nextTurnOf(request.run);
		this.concurrency.decrease();
		this.refuseWaiting();
	}

	/** The service is unavailable, for one request or for all. Returns whether it is for all. */
	failed(request: PacedRequest, asked: number): boolean {
		const isDown = this.breaker.failedBy(request);
		request.hasFailed = true;
		request.turn = this.nextTurnOf(request.run);
		if (isDown) this.throttled(request, asked, 0);
		else this.breaker.passed(request, this.clock.elapsed());
		if (!isDown && this.breaker.isTransient) this.rate.decrease();
		return isDown;
	}

	/** Why a request waits, and for how long; for no time if it waits for others. */
	holdOf(request: PacedRequest): Wait {
		const now = this.clock.elapsed();
		const hold = this.breaker.holdOf(request, now);
		const wait = this.minute.freeAt(this.perMinute) - now;
		return wait > hold.wait ? { wait, reason: 'credential' } : hold;
	}

	/** Refuses what a run waits for, and all that it asks for from now on. */
	close(run: Run): void {
		run.closing.abort();
		this.refuseWaiting();
	}

	/** What was learned ends with the last run; what was sent counts for a minute. */
	async leave(run: Run): Promise<void> {
		this.close(run);
		this.runs.delete(run);
		this.grantPermits();
		if (this.runs.size > 0) return;
		this.concurrency = new ConcurrencyLimit();
		this.rate = new RateLimiter();
		this.breaker = new CircuitBreaker();
		const memory = () => this.minute.freeAt(1) - this.clock.elapsed();
		if (memory() > 0) await this.clock.sleep(memory());
		if (this.runs.size > 0 || memory() > 0) return;
		for (const [id, pool] of services) if (pool === this) services.delete(id);
	}

	/** The lowest limit that the users of its runs know. */
	private get perMinute(): number {
		const known = [...this.runs].map(({ requestsPerMinute }) => requestsPerMinute || Infinity);
		return Math.min(...known);
	}

	private nextTurnOf(run: Run): number {
		run.lastTurn = Math.max(run.lastTurn, this.turn) + 1;
		return run.lastTurn;
	}

	private grantPermits(): void {
		this.alarm.abort();
		for (;;) {
			const now = this.clock.elapsed();
			const next = this.queue.find(({ notBefore }) => notBefore <= now);
			if (next === undefined || this.freeAt > now) return this.wakeFor(next);
			this.begin(next, now);
		}
	}

	/** When another request may begin. */
	private get freeAt(): number {
		const { begunAt = -Infinity } = [...this.inFlight].at(-this.concurrency.current) ?? {};
		// While the breaker is half-open, one request a second finds out whether it gets through.
		const leastSpace = this.breaker.openings > 0 ? FIRST_BACK_OFF_MS : 0;
		const limits = [this.rate.freeAt(leastSpace), this.minute.freeAt(this.perMinute)];
		return Math.max(begunAt + HANGS_MS, this.breaker.openUntil, ...limits);
	}

	private wakeFor(next?: PacedRequest): void {
		if (this.queue.length === 0) return;
		const at = next ? this.freeAt : Math.min(...this.queue.map(({ notBefore }) => notBefore));
		const { signal } = (this.alarm = new AbortController());
		const wake = () => signal.aborted || this.grantPermits();
		void this.clock.sleep(Math.ceil(at - this.clock.elapsed()), signal).then(wake);
	}

	private begin(request: PacedRequest, now: number): void {
		this.queue.splice(this.queue.indexOf(request), 1);
		if (request.onSend?.() === false) return request.refuse?.(new Withdrawn());
		this.inFlight.add(request);
		if (this.perMinute < Infinity) this.minute.begin(now);
		this.rate.begin(now);
		request.begunAt = now;
		this.turn = Math.max(this.turn, request.turn);
		request.grant?.();
	}

	private refuseWaiting(): void {
		for (const request of this.queue.splice(0)) {
			const reason = this.reasonToRefuse(request);
			if (reason === undefined) this.queue.push(request);
			else request.refuse?.(reason);
		}
	}

	private reasonToRefuse(request: PacedRequest): Error | undefined {
		if (request.run.closing.signal.aborted) return new RunStopped();
		const hold = this.breaker.holdOf(request, this.clock.elapsed());
		return hold.wait > request.maxWait ? new WaitTooLong(hold) : undefined;
	}
}
