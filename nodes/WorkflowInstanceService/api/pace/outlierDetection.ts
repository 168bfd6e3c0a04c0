import type { ApiMethod } from '../apiRequest';
import { COMPARED, type PacedRequest, type Run } from './request';

/** A limit may let nothing through for a minute, or for the time of so many requests if others take them. */
const LONGEST_LIMIT_MS = 90_000;
const LONGEST_LIMIT_REQUESTS = 30;

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** By method: the latest attempt that got through, and since when there are only rejections. */
	private readonly passedUpTo = new Map<ApiMethod, number>();
	private readonly rejectedSince = new Map<ApiMethod, number>();
	private lastRead: string | undefined;

	constructor(private readonly runs: readonly Run[]) {}

	/** Returns the requests whose rejections count, since this one got through. */
	passed(request: PacedRequest, method: ApiMethod): PacedRequest[] {
		this.passedUpTo.set(method, Math.max(this.passedUpTo.get(method) ?? 0, request.number));
		this.rejectedSince.delete(method);
		if (method === 'GET') this.lastRead = String(request.key);
		return this.comparedWith(request, method).filter((other) => ++other.compared === COMPARED);
	}

	/** Takes note of a rejection, before the request does. */
	rejected(request: PacedRequest, method: ApiMethod, now: number): void {
		this.rejectedSince.set(method, this.rejectedSince.get(method) ?? now);
		for (const other of this.comparedWith(request, method)) other.compared = Infinity;
	}

	/** With a rejected request, all that were rejected once, and no attempt that began later got through. */
	rowOf(request: PacedRequest): PacedRequest[] {
		const { rejectedMethod: method } = request;
		const passedUpTo = this.passedUpTo.get(method) ?? 0;
		const row = [request, ...this.retriesOf(method)];
		return row.filter(({ unexplained, number }) => unexplained === 1 && number > passedUpTo);
	}

	/** Time in which nobody sends anything, or a limit lets nothing through, does not count. */
	noteIdle(): void {
		this.rejectedSince.clear();
	}

	/** What to read again to compare a rejected read with it, if nothing else begins later. */
	pathToCompare(request: PacedRequest): string | undefined {
		const { rejectedMethod, isOutOfRetries, key } = request;
		const isOtherRead = rejectedMethod === 'GET' && this.lastRead !== key;
		return isOtherRead && isOutOfRetries && !this.hasOthers(request) ? this.lastRead : undefined;
	}

	/** Whether a request that was just rejected is an outlier, although it is compared with nothing any more. */
	isOutlier(request: PacedRequest, now: number, spacing: number): boolean {
		const { rejectedMethod: method, isOutOfRetries, counted } = request;
		if (!isOutOfRetries) return false;
		const longest = Math.max(LONGEST_LIMIT_MS, LONGEST_LIMIT_REQUESTS * spacing);
		// Not a number right after a limit showed.
		if (now - Number(this.rejectedSince.get(method)) > longest) return true;
		const isLimitUnlikely = spacing === 0 && (!this.passedUpTo.has(method) || counted > 0);
		return isLimitUnlikely && !this.hasOthers(request);
	}

	private retriesOf(method: ApiMethod): PacedRequest[] {
		const retries = this.runs.flatMap((run) => [...run.retries]);
		return retries.filter(({ rejectedMethod }) => rejectedMethod === method);
	}

	/** The rejected requests that an attempt is compared with, which began after theirs. */
	private comparedWith({ key, number, unexplained }: PacedRequest, method: ApiMethod) {
		if (unexplained > 0) return [];
		const isComparable = (other: PacedRequest) =>
			other.unexplained > 0 && other.number < number && other.key !== key;
		return this.retriesOf(method).filter(isComparable);
	}

	/** Whether others will be compared with a request. */
	private hasOthers({ key, number }: PacedRequest): boolean {
		const isLaterOther = (other: PacedRequest) =>
			other.unexplained === 0 && other.number > number && other.key !== key;
		return this.runs.some(
			({ fresh, inFlight }) => fresh.size > 0 || [...inFlight].some(isLaterOther),
		);
	}
}
