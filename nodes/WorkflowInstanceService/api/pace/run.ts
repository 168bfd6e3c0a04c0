import type { ApiMethod, RequestLimits } from '../apiRequest';
import type { PacedRequest } from './pacedRequest';

/** A request that has a permit. */
export interface Attempt {
	readonly request: PacedRequest;
	/** Its place among all attempts, in the order in which they began. */
	number: number;
	/** In milliseconds of the monotonic clock. */
	begunAt: number;
	/** Whether it follows a request with the same permit. */
	isSecond: boolean;
}

/** The permission to send a request now. */
export interface Permit {
	/** How many requests may be sent, one after another. */
	readonly places: number;
	/** One of them got through. */
	passed(method: ApiMethod): void;
	/**
	 * The service rejected one of them, since it has too much to do.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @returns whether the request may come again
	 */
	rejected(method: ApiMethod, asked: number): boolean;
	/** Gives the place back. */
	end(): void;
}

/** A request that waits for a permit. */
export interface Waiting {
	readonly request: PacedRequest;
	/** How many requests it sends, one after another, if it gets the permit now. */
	places(): number;
	/** @param permit undefined when the request is given up */
	grant(permit: Permit | undefined): void;
	refuse(reason: Error): void;
}

/** What one run waits for, and has in flight. */
export class Run {
	/** What waits for its first permit. */
	readonly fresh = new Set<Waiting>();

	/** What waits to be sent again. */
	readonly retries = new Set<Waiting>();

	readonly inFlight = new Set<Attempt>();

	readonly closing = new AbortController();

	/** Reads something once more, to compare rejected requests with it. */
	probe?: (path: string, limits: RequestLimits) => void;

	private wasRetry = false;

	get isIdle(): boolean {
		return this.fresh.size + this.retries.size + this.inFlight.size === 0;
	}

	/**
	 * What comes next: retries whose time has come take turns with new requests.
	 *
	 * @param isHalfOpen whether new ones come first, since those that were rejected may be ill
	 */
	next(now: number, isHalfOpen: boolean): Waiting | undefined {
		const [fresh] = this.fresh;
		const due = [...this.retries].filter(({ request }) => request.notBefore <= now);
		const first = due.find(({ request }) => request.isNext);
		const [one, other] = isHalfOpen || this.wasRetry ? [fresh, due[0]] : [due[0], fresh];
		const next = first ?? one ?? other;
		const most = next?.request.limits.maxConcurrentRequests ?? 0;
		return this.inFlight.size < most ? next : undefined;
	}

	/** When the next retry that is not due yet is due. */
	nextRetryAt(now: number): number {
		const times = [...this.retries].map(({ request }) => request.notBefore);
		return times.reduce((next, time) => (time > now ? Math.min(next, time) : next), Infinity);
	}

	add(waiting: Waiting): void {
		(waiting.request.isRetry ? this.retries : this.fresh).add(waiting);
	}

	remove(waiting: Waiting): void {
		this.wasRetry = this.retries.delete(waiting);
		this.fresh.delete(waiting);
	}

	/** Refuses what waits and may not wait any longer. */
	refuse(reasonFor: (waiting: Waiting) => Error | undefined): void {
		for (const waiting of [...this.fresh, ...this.retries]) {
			const reason = reasonFor(waiting);
			if (reason === undefined) continue;
			this.remove(waiting);
			waiting.refuse(reason);
		}
	}
}
