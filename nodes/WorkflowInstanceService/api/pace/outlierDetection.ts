import type { ApiMethod } from '../apiRequest';
import { COMPARED, countKeys, type PacedRequest, type Run } from './request';

/** So many different requests first rejected in a row, and half of those in flight, show a rate limit. */
export const ROW = 3;
/** So many, where fewer may be unavailable: rejected again, asking to wait for long, or among many of those. */
export const LONG_ROW = 10;
/** A limit may let nothing through for a minute, or somewhat longer if others take what it lets through. */
const LONGEST_LIMIT_MS = 90_000;

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** By method: the latest attempt that got through, and since when there are only rejections. */
	private readonly passedUpTo = new Map<ApiMethod, number>();
	private readonly rejectedSince = new Map<ApiMethod, number>();
	private lastRead: string | undefined;
	/** Over all methods: what got through, and how many requests were rejected while others did. */
	private passedCount = 0;
	private outlierCount = 0;

	constructor(private readonly runs: readonly Run[]) {}

	/** Returns the requests whose rejections count, since this one got through. */
	passed(request: PacedRequest, method: ApiMethod): PacedRequest[] {
		this.passedUpTo.set(method, Math.max(this.passedUpTo.get(method) ?? 0, request.number));
		this.rejectedSince.delete(method);
		if (method === 'GET') this.lastRead = String(request.key);
		const isOutlier = (other: PacedRequest) => ++other.compared === COMPARED;
		const outliers = this.comparedWith(request, method).filter(isOutlier);
		this.passedCount++;
		this.outlierCount += outliers.filter(({ counted }) => counted === 0).length;
		return outliers;
	}

	/** Takes note of a rejection, before the request does. */
	rejected(request: PacedRequest, method: ApiMethod, now: number): void {
		this.rejectedSince.set(method, this.rejectedSince.get(method) ?? now);
		for (const other of this.comparedWith(request, method)) other.compared = Infinity;
	}

	/**
	 * Of it and what waits, `firsts` were only rejected since their method last worked, `length` counts those
	 * since anything did. `shown` is how many firsts show a limit: ten, where one instance in ten is unavailable.
	 */
	rowOf(request: PacedRequest) {
		const passedUpTo = Math.max(0, ...this.passedUpTo.values());
		const unexplained = [request, ...this.retries].filter((each) => each.unexplained > 0);
		const isFirst = ({ rejectedMethod, firstRejected }: PacedRequest) =>
			firstRejected > (this.passedUpTo.get(rejectedMethod) ?? 0);
		return {
			firsts: unexplained.filter(isFirst),
			length: countKeys(unexplained.filter(({ number }) => number > passedUpTo)),
			shown: this.outlierCount * 10 > this.passedCount ? LONG_ROW : ROW,
		};
	}

	/** Time in which nobody sends anything, or a limit lets nothing through, does not count. */
	noteIdle(): void {
		this.rejectedSince.clear();
	}

	/** What to read again, one at a time, to compare a rejected read: the last one, or one of ten in a row. */
	pathToCompare(request: PacedRequest): string | undefined {
		const { rejectedMethod, isOutOfRetries, key } = request;
		if (rejectedMethod !== 'GET' || this.lastRead === key) return undefined;
		if (isOutOfRetries && !this.hasOthers(request)) return this.lastRead;
		const isInVain = this.rowOf(request).length >= LONG_ROW;
		return isInVain && !this.runs.some((run) => run.hasProbe) ? this.lastRead : undefined;
	}

	/** Whether a request that was just rejected is an outlier, although it is compared with nothing any more. */
	isOutlier(request: PacedRequest, now: number, spacing: number): boolean {
		const { rejectedMethod: method, isOutOfRetries, key, counted } = request;
		if (!isOutOfRetries) return false;
		// Not a number right after a limit showed.
		if (now - Number(this.rejectedSince.get(method)) > LONGEST_LIMIT_MS) return true;
		const hasOtherPassed = this.passedUpTo.has(method) || (this.lastRead ?? key) !== key;
		const isLimitUnlikely = !hasOtherPassed || (method !== 'GET' && counted > 0);
		return spacing === 0 && isLimitUnlikely && !this.hasOthers(request);
	}

	private get retries(): PacedRequest[] {
		return this.runs.flatMap((run) => [...run.retries]);
	}

	/** The rejected requests that an attempt is compared with, which began after theirs. */
	private comparedWith({ key, number, unexplained }: PacedRequest, method: ApiMethod) {
		if (unexplained > 0) return [];
		const isComparable = (other: PacedRequest) =>
			other.rejectedMethod === method &&
			other.unexplained > 0 &&
			other.number < number &&
			other.key !== key;
		return this.retries.filter(isComparable);
	}

	private hasOthers({ key, number }: PacedRequest): boolean {
		const isLaterOther = (other: PacedRequest) =>
			other.unexplained === 0 && other.number > number && other.key !== key;
		return this.runs.some(
			({ fresh, inFlight }) => fresh.size > 0 || [...inFlight].some(isLaterOther),
		);
	}
}
