import type { PacedRequest } from './pacedRequest';
import { RunStopped } from './runStopped';

/** A request that waits for its turn. */
export interface Waiting<Grant> {
	request: PacedRequest;
	grant(grant: Grant): void;
	refuse(reason: Error): void;
}

/** The requests of one run that wait for their turn: by level, then in order. */
export class RequestQueue<Grant> {
	/** How many requests of the run are in flight. */
	inFlight = 0;

	private isOpen = true;

	private readonly levels: Array<Set<Waiting<Grant>>> = [];

	/** @param level those of a lower one come before it */
	add(waiting: Waiting<Grant>, level: number): void {
		if (!this.isOpen) return waiting.refuse(new RunStopped());
		while (this.levels.length <= level) this.levels.push(new Set());
		this.levels[level]?.add(waiting);
	}

	/**
	 * Takes the next request out, if the run may have one more in flight.
	 *
	 * @param suits which ones come into question
	 */
	next(suits: (request: PacedRequest) => boolean = () => true): Waiting<Grant> | undefined {
		for (const level of this.levels) {
			for (const waiting of level) {
				const { request } = waiting;
				if (this.inFlight >= request.bounds.maxConcurrentRequests) return undefined;
				if (!suits(request)) continue;
				level.delete(waiting);
				return waiting;
			}
		}
		return undefined;
	}

	/** The lowest level on which a request waits, -1 when none does. */
	get level(): number {
		return this.levels.findIndex(({ size }) => size > 0);
	}

	/** Whether no request waits. */
	get isEmpty(): boolean {
		return this.level === -1;
	}

	/** Refuses the requests for which there is a reason to. */
	refuse(reasonFor: (request: PacedRequest) => Error | undefined): void {
		for (const level of this.levels) {
			for (const waiting of level) {
				const reason = reasonFor(waiting.request);
				if (reason === undefined) continue;
				level.delete(waiting);
				waiting.refuse(reason);
			}
		}
	}

	/** Refuses every request that waits, and every later one. */
	close(): void {
		this.isOpen = false;
		this.refuse(() => new RunStopped());
	}
}
