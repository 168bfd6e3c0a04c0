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

function kindOf(isWrite: boolean): 'read' | 'write' {
	return isWrite ? 'write' : 'read';
}

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** Rejected requests that are being compared with others. */
	private readonly compared = new Set<PacedRequest>();

	/** Of reads and of writes: whether something got through or a limit showed, and since when nothing gets through. */
	private readonly known = {
		read: { isOpen: false, since: Infinity },
		write: { isOpen: false, since: Infinity },
	};

	/** What was last read with success. */
	private lastRead: string | undefined;

	constructor(private readonly runs: readonly Run[]) {}

	/** Whether there are requests that were never sent. */
	get hasFresh(): boolean {
		return this.runs.some(({ fresh }) => fresh.size > 0);
	}

	/** @param isQuick whether it is worth reading once more */
	passed(attempt: Attempt, method: ApiMethod, isQuick: boolean): void {
		this.known[kindOf(method !== 'GET')] = { isOpen: true, since: Infinity };
		if (method === 'GET' && isQuick) this.lastRead = String(attempt.request.key);
		this.compareWith(attempt, method, false);
	}

	rejected(attempt: Attempt, method: ApiMethod, now: number): void {
		const known = this.known[kindOf(method !== 'GET')];
		known.since = Math.min(known.since, now);
		this.compareWith(attempt, method, true);
		this.compared.add(attempt.request);
	}

	/** @param until when the pause ends that a limit has caused */
	noteLimit(until: number): void {
		this.known.read = { isOpen: true, since: until };
		this.known.write = { isOpen: true, since: until };
	}

	/** Weighs the last rejection of a request at once, where nothing can be compared with it. */
	settleAlone(request: PacedRequest): void {
		const { comparison, isOutlier } = request;
		if (comparison === undefined || this.hasOthers(request, comparison)) return;
		if (isOutlier || !this.knownOf(request).isOpen) request.conclude(comparison, true);
	}

	/** Weighs the last rejection of a request before it is sent again. */
	settle(request: PacedRequest, now: number, isLimited: boolean): void {
		const { comparison, isOutlier } = request;
		this.compared.delete(request);
		const { isOpen, since } = this.knownOf(request);
		const isOver = isOpen && now - since > LONGEST_WINDOW_MS;
		if (request.rejections > 0 && isOver && !this.hasFresh) return request.concludeAll();
		if (comparison === undefined) return;
		if (request.isCompared) {
			return request.conclude(comparison, !isLimited && !this.hasOthers(request, comparison));
		}
		if (!isOpen || isOutlier) request.conclude(comparison, true);
	}

	/** What to read once more to compare a request with it, where only rejected requests are left. */
	probeFor(request: PacedRequest): string | undefined {
		const { lastRead } = this;
		const { comparison, isWrite, isCompared, key } = request;
		if (comparison === undefined || isWrite || isCompared || lastRead === key) return undefined;
		return this.hasOthers(request, comparison) ? undefined : lastRead;
	}

	private knownOf({ isWrite }: PacedRequest) {
		return this.known[kindOf(isWrite)];
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
