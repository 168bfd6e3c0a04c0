import { inspect } from 'node:util';

const escapedBy = (key: string, escape: (hexadecimal: string) => string) =>
	[...key].map((character) => escape(character.charCodeAt(0).toString(16))).join('');

/** An API key with all of its characters escaped, as JSON and HTML may do it. */
export const inJson = (key: string) => escapedBy(key, (hex) => `\\u${hex.padStart(4, '0')}`);
export const inHtml = (key: string) => escapedBy(key, (hex) => `&#x${hex.toUpperCase()};`);

/** The spellings in which an API key must not be found: as it is, and as in URLs, JSON and HTML. */
export function spellingsOf(key: string): string[] {
	const quoted = JSON.stringify(key).slice(1, -1);
	return [...new Set([key, encodeURIComponent(key), quoted, inJson(key), inHtml(key)])];
}

/** What people and logs may see of a value: its JSON, and how Node.js prints everything attached to it. */
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

/** This many characters in a row must be part of the key, and can't be there by chance. */
const TELLING = 8;

/** JSON within JSON has more backslashes, and UTF-16 has zero bytes. Letters may be in any case. */
const comparable = (text: string) => text.replace(/\\+(u0000|x00)|[\\\s]/g, '').toLowerCase();

/**
 * Where an API key, or its beginning, is found in a value and everything attached to it, including hidden
 * properties, causes and stacks, in any spelling: the text before each place. Empty if it isn't found.
 */
export function leaks(root: unknown, key: string): string[] {
	const spellings = spellingsOf(key.slice(0, TELLING)).map(comparable);
	return textsOf(root).flatMap((text) => {
		const searched = comparable(text);
		const places = spellings.map((spelling) => searched.indexOf(spelling)).filter((at) => at >= 0);
		return places.map((at) => searched.slice(Math.max(0, at - 60), at));
	});
}
