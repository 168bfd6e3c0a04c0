import { inspect } from 'node:util';

const escapedBy = (key: string, escape: (hexadecimal: string) => string) =>
	[...key].map((character) => escape(character.charCodeAt(0).toString(16))).join('');

/** An API key as JSON and HTML may escape it, all of its characters. */
export const inJson = (key: string) => escapedBy(key, (hex) => `\\u${hex.padStart(4, '0')}`);
export const inHtml = (key: string) => escapedBy(key, (hex) => `&#x${hex.toUpperCase()};`);

/** The spellings of an API key in which it must not be found: as it is, in URLs, JSON and HTML. */
export function spellingsOf(key: string): string[] {
	const quoted = JSON.stringify(key).slice(1, -1);
	return [...new Set([key, encodeURIComponent(key), quoted, inJson(key), inHtml(key)])];
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

/** So many characters in a row are part of the key, not there by chance. */
const TELLING = 8;

/** JSON within JSON has more backslashes, and UTF-16 has zero bytes; letters may be capital or small. */
const comparable = (text: string) => text.replace(/\\+(u0000|x00)|[\\\s]/g, '').toLowerCase();

/**
 * Where an API key, or the beginning of it, is found in a value and everything that hangs on it, hidden
 * properties, causes and stacks included, in any spelling: what stands before it. Empty when nowhere.
 */
export function leaks(root: unknown, key: string): string[] {
	const spellings = spellingsOf(key.slice(0, TELLING)).map(comparable);
	return textsOf(root).flatMap((text) => {
		const searched = comparable(text);
		const places = spellings.map((spelling) => searched.indexOf(spelling)).filter((at) => at >= 0);
		return places.map((at) => searched.slice(Math.max(0, at - 60), at));
	});
}
