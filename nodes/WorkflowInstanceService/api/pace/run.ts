import type { ApiMethod } from '../errors';
import type { PacedRequest } from './pacedRequest';

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

/** A request that gets a permit. */
export interface Granted {
	request: PacedRequest;
	places: number;
	/** @param permit none when the request is given up */
	grant(permit?: Permit): void;
}

/** A request that waits for a permit. */
export interface Waiting extends Granted {
	refuse(reason: Error): void;
}

/** A request that has a permit. */
export interface Attempt {
	request: PacedRequest;
	/** Its place among all attempts, in the order in which they began. */
	number: number;
	begunAt: number;
	/** Whether what comes of it says something about the service: those that were rejected before may be ill. */
	isSample: boolean;
	/** Whether it follows a request with the same permit. */
	isSecond: boolean;
	/** How many were in flight when it began. */
	inFlight: number;
}

function isDue(retry: Waiting | undefined, now: number): retry is Waiting {
	return retry !== undefined && retry.request.notBefore <= now;
}

/** One run in the pool. */
export class Run {
	/** What waits for its first permit, in order. */
	readonly fresh = new Set<Waiting>();

	/** What waits to be sent again, the next one first. */
	readonly retries: Waiting[] = [];

	readonly inFlight = new Set<Attempt>();

	readonly closing = new AbortController();

	/** Reads something once more. */
	probe: ((path: string, permit: Permit) => void) | undefined;

	private wasRetry = false;

	add(waiting: Waiting): void {
		const { notBefore, rejections } = waiting.request;
		if (rejections === 0) {
			this.fresh.add(waiting);
			return;
		}
		const index = this.retries.findIndex(({ request }) => request.notBefore > notBefore);
		this.retries.splice(index === -1 ? this.retries.length : index, 0, waiting);
	}

	/** What comes next: retries whose time has come take turns with new requests. */
	next(now: number): Waiting | undefined {
		const [fresh] = this.fresh;
		const [retry] = this.retries;
		const next = isDue(retry, now) && !this.isAfter(retry, fresh) ? retry : fresh;
		return this.isFull ? undefined : next;
	}

	private isAfter(retry: Waiting, fresh: Waiting | undefined): boolean {
		return fresh !== undefined && this.wasRetry && retry.request.notBefore > 0;
	}

	remove(waiting: Waiting): void {
		this.wasRetry = waiting.request.rejections > 0;
		this.fresh.delete(waiting);
		const index = this.retries.indexOf(waiting);
		if (index >= 0) this.retries.splice(index, 1);
	}

	/** Whether it has as many requests in flight as it may have. */
	get isFull(): boolean {
		const [waiting = this.retries[0]] = this.fresh;
		return this.inFlight.size >= (waiting?.request.limits.maxConcurrentRequests ?? 0);
	}

	/** Whether it has no request, waiting or in flight. */
	get isIdle(): boolean {
		return this.fresh.size + this.retries.length + this.inFlight.size === 0;
	}

	/** Lets what was explained come again at once. */
	sort(): void {
		this.retries.sort((a, b) => a.request.notBefore - b.request.notBefore);
	}

	refuse(reasonFor: (waiting: Waiting) => Error | undefined): void {
		for (const waiting of [...this.fresh, ...this.retries]) {
			const reason = reasonFor(waiting);
			if (reason === undefined) continue;
			this.remove(waiting);
			waiting.refuse(reason);
		}
	}
}
