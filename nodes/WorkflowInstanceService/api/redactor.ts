/** Removes the API key from a text that messages or logs show. What the service returns as data stays as it is. */
export type Redact = (text: string) => string;

/** Fewer characters aren't a secret, and appear in texts that have nothing to do with the key. */
const SHORTEST_KEY = 4;
/** This many characters of a key in a row are hidden wherever they are, fewer only of its start or end (`isCut`). */
const LONGEST_PART = 8;
const LENGTHS = [8, 7, 6, 5, 4];

/** A character, maybe escaped for JSON, a URL or HTML, even repeatedly. Skips backslashes, and UTF-16's zero bytes. */
const CHARACTER =
	/(?:(?<=\\)|%)u([\da-f]{4})|(?<=\\)x([\da-f]{2})|%(?:25)*([\da-f]{2})|&(?:amp;)*(?:#x0*([\da-f]{2})|#0*(\d{2,3})|((?:[a-z]{1,2}(?:acute|cedil|circ|grave|lig|orn|ring|slash|tilde|uml)|eth|dash|equals|lowbar|period|plus|sol)(?=;)|amp|apos|gt|lt|quot));?|[\x80-\uffff]|([^\\\0])/gi;
const ENTITIES: Record<string, string> = {
	...{ amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' },
	...{ dash: '-', equals: '=', lowbar: '_', period: '.', plus: '+', sol: '/' },
};
/** Stands for any characters beyond ASCII in a row: encodings differ in how many they turn one into. */
const BEYOND_ASCII = '\x80';

/** The character that a match stands for. */
function unescaped([, ...escapes]: RegExpMatchArray): string {
	const [unicode, byte, inUrl, inHtml, decimal, name = '', plain] = escapes;
	if (plain !== undefined) return plain;
	const hex = unicode ?? byte ?? inUrl ?? inHtml;
	const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
	const entity = ENTITIES[name.toLowerCase()] ?? BEYOND_ASCII;
	const character = Number.isNaN(code) ? entity : String.fromCharCode(code);
	return character < BEYOND_ASCII ? character : BEYOND_ASCII;
}

/** The characters of a text, unescaped twice, in lower case, and where each one ends. */
function charactersOf(text: string, outer?: number[]): { characters: string; ends: number[] } {
	const ends: number[] = [];
	let characters = '';
	for (const match of text.matchAll(CHARACTER)) {
		const character = unescaped(match);
		const end = match.index + match[0].length;
		if (character === BEYOND_ASCII && characters.endsWith(BEYOND_ASCII)) ends.pop();
		else characters += character.toLowerCase();
		ends.push(outer?.[end - 1] ?? end);
	}
	// An escape may be part of another one, such as a backslash in a URL.
	return outer ? { characters, ends } : charactersOf(characters, ends);
}

/** Hides a key however it's escaped, any eight of its characters in a row, and four or more if the rest was cut off. */
export function createRedact(key: string): Redact {
	if (key.length < SHORTEST_KEY) return (text) => text;
	const { characters: secret } = charactersOf(key);
	const longest = Math.min(secret.length, LONGEST_PART);
	const isStartOrEnd = (part: string) =>
		part.length >= SHORTEST_KEY && (secret.startsWith(part) || secret.endsWith(part));
	const lengthAt = (index: number, text: string): number => {
		const part = text.slice(index, index + longest);
		if (part.length === longest && secret.includes(part)) return longest;
		const isWord = (length: number) =>
			!/[a-z\d]/.test(text.charAt(index - 1)) && !/[a-z\d]/.test(text.charAt(index + length));
		const isCut = (length: number) => {
			const cut = part.slice(0, length);
			// A part with both letters and digits is no coincidence, even inside a word, as in a masked key.
			return isStartOrEnd(cut) && (/[a-z]\d|\d[a-z]/.test(cut) || isWord(length));
		};
		return LENGTHS.find(isCut) ?? 0;
	};

	return (text) => {
		const { characters, ends } = charactersOf(text);
		let shown = '';
		let start = 0;
		let hiddenUntil = 0;
		for (let index = 0; index < characters.length; index++) {
			const length = lengthAt(index, characters);
			if (length === 0) continue;
			if (index >= hiddenUntil) shown += `${text.slice(start, ends[index - 1] ?? 0)}***`;
			hiddenUntil = Math.max(hiddenUntil, index + length);
			start = ends[hiddenUntil - 1] ?? text.length;
		}
		return shown + text.slice(start);
	};
}
