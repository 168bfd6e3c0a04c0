import { isObject } from '../values/json';

/** A request that got no response. */
export interface NoResponse {
	/** The error code from Node.js or axios, e.g. `ECONNREFUSED`; empty if they gave none. */
	networkCode: string;
	/** What n8n says about it, e.g. that its administrator has blocked the address. */
	words: string;
}

/** The codes of a connection that was made, and lost before the response was whole. */
export const LOST_CONNECTION: readonly string[] = [
	'ECONNRESET',
	'EPIPE',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ERR_BAD_RESPONSE',
];

/** The codes of a request that got no response in time. */
export const TIMED_OUT: readonly string[] = [
	'ECONNABORTED',
	'ETIMEDOUT',
	'ESOCKETTIMEDOUT',
	'ERR_TIMEOUT',
];

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
	return [thrown.message, thrown.description]
		.filter((words) => typeof words === 'string' && words !== '')
		.map((words) =>
			String(words)
				.trim()
				.replace(/([^.!?])$/, '$1.'),
		)
		.join(' ');
}

/**
 * Why there was none, as n8n reports it: the code is on it, or on what caused it
 * (docs/n8n-engine.md#failed-requests).
 *
 * @param thrown what n8n's request helper threw
 */
export function noResponse(thrown: unknown): NoResponse {
	return { networkCode: findCode(thrown), words: findWords(thrown) };
}
