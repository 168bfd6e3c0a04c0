/** A request's turn. Exactly one of the last three is called when the request has ended. */
export interface Turn {
	/** How many requests have got through since the limiter exists. */
	readonly through: number;
	/** How long the service has let nothing at all through, in milliseconds. */
	readonly stalled: number;
	/** The service answered. */
	answered(): void;
	/**
	 * The service has too much to do.
	 *
	 * @param pause how long it asks to wait, in milliseconds, 0 when it does not say
	 * @param comesAgain whether the request is sent again
	 */
	pushedBack(pause: number, comesAgain: boolean): void;
	/** There was no answer. */
	lost(): void;
}

/** What bounds the requests of a run in the line. */
export interface LineBounds {
	/** Most requests of the run in flight. */
	maxConcurrentRequests: number;
	/** How long the service may let nothing through, in milliseconds. */
	maxWait: number;
}

/** The line of one run. */
export interface Line {
	/**
	 * Waits for a turn.
	 *
	 * @param bounds of the run
	 * @param comesFirst whether it goes before the requests that never had a turn
	 * @throws RunStopped when the line was closed; WaitTooLong when the service asks to wait longer than
	 *   the run may wait
	 */
	enter(bounds: LineBounds, comesFirst: boolean): Promise<Turn>;
	/** How long nobody may send anything, in milliseconds, and who asked for that. */
	hold(): { wait: number; by: 'service' | 'credential' };
	/**
	 * Waits without being in the line.
	 *
	 * @throws RunStopped when the line was closed
	 */
	rest(milliseconds: number): Promise<void>;
	/** Lets no more requests in; those in flight go on. */
	close(): void;
	/** Closes the line and gives all its places back, those of requests in flight too. */
	leave(): void;
	/** Whether it was closed. */
	readonly isClosed: boolean;
}
