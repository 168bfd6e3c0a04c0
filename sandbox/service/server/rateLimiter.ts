import type { SandboxClock } from '../clock';
import { detail } from '../interface/responses';
import type { ApiResponse } from '../interface/responses';
import type { RateLimit, WaitHint } from './settings';

const YEAR = 365 * 86_400_000;

/** An HTTP date has whole seconds only: rounding down would name a time too early. */
const httpDate = (time: number): string => new Date(Math.ceil(time / 1000) * 1000).toUTCString();

/** The header that says how many seconds to wait, from a time in milliseconds since 1970. */
const HINTS: Record<WaitHint, (seconds: number, now: number) => Record<string, string>> = {
	seconds: (seconds) => ({ 'retry-after': String(seconds) }),
	date: (seconds, now) => ({ 'retry-after': httpDate(now + seconds * 1000) }),
	none: () => ({}),
	zero: () => ({ 'retry-after': '0' }),
	pastDate: (_, now) => ({ 'retry-after': httpDate(now - YEAR) }),
	'RateLimit-Reset': (seconds) => ({ 'ratelimit-reset': String(seconds) }),
	'X-RateLimit-Reset': (seconds, now) => ({
		'x-ratelimit-reset': String(Math.ceil(now / 1000 + seconds)),
	}),
};

/** Lets a number of requests through in any window of time. */
export class RateLimiter {
	private passed: number[] = [];

	constructor(private readonly clock: SandboxClock) {}

	/** Returns 429 for a request too many, undefined for one that is let through. */
	refusal(limit: RateLimit | null): ApiResponse | undefined {
		if (limit === null) return undefined;
		const { requests, seconds = 1, retryAfter = 'seconds' } = limit;
		const now = this.clock.now();
		const windowMs = seconds * 1000;
		this.passed = this.passed.filter((time) => time > now - windowMs && time <= now);
		if (this.passed.length < requests) {
			this.passed.push(now);
			return undefined;
		}
		const waitMs = Math.max((this.passed[0] ?? now) + windowMs - now, 1);
		const wait = limit.retryAfterSeconds ?? Math.ceil(waitMs / 1000);
		const message = 'Request was throttled. Wait before sending the next one.';
		return detail(429, message, HINTS[retryAfter](wait, now));
	}

	reset(): void {
		this.passed = [];
	}
}
