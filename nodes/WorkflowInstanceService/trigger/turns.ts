import type { Reads } from './readInstances';

/**
 * IDs in the order in which to read them: those that were never asked for, and then the others,
 * beginning with the one that was asked for longest ago.
 *
 * @param queue the stored order of the IDs; empty after a poll that reached them all
 */
export function inTurn(ids: readonly number[], queue: readonly number[]): number[] {
	const [watched, queued] = [new Set(ids), new Set(queue)];
	return [...ids.filter((id) => !queued.has(id)), ...queue.filter((id) => watched.has(id))];
}

/** Where nothing was answered, the farthest that IDs move back, in numbers of those that were sent. */
const FARTHEST_BACK = 3;

/**
 * The order for the next poll. What was sent goes to the end. But those after the last one that was
 * answered keep their turn, since a rate limit let nothing more through: at the end, the same IDs could
 * meet the limit each time. When nothing at all was answered, they come a little later, in case only
 * these instances are unavailable.
 *
 * @param order as {@link inTurn} returned it
 * @param chance from 0 to below 1
 */
export function queueAfter(order: readonly number[], { sent, isAnswered }: Reads, chance: number) {
	const waiting = order.filter((id) => !sent.includes(id));
	const end = sent.map(isAnswered).lastIndexOf(true) + 1;
	const [done, again] = [sent.slice(0, end), sent.slice(end)];
	if (waiting.length === 0 && again.length === 0) return [];
	const place = end > 0 ? 0 : Math.floor(chance * FARTHEST_BACK * sent.length);
	return [...waiting.slice(0, place), ...again, ...waiting.slice(place), ...done];
}
