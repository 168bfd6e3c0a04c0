import type { ApiMethod } from '../apiRequest';
import type { PacedRequest } from './pacedRequest';
import type { Attempt, Run } from './run';

/** A rejection counts when so many others that began after it got through, and none was rejected. */
const COMPARED = 3;
/** A limit may last for a minute, in which nothing gets through, and others may take what it lets through. */
const LONGEST_WINDOW_MS = 90_000;

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** Requests whose last rejection may still count. */
	private readonly compared = new Set<PacedRequest>();

	/** Of reads and of writes: whether something got through, and since when only rejections came that no limit explains. */
	private readonly known = {
		read: { hasPassed: false, rejectedSince: Infinity },
		write: { hasPassed: false, rejectedSince: Infinity },
	};

	/** What was last read with success. */
	private lastRead: string | undefined;

	constructor(private readonly runs: readonly Run[]) {}

	/** @param isQuick whether it is worth reading once more */
	passed({ request, number }: Attempt, method: ApiMethod, isQuick: boolean): void {
		Object.assign(this.knownOf(method), { hasPassed: true, rejectedSince: Infinity });
		if (method === 'GET' && isQuick) this.lastRead = String(request.key);
		if (request.isSuspect) return;
		for (const other of this.comparedWith(request, number, method)) {
			other.passedSince = Number(other.passedSince) + 1;
			if (other.passedSince >= COMPARED) other.count();
		}
	}

	/** @param isExplained whether a limit explains it */
	rejected(
		{ request, number }: Attempt,
		method: ApiMethod,
		isExplained: boolean,
		now: number,
	): void {
		const known = this.knownOf(method);
		if (!isExplained) known.rejectedSince = Math.min(known.rejectedSince, now);
		if (!request.isSuspect) {
			for (const other of this.comparedWith(request, number, method)) other.passedSince = undefined;
		}
		this.compared.add(request);
	}

	/** A limit explains what was rejected until now. */
	noteLimit(): void {
		const known = { hasPassed: true, rejectedSince: Infinity };
		for (const each of Object.values(this.known)) Object.assign(each, known);
	}

	/** Counts rejections of a request that nothing more can be compared with. */
	conclude(request: PacedRequest, now: number): void {
		const { rejections, method, passedSince, isOutlier } = request;
		if (passedSince === undefined || this.hasOthers(request)) return;
		const { hasPassed, rejectedSince } = this.knownOf(method);
		if (now - rejectedSince > LONGEST_WINDOW_MS) return request.count(rejections);
		if (passedSince > 0 || !hasPassed || (method !== 'GET' && isOutlier)) request.count();
	}

	/** What to read once more to compare a rejected read with it, where there is nothing else. */
	probeFor(request: PacedRequest): string | undefined {
		const { lastRead } = this;
		const isCompared = request.passedSince === undefined || request.method !== 'GET';
		return isCompared || request.key === lastRead || this.hasOthers(request) ? undefined : lastRead;
	}

	private knownOf(method: ApiMethod) {
		return this.known[method === 'GET' ? 'read' : 'write'];
	}

	/** The requests that are compared with another one, which began after them. */
	private comparedWith(request: PacedRequest, number: number, method: ApiMethod): PacedRequest[] {
		for (const other of this.compared) {
			if (other.passedSince === undefined) this.compared.delete(other);
		}
		return [...this.compared].filter(
			({ key, method: rejected, rejectedNumber }) =>
				key !== request.key && rejected === method && rejectedNumber < number,
		);
	}

	/** Whether a rejected request can still be compared with others. */
	private hasOthers({ key, rejectedNumber }: PacedRequest): boolean {
		const isLaterOther = ({ number, request }: Attempt) =>
			number > rejectedNumber && !request.isSuspect && request.key !== key;
		return this.runs.some(
			({ fresh, inFlight }) => fresh.size > 0 || [...inFlight].some(isLaterOther),
		);
	}
}
