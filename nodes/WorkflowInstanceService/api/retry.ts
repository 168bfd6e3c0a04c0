import { LOST_CONNECTION, type NoResponse, TIMED_OUT } from './network';
import { type ServiceResponse, serviceTime } from './response';

/** What came of one try. */
export type Result = ServiceResponse | NoResponse;

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

/** The headers by which services say how long to wait, the standard first. */
const WAIT_HEADERS = [
	'retry-after',
	'ratelimit-reset',
	'x-ratelimit-retry-after',
	'x-ratelimit-reset',
	'x-rate-limit-reset',
];
/** Seconds above this are a time since 1970, below it a time to wait. */
const FIRST_TIME_SECONDS = 1e9;

/** @param now the time of the service, in milliseconds since 1970 */
function waitIn(value: unknown, now: number): number {
	const text = String(value ?? '').trim();
	if (/^\d+(\.\d+)?$/.test(text)) {
		const seconds = Number(text);
		return seconds * 1000 - (seconds >= FIRST_TIME_SECONDS ? now : 0);
	}
	// Date.parse makes a date of almost any text; one without a time of day is not meant as one.
	return /\d:\d\d:\d\d/.test(text) ? Date.parse(text) - now : 0;
}

/**
 * How long the service asks to wait (`Retry-After` and its kin: seconds, a date, or seconds since 1970),
 * in milliseconds; 0 when it does not say, or not so that it can be read. Times count by the clock of
 * the service, which may differ from ours.
 *
 * @param now in milliseconds since 1970, for services that do not tell their time
 */
export function askedPause(response: ServiceResponse, now: number): number {
	const waits = WAIT_HEADERS.map((header) =>
		waitIn(response.headers[header], serviceTime(response) ?? now),
	);
	return waits.find((wait) => wait > 0) ?? 0;
}

/**
 * Decides whether a request is sent again, and how long to wait before; undefined when it is given up.
 *
 * What is sent again after a wait must be a push-back, too: else the limiter takes it for progress, and
 * nothing waits. 429 and 503 are sent again until that was in vain for `maxRetries` times, or nothing at all got
 * through for `maxWait`. A lost connection is tried again once: all three operations are idempotent
 * (docs/service-interface.md#repeating-a-request).
 *
 * @param now in milliseconds since 1970
 * @returns milliseconds; 0 when the service did not say how long
 */
export function pauseBeforeRetry(
	result: Result,
	{ retriesInVain, lost, stalled }: History,
	{ maxRetries, maxWait, now }: { maxRetries: number; maxWait: number; now: number },
): number | undefined {
	if (isLostConnection(result)) {
		return maxRetries > 0 && lost === 1 ? PAUSE_AFTER_LOSS_MS : undefined;
	}
	if (!isAskedToWait(result) || retriesInVain >= maxRetries) return undefined;
	const pause = askedPause(result, now);
	return stalled + pause > maxWait ? undefined : pause;
}
