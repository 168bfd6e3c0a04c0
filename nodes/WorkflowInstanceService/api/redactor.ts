/** Removes the API key from a text that messages or logs show. What the service returns as data stays as it is. */
export type Redact = (text: string) => string;

/** Shorter words are no secret, and appear in texts that have nothing to do with the key. */
const SHORTEST_KEY = 8;

/** The characters that HTML escapes by a name. */
const ENTITY_NAMES = new Map([
	['&', 'amp'],
	['<', 'lt'],
	['>', 'gt'],
	['"', 'quot'],
	["'", 'apos'],
]);

/** A character as it is, and as JSON (also within JSON), HTML and URLs escape it. */
function escaped(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16);
	const own = character.replace(/[^\w\s]/, '\\$&');
	const inUrl = [...Buffer.from(character)].map((byte) => `%${byte.toString(16)}`).join('');
	const entities = [`#x0*${hex}`, `#0*${code}`, ENTITY_NAMES.get(character) ?? []].flat();
	const inHtml = `&(?:${entities.join('|')});`;
	return `\\\\*(?:u${hex.padStart(4, '0')}|${inHtml}|${inUrl}|${own})`;
}

/** Hides a key, and the first half of one, however it's escaped or cut. */
export function createRedact(key: string): Redact {
	if (key.length < SHORTEST_KEY) return (text) => text;
	const characters = [...key].map(escaped);
	const shortest = Math.max(SHORTEST_KEY, Math.ceil(key.length / 2));
	const rest = characters.slice(shortest).reduceRight((end, each) => `(?:${each}${end})?`, '');
	const pattern = new RegExp(`${characters.slice(0, shortest).join('')}${rest}`, 'gi');
	return (text) => text.replace(pattern, '***');
}
