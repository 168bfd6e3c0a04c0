import type { ApiMethod } from '../apiRequest';

const FIRST_LIMIT = 10;
const HIGHEST_LIMIT = 100;
const DECREASE_FACTOR = 0.5;
/** A window is slower if its median exceeds the lowest one by this factor, and by this time on top. */
const SLOWER_RATIO = 2;
const SLOWER_MS = 25;
const SHRINK_FACTOR = 0.9;
/** A request that takes longer than this, and this many times as long as usual, gives up its slot. */
const LONG_MS = 5_000;
const LONG_RATIO = 5;
/** The weight of each success in what is usual. */
const SMOOTHING = 0.1;

/** How many requests may be in flight: slow start, then additive increase, multiplicative decrease (AIMD). */
export class ConcurrencyLimit {
	private limit = FIRST_LIMIT;
	/** Whether it doubles with each window: until the service throttles or becomes slower. */
	private isSlowStart = true;
	/** In milliseconds: the latencies in the current window, and the lowest median since the limit was FIRST_LIMIT. */
	private readonly windows = new Map<ApiMethod, { latencies: number[]; lowestMedian: number }>();
	/** How long a success usually takes (moving average); undefined before the first one. */
	private smoothedLatency?: number;
	/** How long the latest success took; before the first one, Infinity, or 0 after a slow failure. */
	private latestSuccess = Infinity;

	onSuccess(method: ApiMethod, latency: number): void {
		this.latestSuccess = latency;
		const usual = this.smoothedLatency ?? latency;
		this.smoothedLatency = usual * (1 - SMOOTHING) + latency * SMOOTHING;
		const window = this.windows.get(method) ?? { latencies: [], lowestMedian: Infinity };
		this.windows.set(method, window);
		if (window.latencies.push(latency) < Math.max(this.limit, FIRST_LIMIT)) return;
		const median = Number(window.latencies.sort((a, b) => a - b)[window.latencies.length >> 1]);
		window.latencies = [];
		// If no more run than at first, their number isn't why responses became slower.
		const lowest = this.limit > FIRST_LIMIT ? Math.min(window.lowestMedian, median) : median;
		window.lowestMedian = lowest;
		this.resize(median, median > lowest * SLOWER_RATIO + SLOWER_MS);
	}

	private resize(median: number, isSlower: boolean): void {
		this.isSlowStart &&= !isSlower && median < LONG_MS;
		const mayGrow = median < LONG_MS || this.limit < FIRST_LIMIT;
		const growth = this.isSlowStart ? this.limit : 1;
		// A window can only be slower above FIRST_LIMIT.
		if (isSlower) this.limit = Math.max(Math.floor(this.limit * SHRINK_FACTOR), FIRST_LIMIT);
		else if (mayGrow) this.limit = Math.min(this.limit + growth, HIGHEST_LIMIT);
	}

	/** A failure that took long, while the latest success took long as well, had waited in the service for too long. */
	onFailure(latency: number): void {
		if (latency <= LONG_MS || latency >= this.latestSuccess * SLOWER_RATIO) return;
		this.halve();
		// Before any success, only the first one counts, since no latency is below 0.
		if (this.latestSuccess === Infinity) this.latestSuccess = 0;
	}

	halve(): void {
		this.limit = Math.max(1, Math.floor(this.limit * DECREASE_FACTOR));
		this.isSlowStart = false;
	}

	/** When another request may start, given the start times of those in flight, in order. */
	freeAt(startTimes: readonly number[]): number {
		if (startTimes.length >= HIGHEST_LIMIT) return Infinity;
		// Only the newest have slots, as many as the limit allows. The oldest of them frees its slot when it ends, or
		// takes too long.
		const blocking = startTimes.at(-this.limit);
		if (blocking === undefined) return -Infinity;
		const { smoothedLatency } = this;
		if (smoothedLatency !== undefined)
			return blocking + Math.max(LONG_MS, smoothedLatency * LONG_RATIO);
		// How long a response takes isn't known yet. To find out, another one starts after 5, 10, 20 seconds.
		const [first, last] = [Number(startTimes[0]), Number(startTimes.at(-1))];
		return last + Math.max(LONG_MS, last - first);
	}
}
