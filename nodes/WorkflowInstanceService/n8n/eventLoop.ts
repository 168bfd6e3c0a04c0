import { sleep } from 'n8n-workflow';

/** n8n answers nobody, and no response is read, while this node computes. */
const LONGEST_STRETCH_MS = 10;

/** Calls a function for each entry in turn, and lets n8n do other things in between. */
export async function forEachYielding<T>(
	entries: Iterable<T>,
	visit: (entry: T) => void,
): Promise<void> {
	let since = Date.now();
	for (const entry of entries) {
		visit(entry);
		if (Date.now() - since < LONGEST_STRETCH_MS) continue;
		await sleep(0);
		since = Date.now();
	}
}

/** Like `map` of a list, but lets n8n do other things in between. */
export async function mapYielding<T, R>(
	entries: Iterable<T>,
	convert: (entry: T) => R,
): Promise<R[]> {
	const results: R[] = [];
	await forEachYielding(entries, (entry) => void results.push(convert(entry)));
	return results;
}
