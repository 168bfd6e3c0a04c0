import type { SnapshotShape } from '../data/representation';

/** How a 429 says how long to wait. `zero` and `pastDate` don't say it. */
export type WaitHint =
	| 'seconds'
	| 'date'
	| 'none'
	| 'zero'
	| 'pastDate'
	| 'RateLimit-Reset'
	| 'X-RateLimit-Reset';

/** The limit of requests; the response to each one above it is 429. */
export interface RateLimit {
	/** Requests let through in any window of `seconds`. */
	requests: number;
	/** Default 1. */
	seconds?: number;
	/**
	 * Default `seconds`. The names of headers replace Retry-After: `RateLimit-Reset` in
	 * seconds to wait, `X-RateLimit-Reset` in seconds since 1970.
	 */
	retryAfter?: WaitHint;
	/** The seconds in the header. Default: until the next request is let through. */
	retryAfterSeconds?: number;
}

/** `passedOver`: the others are deleted; `refused`: nothing is, and the status is 400. */
export type UnknownIds = 'passedOver' | 'refused';

/** The settings that last until they are changed. */
export interface SandboxSettings {
	/** Milliseconds that every response under `/api` takes. */
	latencyMs: number;
	rateLimit: RateLimit | null;
	snapshotShape: SnapshotShape;
	/** What becomes of a bulk delete with IDs that do not exist. */
	unknownIds: UnknownIds;
}

/** The settings of a service that behaves. */
export const PROPER: Readonly<SandboxSettings> = {
	latencyMs: 0,
	rateLimit: null,
	snapshotShape: 'text',
	unknownIds: 'passedOver',
};
