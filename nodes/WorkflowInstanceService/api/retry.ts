import { LOST_CONNECTION, type NoResponse, TIMED_OUT } from './network';
import { type ServiceResponse, serviceTime } from './response';

/** What came of one try. */
export type Result = ServiceResponse | NoResponse;

/** When nothing at all gets through for this long, nobody waits any longer. */
export const LONGEST_WAIT_MS = 300_000;

const PAUSE_AFTER_LOSS_MS = 1_000;

/** What has become of a request so far. */
export interface History {
	/** How often it was sent again while nothing else got through. */
	retriesInVain: number;
	/** How often its connection was lost. */
	lost: number;
	/** How long the service has let nothing at all through, in milliseconds. */
	stalled: number;
}

/** Whether a try ended without an answer in a way that a second one may cure. */
export function isLostConnection(result: Result): boolean {
	return 'networkCode' in result && LOST_CONNECTION.includes(result.networkCode);
}

/** Whether the service wants the request to come again later. */
export function isAskedToWait(result: Result): result is ServiceResponse {
	return 'status' in result && (result.status === 429 || result.status === 503);
}

/** Whether a try shows that the service has too much to do. */
export function isPushBack(result: Result): boolean {
	return 'status' in result ? isAskedToWait(result) : TIMED_OUT.includes(result.networkCode);
}

/**
 * How long the service asks to wait (`Retry-After`: seconds, or a date), in milliseconds; 0 when it
 * does not say, or not so that it can be read. A date counts by the clock of the service, which may
 * differ from ours.
 *
 * @param now in milliseconds since 1970, for services that do not tell their time
 */
export function askedPause(response: ServiceResponse, now: number): number {
	const text = String(response.headers['retry-after'] ?? '').trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	// Date.parse makes a date of almost any text; one without a time of day is not meant as one.
	const until = /\d:\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(until)) return 0;
	return Math.max(until - (serviceTime(response) ?? now), 0);
}

/**
 * Decides whether a request is sent again, and how long to wait before; undefined when it is given up.
 *
 * What is sent again after a wait must be a push-back, too: else the limiter takes it for progress, and
 * nothing waits. 429 and 503 are sent again until that was in vain for `maxRetries` times, or nothing at all got
 * through for five minutes. A lost connection is tried again once: all three operations are idempotent
 * (docs/service-interface.md#repeating-a-request).
 *
 * @param now in milliseconds since 1970
 * @returns milliseconds; 0 when the service did not say how long
 */
export function pauseBeforeRetry(
	result: Result,
	{ retriesInVain, lost, stalled }: History,
	{ maxRetries, now }: { maxRetries: number; now: number },
): number | undefined {
	if (isLostConnection(result)) {
		return maxRetries > 0 && lost === 1 ? PAUSE_AFTER_LOSS_MS : undefined;
	}
	if (!isAskedToWait(result) || retriesInVain >= maxRetries) return undefined;
	const pause = askedPause(result, now);
	return stalled + pause > LONGEST_WAIT_MS ? undefined : pause;
}
