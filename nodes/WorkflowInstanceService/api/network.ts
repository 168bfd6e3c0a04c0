import { isObject } from '../values/json';

/** A request that got no answer. */
export interface NetworkFailure {
	/** The code of Node.js or axios, e.g. `ECONNREFUSED`; empty when there is none. */
	networkCode: string;
	/** What n8n says about it, e.g. that its administrator has blocked the address. */
	words: string;
}

/** The codes of a connection that was made, and lost before the answer was whole. */
export const LOST_CONNECTION: readonly string[] = [
	'ECONNRESET',
	'EPIPE',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ERR_BAD_RESPONSE',
];

/** The codes of a request that was not answered in time. */
export const TIMED_OUT: readonly string[] = [
	'ECONNABORTED',
	'ETIMEDOUT',
	'ESOCKETTIMEDOUT',
	'ERR_TIMEOUT',
];

const DEEPEST = 8;

function findCode(failure: unknown, depth = 0): string {
	if (!isObject(failure) || depth > DEEPEST) return '';
	for (const code of [failure.httpCode, failure.code]) {
		if (typeof code === 'string' && !/^\d+$/.test(code)) return code;
	}
	return findCode(failure.cause, depth + 1);
}

function findWords(failure: unknown): string {
	if (!isObject(failure)) return String(failure);
	return [failure.message, failure.description]
		.filter((words) => typeof words === 'string' && words !== '')
		.map((words) =>
			String(words)
				.trim()
				.replace(/([^.!?])$/, '$1.'),
		)
		.join(' ');
}

/**
 * A failure as n8n reports it: the code is on it, or on what caused it
 * (docs/n8n-engine.md#failed-requests).
 *
 * @param failure what n8n's request helper threw
 */
export function networkFailure(failure: unknown): NetworkFailure {
	return { networkCode: findCode(failure), words: findWords(failure) };
}
