import type { IDataObject } from 'n8n-workflow';

import { isObject, parseJson } from '../values/json';
import { shortened } from '../values/userFacingError';

/** What the service sent back, before anyone has judged it. */
export interface ServiceResponse {
	status: number;
	/** Header names in lower case. */
	headers: IDataObject;
	/** By our clock, in milliseconds since 1970. */
	receivedAt: number;
	/** The body as text. */
	text: string;
	/** Whether bytes of the body are no text in the charset that it says it has. */
	isGarbled: boolean;
	/** The body for messages, without the API key: what is cut later may not hold a part of it. */
	quotable(): string;
}

/** The time by the clock of the service, in milliseconds since 1970; undefined when it does not tell. */
export function serviceTime({ headers }: Pick<ServiceResponse, 'headers'>): number | undefined {
	const time = Date.parse(String(headers.date));
	return Number.isNaN(time) ? undefined : time;
}

const DEFAULT_CHARSET = 'utf-8';

/** What a label that nobody knows (`utf8mb4`) stands for can be seen from the body only. */
function decoderFor(charset: string) {
	try {
		return new TextDecoder(charset, { fatal: true });
	} catch {
		return new TextDecoder(DEFAULT_CHARSET, { fatal: true });
	}
}

/**
 * A body as text, decoded by the charset of its Content-Type; UTF-8 without one, as JSON has it.
 *
 * @param contentType e.g. `application/json; charset=iso-8859-1`
 */
export function decodeBody(
	body: Uint8Array,
	contentType: unknown,
): Pick<ServiceResponse, 'text' | 'isGarbled'> {
	const [, charset = DEFAULT_CHARSET] =
		/charset\s*=\s*["']?([^\s;,"']+)/i.exec(String(contentType)) ?? [];
	try {
		return { text: decoderFor(charset).decode(body), isGarbled: false };
	} catch {
		// The words of a rejection are worth showing even if some of their letters are not.
		return { text: new TextDecoder().decode(body), isGarbled: true };
	}
}

const LONGEST_WORDS = 600;
const DEEPEST = 6;
const LONGEST_LIST = 10;
/** Enough to find the words; to search megabytes for a tag that is never closed takes minutes. */
const LONGEST_SCAN = 10_000;

/** Keys that say nothing about where the words belong: their value stands without them. */
const BARE_KEYS = new Set([
	'description',
	'detail',
	'details',
	'error',
	'errors',
	'message',
	'messages',
	'msg',
	'non_field_errors',
	'reason',
	'title',
]);

/** Whether a body is a web page, as gateways, sign-in pages and other websites send. */
export function isWebPage({ headers, text }: ServiceResponse): boolean {
	if (/^\s*<(!doctype\s+html|html|head|body)\b/i.test(text)) return true;
	return /\bhtml\b/i.test(String(headers['content-type'])) && /^\s*</.test(text);
}

/** Whether a body may be the service's: a gateway sends no JSON, but a web page or plain text. */
export function isJsonOrEmpty({ text }: ServiceResponse): boolean {
	return text.trim() === '' || parseJson(text) !== undefined;
}

function wordsIn(value: unknown, label: string, depth: number): string[] {
	if (value === null || value === '' || depth > DEEPEST) return [];
	if (Array.isArray(value)) {
		const words = value.flatMap((entry) => wordsIn(entry, label, depth + 1));
		const more = words.length - LONGEST_LIST;
		return more > 0 ? [...words.slice(0, LONGEST_LIST), `${more} more`] : words;
	}
	if (isObject(value)) {
		return Object.entries(value).flatMap(([key, entry]) =>
			wordsIn(
				entry,
				BARE_KEYS.has(key) ? label : [label, key].filter(Boolean).join('.'),
				depth + 1,
			),
		);
	}
	return [label === '' ? String(value) : `${label}: ${String(value)}`];
}

function inOneLine(words: string[]): string {
	return words
		.map((each, index) => (index < words.length - 1 ? each.replace(/\.$/, '') : each))
		.join('; ');
}

function pageWords(text: string): string {
	const head = text.slice(0, LONGEST_SCAN);
	const title = /<title[^>]*>([^<]*)<\/title>/i.exec(head)?.[1];
	const heading = /<h1[^>]*>(.*?)<\/h1>/is.exec(head)?.[1];
	const words = (title ?? heading ?? '').replace(/<[^>]+>/g, ' ').trim();
	return words === '' ? 'a web page without a title' : `a web page, "${words}"`;
}

/**
 * The service's own words, whatever the shape of the body: `{"detail": …}`, `{"field": ["…"]}`,
 * nested objects, lists, text, a web page (its title); empty when it said nothing. The shape of
 * rejections is not known (docs/service-interface.md#not-shown), so none is preferred.
 */
export function serviceWords(response: ServiceResponse): string {
	const text = response.quotable();
	const json = parseJson(text);
	const words = isWebPage(response)
		? pageWords(text)
		: inOneLine(wordsIn(json === undefined ? text : json, '', 0));
	const line = words
		.slice(0, LONGEST_SCAN)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return shortened(line, LONGEST_WORDS);
}
