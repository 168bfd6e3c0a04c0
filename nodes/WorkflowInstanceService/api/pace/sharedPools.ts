import type { Clock } from '../clock';
import { MinuteLimit } from './minuteLimit';
import { PermitPool } from './permitPool';

interface Shared {
	/** As long as there are runs. */
	pool?: PermitPool;
	/** What was begun in the last minute, over the end of one run and the start of the next. */
	readonly minute: MinuteLimit;
}

const shared = new Map<string, Shared>();

/**
 * Joins the pool for a base URL and key, which all runs of this process with the same two share. It
 * exists as long as one of them does, and what a limit by the minute has to remember a minute longer.
 *
 * @param requestsPerMinute a limit that the user knows; 0 for none
 */
export function joinPool(
	baseUrl: string,
	apiKey: string,
	clock: Clock,
	requestsPerMinute: number,
): ReturnType<PermitPool['join']> {
	const id = `${baseUrl} ${apiKey}`;
	const known = shared.get(id) ?? { minute: new MinuteLimit() };
	const { minute } = known;
	const forget = async () => {
		known.pool = undefined;
		const memory = minute.memoryAt(clock.elapsed());
		if (memory > 0) await clock.sleep(memory);
		// Meanwhile others may have begun, and ended.
		if (known.pool === undefined && minute.memoryAt(clock.elapsed()) <= 0) shared.delete(id);
	};
	shared.set(id, known);
	known.pool ??= new PermitPool(clock, minute, () => void forget());
	const run = known.pool.join();
	minute.limits.push(requestsPerMinute);
	let hasLeft = false;
	return {
		...run,
		leave: () => {
			if (hasLeft) return;
			hasLeft = true;
			minute.limits.splice(minute.limits.indexOf(requestsPerMinute), 1);
			run.leave();
		},
	};
}

/** For how many base URLs and keys something is shared: none a minute after the last run. */
export function poolCount(): number {
	return shared.size;
}
