import { isObject } from '../values/json';

/** A request that got no response. */
export interface NoResponse {
	/** The error code from Node.js or axios, e.g. `ECONNREFUSED`; empty if there was none. */
	networkCode: string;
	/** What n8n says about it, e.g. that its admin has blocked the address. */
	words: string;
}

/** A connection that was made, and lost before the response was complete. */
export const LOST_CONNECTION: readonly string[] = [
	...['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'],
];

/** A request that got no response in time. */
export const TIMED_OUT: readonly string[] = [
	...['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_TIMEOUT'],
];

/** Causes may be circular. */
const DEEPEST = 8;

function findCode(thrown: unknown, depth = 0): string {
	if (!isObject(thrown) || depth > DEEPEST) return '';
	for (const code of [thrown.httpCode, thrown.code]) {
		if (typeof code === 'string' && !/^\d+$/.test(code)) return code;
	}
	return findCode(thrown.cause, depth + 1);
}

function findWords(thrown: unknown): string {
	if (!isObject(thrown)) return String(thrown);
	const words = [thrown.message, thrown.description]
		.map((each) => (typeof each === 'string' ? each.trim() : ''))
		.filter((each) => each !== '');
	return words.map((each) => each.replace(/([^.!?])$/, '$1.')).join(' ');
}

/**
 * Why there was no response, as n8n reports it: the code is on what was thrown, or on its cause
 * (docs/dev/n8n-engine.md#failed-requests).
 *
 * @param thrown by n8n's request helper
 */
export function noResponse(thrown: unknown): NoResponse {
	return { networkCode: findCode(thrown), words: findWords(thrown) };
}
