import type { ApiMethod, RequestLimits } from '../apiRequest';

const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 10_000;

/** The back-off after so many earlier rejections, or pauses, in a row, in milliseconds. */
export function backOff(times: number): number {
	return Math.min(FIRST_BACK_OFF_MS * 2 ** times, LONGEST_BACK_OFF_MS);
}

/** A request over all its attempts. Times are in milliseconds of the monotonic clock. */
export class PacedRequest {
	/** The place of its latest attempt among all attempts, in the order in which they began; 0 before the first. */
	number = 0;

	begunAt = 0;

	/** Whether another request follows the latest attempt with the same permit, and whether it follows one. */
	isPair = false;

	isSecond = false;

	/** Whether it comes before all others: a write after its read, or what was rejected for the first time. */
	isNext = false;

	/** Until when it waits by itself. */
	notBefore = 0;

	/** What was rejected last, and in which attempt; 0 if a limit explains it. */
	rejected: { method: ApiMethod; number: number } = { method: 'GET', number: 0 };

	/** Whether it may be the instance that is rejected, so that what comes of it says nothing about the service. */
	isSuspect = false;

	/** How fast the rate grew before it was lowered for its last rejection, if it was. */
	growthBefore: number | undefined;

	/** How many others got through since, as long as its last rejection may count. */
	passedSince: number | undefined;

	rejections = 0;

	/** How many rejections count: others got through meanwhile. */
	private counted = 0;

	/** How long the service asked to wait last. */
	private asked = 0;

	/**
	 * @param key what it asks for: the same for requests that ask for the same
	 * @param places how many requests it sends, one after another, if it gets a permit now
	 */
	constructor(
		readonly run: Run,
		readonly key: unknown,
		readonly limits: RequestLimits,
		readonly places: () => number,
	) {}

	/** Ends the wait: with how many requests may be sent, none when it is given up. */
	grant?: (places: number) => void;

	/** Ends the wait with an error. */
	refuse?: (reason: Error) => void;

	/** Whether rejections counted before. */
	get isOutlier(): boolean {
		return this.counted > 0;
	}

	get isGivenUp(): boolean {
		return this.counted > this.limits.maxRetries;
	}

	/** Takes note that an attempt begins. */
	noteBegin(number: number, now: number, isPair: boolean): void {
		Object.assign(this, { number, begunAt: now, isPair, isSecond: false, isNext: false });
	}

	/**
	 * Takes note of a rejection, after which it backs off.
	 *
	 * @param isExplained whether a limit explains it
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param jitter from 0 to below 1
	 */
	noteRejected(
		method: ApiMethod,
		isExplained: boolean,
		asked: number,
		now: number,
		jitter: number,
	): void {
		this.notBefore = now + (asked || backOff(this.rejections)) * (1 + jitter / 10);
		this.rejections++;
		this.rejected = { method, number: this.number };
		this.isSuspect = true;
		this.passedSince = 0;
		this.asked = asked;
		if (isExplained) this.explain();
	}

	/** A rate limit explains its last rejection, so that it comes again as soon as the service lets it. */
	explain(): void {
		this.rejected.number = 0;
		this.growthBefore = undefined;
		this.passedSince = undefined;
		if (this.isOutlier) return;
		this.isSuspect = false;
		if (this.asked === 0) this.notBefore = 0;
	}

	/** No limit explains its last rejection, or any of them. */
	count(all = false): void {
		this.counted += all ? this.rejections : 1;
		this.passedSince = undefined;
	}

	putFirst(): void {
		this.isNext = true;
		if (this.asked === 0) this.notBefore = 0;
	}

	/** It got through. If a write follows, that comes before all others. */
	notePassed(method: ApiMethod): void {
		this.isNext = true;
		// That it could be read says nothing about a write that was rejected.
		if (method !== this.rejected.method) return;
		this.rejected.number = 0;
		this.isSuspect = false;
		this.growthBefore = undefined;
	}
}

/** What one run waits for, and has in flight. */
export class Run {
	/** What waits for its first permit, and what waits to be sent again. */
	readonly fresh = new Set<PacedRequest>();

	readonly retries = new Set<PacedRequest>();

	readonly inFlight = new Set<PacedRequest>();

	readonly closing = new AbortController();

	private wasRetry = false;

	/** @param requestsPerMinute a limit that the user knows; 0 for none */
	constructor(readonly requestsPerMinute: number) {}

	/** Reads something once more, to compare rejected requests with it. */
	probe?: (path: string, limits: RequestLimits) => void;

	get isIdle(): boolean {
		return this.fresh.size + this.retries.size + this.inFlight.size === 0;
	}

	/**
	 * What comes next: retries whose time has come take turns with new requests.
	 *
	 * @param isHalfOpen whether new ones come first, since those that were rejected may be ill
	 */
	next(now: number, isHalfOpen: boolean): PacedRequest | undefined {
		const [fresh] = this.fresh;
		const due = [...this.retries].filter(({ notBefore }) => notBefore <= now);
		const [one, other] = isHalfOpen || this.wasRetry ? [fresh, due[0]] : [due[0], fresh];
		const next = due.find(({ isNext }) => isNext) ?? one ?? other;
		return this.inFlight.size < (next?.limits.maxConcurrentRequests ?? 0) ? next : undefined;
	}

	/** When the next retry that is not due yet is due. */
	nextRetryAt(now: number): number {
		const later = [...this.retries].map(({ notBefore }) => notBefore).filter((at) => at > now);
		return Math.min(...later);
	}

	/** Lets a request wait for a permit. */
	async wait(request: PacedRequest, grantPermits: () => void): Promise<number> {
		return await new Promise((grant, refuse) => {
			Object.assign(request, { grant, refuse });
			(request.number > 0 ? this.retries : this.fresh).add(request);
			grantPermits();
		});
	}

	/** Takes a request out of those that wait. */
	take(request: PacedRequest): void {
		this.wasRetry = this.retries.delete(request);
		this.fresh.delete(request);
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
