import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';

/** Removes the API key from what leaves the node: some services repeat what they were sent. */
export interface Redactor {
	text(text: string): string;
	json(json: IDataObject): IDataObject;
}

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

/** A text as it stands in JSON text, and in JSON text that stands in JSON text, and so on. */
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
export function createRedactor(key: string): Redactor {
	if (key.length < SHORTEST_KEY) return { text: (text) => text, json: (json) => json };
	const forms = formsOf(key).flatMap(nested);
	const alternatives = [...new Set(forms)]
		.sort((a, b) => b.length - a.length)
		.map((form) => form.replace(/[^\w]/g, '\\$&'))
		.join('|');
	// Some spell %2F as %2f, or a header in small letters.
	const pattern = new RegExp(alternatives, 'gi');
	const hide = (text: string) => text.replace(pattern, REDACTED);
	// Value by value: a key of digits would otherwise be cut out of a number, and the rest would not be JSON.
	const hideIn = (_: string, value: unknown): unknown => {
		if (typeof value === 'string') return hide(value);
		if (isObject(value)) {
			return Object.fromEntries(Object.entries(value).map(([key, each]) => [hide(key), each]));
		}
		const text = String(value);
		return typeof value === 'number' && hide(text) !== text ? REDACTED : value;
	};
	return {
		text: hide,
		json(json) {
			const before = JSON.stringify(json);
			return hide(before) === before ? json : JSON.parse(before, hideIn);
		},
	};
}
