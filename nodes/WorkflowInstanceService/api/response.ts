import type { IDataObject } from 'n8n-workflow';

import { asObject, isObject } from '../values/json';
import { shortened } from '../values/text';
import type { Redact } from './redactor';

/** What the service sent back, whatever it means. */
export interface ServiceResponse {
	status: number;
	/** Header names in lower case. */
	headers: IDataObject;
	text: string;
	/** The value of a body in JSON; undefined for any other body. */
	json: unknown;
	/** Whether the body is not in UTF-8. */
	isGarbled: boolean;
	/** Removes the API key from what messages quote. */
	redact: Redact;
}

interface NoResponse {
	/** The error code from Node.js or axios, e.g. `ECONNREFUSED`; empty if there was none. */
	networkCode: string;
	/** What n8n says about it, e.g. that its admin has blocked the address. */
	words: string;
}

/** What came of sending a request once. */
export type Result = ServiceResponse | NoResponse;

/** The result of a request that timed out, or was aborted. */
export const TIMED_OUT: NoResponse = { networkCode: 'ETIMEDOUT', words: '' };

function findCode(thrown: unknown, depth = 0): string {
	// Causes may be circular.
	if (!isObject(thrown) || depth > 8) return '';
	const codes = [thrown.httpCode, thrown.code].filter((code) => typeof code === 'string');
	return codes.find((code) => !/^\d+$/.test(code)) ?? findCode(thrown.cause, depth + 1);
}

/** What n8n says, without a code, when a proxy closes the connection before anything was sent. */
const CLOSED_BY_PROXY = /^Proxy connection ended/;

/** Why there was no response, from what n8n's request helper threw (docs/dev/n8n-engine.md#failed-requests). */
export function noResponse(thrown: unknown): NoResponse {
	const { message, description } = asObject(thrown);
	const words = [message, description].filter((each) => typeof each === 'string').join('. ');
	return { networkCode: CLOSED_BY_PROXY.test(words) ? 'ECONNREFUSED' : findCode(thrown), words };
}

/** The time on the service's clock, in milliseconds since 1970; undefined if it sends none. */
export function serviceTime({ headers }: Pick<ServiceResponse, 'headers'>): number | undefined {
	const time = Date.parse(String(headers.date));
	return Number.isNaN(time) ? undefined : time;
}

/** A body as text. JSON is in UTF-8 (RFC 8259), whatever its Content-Type says. */
export function decodeBody(body: Uint8Array) {
	try {
		return { text: new TextDecoder('utf-8', { fatal: true }).decode(body), isGarbled: false };
	} catch {
		// The words of a rejection are worth showing even if some of their letters are garbled.
		return { text: new TextDecoder().decode(body), isGarbled: true };
	}
}

/** Whether a body is a web page, as gateways, sign-in pages and other websites send. */
export function isWebPage({ headers, text }: ServiceResponse): boolean {
	if (/^\s*<(!doctype\s+html|html|head|body)\b/i.test(text)) return true;
	return /\bx?html\b/i.test(String(headers['content-type'])) && /^\s*</.test(text);
}

/** Whether a body that is declared as JSON is incomplete, or could not be decompressed. */
export function isCutOff({ headers, text, json }: ServiceResponse): boolean {
	if (text === '') return Number(headers['content-length']) > 0;
	const { 'content-encoding': encoding = 'identity', 'content-type': type } = headers;
	const isJson = encoding !== 'identity' || /json/i.test(String(type));
	return json === undefined && text.trim() !== '' && isJson;
}

const LONGEST_WORDS = 600;
/** Text is cut before a key is hidden in it, which takes long. Its end may contain a partial key that isn't found. */
const LONGEST_REDACTED = 2_000;
const CUT_KEY = 100;
const LONGEST_LIST = 10;
const LONGEST_KEYS = 100;
const DEEPEST = 20;
/** Enough to find the title. To search megabytes for a tag that is never closed takes minutes. */
const LONGEST_SCAN = 10_000;

/** Keys that aren't shown in front of their values. */
const BARE_KEY =
	/^(description|details?|((field|validation)_?)?errors?|fields|messages?|msg|non_field_errors|reason|title)$/i;

const WORD = /^\w*$/;
/** A word that may be the name of an error, unlike "required" in `{"name": "required"}`. */
const ERROR_NAME = /^(?:[A-Z0-9]\w*|\w*(?:error|exception|fail)\w*)$/;

