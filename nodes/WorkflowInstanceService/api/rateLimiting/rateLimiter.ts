import type { FailedAttempt } from '../requestErrors';

/** While none gets through: from one request that tries to the next. */
const PROBE_INTERVAL_MS = 1_000;
/** If fewer, but some, get through between two rate limits, requests are spaced, at first so many a second. */
const BURST_SIZE = 5;
/**
 * If it takes so long until the next rate limit, all are spread, at first over a share of that time: in one go, they
 * would leave nothing to other n8n processes, which only try now and then.
 */
const SPREAD_MS = 16_000;
const SPREAD_SHARE = 1 / 6;
/** By how much a rate limit raises the interval, and each response lowers it. */
const BACKOFF_FACTOR = 1.25;
const RECOVERY_FACTOR = 0.98;
/** What is rejected however long the interval is, such as every fifth request, must not raise it without end. */
const LONGEST_INTERVAL_MS = 16_000;
/** By how much a 503 raises it: where a third of all fail by chance, it still falls. */
const FAILURE_FACTOR = 1.04;

/** Whether a service may have rejected a request because it was too close to others. */
const mayBeRateLimit = ({ error, retry }: FailedAttempt) =>
	retry === 'throttled' || error.httpCode === '503';

/**
 * Holds back requests while the service lets none through, and spaces them if it lets only few through.
 * As a circuit breaker, it's open for a time, then half-open: single requests find out whether they get through.
 */
export class RateLimiter {
	/** How often it has opened since a request got through (0: closed), and when it last opened for the first time. */
	openCount = 0;
	openedAt = -Infinity;
	/** What opened it most recently. */
	failure?: FailedAttempt;
	lastStartAt = -Infinity;
	/** How many requests of limited methods got through. */
	successCount = 0;
	openUntil = -Infinity;
	/** From one start to the next (GCRA without bursts), in milliseconds. */
	interval = 0;
	/** Responses since the last rate limit. */
	private responses = 0;

	/** When another request may start. */
	freeAt(): number {
		const shortest = this.openCount > 0 ? PROBE_INTERVAL_MS : 0;
		return Math.max(this.openUntil, this.lastStartAt + Math.max(this.interval, shortest));
	}

	/** Shortens the interval by a response. */
	speedUp(): void {
		this.responses++;
		this.interval = this.interval < 1 ? 0 : this.interval * RECOVERY_FACTOR;
	}

	/** Lengthens it by a failure, which may mean that requests are still too close. */
	slowDown(failure: FailedAttempt): void {
		if (mayBeRateLimit(failure)) this.lengthen(FAILURE_FACTOR);
	}

	/**
	 * Lets none start until a wait, in milliseconds, is over.
	 * @returns how often it had opened since a request got through
	 */
	open(now: number, wait: number, failure: FailedAttempt): number {
		const countBefore = this.openCount++;
		if (countBefore === 0) {
			const shortest = this.shortestInterval(now - this.openedAt);
			if (mayBeRateLimit(failure)) this.lengthen(BACKOFF_FACTOR, shortest);
			this.responses = 0;
			this.openedAt = now;
		}
		this.failure = failure;
		this.openUntil = now + wait;
		return countBefore;
	}

	/** A request got through. */
	close(): void {
		this.openCount = 0;
		this.successCount++;
	}

	/** @param time since the previous rate limit; Infinity if there was none */
	private shortestInterval(time: number): number {
		if (this.responses === 0) return 0;
		const isLong = time >= SPREAD_MS && time < Infinity;
		const spread = isLong ? (SPREAD_SHARE * time) / this.responses : 0;
		return this.responses < BURST_SIZE
			? Math.max(spread, 1_000 / this.responses)
			: Math.min(spread, PROBE_INTERVAL_MS);
	}

	private lengthen(factor: number, shortest = 0): void {
		this.interval = Math.min(Math.max(this.interval * factor, shortest), LONGEST_INTERVAL_MS);
	}
}
