import { isObject } from '../values/objects';
import type { Answer } from './answer';

/** What came of one try: an answer, or the code of a network failure, e.g. `ECONNRESET`. */
export type Result = Answer | { networkCode: string };

const FIRST_PAUSE_MS = 1_000;
/** Longer than this no item waits in total: a workflow that hangs for an hour helps nobody. */
export const LONGEST_WAIT_MS = 300_000;
const LOST_CONNECTION = new Set([
	'ECONNRESET',
	'EPIPE',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ERR_BAD_RESPONSE',
]);

function askedPause(answer: Answer, now: number): number | undefined {
	const value = answer.headers['retry-after'];
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const text = value.trim();
	const pause = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
	return Number.isNaN(pause) ? undefined : Math.max(pause, 0);
}

/** Doubles with each try and is spread by half, so that several workflows do not return at once. */
function growingPause(tries: number): number {
	return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random());
}

/**
 * How long to wait before the request is sent again, in milliseconds; undefined when it must not be.
 *
 * 429 and 503 are tried again, after the pause that the service asks for. A lost connection is tried
 * again once: all three operations are idempotent by the interface.
 *
 * @param tries how often the request has been sent
 * @param maxRetries how often it may be sent again
 * @param waited how long it has waited so far, in milliseconds
 */
export function pauseBeforeRetry(
	result: Result,
	{
		tries,
		maxRetries,
		waited,
		now,
	}: { tries: number; maxRetries: number; waited: number; now: number },
): number | undefined {
	if (tries > maxRetries) return undefined;
	if ('networkCode' in result) {
		return tries === 1 && LOST_CONNECTION.has(result.networkCode) ? growingPause(tries) : undefined;
	}
	if (result.status !== 429 && result.status !== 503) return undefined;
	const pause = askedPause(result, now) ?? growingPause(tries);
	return waited + pause > LONGEST_WAIT_MS ? undefined : pause;
}

/** The code of a network failure as n8n reports it (ENGINE, 8): on it, or on what caused it. */
export function networkCode(failure: unknown): string {
	if (!isObject(failure)) return '';
	for (const code of [failure.httpCode, failure.code]) {
		if (typeof code === 'string' && !/^\d+$/.test(code)) return code;
	}
	return networkCode(failure.cause);
}
