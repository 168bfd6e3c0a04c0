import type { FailedAttempt } from '../apiRequest';

/** While half-open: the time from one request that tries to the next. */
const PROBE_INTERVAL_MS = 1_000;
/** If fewer responses than this come between two rate limits, the interval starts at a second divided by them. */
const FEW_RESPONSES = 5;
/**
 * If the next rate limit comes only after this long, requests are spread, at first over a share of that time: all at
 * once, they would leave nothing for other n8n processes, which only try now and then.
 */
const SPREAD_AFTER_MS = 16_000;
const SPREAD_SHARE = 1 / 6;
const LONGEST_SPREAD_INTERVAL_MS = 1_000;
/** The factors by which a rate limit lengthens the interval, and by which each response shortens it. */
const BACKOFF_FACTOR = 1.25;
const RECOVERY_FACTOR = 0.98;
/** A service that throttles at any interval, such as every fifth request, must not lengthen it without end. */
const LONGEST_INTERVAL_MS = 16_000;
/** The factor by which a 503 lengthens it. Even if a third of all attempts fail by chance, it still becomes shorter. */
const FAILURE_FACTOR = 1.04;

/**
 * A circuit breaker with a minimum interval. While open, it lets no request start until a wait is over; while half-open,
 * one per second, to find out whether it gets through; while closed, it only keeps the interval.
 */
export class CircuitBreaker {
	/** How often it has opened since a request got through; 0 while closed. */
	openCount = 0;
	/** When it last opened while closed. */
	openedAt = -Infinity;
	/** What opened it most recently. */
	failure?: FailedAttempt;
	lastStartAt = -Infinity;
	/** How many requests of limited methods got through. */
	admittedCount = 0;
	private openUntil = -Infinity;
	/** From one start to the next (GCRA without bursts), in milliseconds. */
	interval = 0;
	/** Responses since it last opened while closed. */
	private responses = 0;

	/** When another request may start. */
	freeAt(): number {
		const shortest = this.openCount > 0 ? PROBE_INTERVAL_MS : 0;
		return Math.max(this.openUntil, this.lastStartAt + Math.max(this.interval, shortest));
	}

	/** Shortens the interval after a response. */
	speedUp(): void {
		this.responses++;
		this.interval = this.interval < 1 ? 0 : this.interval * RECOVERY_FACTOR;
	}

	/** Lengthens the interval, at least to `shortest`, after a failure that may mean that requests come too fast. */
	slowDown({ error, retry }: FailedAttempt, factor = FAILURE_FACTOR, shortest = 0): void {
		if (retry !== 'throttled' && error.httpCode !== '503') return;
		this.interval = Math.min(Math.max(this.interval * factor, shortest), LONGEST_INTERVAL_MS);
	}

	/** Opens until a wait, in milliseconds, is over. */
	open(now: number, wait: number, failure: FailedAttempt): void {
		if (this.openCount === 0) {
			this.slowDown(failure, BACKOFF_FACTOR, this.intervalAfter(now - this.openedAt));
			this.responses = 0;
			this.openedAt = now;
		}
		this.openCount++;
		this.failure = failure;
		this.openUntil = now + wait;
	}

	/** A request got through. */
	close(): void {
		this.openCount = 0;
		this.admittedCount++;
	}

	/** The shortest interval, by what got through since the previous rate limit. If there was none, `time` is Infinity. */
	private intervalAfter(time: number): number {
		if (this.responses === 0) return 0;
		const isLong = time >= SPREAD_AFTER_MS && time < Infinity;
		const spread = isLong ? (SPREAD_SHARE * time) / this.responses : 0;
		return this.responses < FEW_RESPONSES
			? Math.max(spread, 1_000 / this.responses)
			: Math.min(spread, LONGEST_SPREAD_INTERVAL_MS);
	}
}
