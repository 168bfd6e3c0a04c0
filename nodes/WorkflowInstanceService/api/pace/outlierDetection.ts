import type { ApiMethod } from '../errors';
import type { Comparison, PacedRequest } from './pacedRequest';
import type { Attempt } from './rateLimiter';
import type { Run } from './run';

/** A limit may last for a minute, in which nothing gets through, and others may take what it lets through. */
const LONGEST_WINDOW_MS = 90_000;

interface OfRequest {
	request: PacedRequest;
}

/** Whether one of them suits, found without a copy: thousands of requests may wait. */
function hasSome<T>(entries: Iterable<T>, suits: (entry: T) => boolean): boolean {
	for (const entry of entries) if (suits(entry)) return true;
	return false;
}

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** Rejected requests that are being compared with others. */
	private readonly compared = new Set<PacedRequest>();

	/** When something last got through, or a limit showed first, if either did. */
	private readonly openAt: { read?: number; write?: number } = {};

	/** What was last read with success. */
	private lastRead: string | undefined;

	constructor(private readonly runs: readonly Run[]) {}

	/** Whether there are requests that were never sent. */
	get hasFresh(): boolean {
		return this.runs.some(({ fresh }) => fresh.size > 0);
	}

	/** @param isQuick whether it is worth reading once more */
	passed(attempt: Attempt, method: ApiMethod, now: number, isQuick: boolean): void {
		this.openAt[method === 'GET' ? 'read' : 'write'] = now;
		if (method === 'GET' && isQuick) this.lastRead = String(attempt.request.key);
		this.compareWith(attempt, method, false);
	}

	rejected(attempt: Attempt, method: ApiMethod): void {
		this.compareWith(attempt, method, true);
		this.compared.add(attempt.request);
	}

	/** Takes note of a limit, within whose time nothing is given up. */
	noteLimit(now: number): void {
		this.openAt.read ??= now;
		this.openAt.write ??= now;
	}

	/** Weighs the last rejection of a request at once, where nothing can be compared with it. */
	settleAlone(request: PacedRequest): void {
		const { comparison, isOutlier } = request;
		if (comparison === undefined || this.hasOthers(request, comparison)) return;
		if (isOutlier || this.openAtFor(request) === undefined) request.conclude(comparison, true);
	}

	/** Weighs the last rejection of a request before it is sent again. */
	settle(request: PacedRequest, now: number): void {
		const { comparison, isOutlier } = request;
		this.compared.delete(request);
		const openAt = this.openAtFor(request);
		const isOver = openAt !== undefined && now - openAt > LONGEST_WINDOW_MS;
		if (request.rejections > 0 && isOver && !this.hasFresh) return request.concludeAll();
		if (comparison === undefined) return;
		if (request.isCompared) {
			return request.conclude(comparison, !this.hasOthers(request, comparison));
		}
		if (openAt === undefined || isOutlier) request.conclude(comparison, true);
	}

	/** What to read once more to compare a request with it, where only rejected requests are left. */
	probeFor(request: PacedRequest): string | undefined {
		const { lastRead } = this;
		const { comparison, isWrite, isCompared, key } = request;
		if (comparison === undefined || isWrite || isCompared || lastRead === key) return undefined;
		return this.hasOthers(request, comparison) ? undefined : lastRead;
	}

	private openAtFor({ isWrite }: PacedRequest): number | undefined {
		return this.openAt[isWrite ? 'write' : 'read'];
	}

	/** Whether others can still be compared with a request: they begin after it, and are not rejected as well. */
	private hasOthers({ key }: PacedRequest, { after }: Comparison): boolean {
		const isOther = ({ request }: OfRequest) =>
			!request.isOutlier && request.key !== key && request.comparison === undefined;
		const isLaterOther = (attempt: Attempt) => isOther(attempt) && attempt.number > after;
		return (
			this.hasFresh ||
			this.runs.some(
				({ retries, inFlight }) => hasSome(retries, isOther) || hasSome(inFlight, isLaterOther),
			)
		);
	}

	private compareWith(
		{ request, number, isSample }: Attempt,
		method: ApiMethod,
		isRejected: boolean,
	): void {
		if (!isSample) return;
		for (const other of this.compared) {
			if (other.key !== request.key) other.compare(method, number, isRejected);
			if (other.comparison === undefined) this.compared.delete(other);
		}
	}
}
