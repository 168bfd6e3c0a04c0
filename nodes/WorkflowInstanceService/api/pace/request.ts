/** What one execution, poll or list sends. */
export interface Run {
	/** A limit that the user knows; 0 for none. */
	readonly requestsPerMinute: number;
	readonly closing: AbortController;
	/** The turn of its last request. */
	lastTurn: number;
}

/** A request over all its attempts. Times are in milliseconds of the monotonic clock. */
export interface PacedRequest {
	readonly run: Run;
	/** When it first came, and its longest wait for the service. */
	readonly since: number;
	readonly maxWait: number;
	/** Returns false right before an attempt that should not be sent any more. */
	readonly beforeSend?: () => unknown;
	/** The lowest comes first; 0 if it is urgent. */
	turn: number;
	/** When its latest attempt began, and until when it backs off by itself before the next one. */
	begunAt: number;
	notBefore: number;
	/** Whether the service was unavailable for it, ever. */
	hasFailed: boolean;
}
