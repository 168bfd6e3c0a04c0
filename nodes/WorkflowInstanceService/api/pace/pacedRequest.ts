import type { RequestLimits } from '../apiRequest';
import type { ApiMethod } from '../errors';

/** A rejected request is compared with so many others that begin after it. */
const COMPARED = 5;
/** However few of those are rejected, a limit explains a rejection with this probability. */
const LOWEST_SHARE = 0.1;
const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 10_000;

/**
 * The back-off after so many earlier rejections, or pauses, in a row, in milliseconds.
 *
 * @param first the shortest
 */
export function backOff(times: number, first = FIRST_BACK_OFF_MS): number {
	return Math.min(first * 2 ** times, LONGEST_BACK_OFF_MS);
}

/** What comes of others that began after a request was rejected. */
export interface Comparison {
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

	/** Whether what was rejected last is a write. */
	isWrite = false;

	/** Until when it waits by itself, in milliseconds of the monotonic clock. */
	notBefore = 0;

	/** Whether it comes before all others: a write after its read, or what was rejected for the first time. */
	isNext = false;

	/** What its last rejection is compared with, if anything. */
	comparison: Comparison | undefined;

	/** Rejections that no pause explains: how often with a success of others between them, the last one, and what takes back the lower rate. */
	unexplained: { times: number; number: number; undo?: () => void } = { times: 0, number: 0 };

	private wasNext = false;

	private asked = 0;

	/** The negative decimal logarithm of how likely a rate limit explains all its rejections. */
	private doubt = 0;

	private weighed = 0;

	/** @param key what it asks for: the same for requests that ask for the same */
	constructor(
		readonly key: unknown,
		readonly limits: RequestLimits,
	) {}

	/** Whether it is more likely the instance than a limit: what comes of it says nothing about the service. */
	get isOutlier(): boolean {
		// 1 is a rejection that no other shares; on average, under a third of the others may share them.
		return this.doubt >= Math.max(0.99, this.weighed / 2);
	}

	/** Whether there is something to compare its last rejection with. */
	get isCompared(): boolean {
		const { comparison } = this;
		return comparison !== undefined && comparison.passed + comparison.rejected > 0;
	}

	get isGivenUp(): boolean {
		return this.doubt > this.limits.maxRetries + 0.99;
	}

	/**
	 * Takes note of a rejection, after which it backs off.
	 *
	 * @param after the number of the attempt
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param spacing how far apart requests begin that a limit may explain, in milliseconds
	 * @param jitter from 0 to below 1
	 */
	rejected(
		method: ApiMethod,
		after: number,
		asked: number,
		spacing: number,
		{ now, jitter }: { now: number; jitter: number },
	): void {
		const first = this.isOutlier ? FIRST_BACK_OFF_MS : Math.min(spacing, FIRST_BACK_OFF_MS);
		const own = backOff(this.rejections, first);
		this.rejections++;
		// After so many, what the service asks for has proven too short.
		const wait = this.rejections > 4 ? Math.max(asked, own) : asked || own;
		this.notBefore = now + wait * (1 + jitter / 10);
		this.asked = asked;
		this.isNext = false;
		this.isWrite = method !== 'GET';
		this.comparison = { after, passed: 0, rejected: 0 };
	}

	/** A rate limit explains its last rejection, so that it comes again as soon as the service lets it. */
	explain(): void {
		if (this.isOutlier) return;
		this.unexplained = { times: 0, number: 0 };
		if (this.asked === 0) this.notBefore = 0;
		this.comparison = undefined;
	}

	/** @param lastPassed the last attempt that got through */
	noteUnexplained(number: number, lastPassed: number): void {
		const { unexplained } = this;
		if (unexplained.number === 0 || lastPassed > unexplained.number) unexplained.times++;
		unexplained.number = number;
	}

	/** Lets it come before all others: a write after its read, or once what was rejected for the first time. */
	putFirst(isWriteAfterRead: boolean): void {
		this.isNext = isWriteAfterRead || !this.wasNext;
		if (this.isNext && this.asked === 0) this.notBefore = 0;
		this.wasNext = true;
	}

	/** It got through. */
	clear(): void {
		this.unexplained = { times: 0, number: 0 };
		this.wasNext = false;
	}

	/** Compares its last rejection with what came of another request. */
	compare(method: ApiMethod, number: number, isRejected: boolean): void {
		const { comparison } = this;
		if (comparison === undefined || number <= comparison.after) return;
		if (this.isWrite !== (method !== 'GET')) return;
		if (isRejected) comparison.rejected++;
		else comparison.passed++;
		if (comparison.passed + comparison.rejected >= COMPARED)
			this.weigh(comparison.passed, COMPARED);
	}

	/**
	 * Weighs its last rejection by the results that there are.
	 *
	 * @param isAlone whether there won't be more; otherwise those that are missing count as rejected
	 */
	conclude({ passed, rejected }: Comparison, isAlone: boolean): void {
		this.weigh(passed, isAlone ? passed + rejected : COMPARED);
	}

	/** A limit explains none of its rejections. */
	concludeAll(): void {
		this.doubt = this.rejections;
		this.comparison = undefined;
	}

	private weigh(passed: number, of: number): void {
		const share = of === 0 ? 0 : 1 - passed / of;
		this.weighed++;
		this.doubt -= Math.log10(Math.max(share, LOWEST_SHARE));
		this.comparison = undefined;
	}
}
