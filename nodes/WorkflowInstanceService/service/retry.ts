import type { Answer } from './answer';
import { LOST_CONNECTION, type NetworkFailure } from './network';

/** What came of one try. */
export type Result = Answer | NetworkFailure;

const FIRST_PAUSE_MS = 1_000;
/** Longer than this no request waits in total: a workflow that hangs for an hour helps nobody. */
export const LONGEST_WAIT_MS = 300_000;

/** What has become of a request so far. Times are in milliseconds. */
export interface History {
	/** How often it was sent. */
	tries: number;
	/** How often of these the connection was lost. */
	lost: number;
	/** How long it has waited. */
	waited: number;
	/** How long the service has let no request of the whole run through. */
	stalled: number;
}

/** Whether a try ended without an answer in a way that a second one may mend. */
export function isLostConnection(result: Result): boolean {
	return 'networkCode' in result && LOST_CONNECTION.includes(result.networkCode);
}

/** Whether the service wants the request to come again later. */
export function isAskedToWait({ status }: Answer): boolean {
	return status === 429 || status === 503;
}

/**
 * How long the service asks to wait (`Retry-After`: seconds, or a date), in milliseconds; undefined
 * when it does not say, or not so that it can be read. A date counts by the clock of the service,
 * which may differ from ours.
 *
 * @param now in milliseconds since 1970, for services that do not tell their time
 */
export function askedPause({ headers }: Answer, now: number): number | undefined {
	const text = String(headers['retry-after'] ?? '').trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Date.parse makes a date of almost any text; one without a time of day is none.
	const until = /\d:\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(until)) return undefined;
	const serviceTime = Date.parse(String(headers.date));
	return Math.max(until - (Number.isNaN(serviceTime) ? now : serviceTime), 0);
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
 * @param maxRetries how often it may be sent again
 * @param now in milliseconds since 1970
 */
export function pauseBeforeRetry(
	result: Result,
	{ tries, lost, waited, stalled }: History,
	{ maxRetries, now }: { maxRetries: number; now: number },
): number | undefined {
	if (tries > maxRetries) return undefined;
	if ('networkCode' in result) {
		return isLostConnection(result) && lost === 1 ? growingPause(tries) : undefined;
	}
	if (!isAskedToWait(result)) return undefined;
	const pause = askedPause(result, now) ?? growingPause(tries);
	return Math.max(waited, stalled) + pause > LONGEST_WAIT_MS ? undefined : pause;
}
