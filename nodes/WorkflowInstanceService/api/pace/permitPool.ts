import type { ApiRequest } from '../apiRequest';
import type { Clock } from '../clock';
import { RunStopped, type Wait, WaitTooLong, Withdrawn } from '../waits';
import { CircuitBreaker } from './circuitBreaker';
import { ConcurrencyLimit, MinuteLimit, RateLimiter } from './limits';
import { isBefore, type PacedRequest, type Run } from './request';

/** What takes longer takes no place in flight, in milliseconds. */
const HANGS_MS = 5_000;
/** How often a request that fails is retried. */
const MAX_RETRIES = 5;
/** The first and the longest back-off, in milliseconds, and how much longer it is by chance. */
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 16_000;
const JITTER = 0.1;

/** By base URL and key: the pools of all runs, and of those that ended less than a minute ago. */
export const services = new Map<string, PermitPool>();

/** The pool for a base URL and key, which all runs of this process with the same two share. */
export function poolFor(baseUrl: string, apiKey: string, clock: Clock): PermitPool {
	const id = `${baseUrl} ${apiKey}`;
	const pool = services.get(id) ?? new PermitPool(clock, () => services.delete(id));
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

	/** @param onEnd called when its last run has left, and no minute has to remember what it sent */
	constructor(
		readonly clock: Clock,
		private readonly onEnd: () => unknown = () => undefined,
	) {}

	join(requestsPerMinute: number): Run {
		const run = { requestsPerMinute, closing: new AbortController(), lastTurn: 0 };
		this.runs.add(run);
		return run;
	}

	/** @param maxWait in milliseconds */
	request(run: Run, { isUrgent = false, onSend }: ApiRequest, maxWait: number): PacedRequest {
		const since = this.clock.elapsed();
		const never = { begunAt: 0, notBefore: 0, hasFailed: false, failures: 0 };
		return { run, maxWait, since, onSend, isUrgent, turn: this.nextTurnOf(run), ...never };
	}

	/** Waits until a request may be sent. Throws RunStopped, WaitTooLong or Withdrawn. */
	async acquire(request: PacedRequest): Promise<void> {
		await new Promise<void>((grant, refuse) => {
			Object.assign(request, { grant, refuse });
			const after = this.queue.findIndex((other) => isBefore(request, other));
			this.queue.splice(after < 0 ? this.queue.length : after, 0, request);
			this.refuse([request]);
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

	/** The key is rate-limited: all wait, longer each time if the service doesn't say how long. */
	throttled(request: PacedRequest, asked: number): void {
		this.open(request, asked, this.backOff(this.breaker.openings, asked));
	}

	/** The service is unavailable, for one request or for all. Returns whether it may be sent again. */
	failed(request: PacedRequest, asked: number): boolean {
		const isTooLong = asked > request.maxWait;
		const isDown = this.breaker.failedBy(request);
		Object.assign(request, {
			hasFailed: true,
			isUrgent: false,
			turn: this.nextTurnOf(request.run),
		});
		if (isDown) {
			const longest = isTooLong ? 0 : asked;
			this.open(request, longest, this.backOff(0, longest));
			return !isTooLong;
		}
		const now = this.clock.elapsed();
		this.breaker.passed(request, now);
		if (this.breaker.isTransient) this.rate.decrease();
		request.notBefore = now + this.backOff(request.failures, asked);
		return request.failures++ < MAX_RETRIES && !isTooLong;
	}

	/** Why a request waits, and for how long; for no time if it waits for others. */
	holdOf(request: PacedRequest): Wait {
		const now = this.clock.elapsed();
		const hold = this.breaker.holdOf(request, now);
		const wait = this.minute.waitAt(now, this.perMinute);
		return wait > hold.wait ? { wait, reason: 'credential' } : hold;
	}

	/** Refuses what a run waits for, and all that it asks for from now on. */
	close(run: Run): void {
		run.closing.abort();
		this.refuse(this.queue);
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
		const memory = () => this.minute.waitAt(this.clock.elapsed(), 1);
		if (memory() > 0) await this.clock.sleep(memory());
		if (this.runs.size === 0 && memory() <= 0) this.onEnd();
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

	/** How long to wait after so many rejections in a row, in milliseconds. */
	private backOff(rejections: number, asked: number): number {
		const own = Math.min(FIRST_BACK_OFF_MS * 2 ** rejections, LONGEST_BACK_OFF_MS);
		return Math.max(asked, own) * (1 + JITTER * this.clock.chance());
	}

	private open(request: PacedRequest, asked: number, wait: number): void {
		const isFirst = this.breaker.openings === 0;
		if (!this.breaker.open(request, this.clock.elapsed(), asked, wait)) return;
		if (isFirst) this.rate.throttled();
		this.concurrency.decrease();
		this.refuse(this.queue);
	}

	private grantPermits(): void {
		this.alarm.abort();
		for (;;) {
			const now = this.clock.elapsed();
			const next = this.queue.find(({ notBefore }) => notBefore <= now);
			const backOffs = next ? [] : this.queue.map(({ notBefore }) => notBefore - now);
			const wait = next ? this.waitAt(now) : Math.min(...backOffs);
			if (next === undefined || wait > 0) return this.wakeAfter(wait);
			this.begin(next, now);
		}
	}

	/** How long until another request may begin, in milliseconds; 0 or less when it may now. */
	private waitAt(now: number): number {
		const { begunAt = -Infinity } = [...this.inFlight].at(-this.concurrency.current) ?? {};
		// While the breaker is half-open, one request a second finds out whether it gets through.
		const leastSpace = this.breaker.openings > 0 ? FIRST_BACK_OFF_MS : 0;
		return Math.max(
			begunAt + HANGS_MS - now,
			this.breaker.waitAt(now),
			this.rate.waitAt(now, leastSpace),
			this.minute.waitAt(now, this.perMinute),
		);
	}

	private wakeAfter(wait: number): void {
		if (wait === Infinity) return;
		const { signal } = (this.alarm = new AbortController());
		const wake = () => signal.aborted || this.grantPermits();
		void this.clock.sleep(Math.ceil(wait), signal).then(wake);
	}

	private begin(request: PacedRequest, now: number): void {
		this.remove(request);
		if (request.onSend?.() === false) return request.refuse?.(new Withdrawn());
		this.inFlight.add(request);
		if (this.perMinute < Infinity) this.minute.begin(now);
		this.rate.begin(now);
		request.begunAt = now;
		if (!request.isUrgent) this.turn = request.turn;
		request.grant?.();
	}

	private remove(request: PacedRequest): void {
		this.queue.splice(this.queue.indexOf(request), 1);
	}

	/** Refuses what was stopped, and what waits for too long. */
	private refuse(requests: PacedRequest[]): void {
		for (const request of [...requests]) {
			const isStopped = request.run.closing.signal.aborted;
			const hold = this.breaker.holdOf(request, this.clock.elapsed());
			if (!isStopped && hold.wait <= request.maxWait) continue;
			this.remove(request);
			request.refuse?.(isStopped ? new RunStopped() : new WaitTooLong(hold));
		}
	}
}
