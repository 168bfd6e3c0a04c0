import type { FailedAttempt, Wait } from '../apiRequest';
import { systemClock } from '../clock';
import { backOff } from './backOff';
import type { Client, Task } from './client';
import { RateLimiter } from './rateLimiter';

/**
 * - `apartAfter`: a method that was held back so often in a row, while as many others got through, has a limiter of
 *   its own. By failures, the number is higher: an Update reads before each attempt to write, and the read may take
 *   what a limit leaves.
 * - `timesEach`: the wait doubles after so many. Some failures may have other reasons.
 */
const BY_THROTTLING = { apartAfter: 5, timesEach: 1 };
const BY_FAILURES = { apartAfter: 16, timesEach: 16 };

/**
 * The rate limit of a method: services limit reads and writes apart. Methods that were ever held back share a limiter,
 * until one needs its own. The others don't wait.
 */
export class MethodLimit {
	/** Whether a rate limit, or failures like one, ever held it back. */
	private isLimited = false;
	/** When the service says to retry, and in which response. */
	private retryAt = -Infinity;
	private failure?: FailedAttempt;
	/** How often in a row it was held back. */
	private consecutive = 0;
	/** How many requests the limiter had admitted when one of this method last got through. */
	private admittedBefore = 0;

	/** @param limiter at first, that of all methods */
	constructor(private limiter: RateLimiter) {}

	/** When another request may start. */
	freeAt(): number {
		return this.isLimited ? Math.max(this.limiter.freeAt(), this.retryAt) : -Infinity;
	}

	/** Whether it waits because none gets through. */
	isStalled(): boolean {
		return this.isLimited && this.limiter.openCount > 0;
	}

	/** Whether it does because the service is down. */
	isDown(): boolean {
		return this.isStalled() && this.limiter.failure?.retry !== 'throttled';
	}

	/** Why requests of a client wait: the service says so, or none has got through. */
	currentWait({ waitingSince }: Client, now: number): Wait {
		const stalledSince = Math.max(this.limiter.openedAt, waitingSince);
		const retryIn = Math.max(0, this.retryAt - now);
		const failure = retryIn > 0 ? this.failure : this.limiter.failure;
		const stalled = this.isStalled() ? now - stalledSince : 0;
		return { retryIn, stalled, failure: failure?.error };
	}

	/** What started before all had to wait says nothing new. */
	isStale(startedAt: number): boolean {
		return this.isLimited && startedAt <= this.limiter.openedAt;
	}

	onStart(now: number): void {
		if (this.isLimited) this.limiter.lastStartAt = now;
	}

	/** Any response, even a late one, shortens the interval. */
	onResponse(): void {
		this.limiter.speedUp();
	}

	/** A request got through the limiter, even if it failed by itself. */
	onAdmitted(): void {
		this.consecutive = 0;
		if (this.isLimited) this.limiter.close();
		this.admittedBefore = this.limiter.admittedCount;
	}

	/** From now on, it waits while the limiter is open, also for what other methods met. */
	limit(): void {
		this.isLimited = true;
	}

	/** Where requests are spaced, a failure by chance may mean that they are still too close. */
	onChanceFailure(failure: FailedAttempt): void {
		this.isLimited ||= this.limiter.interval > 0;
		this.limiter.slowDown(failure);
	}

	/**
	 * Holds back its requests, and those of other limited methods that share the limiter.
	 * @returns how often they were held back before since a request got through
	 */
	holdBack({ client, request }: Task, failure: FailedAttempt): number {
		const { maxWait } = request;
		const { retry, retryAfter } = failure;
		const { apartAfter, timesEach } = retry === 'throttled' ? BY_THROTTLING : BY_FAILURES;
		const now = systemClock.elapsed();
		// A wait that is too long for this request doesn't hold back other methods.
		const shortest = retryAfter > maxWait ? 0 : retryAfter;
		const longest = maxWait - this.currentWait(client, now).stalled;
		const wait = backOff(Math.floor(this.limiter.openCount / timesEach), shortest, longest);
		this.retryAt = now + retryAfter;
		this.failure = failure;
		const others = this.limiter.admittedCount - this.admittedBefore;
		if (Math.min(++this.consecutive, others) >= apartAfter) this.limiter = new RateLimiter();
		const { openCount } = this.limiter;
		this.limiter.open(now, wait, failure);
		return openCount;
	}
}
