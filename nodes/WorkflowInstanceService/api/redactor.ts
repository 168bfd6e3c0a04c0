/** Removes the API key from a text that messages or logs show. What the service returns as data stays as it is. */
export type Redact = (text: string) => string;

/** Shorter words are no secret, and appear in texts that have nothing to do with the key. */
const SHORTEST_KEY = 8;
/** Fewer characters than these, before the end of a text that was cut, are no part of a key. */
const SHORTEST_CUT = 3;

/** The characters that HTML escapes by a name. */
const ENTITY_NAMES = new Map([
	['&', 'amp'],
	['<', 'lt'],
	['>', 'gt'],
	['"', 'quot'],
	["'", 'apos'],
]);

/**
 * A character as it is, and as JSON (also within JSON), HTML and URLs escape it. With any number of backslashes
 * before it, a long row of them would take minutes.
 */
function escaped(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16);
	const own = character.replace(/[^\w\s]/, '\\$&');
	const inUrl = [...Buffer.from(character)].map((byte) => `%${byte.toString(16)}`).join('');
	const entities = [`#x0*${hex}`, `#0*${code}`, ENTITY_NAMES.get(character) ?? []].flat();
	const inHtml = `&(?:${entities.join('|')});`;
	return `\\\\{0,7}(?:u${hex.padStart(4, '0')}|${inHtml}|${inUrl}|${own})`;
}

/** A text of so many of the first of some patterns, or more. */
function beginOf(patterns: readonly string[], fewest: number): string {
	const rest = patterns.slice(fewest).reduceRight((end, each) => `(?:${each}${end})?`, '');
	return `${patterns.slice(0, fewest).join('')}${rest}`;
}

/** Hides a key, and its first eight characters or more, however it's escaped, and less where a text was cut. */
export function createRedact(key: string): Redact {
	if (key.length < SHORTEST_KEY) return (text) => text;
	const characters = [...key].map(escaped);
	const wherever = beginOf(characters, SHORTEST_KEY);
	const beforeCut = `${beginOf(characters, SHORTEST_CUT)}(?=…)`;
	const pattern = new RegExp(`${wherever}|${beforeCut}`, 'gi');
	return (text) => text.replace(pattern, '***');
}
