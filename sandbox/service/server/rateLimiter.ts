import { detail } from '../interface/answers';
import type { Answer } from '../interface/answers';

/** The limit of requests; requests above it are answered 429. */
export interface RateLimit {
	/** Requests let through in any one second. */
	perSecond: number;
	/** How the answer names the waiting time; `zero` and `pastDate` name none. Default `seconds`. */
	retryAfter?: 'seconds' | 'date' | 'none' | 'zero' | 'pastDate';
	/** Seconds that `seconds` and `date` name. Default: until the next request is let through. */
	retryAfterSeconds?: number;
}

const WINDOW = 1000;
const YEAR = 365 * 86_400_000;

/** An HTTP date has whole seconds only: rounding down would name a time too early. */
const httpDate = (time: number): string => new Date(Math.ceil(time / 1000) * 1000).toUTCString();

function retryAfter(limit: RateLimit, waitMs: number, now: number): string | undefined {
	const seconds = limit.retryAfterSeconds ?? Math.ceil(waitMs / 1000);
	switch (limit.retryAfter ?? 'seconds') {
		case 'seconds':
			return String(seconds);
		case 'zero':
			return '0';
		case 'date':
			return httpDate(now + seconds * 1000);
		case 'pastDate':
			return httpDate(now - YEAR);
		case 'none':
			return undefined;
	}
}

/** Lets a number of requests through in any one second. */
export class RateLimiter {
	private passed: number[] = [];

	/** Gives the 429 answer for a request too many, or undefined for one that is let through. */
	refusal(limit: RateLimit | null, now = Date.now()): Answer | undefined {
		if (limit === null) return undefined;
		this.passed = this.passed.filter((time) => time > now - WINDOW && time <= now);
		if (this.passed.length < limit.perSecond) {
			this.passed.push(now);
			return undefined;
		}
		const waitMs = Math.max((this.passed[0] ?? now) + WINDOW - now, 1);
		const wait = retryAfter(limit, waitMs, now);
		return detail(
			429,
			'Request was throttled. Wait before sending the next one.',
			wait === undefined ? {} : { 'retry-after': wait },
		);
	}

	reset(): void {
		this.passed = [];
	}
}
