import type { ApiMethod } from '../errors';

/** A request's turn. Exactly one of these is called when the request has ended. */
export interface Turn {
	/**
	 * The service responded, and not that it has too much to do.
	 *
	 * @param isItself whether to the request itself, not to what reads its body again
	 */
	answered(isItself: boolean): void;
	/**
	 * The service has too much to do.
	 *
	 * @param pause how long it asks to wait, in milliseconds, 0 when it does not say
	 * @returns whether the request comes again, after it has waited by itself
	 */
	pushedBack(pause: number): Promise<boolean>;
	/** There was no response in time, and the request does not come again. */
	timedOut(): void;
	/** There was no response. */
	lost(): void;
}

/** What bounds the requests of a run in the line. */
export interface LineBounds {
	/** Most requests of the run in flight. */
	maxConcurrentRequests: number;
	/** How many retries have to show that others get through when the request does not. */
	maxRetries: number;
	/** How long the service may let nothing through, in milliseconds. */
	maxWait: number;
}

/** The line of one run. */
export interface Line {
	/**
	 * A request's place in the line, over all its tries.
	 *
	 * @param path what it asks for
	 * @returns what waits for a turn, before all others if it comes first. It throws RunStopped when the
	 *   line was closed, and WaitTooLong when the service asks to wait longer than the run may wait
	 */
	place(
		method: ApiMethod,
		path: string,
		bounds: LineBounds,
	): (comesFirst: boolean) => Promise<Turn>;
	/** How long nobody may send anything, in milliseconds, and whether the credential or the service says so. */
	hold(): { wait: number; isByCredential: boolean };
	/**
	 * Waits without being in the line.
	 *
	 * @throws RunStopped when the line was closed
	 */
	rest(milliseconds: number): Promise<void>;
	/**
	 * Lends the line the means to read something once more that got through before.
	 *
	 * @param read sends a read of a path, and ends its turn
	 */
	probeBy(read: (path: string, turn: Turn) => Promise<void>): void;
	/** Lets no more requests in; those in flight go on. */
	close(): void;
	/** Closes the line and gives all its places back, those of requests in flight too. */
	leave(): void;
	/** Whether it was closed. */
	readonly isClosed: boolean;
}
