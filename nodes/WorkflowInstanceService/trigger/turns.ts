import type { Reads } from './readInstances';

/** IDs in the order in which to read them: those that aren't in the queue yet come first. */
export function inTurn(ids: readonly number[], queue: readonly number[]): number[] {
	const [watched, queued] = [new Set(ids), new Set(queue)];
	return [...ids.filter((id) => !queued.has(id)), ...queue.filter((id) => watched.has(id))];
}

/** Where nothing was answered, the farthest that IDs move back, in numbers of those that were sent. */
const FARTHEST_BACK = 3;

/**
 * The queue for the next poll; empty if this one reached all. What was sent goes to the end, but for those
 * after the last one that was answered: a rate limit let nothing more through, and would meet the same IDs
 * each time. When nothing at all was answered, only these may be unavailable, so they come a little later.
 */
export function queueAfter(order: readonly number[], { sent, isAnswered }: Reads, chance: number) {
	const waiting = order.filter((id) => !sent.includes(id));
	const end = sent.map(isAnswered).lastIndexOf(true) + 1;
	const [done, again] = [sent.slice(0, end), sent.slice(end)];
	if (waiting.length === 0 && again.length === 0) return [];
	const place = end > 0 ? 0 : Math.floor(chance * FARTHEST_BACK * sent.length);
	return [...waiting.slice(0, place), ...again, ...waiting.slice(place), ...done];
}
