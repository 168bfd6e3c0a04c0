import type { ApiRequest, ApiResponse } from './api';

/** Which requests under `/api` a fault applies to. All conditions must match. */
export interface FaultMatch {
	/** The HTTP method. */
	method?: string;
	/** Instance IDs, one of which must be in the path or in the body of a bulk delete. */
	ids?: number[];
	/** The first request, counted from 1 among those that meet the other conditions. Default 1. */
	nth?: number;
}

export interface RespondAction {
	type: 'respond';
	status: number;
	/** By lower-case names. By default, a body is declared as JSON. */
	headers?: Record<string, string>;
	/** Default: no body. */
	body?: string | Buffer;
}

/** What happens instead of the proper response: `hang` never responds, `reset` cuts the connection. */
export type AfterWorkAction = RespondAction | { type: 'reset' } | { type: 'hang' };

export type FaultAction =
	| AfterWorkAction
	/** Responds properly, but this many milliseconds later. */
	| { type: 'delay'; ms: number }
	/** Does the work, then misbehaves, as for a deletion that is done but gets the status 500. */
	| { type: 'applyThen'; then: AfterWorkAction };

/** One rule of misbehavior. */
export interface FaultRule {
	/** Default: every request under `/api`. */
	match?: FaultMatch;
	/** How many matching requests, from the `nth` on, it applies to; 0 for all. Default 1. */
	times?: number;
	action: FaultAction;
}

function concernsIds({ path, body }: ApiRequest, ids: readonly number[]): boolean {
	const inPath = /\/instances\/(\d+)\//.exec(path)?.[1];
	if (inPath !== undefined) return ids.includes(Number(inPath));
	const inBody = new Set((body.match(/\d+/g) ?? []).map(Number));
	return ids.some((id) => inBody.has(id));
}

function matches({ method, ids }: FaultMatch, request: ApiRequest): boolean {
	if (method !== undefined && method !== request.method) return false;
	return ids === undefined || concernsIds(request, ids);
}

/** The rules of misbehavior, in the order in which they were added. */
export function createFaults() {
	let queue: Array<{ rule: FaultRule; matched: number; applied: number }> = [];
	return {
		add: (rule: FaultRule): void => void queue.push({ rule, matched: 0, applied: 0 }),
		clear: (): void => void (queue = []),
		/** The action for a request, if any. The first rule that applies wins and is counted. */
		take(request: ApiRequest): FaultAction | undefined {
			const due = queue.find((queued) => {
				const { match = {} } = queued.rule;
				if (!matches(match, request)) return false;
				queued.matched += 1;
				return queued.matched >= (match.nth ?? 1);
			});
			if (!due) return undefined;
			due.applied += 1;
			if (due.applied === (due.rule.times ?? 1)) queue = queue.filter((queued) => queued !== due);
			return due.rule.action;
		},
	};
}

/** What to send instead of the proper response. */
export function misbehave(action: AfterWorkAction): ApiResponse | 'hang' | 'reset' {
	if (action.type !== 'respond') return action.type;
	const { status, headers, body = '' } = action;
	const isJson = body !== '' && { 'content-type': 'application/json' };
	return { status, headers: { ...isJson, ...headers }, body };
}
