export interface RateLimit {
	/** How many requests it lets through in `seconds`; 0 for none ever, which requires `retryAfter: 'none'`. */
	requests: number;
	/** Default 1. */
	seconds?: number;
	/** Counted in any such time (the default), in windows by the clock, or spaced out (GCRA). */
	kind?: 'sliding' | 'fixed' | 'leaky';
	/** Whether throttled requests count as well. */
	countsThrottled?: boolean;
	/** Which requests it limits. Default: all. */
	methods?: readonly string[];
	/** The status of the response to requests above the limit. Default 429. */
	status?: 429 | 503;
	/** How Retry-After reports when the next request is let through; `short` is one second. Default `seconds`. */
	retryAfter?: 'seconds' | 'date' | 'short' | 'none';
	/** Other headers of that response. */
	headers?: Readonly<Record<string, string>>;
}

/** Counts requests as services do. Times are in milliseconds since 1970. */
export class RateLimiter {
	/** When the latest requests were counted, for as many as are let through in one window. */
	private readonly counted: number[] = [];

	/** When the leaky bucket will be empty. */
	private emptyAt = 0;

	constructor(readonly limit: RateLimit) {}

	/** How long until it lets a request through, in milliseconds. */
	waitAt(now: number, method: string): number {
		const { requests, seconds = 1, kind = 'sliding' } = this.limit;
		if (!this.isFor(method)) return 0;
		if (requests === 0) return Infinity;
		const window = seconds * 1000;
		const oldest = this.counted.at(-requests) ?? -Infinity;
		const freeAt = {
			sliding: oldest + window,
			fixed: (Math.floor(oldest / window) + 1) * window,
			leaky: this.emptyAt - window + window / requests,
		}[kind];
		// Sums of fractions are slightly off.
		return Math.max(0, Math.ceil(freeAt - now - 1e-6));
	}

	count(now: number, method: string): void {
		const { requests, seconds = 1 } = this.limit;
		if (!this.isFor(method)) return;
		this.counted.push(now);
		if (this.counted.length > requests) this.counted.shift();
		this.emptyAt = Math.max(this.emptyAt, now) + (seconds * 1000) / requests;
	}

	/** The status and headers of the response to a request above the limit; undefined if it's let through. */
	rejection(now: number, method: string) {
		const { status = 429, countsThrottled = false, retryAfter = 'seconds' } = this.limit;
		const wait = this.waitAt(now, method);
		if (wait === 0 || countsThrottled) this.count(now, method);
		if (wait === 0) return undefined;
		const seconds = Math.ceil(wait / 1000);
		const date = new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString();
		const value = { seconds: `${seconds}`, date, short: '1', none: undefined }[retryAfter];
		const own: Record<string, string> = value === undefined ? {} : { 'retry-after': value };
		return { status, headers: { ...own, ...this.limit.headers } };
	}

	/** Whether the limit applies to requests with this method. */
	isFor(method: string): boolean {
		return this.limit.methods?.includes(method) ?? true;
	}
}
