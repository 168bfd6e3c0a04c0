import { type ServiceResponse, serviceTime } from './response';

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
/** Above this they are milliseconds. */
const FIRST_TIME_MS = 1e12;

/** @param now the time of the service, in milliseconds since 1970 */
function waitIn(value: unknown, now: number): number {
	const text = String(value).trim();
	if (/^\d+(\.\d+)?$/.test(text)) {
		const number = Number(text);
		const milliseconds = number >= FIRST_TIME_MS ? number : number * 1000;
		return milliseconds - (number >= FIRST_TIME_SECONDS ? now : 0);
	}
	// Date.parse makes a date of almost any text; one without a time of day is not meant as one.
	return /\d:\d\d:\d\d/.test(text) ? Date.parse(text) - now : 0;
}

/**
 * How long the service asks to wait (`Retry-After` and its kin: seconds, a date, or a time since 1970), in
 * milliseconds; 0 when it does not say, or not so that it can be read; undefined when it does not ask to.
 * Times count by the clock of the service, which may differ from ours.
 *
 * @param now in milliseconds since 1970, for services that do not tell their time
 */
export function askedPause(response: ServiceResponse, now: number): number | undefined {
	if (response.status !== 429 && response.status !== 503) return undefined;
	const waits = WAIT_HEADERS.map((header) =>
		waitIn(response.headers[header], serviceTime(response) ?? now),
	);
	return waits.find((wait) => wait > 0) ?? 0;
}
