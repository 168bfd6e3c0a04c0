import type { ApiMethod, RequestLimits } from '../apiRequest';

const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 10_000;
/** A rejection counts if so many others that began after it get through in a row. */
export const COMPARED = 3;
/** A limit is not the reason if others still get through so long after a request was first rejected. */
const LONGEST_EXPLAINED_MS = 30_000;

/** The back-off after so many earlier rejections, or pauses, in a row, in milliseconds. */
export function backOff(times: number): number {
	return Math.min(FIRST_BACK_OFF_MS * 2 ** times, LONGEST_BACK_OFF_MS);
}

/** A wait that is longer by chance, so that not all come back at once. The chance is from 0 to 1. */
export function withJitter(wait: number, chance: number): number {
	return wait * (1 + chance / 10);
}

/** What one run waits for, and has in flight. */
export class Run {
	/** What waits for its first permit, and what waits to be sent again. */
	readonly fresh = new Set<PacedRequest>();
	readonly retries = new Set<PacedRequest>();
	readonly inFlight = new Set<PacedRequest>();
	readonly closing = new AbortController();

	/** @param requestsPerMinute a limit that the user knows; 0 for none */
	constructor(readonly requestsPerMinute: number) {}

	get isIdle(): boolean {
		return this.fresh.size + this.retries.size + this.inFlight.size === 0;
	}

	/** What may be sent now. What was rejected comes last, the more often the later, but for `isNext`. */
	next(now: number): PacedRequest | undefined {
		const due = [...this.retries].filter(({ notBefore }) => notBefore <= now);
		due.sort((one, other) => one.rejections - other.rejections);
		const [fresh] = this.fresh;
		const next = due.find(({ isNext }) => isNext) ?? fresh ?? due[0];
		return this.inFlight.size < (next?.limits.maxConcurrentRequests ?? 0) ? next : undefined;
	}

	/** How long what backs off has still to wait, in milliseconds. */
	backingOff(now: number): number[] {
		return [...this.retries].map(({ notBefore }) => notBefore - now).filter((wait) => wait > 0);
	}

	/** Takes a request out of those that wait. */
	take(request: PacedRequest): void {
		this.fresh.delete(request);
		this.retries.delete(request);
	}

	/** Refuses what waits and may not wait any longer. */
	refuse(reasonFor: (request: PacedRequest) => Error | undefined): void {
		for (const request of [...this.fresh, ...this.retries]) {
			const reason = reasonFor(request);
			if (reason === undefined) continue;
			this.take(request);
			request.refuse?.(reason);
		}
	}
}

/** A request over all its attempts. Times are in milliseconds of the monotonic clock. */
export class PacedRequest {
	/** The place of its latest attempt among all attempts of the pool, and when it began. */
	number = 0;
	begunAt = 0;
	/** How long the service asks to wait, in milliseconds; 0 when it does not say. */
	asked = 0;
	/** Until when it backs off, and whether it comes before all others of its run then. */
	notBefore = 0;
	isNext = false;
	/** Whether it only finds out whether requests still get through, since it did before. */
	isProbe = false;
	/** How often it was rejected in a row without a limit that explains it; how and in which attempt last. */
	rejections = 0;
	rejectedMethod: ApiMethod = 'GET';
	rejectedNumber = 0;
	/** Whether the rate was lowered for its last rejection, and since when it had only grown. */
	hasLoweredRate = false;
	rateGrewSince = 0;
	/** How many others that began later got through since then; Infinity if one was rejected. */
	compared = 0;
	/** How many rejections count, since others got through. */
	counted = 0;
	private backOffs = 0;
	/** Since when it is only rejected, and how often a limit explained that. */
	private rejectedSince = Infinity;
	private explained = 0;

	/** The key is the same for requests that ask for the same. `places` is how many it sends with its next permit. */
	constructor(
		readonly run: Run,
		readonly key: unknown,
		readonly limits: RequestLimits,
		readonly places: () => number,
	) {}

	/** Ends its wait for a permit: with how many requests may be sent, none when it is given up; or an error. */
	grant?: (places: number) => void;
	refuse?: (reason: Error) => void;

	/** Whether it was rejected more often than it is retried at least. */
	get isOutOfRetries(): boolean {
		return this.rejections > this.limits.maxRetries;
	}

	/** It was rejected: it backs off, as long as the service asks (0: it does not say), or longer each time. */
	noteRejected(method: ApiMethod, asked: number, now: number, chance: number): void {
		this.notBefore = now + withJitter(asked || backOff(this.backOffs++), chance);
		this.rejectedSince = Math.min(this.rejectedSince, now);
		this.rejections++;
		this.rejectedMethod = method;
		this.rejectedNumber = this.number;
		if (this.compared >= COMPARED) this.compared = 0;
		this.asked = asked;
	}

	/** Whether it was rejected for the first time since it got through, or since a limit explained that once. */
	get isFirstRejection(): boolean {
		return this.rejections === 1 && this.explained <= 1;
	}

	/** A limit may be why it was rejected, so that it comes again as soon as the service lets it. */
	putNext(): void {
		this.isNext = true;
		if (this.asked === 0) this.notBefore = 0;
	}

	/** A limit is why it was rejected. What is ill must not come first each time. */
	explain(passedAt: number): void {
		if (this.rejections === 0 || passedAt - this.rejectedSince > LONGEST_EXPLAINED_MS) return;
		this.rejections = 0;
		this.hasLoweredRate = false;
		if (this.explained++ === 0) this.putNext();
	}

	/** Others get through although it was rejected. Returns whether that was so too often. */
	countRejection(): boolean {
		return ++this.counted > this.limits.maxRetries;
	}

	/** It got through. That an instance could be read says nothing about a write that was rejected. */
	notePassed(method: ApiMethod): void {
		if (method !== this.rejectedMethod) return;
		Object.assign(this, { rejections: 0, backOffs: 0, rejectedSince: Infinity });
		Object.assign(this, { hasLoweredRate: false, explained: 0 });
	}
}
