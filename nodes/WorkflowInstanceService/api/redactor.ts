/** Removes the API key from a text that messages or logs show. What the service returns as data stays as it is. */
export type Redact = (text: string) => string;

/** Fewer characters of a key in a row are no secret, and appear in texts that have nothing to do with it. */
const SHORTEST_PART = 8;
/** Fewer than these, before the end of a text that was cut, are no part of a key. */
const SHORTEST_CUT = 3;

/** A character, plain or escaped for JSON, a URL or HTML, even repeatedly. Backslashes themselves are skipped. */
const CHARACTER =
	/(?<=\\)(?:u00|x)([\da-f]{2})|%(?:25)*([\da-f]{2})|&(?:amp;)*(?:#x0*([\da-f]{2})|#0*(\d{2,3})|(amp|apos|gt|lt|quot));?|[^\\]/gis;
const ENTITIES: Readonly<Record<string, string>> = {
	amp: '&',
	apos: "'",
	gt: '>',
	lt: '<',
	quot: '"',
};

/** The character that a match stands for, as one unit in lower case. */
function unescaped([text, inJson, inUrl, inHtml, decimal, name = '']: RegExpMatchArray): string {
	const hex = inJson ?? inUrl ?? inHtml;
	const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
	const character = Number.isNaN(code) ? (ENTITIES[name] ?? text) : String.fromCharCode(code);
	return character.toLowerCase().charAt(0);
}

/** Hides any eight or more characters of a key in a row, however they're escaped, and fewer where a text was cut. */
export function createRedact(key: string): Redact {
	const secret = [...key.matchAll(CHARACTER)].map(unescaped).join('');
	if (secret.length < SHORTEST_PART) return (text) => text;
	const cuts = Array.from({ length: SHORTEST_PART }, (_, length) => `${secret.slice(0, length)}…`);
	const lengthAt = (index: number, text: string): number => {
		const part = text.slice(index, index + SHORTEST_PART);
		if (part.length === SHORTEST_PART && secret.includes(part)) return SHORTEST_PART;
		return cuts.findIndex((cut, length) => length >= SHORTEST_CUT && part.startsWith(cut));
	};

	return (text) => {
		const matches = [...text.matchAll(CHARACTER)];
		const searched = matches.map(unescaped).join('');
		let shown = '';
		let end = 0;
		let hiddenUntil = 0;
		matches.forEach((match, index) => {
			const begin = end;
			end = match.index + match[0].length;
			hiddenUntil = Math.max(hiddenUntil, index + lengthAt(index, searched));
			if (index >= hiddenUntil) shown += text.slice(begin, end);
			else if (!shown.endsWith('***')) shown += '***';
		});
		return shown + text.slice(end);
	};
}