/** Next to one of these keys, a text is about the error itself, as in `{"name": "Not valid", "code": 17}`. */
const ABOUT_ERROR = /^(code|field|status|status_?code|type)$/i;

interface Statement {
	/** With its path, e.g. `name: Too long.` */
	words: string;
	/** The keys that lead to it, e.g. `step_assignments[1].step_id`; empty if it is a message. */
	path: string;
	/** Whether it's next to a message, or may be the name of an error, as in `{"name": "BadRequest"}`. */
	isAside?: boolean;
}

function statementsInList(list: unknown[], path: string, depth: number): Statement[] {
	// Frameworks return `{}` for each valid entry of a list.
	const filled = [...list.entries()].filter(
		([, entry]) => !isObject(entry) || Object.keys(entry).length > 0,
	);
	const statements = filled.slice(0, LONGEST_LIST).flatMap(([index, entry]) => {
		const isOneOfSeveral = isObject(entry) && path !== '' && list.length > 1;
		return statementsIn(entry, isOneOfSeveral ? `${path}[${index}]` : path, depth);
	});
	const more = filled.length - LONGEST_LIST;
	return more > 0 ? [...statements, { words: `${more} more`, path }] : statements;
}

function statementsIn(value: unknown, path = '', depth = 0): Statement[] {
	if (value === null || value === '' || depth > DEEPEST) return [];
	if (Array.isArray(value)) return statementsInList(value, path, depth + 1);
	if (!isObject(value)) {
		return [{ words: path === '' ? String(value) : `${path}: ${String(value)}`, path }];
	}
	const entries = Object.entries(value).slice(0, LONGEST_KEYS);
	const hasMessage = entries.some(([key]) => BARE_KEY.test(key) || ABOUT_ERROR.test(key));
	return entries.flatMap(([key, entry]) => {
		if (BARE_KEY.test(key)) return statementsIn(entry, path, depth + 1);
		const inside = statementsIn(entry, path === '' ? key : `${path}.${key}`, depth + 1);
		const isText = typeof entry !== 'object';
		const isOnly = entries.length === 1 && typeof entry === 'string';
		const isAside = isText && (hasMessage || (isOnly ? ERROR_NAME : WORD).test(String(entry)));
		return isAside ? inside.map((each) => ({ ...each, isAside })) : inside;
	});
}

/** A text on one line, without the API key, in at most `longest` characters. */
export function excerpt(text: string, redact: Redact, longest: number): string {
	const start = redact(text.slice(0, LONGEST_REDACTED));
	const safe = text.length > LONGEST_REDACTED ? start.slice(0, -CUT_KEY) : start;
	return shortened(safe.replace(/[\s\p{Cc}]+/gu, ' ').trim(), longest);
}

function pageWords(text: string): string {
	const head = text.slice(0, LONGEST_SCAN);
	const title = /<title[^>]*>([^<]*)<\/title>/i.exec(head) ?? /<h1[^>]*>(.*?)<\/h1>/is.exec(head);
	const words = title?.[1]?.replace(/<[^>]+>/g, ' ').trim();
	return words ? `a web page, "${words}"` : 'a web page';
}

/**
 * The service's own words, of any shape (docs/dev/service-interface.md#undocumented), or a web page's title, in at most
 * `longest` characters.
 */
export function serviceWords(response: ServiceResponse, longest = LONGEST_WORDS): string {
	const { json, redact, text } = response;
	const statements = statementsIn(json === undefined ? text : json);
	const lineOf = (all: Statement[]) => all.map(({ words }) => words).join('; ');
	// Whatever else a service returns, such as a stack trace, must not crowd out its message.
	if (lineOf(statements).length > longest)
		statements.sort((a, b) => Number(a.path !== '') - Number(b.path !== ''));
	const words = isWebPage(response) ? pageWords(text) : lineOf(statements);
	return excerpt(words.replaceAll('.; ', '; '), redact, longest);
}

/** The keys in what was sent that a rejection complains about, e.g. `name` in `{"name": ["Too long."]}`. */
export function rejectedKeysIn({ json }: ServiceResponse, sent: IDataObject = {}): string[] {
	const statements = statementsIn(json).filter(({ isAside }) => !isAside);
	const keys = new Set(statements.map(({ path }) => path.replace(/[.[].*/s, '')));
	return Object.keys(sent).filter((key) => keys.has(key));
}
