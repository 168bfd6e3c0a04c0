import { detail } from './answers';
import type { Answer } from './answers';
import type { RateLimit } from './types';

const WINDOW = 1000;

function retryAfterHeader(limit: RateLimit, waitMs: number, now: number): Record<string, string> {
	const seconds = limit.retryAfterSeconds ?? Math.ceil(waitMs / 1000);
	switch (limit.retryAfter ?? 'seconds') {
		case 'seconds':
			return { 'retry-after': String(seconds) };
		case 'date':
			// An HTTP date has whole seconds only: rounding down would name a time too early.
			return {
				'retry-after': new Date(Math.ceil(now / 1000 + seconds) * 1000).toUTCString(),
			};
		case 'none':
			return {};
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
		return detail(
			429,
			'Request was throttled. Wait before sending the next one.',
			retryAfterHeader(limit, waitMs, now),
		);
	}

	reset(): void {
		this.passed = [];
	}
}
