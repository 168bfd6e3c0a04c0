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
	/** The longest wait for the service. */
	readonly maxWait: number;
	/** When it first came. */
	readonly since: number;
	/** Says right before each attempt whether it should still be sent. */
	readonly onSend?: () => boolean | void;
	/** What is urgent comes first, then what has the lowest turn. */
	isUrgent: boolean;
	turn: number;
	/** When its latest attempt began, and until when it backs off by itself before the next one. */
	begunAt: number;
	notBefore: number;
	/** Whether any attempt failed, and how many of those count. */
	hasFailed: boolean;
	failures: number;
	/** End its wait for a permit. */
	grant?: () => void;
	refuse?: (reason: Error) => void;
}

export function isBefore(one: PacedRequest, other: PacedRequest): boolean {
	return one.isUrgent === other.isUrgent ? one.turn < other.turn : one.isUrgent;
}
