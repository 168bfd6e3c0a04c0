import { inspect } from 'node:util';

/** The spellings of an API key in which it must not be found: as it is, in URLs, and in JSON. */
export function spellingsOf(key: string): string[] {
	// What is not well formed cannot be in a URL.
	const inUrl = encodeURIComponent(Buffer.from(key).toString());
	return [...new Set([key, inUrl, JSON.stringify(key).slice(1, -1)])];
}

/** What people and logs may see of a value: its JSON, and how Node.js prints all that hangs on it. */
function textsOf(root: unknown): string[] {
	const seen = new WeakSet();
	const bytes: string[] = [];
	const json = JSON.stringify(root, (_key, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return undefined;
		seen.add(value);
		for (const child of Object.values(value)) if (Buffer.isBuffer(child)) bytes.push(String(child));
		return value;
	});
	const print = inspect(root, {
		depth: null,
		customInspect: false,
		showHidden: true,
		breakLength: Infinity,
		maxArrayLength: null,
		maxStringLength: null,
	});
	return [json ?? '', print, ...bytes];
}

/**
 * Where an API key is found in a value and everything that hangs on it, hidden properties, causes
 * and stacks included, in any spelling and in capital or small letters: what stands before it. Empty
 * when nowhere.
 */
export function leaks(root: unknown, key: string): string[] {
	const spellings = spellingsOf(key).map((spelling) => spelling.toLowerCase());
	return textsOf(root).flatMap((text) => {
		const lower = text.toLowerCase();
		const places = spellings.map((spelling) => lower.indexOf(spelling)).filter((at) => at >= 0);
		return places.map((at) => text.slice(Math.max(0, at - 60), at));
	});
}
