/** Removes the API key from a text that messages or logs show. What the service returns as data stays as it is. */
export type Redact = (text: string) => string;

/** Fewer characters of a key are no secret, and appear in texts that have nothing to do with it. */
const SHORTEST_KEY = 4;
/** So many characters of a key in a row are hidden wherever they are, fewer only as a whole word that was cut. */
const LONGEST_PART = 8;

/** A character, plain or escaped for JSON, a URL or HTML, even repeatedly. Backslashes themselves are skipped. */
const CHARACTER =
	/(?:(?<=\\)|%)u([\da-f]{4})|(?<=\\)x([\da-f]{2})|%(?:25)*([\da-f]{2})|&(?:amp;)*(?:#x0*([\da-f]{2})|#0*(\d{2,3})|([a-z]{2,8}\d{0,2}(?=;)|amp|apos|gt|lt|quot));?|[^\\]/gis;
const ENTITIES: Record<string, string> = {
	...{ amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' },
	...{ dash: '-', equals: '=', lowbar: '_', period: '.', plus: '+', sol: '/' },
};
/** Any characters beyond ASCII in a row: encodings differ in how many they make of one. */
const BEYOND_ASCII = '\x80';

/** The character that a match stands for, in lower case. */
function unescaped([text, ...escapes]: RegExpMatchArray): string {
	const [unicode, byte, inUrl, inHtml, decimal, name = ''] = escapes;
	const hex = unicode ?? byte ?? inUrl ?? inHtml;
	const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
	const entity = ENTITIES[name.toLowerCase()] ?? (name === '' ? text : BEYOND_ASCII);
	const character = Number.isNaN(code) ? entity : String.fromCharCode(code);
	return character < BEYOND_ASCII ? character.toLowerCase() : BEYOND_ASCII;
}

/** The characters of a text, and where in it each of them ends. */
function charactersOf(text: string) {
	const ends: number[] = [];
	const characters: string[] = [];
	for (const match of text.matchAll(CHARACTER)) {
		const character = unescaped(match);
		if (character === BEYOND_ASCII && characters.at(-1) === BEYOND_ASCII) ends.pop();
		else characters.push(character);
		ends.push(match.index + match[0].length);
	}
	return { characters: characters.join(''), ends };
}

/** Hides a key, however it's escaped, any eight of its characters in a row, and four or more that a cut has left of it. */
export function createRedact(key: string): Redact {
	if (key.length < SHORTEST_KEY) return (text) => text;
	const { characters: secret } = charactersOf(key);
	const longest = Math.min(secret.length, LONGEST_PART);
	const lengths = Array.from({ length: longest }, (_, shorter) => longest - shorter);
	const isStartOrEnd = (part: string) =>
		part.length >= SHORTEST_KEY && (secret.startsWith(part) || secret.endsWith(part));
	const lengthAt = (index: number, text: string): number => {
		const part = text.slice(index, index + longest);
		if (part.length === longest && secret.includes(part)) return longest;
		if (/[a-z\d]/.test(text.charAt(index - 1))) return 0;
		const isCut = (length: number) =>
			isStartOrEnd(part.slice(0, length)) && !/[a-z\d]/.test(text.charAt(index + length));
		return lengths.find(isCut) ?? 0;
	};

	return (text) => {
		const { characters, ends } = charactersOf(text);
		let shown = '';
		let start = 0;
		let hiddenUntil = 0;
		ends.forEach((end, index) => {
			const isHidden = index < hiddenUntil;
			hiddenUntil = Math.max(hiddenUntil, index + lengthAt(index, characters));
			if (index >= hiddenUntil) shown += text.slice(start, end);
			else if (!isHidden) shown += '***';
			start = end;
		});
		return shown + text.slice(start);
	};
}
