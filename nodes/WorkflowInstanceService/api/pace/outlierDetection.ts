import type { ApiMethod } from '../errors';
import type { Comparison, PacedRequest } from './pacedRequest';
import type { Attempt, Run } from './run';
import type { Throttle } from './throttle';

/** A limit may last for a minute, in which nothing gets through. */
const LONGEST_WINDOW_MS = 61_000;

interface OfRequest {
	request: PacedRequest;
}

/** Whether one of them suits, found without a copy: thousands of requests may wait. */
function hasSome<T>(entries: Iterable<T>, suits: (entry: T) => boolean): boolean {
	for (const entry of entries) if (suits(entry)) return true;
	return false;
}

/** Compares rejected requests with others: an instance that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** Rejected requests that are being compared with others. */
	private readonly compared = new Set<PacedRequest>();

	/** What was last read with success. */
	private lastRead: string | undefined;

	constructor(
		private readonly runs: readonly Run[],
		private readonly throttle: Throttle,
	) {}

	/** Takes note of something that was read with success. */
	noteRead({ key }: PacedRequest): void {
		this.lastRead = String(key);
	}

	/** Begins to compare a request that was rejected. */
	begin(request: PacedRequest): void {
		this.compared.add(request);
	}

	/** Ends the comparison of a request with which no other one can be compared. */
	endIfAlone(request: PacedRequest, now: number): void {
		if (request.comparison && this.isAlone(request)) {
			this.conclude(request, request.comparison, true, now);
		}
	}

	/** Compares rejected requests with what came of another one, and ends the wait of those given up. */
	compareWith(
		{ request, number, isSample }: Attempt,
		method: ApiMethod,
		isRejected: boolean,
	): void {
		if (!isSample) return;
		for (const other of this.compared) {
			if (other.key === request.key) continue;
			other.compare(method, number, isRejected);
			if (other.comparison !== undefined) continue;
			this.compared.delete(other);
			if (other.isGivenUp) this.giveUp(other);
		}
	}

	/** A rate limit explains the rejections since which nothing got through. */
	explain(): void {
		for (const request of this.compared) if (request.comparison?.passed === 0) request.explain();
	}

	/** Ends the comparison of a request that is sent again. */
	end(request: PacedRequest, now: number): void {
		this.compared.delete(request);
		const { comparison } = request;
		if (comparison) this.conclude(request, comparison, this.isAlone(request), now);
	}

	/** Where only rejected requests are left, what to read once more to compare them with. */
	get neededProbe(): { run: Run; path: string; probe: NonNullable<Run['probe']> } | undefined {
		const { lastRead: path } = this;
		const isOther = ({ request }: OfRequest) => !request.isOutlier && !this.compared.has(request);
		const isRead = ({ request }: OfRequest) =>
			this.compared.has(request) && request.comparison?.method === 'GET';
		const run = this.runs.find((each) => !each.isFull && each.retries.some(isRead));
		if (path === undefined || run?.probe === undefined) return undefined;
		const hasOthers = this.runs.some(
			({ fresh, retries, inFlight }) =>
				fresh.size > 0 || retries.some(isOther) || hasSome(inFlight, isOther),
		);
		return hasOthers ? undefined : { run, path, probe: run.probe };
	}

	private giveUp(request: PacedRequest): void {
		for (const run of this.runs) {
			const waiting = run.retries.find((each) => each.request === request);
			if (waiting === undefined) continue;
			run.remove(waiting);
			waiting.grant();
		}
	}

	/** Ends the comparison of a request, whatever it was compared with. */
	private conclude(
		request: PacedRequest,
		{ passed, method }: Comparison,
		isAlone: boolean,
		now: number,
	): void {
		if (isAlone && method === 'GET' && this.lastRead !== undefined && passed < 5) return;
		this.compared.delete(request);
		if (!isAlone) return request.conclude(1 - passed / 5);
		const share = this.throttle.recentShare(method, request.key);
		if (request.isOutlier) return request.conclude(share);
		const { lastPassedAt } = this.throttle.histories[method];
		if (now - lastPassedAt > LONGEST_WINDOW_MS) request.concludeAll(share);
		else request.conclude(1 - passed / 5);
	}

	/** Whether there is no other request that it could be compared with. */
	private isAlone(request: PacedRequest): boolean {
		const isOther = (other: OfRequest) =>
			!other.request.isOutlier && other.request.key !== request.key;
		return !this.runs.some(
			({ fresh, retries, inFlight }) =>
				hasSome(inFlight, isOther) || hasSome(retries, isOther) || hasSome(fresh, isOther),
		);
	}
}
