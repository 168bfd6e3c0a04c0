import type { RequestLimits } from '../apiRequest';
import type { ApiMethod } from '../errors';

/** A rejected request is compared with so many others that are sent after it. */
const COMPARED = 5;
/** However few of those are rejected, a limit explains a rejection with this probability. */
const LOWEST_SHARE = 0.1;
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 10_000;

/** What a rejection is compared with: results of one method that began after it. */
export interface Comparison {
	method: ApiMethod;
	/** The number of the rejected attempt. */
	after: number;
	passed: number;
	rejected: number;
}

/**
 * A request over all its attempts. It weighs how likely a rate limit alone explains that it was rejected
 * so often: each rejection multiplies that by the share of others that were rejected right after it.
 */
export class PacedRequest {
	rejections = 0;

	/** The number of the last attempt that was rejected while requests were spaced. */
	spacedAt = 0;

	/** Until when it waits by itself, in milliseconds of the monotonic clock. */
	notBefore = 0;

	/** What its last rejection is compared with, if anything. */
	comparison: Comparison | undefined;

	/** The negative decimal logarithm of how likely a rate limit explains all its rejections. */
	private doubt = 0;

	/** @param key what it asks for: the same for requests that ask for the same */
	constructor(
		readonly key: unknown,
		readonly limits: RequestLimits,
	) {}

	/** Whether it is more likely the instance than a limit: what comes of it says nothing about the service. */
	get isOutlier(): boolean {
		return this.doubt >= 0.99;
	}

	get isGivenUp(): boolean {
		return this.doubt > this.limits.maxRetries + 0.99;
	}

	/**
	 * Takes note of a rejection, after which it backs off.
	 *
	 * @param after the number of the attempt
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param jitter from 0 to below 1
	 */
	rejected(method: ApiMethod, after: number, asked: number, now: number, jitter: number): void {
		const own = Math.min(FIRST_BACK_OFF_MS * 2 ** this.rejections, LONGEST_BACK_OFF_MS);
		this.rejections++;
		const wait = this.rejections > 4 ? Math.max(asked, own) : asked || own;
		this.notBefore = now + wait * (1 + jitter / 10);
		this.comparison = { method, after, passed: 0, rejected: 0 };
	}

	/** Compares its last rejection with what came of another request. */
	compare(method: ApiMethod, number: number, isRejected: boolean): void {
		const { comparison } = this;
		if (comparison?.method !== method || number <= comparison.after) return;
		if (isRejected) comparison.rejected++;
		else comparison.passed++;
		if (comparison.passed + comparison.rejected >= COMPARED)
			this.conclude(comparison.rejected / COMPARED);
	}

	/** @param share of other requests that were rejected, from 0 to 1 */
	conclude(share: number): void {
		this.doubt -= Math.log10(Math.max(share, LOWEST_SHARE));
		this.comparison = undefined;
	}

	/** All its rejections show that it is an outlier. */
	concludeAll(share: number): void {
		this.doubt = Math.max(this.doubt, -Math.log10(Math.max(share, LOWEST_SHARE)) * this.rejections);
		this.comparison = undefined;
	}

	/** A rate limit explains its last rejection, so that it comes again with the others. */
	explain(): void {
		if (!this.isOutlier) this.notBefore = 0;
	}
}
