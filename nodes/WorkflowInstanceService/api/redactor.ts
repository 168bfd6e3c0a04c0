/**
 * Removes the API key from what is said: messages, logs, and quotes of the service, which may repeat
 * what it was sent. What the service returns as data is its own, and stays as it is.
 */
export type Redact = (text: string) => string;

const REDACTED = '***';
/** Shorter words are no secret, and would be found in texts that have nothing to do with the key. */
const SHORTEST_KEY = 8;

/** What stays the same of a key in Base64 wherever in the encoded text it begins. */
function base64Forms(key: string): string[] {
	return [0, 1, 2].map((offset) => {
		const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
		const text = bytes.toString('base64url');
		const wholeEnd = Math.floor((bytes.length * 8) / 6);
		return text.slice(Math.ceil((offset * 8) / 6), wholeEnd);
	});
}

function formsOf(key: string): string[] {
	const wellFormed = Buffer.from(key).toString();
	const encoded = base64Forms(key);
	const standard = encoded.map((form) => form.replaceAll('-', '+').replaceAll('_', '/'));
	const forms = [key, encodeURIComponent(wellFormed), ...encoded, ...standard];
	return forms.flatMap((form) => [form, form.replaceAll('/', '\\/')]);
}

/** A text as it is, and as it's escaped in JSON, in JSON within JSON, and one level deeper. */
function nested(text: string): string[] {
	const inJson = (inner: string) => JSON.stringify(inner).slice(1, -1);
	const once = inJson(text);
	const twice = inJson(once);
	return [text, once, twice, inJson(twice)];
}

/**
 * What hides a key in all usual spellings: as it is, and in URLs, JSON and Base64.
 *
 * @param key without the prefix of the header
 */
export function createRedact(key: string): Redact {
	if (key.length < SHORTEST_KEY) return (text) => text;
	const forms = formsOf(key).flatMap(nested);
	const alternatives = [...new Set(forms)]
		.sort((a, b) => b.length - a.length)
		.map((form) => form.replace(/[^\w]/g, '\\$&'))
		.join('|');
	// Some spell %2F as %2f, or a header in small letters.
	const pattern = new RegExp(alternatives, 'gi');
	return (text) => text.replace(pattern, REDACTED);
}
