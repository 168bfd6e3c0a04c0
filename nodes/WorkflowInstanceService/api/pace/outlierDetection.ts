import type { ApiMethod } from '../apiRequest';
import type { PacedRequest, Run } from './run';

/** A rejection counts when so many others that began after it got through, and none was rejected. */
const COMPARED = 3;
/** A limit may last for a minute, or let through less than one request in a second, and others may take that. */
const LONGEST_LIMIT_MS = 90_000;
const LONGEST_LIMIT_TOKENS = 30;

/** Compares rejected requests with others: one that is rejected while others get through is an outlier. */
export class OutlierDetection {
	/** By method: whether something got through, and since when only rejections came that no limit explains. */
	private readonly known = {
		GET: { hasPassed: false, rejectedSince: Infinity },
		POST: { hasPassed: false, rejectedSince: Infinity },
		PUT: { hasPassed: false, rejectedSince: Infinity },
	};

	/** What was last read with success. */
	private lastRead: string | undefined;

	constructor(private readonly runs: readonly Run[]) {}

	/** @param isQuick whether it is worth reading once more */
	passed(request: PacedRequest, method: ApiMethod, isQuick: boolean): void {
		Object.assign(this.known[method], { hasPassed: true, rejectedSince: Infinity });
		if (method === 'GET' && isQuick) this.lastRead = String(request.key);
		for (const other of this.comparedWith(request, method)) {
			other.passedSince = Number(other.passedSince) + 1;
			if (other.passedSince >= COMPARED) other.count();
		}
	}

	/** @param isExplained whether a limit explains it */
	rejected(request: PacedRequest, method: ApiMethod, isExplained: boolean, now: number): void {
		const known = this.known[method];
		if (!isExplained) known.rejectedSince = Math.min(known.rejectedSince, now);
		for (const other of this.comparedWith(request, method)) other.passedSince = undefined;
	}

	/** A limit explains what was rejected until now. */
	noteLimit(): void {
		const known = { hasPassed: true, rejectedSince: Infinity };
		for (const each of Object.values(this.known)) Object.assign(each, known);
	}

	/**
	 * Counts rejections of a request that nothing more can be compared with.
	 *
	 * @param spacing of requests at the rate that is known, in milliseconds; 0 when none is
	 */
	conclude(request: PacedRequest, now: number, spacing: number): void {
		const { passedSince, isOutlier } = request;
		const { method } = request.rejected;
		const { hasPassed, rejectedSince } = this.known[method];
		if (passedSince === undefined) return;
		const longest = Math.max(LONGEST_LIMIT_MS, LONGEST_LIMIT_TOKENS * spacing);
		if (now - rejectedSince > longest) return request.count(true);
		if (this.hasOthers(request)) return;
		const isRepeated = isOutlier && method !== 'GET' && spacing === 0;
		if (passedSince > 0 || !hasPassed || isRepeated) request.count();
	}

	/**
	 * Reads something once more to compare a rejected read with it, where there is nothing else. At a rate
	 * that is known, that is worthwhile only for what was rejected often.
	 *
	 * @param spacing as in `conclude`
	 */
	probe(request: PacedRequest, spacing: number): void {
		const { lastRead } = this;
		const isRead = request.passedSince !== undefined && request.rejected.method === 'GET';
		const isWorthwhile = spacing === 0 || request.rejections > request.limits.maxRetries;
		if (!isRead || !isWorthwhile || lastRead === undefined || lastRead === request.key) return;
		if (!this.hasOthers(request)) request.run.probe?.(lastRead, request.limits);
	}

	/** The requests that are compared with another one, which began after they were rejected. */
	private comparedWith({ key, number, isSuspect }: PacedRequest, method: ApiMethod) {
		if (isSuspect) return [];
		const begun = this.runs.flatMap(({ retries, inFlight }) => [...retries, ...inFlight]);
		return begun.filter(
			({ key: other, passedSince, rejected }) =>
				passedSince !== undefined &&
				other !== key &&
				rejected.method === method &&
				rejected.number < number,
		);
	}

	/** Whether a rejected request can still be compared with others. */
	private hasOthers({ key, rejected }: PacedRequest): boolean {
		const isLaterOther = (other: PacedRequest) =>
			other.number > rejected.number && !other.isSuspect && other.key !== key;
		return this.runs.some(
			({ fresh, inFlight }) => fresh.size > 0 || [...inFlight].some(isLaterOther),
		);
	}
}
