import { RunStopped } from './runStopped';

/** A request that waits for its turn. */
export interface Waiting<Grant> {
	/** How many requests of the run may be in flight, this one included. */
	ceiling: number;
	/** How long the service may let nothing through, in milliseconds. */
	maxWait: number;
	grant(grant: Grant): void;
	refuse(reason: RunStopped | WaitTooLong): void;
}

/** Thrown where a request is not sent, because the service asks to wait for too long. */
export class WaitTooLong extends Error {
	/** @param wait how long it asks to wait, in milliseconds */
	constructor(readonly wait: number) {
		super('The service asks to wait for too long');
	}
}

/** The requests of one run that wait for their turn, in order. */
export class RequestQueue<Grant> {
	/** How many requests of the run are in flight. */
	inFlight = 0;

	private isOpen = true;

	private readonly first = new Set<Waiting<Grant>>();

	private readonly others = new Set<Waiting<Grant>>();

	/** Adds a request: before those that never had a turn, if it comes first. */
	add(request: Waiting<Grant>, comesFirst: boolean): void {
		if (this.isOpen) (comesFirst ? this.first : this.others).add(request);
		else request.refuse(new RunStopped());
	}

	/** Takes the next request out, if the run may have one more in flight. */
	next(): Waiting<Grant> | undefined {
		const requests = this.first.size > 0 ? this.first : this.others;
		for (const request of requests) {
			if (this.inFlight >= request.ceiling) return undefined;
			requests.delete(request);
			return request;
		}
		return undefined;
	}

	/** Whether no request waits. */
	get isEmpty(): boolean {
		return this.first.size + this.others.size === 0;
	}

	/**
	 * Refuses the requests that do not wait for so long.
	 *
	 * @param stalled how long the service will have let nothing through by then, in milliseconds
	 */
	refuseImpatient(stalled: number, reason: WaitTooLong): void {
		for (const requests of [this.first, this.others]) {
			for (const request of requests) {
				if (stalled <= request.maxWait) continue;
				requests.delete(request);
				request.refuse(reason);
			}
		}
	}

	/** Refuses every request that waits, and every later one. */
	close(): void {
		this.isOpen = false;
		const waiting = [...this.first, ...this.others];
		this.first.clear();
		this.others.clear();
		for (const request of waiting) request.refuse(new RunStopped());
	}
}
