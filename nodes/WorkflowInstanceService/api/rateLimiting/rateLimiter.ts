/** While the circuit breaker is half-open: from one request that tries to the next. */
export const PROBE_INTERVAL_MS = 1_000;
/** If fewer get through between two rate limits, requests are spaced, at first so many a second. */
const BURST_SIZE = 5;
/** By how much a rate limit raises the interval, and each response lowers it. */
const BACKOFF_FACTOR = 1.25;
const RECOVERY_FACTOR = 0.98;
const LONGEST_INTERVAL_MS = 16_000;
/** A method that was throttled so often in a row, while others got through, has a limit of its own. */
const APART_AFTER = 5;

/**
 * Holds back requests while the service lets none through, and spaces them if it lets only few through.
 * As a circuit breaker, it's open for a time, then half-open: single requests find out whether they get through.
 */
export class RateLimiter {
	/** How often it has opened since a request got through: it's closed if 0. */
	openCount = 0;
	lastSuccessAt = -Infinity;
	/** Responses since the last rate limit. */
	responses = 0;
	private openUntil = -Infinity;
	/** How many requests had started when it last opened. */
	private startCount = 0;
	private lastStartAt = -Infinity;
	/** From one start to the next (GCRA without bursts), in milliseconds. */
	private interval = 0;

	/** When another request may start. */
	freeAt(): number {
		const shortest = this.openCount > 0 ? PROBE_INTERVAL_MS : 0;
		return Math.max(this.openUntil, this.lastStartAt + Math.max(this.interval, shortest));
	}

	/** What started before it last opened says nothing new. */
	isStale(startNumber: number): boolean {
		return startNumber <= this.startCount;
	}

	onStart(now: number): void {
		this.lastStartAt = now;
	}

	onResponse(): void {
		this.responses++;
		this.interval *= RECOVERY_FACTOR;
	}

	close(now: number): void {
		this.openCount = 0;
		this.lastSuccessAt = now;
	}

	open(now: number, wait: number, startCount: number): void {
		if (this.openCount === 0) {
			const isFew = this.responses > 0 && this.responses < BURST_SIZE;
			const shortest = isFew ? 1_000 / this.responses : 0;
			const interval = Math.max(this.interval * BACKOFF_FACTOR, shortest);
			this.interval = Math.min(interval, LONGEST_INTERVAL_MS);
			this.responses = 0;
		}
		this.openCount++;
		this.openUntil = now + wait;
		this.startCount = startCount;
	}
}

/** What is known of the rate limit of a method: services limit reads and writes apart. */
export class MethodLimit {
	/** When the service says to retry. */
	retryAt = -Infinity;
	/** When one was throttled first, and how often, since one last got through. */
	stalledSince = Infinity;
	private throttledCount = 0;
	/** Whether one was ever throttled: until then, the method doesn't wait. */
	private isThrottled = false;

	/** @param limiter that of all methods */
	constructor(public limiter: RateLimiter) {}

	freeAt(): number {
		return this.isThrottled ? Math.max(this.limiter.freeAt(), this.retryAt) : -Infinity;
	}

	onStart(now: number): void {
		if (this.isThrottled) this.limiter.onStart(now);
	}

	onResponse(): void {
		if (this.isThrottled || this.limiter.lastSuccessAt === -Infinity) this.limiter.onResponse();
	}

	onSuccess(now: number): void {
		this.stalledSince = Infinity;
		this.throttledCount = 0;
		if (this.isThrottled) this.limiter.close(now);
	}

	onThrottled(now: number, retryAfter: number, isStale: boolean): void {
		this.isThrottled = true;
		this.retryAt = now + retryAfter;
		this.stalledSince = Math.min(this.stalledSince, now);
		if (isStale) return;
		const isApart = ++this.throttledCount >= APART_AFTER;
		if (isApart && this.limiter.lastSuccessAt > this.stalledSince) this.limiter = new RateLimiter();
	}
}
