import type { SandboxClock } from './clock';
import { type ApiResponse, detail } from './response';

/** The limit of requests; the response to each one above it is 429. */
export interface RateLimit {
	/** Requests let through in any window of `seconds`. */
	requests: number;
	/** Default 1. */
	seconds?: number;
	/** Whether Retry-After is sent. Default `seconds`. */
	retryAfter?: 'seconds' | 'none';
	/** The seconds in the header. Default: until the next request is let through. */
	retryAfterSeconds?: number;
}

/** Lets a number of requests through in any window of time. */
export function createRateLimiter(clock: SandboxClock) {
	let passed: number[] = [];
	return {
		reset: (): void => void (passed = []),
		/** 429 for a request too many, undefined for one that is let through. */
		refusal(limit: RateLimit | null): ApiResponse | undefined {
			if (limit === null) return undefined;
			const { requests, seconds = 1, retryAfter = 'seconds' } = limit;
			const now = clock.now();
			const windowMs = seconds * 1000;
			passed = passed.filter((time) => time > now - windowMs && time <= now);
			if (passed.length < requests) {
				passed.push(now);
				return undefined;
			}
			const waitMs = Math.max((passed[0] ?? now) + windowMs - now, 1);
			const wait = limit.retryAfterSeconds ?? Math.ceil(waitMs / 1000);
			const text = 'Request was throttled. Wait before sending the next one.';
			return detail(429, text, retryAfter === 'none' ? {} : { 'retry-after': String(wait) });
		},
	};
}
