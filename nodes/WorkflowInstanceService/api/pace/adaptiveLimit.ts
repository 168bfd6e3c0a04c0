/** How many requests are in flight at first, and at most. */
export const FIRST_LIMIT = 10;
export const HIGHEST_LIMIT = 100;
/** After a push-back a window has at least this many responses, so that a low limit does not grow back at once. */
const SHORTEST_WINDOW = 10;
/** Responses that take this much longer than usual, in milliseconds and as a ratio, stop the growth. */
const SLOWER_BY_MS = 25;
const SLOWER_BY_RATIO = 1.5;
/** If even one request at a time is too many: the lowest share of time with one in flight, and its growth. */
const LOWEST_DUTY = 0.45;
const DUTY_GROWTH = 1.03;
/** How much of a new window goes into what is usual; little, so that growth cannot make itself usual. */
const WEIGHT_OF_WINDOW = 0.05;
const WEIGHT_OF_RESPONSE = 0.2;

/** An average, in which a new value has some weight. */
function mixed(average: number | undefined, value: number, weight: number): number {
	return average === undefined ? value : average + (value - average) * weight;
}

/**
 * How many requests the service may have in flight: additive increase, multiplicative decrease, with
 * a start that doubles, and a look at the latency. If even one is too many, requests are spaced.
 * Decisions only; no time passes in here.
 *
 * Responses count in windows: a window ends with as many of them as the limit allows requests, so the
 * limit grows once in a round trip. What was sent before the last cut does not count: a burst of
 * push-backs that belong together halves the limit once.
 */
export class AdaptiveLimit {
	private limit = FIRST_LIMIT;

	private doubles = true;

	private window = 0;

	private windowOfLastCut = 0;

	private responses = 0;

	private readonly latencies: number[] = [];

	private busiest = 0;

	private usualLatency: number | undefined;

	private latency: number | undefined;

	private duty = 1;

	/** How many requests may be in flight. */
	get current(): number {
		return this.limit;
	}

	/** How far apart requests begin, in milliseconds, if even one at a time is too many. */
	get spacing(): number {
		const { limit, duty, latency = 0 } = this;
		return limit === 1 && duty < 1 ? latency / duty : 0;
	}

	/**
	 * Takes note that a request is sent.
	 *
	 * @param inFlight how many are in flight now, this one included
	 * @returns the window that it belongs to
	 */
	sent(inFlight: number): number {
		this.busiest = Math.max(this.busiest, inFlight);
		return this.window;
	}

	/**
	 * Takes note of a response that is no push-back.
	 *
	 * @param window what {@link sent} returned
	 * @param latency in milliseconds
	 */
	answered(window: number, latency: number): void {
		this.latency = mixed(this.latency, latency, WEIGHT_OF_RESPONSE);
		this.duty = Math.min(1, this.duty * DUTY_GROWTH);
		// Those sent in the window before are the other half of what is in flight.
		if (window < Math.max(this.windowOfLastCut, this.window - 1)) return;
		this.responses++;
		if (window === this.window) this.latencies.push(latency);
		const length = this.doubles ? this.limit : Math.max(this.limit, SHORTEST_WINDOW);
		if (this.responses >= length) this.endWindow();
	}

	/** Halves the limit, once for all requests that were in flight together. */
	halve(): void {
		this.limit = Math.max(1, Math.floor(this.limit / 2));
		this.doubles = false;
		this.startWindow();
		this.windowOfLastCut = this.window;
	}

	/** Halves the limit. At one, it spaces requests, since no pause follows. */
	lower(): void {
		if (this.limit === 1) this.duty = LOWEST_DUTY;
		else this.halve();
	}

	private endWindow(): void {
		if (this.isSlower()) this.doubles = false;
		// A limit that nobody reaches says nothing about the service.
		else if (this.busiest >= this.limit / 2) this.grow();
		this.startWindow();
	}

	/** Compares the window with what is usual, by averages: one fast response says nothing. */
	private isSlower(): boolean {
		const { latencies } = this;
		const latency = latencies.reduce((sum, each) => sum + each, 0) / latencies.length;
		const usual = (this.usualLatency ??= latency);
		this.usualLatency = mixed(usual, latency, WEIGHT_OF_WINDOW);
		return latency > usual * SLOWER_BY_RATIO + SLOWER_BY_MS;
	}

	private grow(): void {
		this.limit = Math.min(HIGHEST_LIMIT, this.doubles ? this.limit * 2 : this.limit + 1);
	}

	private startWindow(): void {
		this.window++;
		this.responses = 0;
		this.latencies.length = 0;
		this.busiest = 0;
	}
}
