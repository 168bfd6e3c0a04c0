import type { ApiMethod, RequestLimits } from '../apiRequest';

const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 10_000;
/** A rejection counts if so many others that began after it get through, and none is rejected before. */
export const COMPARED = 2;
/** A limit is not the reason if others still get through so long after a request was first rejected. */
const LONGEST_EXPLAINED_MS = 30_000;

/** The back-off after so many rejections, or pauses, in a row, in milliseconds. */
export function backOff(times: number): number {
	return Math.min(FIRST_BACK_OFF_MS * 2 ** times, LONGEST_BACK_OFF_MS);
}

/** A wait that is longer by chance, so that not all come back at once. The chance is from 0 to 1. */
export function withJitter(wait: number, chance: number): number {
	return wait * (1 + chance / 10);
}

/** How many different requests there are. */
export function countKeys(requests: PacedRequest[]): number {
	return new Set(requests.map(({ key }) => key)).size;
}

export class Run {
	/** What waits for its first permit, and what waits to be sent again. */
	readonly fresh = new Set<PacedRequest>();
	readonly retries = new Set<PacedRequest>();
	readonly inFlight = new Set<PacedRequest>();
	readonly closing = new AbortController();

	/**
	 * @param requestsPerMinute a limit that the user knows; 0 for none
	 * @param joinedAt in milliseconds of the monotonic clock
	 */
	constructor(
		readonly requestsPerMinute: number,
		readonly joinedAt: number,
	) {}

	get isIdle(): boolean {
		return this.fresh.size + this.retries.size + this.inFlight.size === 0;
	}

	get hasProbe(): boolean {
		return [...this.fresh, ...this.retries, ...this.inFlight].some(({ isProbe }) => isProbe);
	}

	/** What may be sent now. What was rejected comes last, the more often the later, but for `isNext`. */
	next(now: number): PacedRequest | undefined {
		const due = [...this.retries].filter(({ notBefore }) => notBefore <= now);
		due.sort((one, other) => one.rejections - other.rejections);
		const [fresh] = this.fresh;
		const next = due.find(({ isNext }) => isNext) ?? fresh ?? due[0];
		return this.inFlight.size < (next?.limits.maxConcurrentRequests ?? 0) ? next : undefined;
	}

	take(request: PacedRequest): void {
		this.fresh.delete(request);
		this.retries.delete(request);
	}
}

/** A request over all its attempts. Times are in milliseconds of the monotonic clock. */
export class PacedRequest {
	/** The place of its latest attempt among all attempts of the pool, and when it began. */
	number = 0;
	begunAt = 0;
	/** Until when it backs off, and whether it comes before all others of its run then. */
	notBefore = 0;
	isNext = false;
	/** Whether it only finds out whether requests still get through, since it did before. */
	isProbe = false;
	/** How often it was rejected in a row: in all, and without a limit that explains it. */
	rejections = 0;
	unexplained = 0;
	/** The attempt that was rejected first of those. */
	firstRejected = 0;
	/** Of its last rejection: the method, and how long the service asks to wait (0: it does not say). */
	rejectedMethod: ApiMethod = 'GET';
	asked = 0;
	/** How many others that began later got through, of the next two; Infinity if one was rejected. */
	compared = 0;
	/** How many of its rejections count, over all attempts. */
	counted = 0;
	private rejectedSince = Infinity;
	/** Ends its wait for a permit: with how many requests may be sent, none when it is given up; or an error. */
	grant?: (places: number) => void;
	refuse?: (reason: Error) => void;

	/**
	 * @param key the same for requests that ask for the same
	 * @param places how many requests it sends with its next permit
	 */
	constructor(
		readonly run: Run,
		readonly key: unknown,
		readonly limits: RequestLimits,
		readonly places: () => number,
	) {}

	get isOutOfRetries(): boolean {
		return this.unexplained > this.limits.maxRetries;
	}

	/** It was rejected: it backs off, as long as the service asks, or longer each time. */
	noteRejected(method: ApiMethod, asked: number, now: number, chance: number): void {
		this.notBefore = now + withJitter(asked || backOff(this.unexplained), chance);
		this.rejections++;
		if (this.unexplained++ === 0) this.firstRejected = this.number;
		this.rejectedSince = Math.min(this.rejectedSince, now);
		this.rejectedMethod = method;
		this.asked = asked;
		if (this.compared >= COMPARED) this.compared = 0;
	}

	/** It may be sent again before all others, unless the service asks to wait. */
	putNext(): void {
		this.isNext = true;
		if (this.asked === 0) this.notBefore = 0;
	}

	/** A limit is why it was rejected. What is ill must not be explained each time. */
	explain(passedAt: number): void {
		if (passedAt - this.rejectedSince <= LONGEST_EXPLAINED_MS) this.unexplained = 0;
	}

	/** It got through. That an instance could be read says nothing about a write that was rejected. */
	notePassed(method: ApiMethod): void {
		if (method !== this.rejectedMethod) return;
		this.rejections = 0;
		this.unexplained = 0;
		this.rejectedSince = Infinity;
	}
}
