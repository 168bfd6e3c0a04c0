/** How many requests may be in flight at first, and at most. */
const FIRST_LIMIT = 10;
const HIGHEST_LIMIT = 100;
/** A window of responses that takes so much longer than the fastest one stops the growth. */
const SLOWER_BY_RATIO = 2;
const SLOWER_BY_MS = 25;
/** If fewer get through between two rate limits, requests are spaced, at first so many a second. */
const BURST = 5;
/** By how much a rate limit raises the space between requests, and each answer lowers it. */
const RISE = 1.25;
const FALL = 0.98;
const LONGEST_SPACE_MS = 16_000;
/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;

/** How many requests may be in flight: slow start, then additive increase, multiplicative decrease (AIMD). */
export class ConcurrencyLimit {
	current = FIRST_LIMIT;
	/** Whether it doubles, until the service throttles or becomes slower. */
	private isSlowStart = true;
	/** Of the current window, and the lowest median of one, in milliseconds. */
	private latencies: number[] = [];
	private fastest = Infinity;

	answered(latency: number): void {
		this.latencies.push(latency);
		if (this.latencies.length < Math.max(this.current, FIRST_LIMIT)) return;
		const sorted = this.latencies.sort((a, b) => a - b);
		const median = Number(sorted[sorted.length >> 1]);
		this.latencies = [];
		this.fastest = Math.min(this.fastest, median);
		const isSlower = median > this.fastest * SLOWER_BY_RATIO + SLOWER_BY_MS;
		this.isSlowStart &&= !isSlower;
		const growth = this.isSlowStart ? this.current : 1;
		if (!isSlower) this.current = Math.min(this.current + growth, HIGHEST_LIMIT);
	}

	decrease(): void {
		this.current = Math.max(1, this.current >> 1);
		this.isSlowStart = false;
		this.latencies = [];
	}
}

/** Spaces requests (GCRA without bursts) if the service lets only few through at a time. */
export class RateLimiter {
	/** From one request to the next, in milliseconds; 0 if no limit needs it. */
	space = 0;
	/** Since the last rate limit. */
	private answers = 0;

	answered(): void {
		this.answers++;
		this.space *= FALL;
	}

	slowDown(): void {
		const isFew = this.answers > 0 && this.answers < BURST;
		const least = isFew ? 1_000 / this.answers : 0;
		this.space = Math.min(Math.max(this.space * RISE, least), LONGEST_SPACE_MS);
		this.answers = 0;
	}
}

/** Keeps all runs and polls within the requests per minute that users entered (sliding window log). */
export class MinuteLimit {
	private begun: number[] = [];

	/** When another request may begin. */
	freeAt(perMinute: number): number {
		return (this.begun.at(-perMinute) ?? -Infinity) + MINUTE_MS;
	}

	begin(now: number): void {
		this.begun = [...this.begun.filter((at) => at > now - MINUTE_MS), now];
	}
}
