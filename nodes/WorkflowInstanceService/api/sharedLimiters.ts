import type { Clock } from './clock';
import { ConcurrencyLimiter } from './concurrencyLimiter';
import type { Line } from './line';
import { MinuteLimit } from './minuteLimit';

const limiters = new Map<string, ConcurrencyLimiter>();
/** What was begun in the last minute, over the end of one run and the start of the next. */
const minutes = new Map<string, MinuteLimit>();

/**
 * Opens a line at the limiter for a base URL and key, which all runs of this process with the same
 * two share. It exists as long as one of them does, and what a limit by the minute has to remember for a
 * minute longer.
 *
 * @param requestsPerMinute a limit that the user knows; 0 for none
 */
export function joinLimiter(
	baseUrl: string,
	apiKey: string,
	clock: Clock,
	requestsPerMinute: number,
): Line {
	const id = `${baseUrl} ${apiKey}`;
	const minute = minutes.get(id) ?? new MinuteLimit(0);
	minute.most = requestsPerMinute;
	const forget = () => limiters.has(id) || minutes.delete(id);
	const onIdle = () => {
		limiters.delete(id);
		const memory = minute.memoryAt(clock.now());
		if (memory === 0) forget();
		else void clock.sleep(memory).then(forget);
	};
	const limiter = limiters.get(id) ?? new ConcurrencyLimiter(clock, onIdle, minute);
	limiters.set(id, limiter);
	minutes.set(id, minute);
	return limiter.join();
}

/** How many limiters there are: none when nothing runs. */
export function limiterCount(): number {
	return limiters.size;
}
