import type { ApiMethod, RequestLimits } from '../apiRequest';

const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 10_000;

/** The back-off after so many earlier rejections, or pauses, in a row, in milliseconds. */
export function backOff(times: number): number {
	return Math.min(FIRST_BACK_OFF_MS * 2 ** times, LONGEST_BACK_OFF_MS);
}

/** A request over all its attempts. */
export class PacedRequest {
	/** Whether it had a permit before. */
	isRetry = false;

	/** Whether it comes before all others: a write after its read, or what was rejected for the first time. */
	isNext = false;

	/** Until when it waits by itself, in milliseconds of the monotonic clock. */
	notBefore = 0;

	rejections = 0;

	/** The attempt that was rejected last, if no limit explains it; otherwise 0. */
	rejectedNumber = 0;

	/** What was rejected last. */
	method: ApiMethod = 'GET';

	/** Whether it may be the instance that is rejected, so that what comes of it says nothing about the service. */
	isSuspect = false;

	/** Whether the rate was lowered for its last rejection. */
	hasLoweredRate = false;

	/** How many others got through since, as long as its last rejection may count. */
	passedSince: number | undefined;

	/** How many rejections count: others got through meanwhile. */
	private counted = 0;

	/** How long the service asked to wait last, in milliseconds. */
	private asked = 0;

	/** @param key what it asks for: the same for requests that ask for the same */
	constructor(
		readonly key: unknown,
		readonly limits: RequestLimits,
	) {}

	/** Whether rejections counted before. */
	get isOutlier(): boolean {
		return this.counted > 0;
	}

	get isGivenUp(): boolean {
		return this.counted > this.limits.maxRetries;
	}

	/**
	 * Takes note of a rejection, after which it backs off.
	 *
	 * @param number of the attempt
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param jitter from 0 to below 1
	 */
	rejected(number: number, method: ApiMethod, asked: number, now: number, jitter: number): void {
		this.notBefore = now + (asked || backOff(this.rejections)) * (1 + jitter / 10);
		this.rejections++;
		this.rejectedNumber = number;
		this.method = method;
		this.isSuspect = true;
		this.passedSince = 0;
		this.asked = asked;
	}

	/** A rate limit explains its last rejection, so that it comes again as soon as the service lets it. */
	explain(): void {
		this.rejectedNumber = 0;
		this.hasLoweredRate = false;
		this.passedSince = undefined;
		if (this.isOutlier) return;
		this.isSuspect = false;
		if (this.asked === 0) this.notBefore = 0;
	}

	/** No limit explains its last rejections. */
	count(rejections = 1): void {
		this.counted += rejections;
		this.passedSince = undefined;
	}

	/** Lets it come before all others. */
	putFirst(): void {
		this.isNext = true;
		if (this.asked === 0) this.notBefore = 0;
	}

	/** It got through. If a write follows, that comes before all others. */
	passed(method: ApiMethod): void {
		this.putFirst();
		// That it could be read says nothing about a write that was rejected.
		if (method !== this.method) return;
		this.rejectedNumber = 0;
		this.isSuspect = false;
		this.hasLoweredRate = false;
		this.asked = 0;
	}
}
