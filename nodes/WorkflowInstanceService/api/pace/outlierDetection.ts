import type { ApiMethod } from '../apiRequest';
import { COMPARED, type PacedRequest, type Run } from './request';

/** A limit may last for a minute, or others may take what it lets through, for the time of so many requests. */
const LONGEST_LIMIT_MS = 90_000;
const LONGEST_LIMIT_REQUESTS = 30;

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** What got through, or didn't because of a limit; and since when it is only rejected without one. */
	private readonly methodsThatWork = new Set<ApiMethod>();
	private readonly rejectedSince = new Map<ApiMethod, number>();
	private lastRead: string | undefined;

	constructor(private readonly runs: readonly Run[]) {}

	/** Returns which requests are outliers, since this one got through. */
	passed(request: PacedRequest, method: ApiMethod): PacedRequest[] {
		this.methodsThatWork.add(method);
		this.rejectedSince.delete(method);
		if (method === 'GET') this.lastRead = String(request.key);
		const others = this.comparedWith(request, method);
		return others.filter((other) => ++other.compared === COMPARED && other.countRejection());
	}

	rejected(request: PacedRequest, method: ApiMethod, now: number): void {
		this.rejectedSince.set(method, this.rejectedSince.get(method) ?? now);
		for (const other of this.comparedWith(request, method)) other.compared = Infinity;
	}

	/** Time in which nobody sends anything does not count. */
	noteIdle(): void {
		this.rejectedSince.clear();
	}

	/** A limit explains what was rejected until now. */
	noteLimit(): void {
		for (const method of ['GET', 'POST', 'PUT'] as const) this.methodsThatWork.add(method);
		this.rejectedSince.clear();
	}

	/** What to read again to compare a rejected read with it, if nothing else begins later. */
	pathToCompare(request: PacedRequest): string | undefined {
		const { rejectedMethod, rejectedNumber, rejections, key, number } = request;
		const isRead = rejectedMethod === 'GET' && this.lastRead !== key;
		const isRejected = rejections > 0 && rejectedNumber === number;
		return isRead && isRejected && !this.hasOthers(request) ? this.lastRead : undefined;
	}

	/** Whether a rejected request is an outlier, although there is nothing to compare it with. */
	isOutlier(request: PacedRequest, now: number, spacing: number): boolean {
		const { rejectedMethod: method, isOutOfRetries } = request;
		const since = this.rejectedSince.get(method) ?? now;
		const longest = Math.max(LONGEST_LIMIT_MS, LONGEST_LIMIT_REQUESTS * spacing);
		if (isOutOfRetries && now - since > longest) return true;
		if (this.hasOthers(request)) return false;
		if (!this.methodsThatWork.has(method)) return isOutOfRetries;
		// A read can be compared with another one.
		return method !== 'GET' && request.counted > 0 && spacing === 0 && request.countRejection();
	}

	/** The rejected requests that an attempt is compared with, which began after theirs. */
	private comparedWith({ key, number, rejections }: PacedRequest, method: ApiMethod) {
		if (rejections > 0) return [];
		const rejected = this.runs.flatMap(({ retries }) => [...retries]);
		return rejected.filter(
			(other) =>
				other.rejections > 0 &&
				other.rejectedMethod === method &&
				other.rejectedNumber < number &&
				other.key !== key,
		);
	}

	/** Whether others will be compared with a request. */
	private hasOthers({ key, rejectedNumber }: PacedRequest): boolean {
		const isLaterOther = (other: PacedRequest) =>
			other.rejections === 0 && other.number > rejectedNumber && other.key !== key;
		return this.runs.some(
			({ fresh, inFlight }) => fresh.size > 0 || [...inFlight].some(isLaterOther),
		);
	}
}
