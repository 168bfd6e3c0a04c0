import { systemClock } from './clock';
import { type ServiceResponse, serviceTime } from './response';

export const TOO_MANY_REQUESTS = 429;

const RETRY_AFTER = 'retry-after';
/** What precedes `remaining` and `reset` in the names of other rate limit headers, the standard one first. */
const PREFIXES = ['ratelimit-', 'x-ratelimit-', 'x-rate-limit-'];
/** Numbers this high or higher are times since 1970. Lower ones are seconds to wait. */
const FIRST_TIME_SECONDS = 1e9;
const FIRST_TIME_MS = 1e12;

function waitIn(value: unknown, now: number): number {
	const text = String(value).trim();
	if (/^\d{1,15}(\.\d+)?$/.test(text)) {
		const number = Number(text);
		const milliseconds = number >= FIRST_TIME_MS ? number : number * 1000;
		return milliseconds - (number >= FIRST_TIME_SECONDS ? now : 0);
	}
	// Date.parse makes a date of almost any text, but text without a time of day isn't meant as one.
	return /\d:\d\d:\d\d/.test(text) ? Date.parse(text) - now : 0;
}

/** How many milliseconds the service says to wait, by its own clock if it sends the time; 0 if it doesn't say. */
export function retryAfterOf(response: ServiceResponse): number {
	const { headers, status } = response;
	const time = serviceTime(response) ?? systemClock.now();
	const waitBy = (header: string) => Math.max(0, waitIn(headers[header], time) || 0);
	if (headers[RETRY_AFTER] !== undefined || status !== TOO_MANY_REQUESTS)
		return waitBy(RETRY_AFTER);
	// Some services report in every response when a limit resets, even one that isn't exceeded.
	const exceeded = PREFIXES.filter((prefix) => !(Number(headers[`${prefix}remaining`]) > 0));
	return exceeded.map((prefix) => waitBy(`${prefix}reset`)).find((wait) => wait > 0) ?? 0;
}
