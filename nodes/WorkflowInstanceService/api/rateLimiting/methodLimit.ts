import type { UserFacingError } from '../../values/userFacingError';
import type { Wait } from '../requestErrors';
import { FAILURE_FACTOR, RateLimiter } from './rateLimiter';

/**
 * A method that was throttled so often in a row, while as many others got through, has a limiter of its own. With
 * 503s, the number is higher: an Update reads before each attempt to write, and the read may take what a limit leaves.
 */
const APART_AFTER = { throttled: 5, failed: 16 };

/** The rate limit of a method: services limit reads and writes apart. */
export class MethodLimit {
	/** Whether a rate limit, or failures like one, ever held it back. Until then, the method doesn't wait. */
	isLimited = false;
	/** When the service says to retry. */
	retryAt = -Infinity;
	/** Whether what held it back most recently was a failure, and no 429. */
	isByFailures = false;
	/** What held it back most recently. */
	failure?: UserFacingError;
	private consecutive = 0;
	/** How many had got through when one of this method last did. */
	private countAtLastSuccess = 0;

	/** @param limiter at first, that of all methods */
	constructor(public limiter: RateLimiter) {}

	/** When another request may start. */
	freeAt(): number {
		return this.isLimited ? Math.max(this.limiter.freeAt(), this.retryAt) : -Infinity;
	}

	/** Whether it waits because none got through. */
	isStalled(): boolean {
		return this.isLimited && this.limiter.openCount > 0;
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

	/** A request got through. */
	onAccepted(): void {
		this.consecutive = 0;
		if (this.isLimited) this.limiter.close();
		this.countAtLastSuccess = this.limiter.successCount;
	}

	/** Where requests are spaced, a failure may mean that they are still too close. */
	onChanceFailure(mayBeRateLimit: boolean): void {
		this.isLimited ||= this.limiter.interval > 0;
		if (this.isLimited && mayBeRateLimit) this.limiter.slowDown(FAILURE_FACTOR);
	}

	onHeldBack(retry: keyof typeof APART_AFTER): void {
		const others = this.limiter.successCount - this.countAtLastSuccess;
		this.consecutive++;
		const isApart = Math.min(this.consecutive, others) >= APART_AFTER[retry];
		if (isApart) this.limiter = new RateLimiter();
	}
}
