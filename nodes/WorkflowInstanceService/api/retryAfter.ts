import { systemClock } from './clock';
import { type ServiceResponse, serviceTime } from './response';

export const TOO_MANY_REQUESTS = 429;

const RETRY_AFTER = 'retry-after';
/** Before `remaining` and `reset`, in the names of other headers about rate limits, the standard first. */
const PREFIXES = ['ratelimit-', 'x-ratelimit-', 'x-rate-limit-'];
/** Numbers from these on are times since 1970. Lower ones are seconds to wait. */
const FIRST_TIME_SECONDS = 1e9;
const FIRST_TIME_MS = 1e12;

function waitIn(value: unknown, now: number): number {
	const text = String(value).trim();
	if (/^\d{1,15}(\.\d+)?$/.test(text)) {
		const number = Number(text);
		const milliseconds = number >= FIRST_TIME_MS ? number : number * 1000;
		return milliseconds - (number >= FIRST_TIME_SECONDS ? now : 0);
	}
	// Date.parse makes a date of almost any text; one without a time of day is not meant as one.
	return /\d:\d\d:\d\d/.test(text) ? Date.parse(text) - now : 0;
}

/** How many milliseconds the service says to wait, by its own clock if it sends one; 0 if it doesn't say. */
export function retryAfter(response: ServiceResponse): number {
	const { headers, status } = response;
	const time = serviceTime(response) ?? systemClock.now();
	const waitBy = (header: string) => Math.max(0, waitIn(headers[header], time) || 0);
	if (headers[RETRY_AFTER] !== undefined || status !== TOO_MANY_REQUESTS)
		return waitBy(RETRY_AFTER);
	// Some services say in every response when a limit resets that it does not exceed.
	const exceeded = PREFIXES.filter((prefix) => !(Number(headers[`${prefix}remaining`]) > 0));
	return exceeded.map((prefix) => waitBy(`${prefix}reset`)).find((wait) => wait > 0) ?? 0;
}

/** The first and the longest back-off, in milliseconds, and how much longer a wait is by chance. */
const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 16_000;
/** After so many waits, they are short again: what another n8n process leaves is soon gone. */
const WAITS_IN_A_ROW = 8;
const JITTER = 0.1;

/** How long to wait after so many waits before, with jitter, but no shorter than the service says. */
export function backOff(waits: number, shortest: number): number {
	const own = Math.min(FIRST_BACK_OFF_MS * 2 ** (waits % WAITS_IN_A_ROW), LONGEST_BACK_OFF_MS);
	return Math.max(shortest, own) * (1 + JITTER * systemClock.chance());
}
