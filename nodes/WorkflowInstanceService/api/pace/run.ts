import type { ApiMethod } from '../errors';
import type { PacedRequest } from './pacedRequest';
import type { Attempt } from './rateLimiter';
import { RunStopped } from './runStopped';

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
	grant(permit: Permit): void;
}

/** A request that waits for a permit. */
export interface Waiting extends Granted {
	/** How many requests it sends, one after another, if it gets the permit now. */
	places(): number;
	/** It is given up. */
	giveUp(): void;
	refuse(reason: Error): void;
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

	/** Whether it has no request, waiting or in flight. */
	get isIdle(): boolean {
		return this.fresh.size + this.retries.length + this.inFlight.size === 0;
	}

	/** What comes next: retries whose time has come take turns with new requests. */
	next(now: number): Waiting | undefined {
		const [fresh] = this.fresh;
		const retry = this.retries.find(({ request }) => request.notBefore <= now);
		const isTurn = fresh === undefined || !this.wasRetry || retry?.request.isNext;
		const next = isTurn ? (retry ?? fresh) : fresh;
		const most = next?.request.limits.maxConcurrentRequests ?? 0;
		return this.inFlight.size < most ? next : undefined;
	}

	/** When the next retry that is not due yet is due. */
	nextRetryAt(now: number): number {
		const times = this.retries.map(({ request }) => request.notBefore);
		return times.reduce((next, time) => (time > now ? Math.min(next, time) : next), Infinity);
	}

	add(waiting: Waiting): void {
		if (waiting.request.rejections === 0) {
			this.fresh.add(waiting);
			return;
		}
		this.retries.push(waiting);
		this.sort();
	}

	remove(waiting: Waiting): void {
		this.wasRetry = waiting.request.rejections > 0;
		this.fresh.delete(waiting);
		const index = this.retries.indexOf(waiting);
		if (index >= 0) this.retries.splice(index, 1);
	}

	/** Puts retries in order, after something explained them. */
	sort(): void {
		this.retries.sort(
			({ request: a }, { request: b }) =>
				Number(b.isNext) - Number(a.isNext) || a.notBefore - b.notBefore,
		);
	}

	/** Ends it: what waits is refused. */
	close(): void {
		this.closing.abort();
		this.refuse(() => new RunStopped());
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
