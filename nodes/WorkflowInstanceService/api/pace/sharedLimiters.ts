import type { Clock } from '../clock';
import { ConcurrencyLimiter } from './concurrencyLimiter';
import type { Line } from './line';
import { MinuteLimit } from './minuteLimit';

interface Shared {
	/** As long as there are runs. */
	limiter?: ConcurrencyLimiter;
	/** What was begun in the last minute, over the end of one run and the start of the next. */
	readonly minute: MinuteLimit;
}

const shared = new Map<string, Shared>();

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
	const known = shared.get(id) ?? { minute: new MinuteLimit(0) };
	const { minute } = known;
	const forget = async () => {
		known.limiter = undefined;
		const memory = minute.memoryAt(clock.now());
		if (memory > 0) await clock.sleep(memory);
		// Meanwhile others may have begun, and ended.
		if (known.limiter === undefined && minute.memoryAt(clock.now()) <= 0) shared.delete(id);
	};
	shared.set(id, known);
	minute.most = requestsPerMinute;
	known.limiter ??= new ConcurrencyLimiter(clock, () => void forget(), minute);
	return known.limiter.join();
}

/** For how many base URLs and keys something is shared: none a minute after the last run. */
export function limiterCount(): number {
	return shared.size;
}
