/** How many requests may be in flight at first, and at most. */
export const FIRST_LIMIT = 10;
export const HIGHEST_LIMIT = 100;
/** Responses that take this much longer than usual, in milliseconds and as a ratio, stop the growth. */
const SLOWER_BY_MS = 25;
const SLOWER_BY_RATIO = 1.5;
/** How much a new window changes what is usual; little, so that growth can't make itself usual. */
const WEIGHT_OF_WINDOW = 0.05;

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

	/**
	 * Takes note of a response that is not a rejection.
	 *
	 * @param latency in milliseconds
	 * @param inFlight how many requests were in flight
	 */
	passed(latency: number, inFlight: number): void {
		this.latencies.push(latency);
		if (this.latencies.length < this.current) return;
		const latest = median(this.latencies);
		const usual = this.usualLatency || latest;
		this.usualLatency = usual + (latest - usual) * WEIGHT_OF_WINDOW;
		this.latencies = [];
		if (latest > usual * SLOWER_BY_RATIO + SLOWER_BY_MS) this.isDoubling = false;
		// A limit that nobody reaches says nothing about the service.
		else if (inFlight >= this.current / 2) this.grow();
	}

	/** The service limits the rate. */
	decrease(): void {
		this.current = Math.max(1, Math.floor(this.current / 2));
		this.isDoubling = false;
		this.latencies = [];
	}

	private grow(): void {
		this.current = Math.min(HIGHEST_LIMIT, this.isDoubling ? this.current * 2 : this.current + 1);
	}
}
