/** Which requests under `/api` a fault applies to. All conditions must match. */
export interface FaultMatch {
	/** HTTP method, in any case. */
	method?: string;
	/** Pattern searched in the path with its query, such as `/instances/\d+/` (text or RegExp). */
	path?: string | RegExp;
	/** Instance ids, one of which must be in the path or in the body of a bulk delete. */
	ids?: number[];
	/** The first request, counted from 1 among those that meet the other conditions. Default 1. */
	nth?: number;
}

/** Sends the given response. The headers win over `contentType`. */
export interface RespondAction {
	type: 'respond';
	status: number;
	headers?: Record<string, string>;
	/** Default: no body. */
	body?: string;
	/** Default `application/json` when there is a body. */
	contentType?: string;
}

/** Destroys the connection before a byte is sent. */
export interface ResetAction {
	type: 'reset';
}

/** Does the work, sends the head and half of the body, then destroys the connection. */
export interface ResetDuringAction {
	type: 'resetDuring';
}

/** Never responds. */
export interface HangAction {
	type: 'hang';
}

/** Does the work; sends a complete HTTP message whose JSON text is cut in the middle. */
export interface TruncateAction {
	type: 'truncate';
}

/** Sends a redirect. */
export interface RedirectAction {
	type: 'redirect';
	/** Default 302. */
	status?: number;
	location: string;
}

/** Sends a status with no body, with the content type of a JSON response. */
export interface EmptyBodyAction {
	type: 'emptyBody';
	/** Default 200. */
	status?: number;
}

/** Does the work and responds properly, but later. */
export interface DelayAction {
	type: 'delay';
	/** Milliseconds on top of the latency. */
	ms: number;
}

/** What may follow work that was really done. */
export type AfterWorkAction =
	| RespondAction
	| ResetAction
	| ResetDuringAction
	| HangAction
	| TruncateAction
	| RedirectAction
	| EmptyBodyAction;

/** Really does the work, then misbehaves: a delete that is done, but with the status 500. */
export interface ApplyThenAction {
	type: 'applyThen';
	then: AfterWorkAction;
}

export type FaultAction = AfterWorkAction | DelayAction | ApplyThenAction;

/** One rule of misbehaviour. */
export interface FaultRule {
	/** Default: every request under `/api`. */
	match?: FaultMatch;
	/** How many matching requests, from the `nth` on, it applies to; 0 is without end. Default 1. */
	times?: number;
	action: FaultAction;
}

/** A rule in the queue. */
export interface QueuedFault {
	id: number;
	rule: FaultRule;
	/** Requests that met the conditions so far, those before the `nth` included. */
	matched: number;
	/** Requests that the action was applied to. */
	applied: number;
}
