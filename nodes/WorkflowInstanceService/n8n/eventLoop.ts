import type { Clock } from '../api/clock';

/** n8n serves nobody, and no response is read, while this node computes. */
const LONGEST_STRETCH_MS = 10;

/** Calls a function for each entry in turn, and lets n8n do other things in between. */
export async function forEachYielding<T>(
	entries: Iterable<T>,
	visit: (entry: T) => void,
	clock: Clock,
): Promise<void> {
	let since = clock.now();
	for (const entry of entries) {
		visit(entry);
		if (clock.now() - since < LONGEST_STRETCH_MS) continue;
		await clock.sleep(0);
		since = clock.now();
	}
}

/** Like `map` of a list, but lets n8n do other things in between. */
export async function mapYielding<T, R>(
	entries: Iterable<T>,
	convert: (entry: T) => R,
	clock: Clock,
): Promise<R[]> {
	const results: R[] = [];
	await forEachYielding(entries, (entry) => void results.push(convert(entry)), clock);
	return results;
}
