import type { ContractRequest } from './contract';
import type { ApiResponse } from './response';

/** Which requests under `/api` a fault applies to. All conditions must match. */
export interface FaultMatch {
	/** HTTP method. */
	method?: string;
	/** Pattern searched in the path with its query, such as `/instances/\d+/` (text or RegExp). */
	path?: string | RegExp;
	/** Instance IDs, one of which must be in the path or in the body of a bulk delete. */
	ids?: number[];
	/** The first request, counted from 1 among those that meet the other conditions. Default 1. */
	nth?: number;
}

/** Sends this response. The headers win over `contentType`, which is JSON by default. */
export interface RespondAction {
	type: 'respond';
	status: number;
	headers?: Record<string, string>;
	/** Default: no body. */
	body?: string;
	contentType?: string;
}

/** What happens in place of the proper response. */
export type AfterWorkAction =
	| RespondAction
	/** Destroys the connection before a byte is sent. */
	| { type: 'reset' }
	/** Never responds. */
	| { type: 'hang' }
	/** Status 302 by default. */
	| { type: 'redirect'; status?: number; location: string }
	/** No body, with the content type of a JSON response. Status 200 by default. */
	| { type: 'emptyBody'; status?: number };

export type FaultAction =
	| AfterWorkAction
	/** Responds properly, so many milliseconds later. */
	| { type: 'delay'; ms: number }
	/** Does the work, then misbehaves: a delete that is done, but with the status 500. */
	| { type: 'applyThen'; then: AfterWorkAction };

/** One rule of misbehavior. */
export interface FaultRule {
	/** Default: every request under `/api`. */
	match?: FaultMatch;
	/** How many matching requests, from the `nth` on, it applies to; 0 is without end. Default 1. */
	times?: number;
	action: FaultAction;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function concernsIds({ path, body }: ContractRequest, ids: readonly number[]): boolean {
	const inPath = /\/instances\/(\d+)\//.exec(path)?.[1];
	if (inPath !== undefined) return ids.includes(Number(inPath));
	const inBody = new Set((body?.match(/\d+/g) ?? []).map(Number));
	return ids.some((id) => inBody.has(id));
}

function meets({ match = {} }: FaultRule, request: ContractRequest): boolean {
	const { method = request.method, path = '', ids } = match;
	if (method !== request.method || request.path.search(path) === -1) return false;
	return ids === undefined || concernsIds(request, ids);
}

/** The rules of misbehavior, in the order in which they were added. */
export function createFaults() {
	let queue: Array<{ rule: FaultRule; matched: number; applied: number }> = [];
	return {
		add: (rule: FaultRule): void => void queue.push({ rule, matched: 0, applied: 0 }),
		clear: (): void => void (queue = []),
		/** The action for a request, if any. The first rule that applies wins and is counted. */
		take(request: ContractRequest): FaultAction | undefined {
			const due = queue.find((queued) => {
				if (!meets(queued.rule, request)) return false;
				queued.matched += 1;
				return queued.matched >= (queued.rule.match?.nth ?? 1);
			});
			if (!due) return undefined;
			due.applied += 1;
			if (due.applied === (due.rule.times ?? 1)) queue = queue.filter((queued) => queued !== due);
			return due.rule.action;
		},
	};
}

function toResponse({ status, headers = {}, body = '', contentType }: RespondAction): ApiResponse {
	const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
	const type = contentType ?? (body === '' ? undefined : 'application/json');
	return {
		status,
		headers: { ...(type && { 'content-type': type }), ...Object.fromEntries(own) },
		body,
	};
}

/** What to send in place of the proper response: nothing (`hang`), or a destroyed connection (`reset`). */
export function misbehave(action: AfterWorkAction): ApiResponse | 'hang' | 'reset' {
	switch (action.type) {
		case 'respond':
			return toResponse(action);
		case 'redirect': {
			const { status = 302, location } = action;
			return { status, headers: { location }, body: '' };
		}
		case 'emptyBody': {
			const { status = 200 } = action;
			return { status, headers: JSON_TYPE, body: '' };
		}
		default:
			return action.type;
	}
}
