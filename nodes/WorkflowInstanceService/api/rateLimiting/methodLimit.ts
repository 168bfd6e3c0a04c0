import type { UserFacingError } from '../../values/userFacingError';
import { systemClock } from '../clock';
import type { FailedAttempt, Wait } from '../requestErrors';
import { backOff } from './backOff';
import { RateLimiter } from './rateLimiter';

/**
 * What holds a method back: by 429s, or because the service is down.
 * - `apartAfter`: after so many in a row, while as many others got through, it gets a limiter of its own. With
 *   failures, the number is higher: an Update reads before each attempt to write, and the read may take what a limit
 *   leaves.
 * - `timesEach`: the wait doubles after so many. Some failures may have other reasons.
 */
const HELD_BACK_BY = {
	throttling: { apartAfter: 5, timesEach: 1 },
	failures: { apartAfter: 16, timesEach: 16 },
};

/** Whether a service may have rejected a request because it was too close to others. */
const mayBeRateLimit = ({ error, retry }: FailedAttempt) =>
	retry === 'throttled' || error.httpCode === '503';

/** The rate limit of a method: services limit reads and writes apart. */
export class MethodLimit {
	/** Whether a rate limit, or failures like one, ever held it back. Until then, the method doesn't wait. */
	private isLimited = false;
	private heldBackBy: keyof typeof HELD_BACK_BY = 'throttling';
	/** When the service says to retry. */
	private retryAt = -Infinity;
	/** What held it back most recently. */
	private failure?: UserFacingError;
	/** How often in a row it was held back. */
	private consecutive = 0;
	/** How many requests had got through the limiter when one of this method last did. */
	private countAtLastSuccess = 0;

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
		return this.isStalled() && this.heldBackBy === 'failures';
	}

	/** Why requests wait: the service says so, or none has got through since then. */
	waitSince(time: number, now: number): Wait {
		const stalledSince = Math.max(this.limiter.openedAt, time);
		return {
			retryIn: Math.max(0, this.retryAt - now),
			stalled: this.isStalled() ? now - stalledSince : 0,
			failure: this.failure,
		};
	}

	/** What started before all had to wait says nothing new. */
	isStale(startedAt: number): boolean {
		return this.isLimited && startedAt <= this.limiter.openedAt;
	}

	onStart(now: number): void {
		if (this.isLimited) this.limiter.lastStartAt = now;
	}

	onResponse(): void {
		this.limiter.speedUp();
	}

	/** A request got through. */
	onAccepted(): void {
		this.consecutive = 0;
		if (this.isLimited) this.limiter.close();
		this.countAtLastSuccess = this.limiter.successCount;
	}

	/** Where requests are spaced, a failure may mean that they are still too close. */
	onChanceFailure(failure: FailedAttempt): void {
		this.isLimited ||= this.limiter.interval > 0;
		if (this.isLimited && mayBeRateLimit(failure)) this.limiter.slowDown();
	}

	/**
	 * Holds back its requests, and those of other limited methods that share the limiter.
	 * @param maxWait of the request that failed, which its client has sent
	 * @param waitingSince of its client
	 * @returns how often it was held back before since a request got through, or undefined if the failure is stale
	 */
	holdBack(
		failure: FailedAttempt,
		startedAt: number,
		maxWait: number,
		waitingSince: number,
	): number | undefined {
		this.isLimited = true;
		if (this.isStale(startedAt)) return undefined;
		const { error, retry, retryIn } = failure;
		const now = systemClock.elapsed();
		this.heldBackBy = retry === 'throttled' ? 'throttling' : 'failures';
		const { apartAfter, timesEach } = HELD_BACK_BY[this.heldBackBy];
		// A wait that is too long for this request doesn't hold back other methods.
		const shortest = retryIn > maxWait ? 0 : retryIn;
		const longest = maxWait - this.waitSince(waitingSince, now).stalled;
		const wait = backOff(Math.floor(this.limiter.openCount / timesEach), shortest, longest);
		this.retryAt = now + retryIn;
		this.failure = error;
		const others = this.limiter.successCount - this.countAtLastSuccess;
		if (Math.min(++this.consecutive, others) >= apartAfter) this.limiter = new RateLimiter();
		return this.limiter.open(now, wait, mayBeRateLimit(failure));
	}
}
