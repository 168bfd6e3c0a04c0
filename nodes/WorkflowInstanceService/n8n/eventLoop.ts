import { systemClock } from '../api/clock';

/** While this node computes, n8n does nothing else, and no response is read. */
const LONGEST_STRETCH_MS = 10;

/** Calls a function for each entry in turn, and lets n8n do other things in between. */
export async function forEachYielding<T>(
	entries: Iterable<T>,
	visit: (entry: T) => void,
): Promise<void> {
	let since = systemClock.elapsed();
	for (const entry of entries) {
		visit(entry);
		if (systemClock.elapsed() - since < LONGEST_STRETCH_MS) continue;
		await systemClock.sleep(0);
		since = systemClock.elapsed();
	}
}
