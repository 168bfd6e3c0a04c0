import type { ApiRequest } from '../apiRequest';
import type { Clock } from '../clock';
import { backOff } from '../retryAfter';
import { RunStopped, type Wait, WaitTooLong, Withdrawn } from '../waits';
import { CircuitBreaker } from './circuitBreaker';
import { ConcurrencyLimit, MinuteLimit, RateLimiter } from './limits';
import type { PacedRequest, Run } from './request';

/** What takes longer takes no place in flight, in milliseconds. */
const HANGS_MS = 5_000;
/** While the breaker is half-open, from one request that finds out whether it gets through to the next. */
const PROBE_SPACE_MS = 1_000;

/** A request in the queue, and what ends its wait. */
type Waiting = { request: PacedRequest; grant(): void; refuse(reason: Error): void };

/** By base URL and key: the pools of all runs, and of those that ended less than a minute ago. */
export const pools = new Map<string, PermitPool>();

/** The pool for a base URL and key, which all runs of this process with the same two share. */
export function poolFor(baseUrl: string, apiKey: string, clock: Clock): PermitPool {
	const id = `${baseUrl} ${apiKey}`;
	const pool = pools.get(id) ?? new PermitPool(clock);
	pools.set(id, pool);
	return pool;
}

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	private readonly runs = new Set<Run>();
	/** What waits for a permit, in order. */
	private readonly queue: Waiting[] = [];
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
	request(run: Run, { isUrgent = false, beforeSend }: ApiRequest, maxWait: number): PacedRequest {
		const since = this.clock.elapsed();
		const turn = isUrgent ? 0 : this.nextTurnOf(run);
		return { run, maxWait, since, beforeSend, turn, begunAt: 0, notBefore: 0, hasFailed: false };
	}

	/** Waits until a request may be sent. Throws RunStopped, WaitTooLong or Withdrawn. */
	async acquire(request: PacedRequest): Promise<void> {
		const reason = this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		await new Promise<void>((grant, refuse) => {
			const place = this.queue.findLastIndex(({ request: { turn } }) => turn <= request.turn) + 1;
			this.queue.splice(place, 0, { request, grant, refuse });
			this.grantPermits();
		});
	}

	/** Gives a permit back, as soon as the caller has handled the response: it may stop the run first. */
	end(request: PacedRequest): void {
		this.inFlight.delete(request);
		void this.clock.sleep(0).then(() => this.grantPermits());
	}

	/** The service did what a request asks for, or says why it does not. */
	answered(request: PacedRequest): void {
		const now = this.clock.elapsed();
		this.concurrency.answered(now - request.begunAt);
		this.breaker.answered(request, now);
		this.rate.answered();
	}

	/** The rate limit of the key: all wait, longer each time if the service doesn't say how long. */
	throttled(request: PacedRequest, asked: number): void {
		this.open(request, asked, this.breaker.openings);
	}

	/** The service is unavailable, for one request or for all. Returns whether it is for all. */
	failed(request: PacedRequest, asked: number): boolean {
		const isDown = this.breaker.failedBy(request);
		request.hasFailed = true;
		request.turn = this.nextTurnOf(request.run);
		if (isDown) this.open(request, asked, 0);
		else this.breaker.passed(request, this.clock.elapsed());
		if (!isDown && this.breaker.isTransient) this.rate.slowDown();
		return isDown;
	}

	/** Why a request waits, and for how long; for no time if it waits for others. */
	whyWaiting(request: PacedRequest): Wait {
		const now = this.clock.elapsed();
		const ofService = this.breaker.waitOf(request, now);
		const wait = this.minute.freeAt(this.perMinute) - now;
		return wait > ofService.wait ? { wait, reason: 'credential' } : ofService;
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
		for (const [id, pool] of pools) if (pool === this) pools.delete(id);
	}

	/** The lowest limit that the users of its runs know. */
	private get perMinute(): number {
		const known = [...this.runs].map(({ requestsPerMinute }) => requestsPerMinute || Infinity);
		return Math.min(...known);
	}

	/** Nothing gets through at the moment: all wait, longer after more rejections in a row. */
	private open(request: PacedRequest, asked: number, rejections: number): void {
		const { breaker, clock } = this;
		const isFirst = breaker.openings === 0;
		const wait = backOff(rejections, asked, clock.chance());
		if (!breaker.open(request, clock.elapsed(), asked, wait)) return;
		if (isFirst) {
			this.rate.throttled();
			this.concurrency.decrease();
		}
		// Whether anything gets through is for another one to find out next time.
		else request.turn = this.nextTurnOf(request.run);
		this.refuseWaiting();
	}

	private nextTurnOf(run: Run): number {
		run.lastTurn = Math.max(run.lastTurn, this.turn) + 1;
		return run.lastTurn;
	}

	private grantPermits(): void {
		this.alarm.abort();
		for (;;) {
			const now = this.clock.elapsed();
			const next = this.queue.find(({ request }) => request.notBefore <= now);
			if (next === undefined || this.freeAt > now) return this.wakeFor(next);
			this.begin(next, now);
		}
	}

	/** When another request may begin. */
	private get freeAt(): number {
		const { begunAt = -Infinity } = [...this.inFlight].at(-this.concurrency.current) ?? {};
		const leastSpace = this.breaker.openings > 0 ? PROBE_SPACE_MS : 0;
		const limits = [this.rate.freeAt(leastSpace), this.minute.freeAt(this.perMinute)];
		return Math.max(begunAt + HANGS_MS, this.breaker.openUntil, ...limits);
	}

	private wakeFor(next?: Waiting): void {
		if (this.queue.length === 0) return;
		const soonest = (at: number, { request }: Waiting) => Math.min(at, request.notBefore);
		const at = next ? this.freeAt : this.queue.reduce(soonest, Infinity);
		const { signal } = (this.alarm = new AbortController());
		const wake = () => signal.aborted || this.grantPermits();
		void this.clock.sleep(Math.ceil(at - this.clock.elapsed()), signal).then(wake);
	}

	private begin(waiting: Waiting, now: number): void {
		const { request, grant, refuse } = waiting;
		this.queue.splice(this.queue.indexOf(waiting), 1);
		if (request.beforeSend?.() === false) return refuse(new Withdrawn());
		this.inFlight.add(request);
		if (this.perMinute < Infinity) this.minute.begin(now);
		this.rate.begin(now);
		request.begunAt = now;
		this.turn = Math.max(this.turn, request.turn);
		grant();
	}

	private refuseWaiting(): void {
		for (const waiting of this.queue.splice(0)) {
			const reason = this.reasonToRefuse(waiting.request);
			if (reason === undefined) this.queue.push(waiting);
			else waiting.refuse(reason);
		}
	}

	private reasonToRefuse(request: PacedRequest): Error | undefined {
		if (request.run.closing.signal.aborted) return new RunStopped();
		const wait = this.breaker.waitOf(request, this.clock.elapsed());
		return wait.wait > request.maxWait ? new WaitTooLong(wait) : undefined;
	}
}
