import type { Clock } from '../clock';
import { PermitPool } from './permitPool';

const pools = new Map<string, PermitPool>();

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
	const pool: PermitPool =
		pools.get(id) ?? new PermitPool(clock, () => pools.get(id) === pool && pools.delete(id));
	pools.set(id, pool);
	return pool.join(requestsPerMinute);
}

/** For how many base URLs and keys something is shared: none a minute after the last run. */
export function poolCount(): number {
	return pools.size;
}
