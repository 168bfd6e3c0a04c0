/** Removes the API key from a text that messages or logs show. What the service returns as data stays as it is. */
export type Redact = (text: string) => string;

/** Shorter words are no secret, and appear in texts that have nothing to do with the key. */
const SHORTEST_KEY = 8;

/** Hides a key as it is, as it's encoded in URLs, and as it's escaped in JSON, or in JSON within JSON. */
export function createRedact(key: string): Redact {
	if (key.length < SHORTEST_KEY) return (text) => text;
	const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
	const inUrl = encodeURIComponent(Buffer.from(key).toString());
	const escaped = [key, inJson(key), inJson(inJson(key))];
	const forms = [inUrl, ...escaped, ...escaped.map((form) => form.replaceAll('/', '\\/'))];
	const longestFirst = forms.sort((a, b) => b.length - a.length);
	const alternatives = longestFirst.map((form) => form.replace(/[^\w]/g, '\\$&'));
	// Some write %2F as %2f, or a header in lower case.
	const pattern = new RegExp(alternatives.join('|'), 'gi');
	return (text) => text.replace(pattern, '***');
}
