/** How many requests may be in flight at first, and at most. */
export const FIRST_LIMIT = 10;
export const HIGHEST_LIMIT = 100;
/** Responses that take this much longer than usual, in milliseconds and as a ratio, stop the growth. */
const SLOWER_BY_MS = 25;
const SLOWER_BY_RATIO = 1.5;
/** How much a new window changes what is usual; little, so that growth can't make itself usual. */
const WEIGHT_OF_WINDOW = 0.05;
/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;

/** @param values one at least */
function median(values: number[]): number {
	return Number(values.sort((a, b) => a - b)[values.length >> 1]);
}

/**
 * How many requests may be in flight: additive increase, multiplicative decrease (AIMD). It doubles
 * after each window of responses until the first rate limit, or until responses become slower.
 */
export class ConcurrencyLimit {
	current = FIRST_LIMIT;
	private isDoubling = true;
	/** How long responses usually take, and those of the current window took, in milliseconds. */
	private usualLatency = 0;
	private latencies: number[] = [];

	/** Takes note of a response that is not a rejection. The latency is in milliseconds. */
	passed(latency: number): void {
		this.latencies.push(latency);
		if (this.latencies.length < this.current) return;
		const latest = median(this.latencies);
		const usual = this.usualLatency || latest;
		this.usualLatency = usual + (latest - usual) * WEIGHT_OF_WINDOW;
		this.latencies = [];
		if (latest > usual * SLOWER_BY_RATIO + SLOWER_BY_MS) {
			this.isDoubling = false;
			return;
		}
		const next = this.isDoubling ? this.current * 2 : this.current + 1;
		this.current = Math.min(HIGHEST_LIMIT, next);
	}

	decrease(): void {
		this.current = Math.max(1, Math.floor(this.current / 2));
		this.isDoubling = false;
		this.latencies = [];
	}
}

/** Keeps all runs and polls within the requests per minute that users entered. */
export class MinuteLimit {
	private begun: number[] = [];
	/** Whether requests wait for the minute; then they are spread, so that a poll finds a place as well. */
	private isSpread = false;

	/** How long until so many requests may begin, in milliseconds; 0 or less when they may now. */
	waitAt(now: number, count: number, perMinute: number): number {
		const free = (limit: number, time: number) =>
			(this.begun.at(count - 1 - limit) ?? -Infinity) + time - now;
		const wait = free(perMinute, MINUTE_MS);
		if (wait > 0) this.isSpread = true;
		const half = Math.max(count, Math.ceil(perMinute / 2));
		return this.isSpread ? Math.max(wait, free(half, MINUTE_MS / 2)) : wait;
	}

	noteBegin(now: number, count: number, perMinute: number): void {
		this.begun = this.begun.filter((at) => at > now - MINUTE_MS);
		if (this.begun.length === 0) this.isSpread = false;
		if (perMinute < Infinity) this.begun.push(...Array<number>(count).fill(now));
	}

	/** Takes note that the second of two requests that were granted together begins only now. */
	noteSecond(grantedAt: number, now: number, perMinute: number): void {
		if (perMinute === Infinity) return;
		const index = this.begun.indexOf(grantedAt);
		this.begun = [...this.begun.filter((_, place) => place !== index), now];
	}

	/** How long what it knows still matters, in milliseconds. */
	memoryAt(now: number): number {
		return Math.max(0, (this.begun.at(-1) ?? -Infinity) + MINUTE_MS - now);
	}
}
