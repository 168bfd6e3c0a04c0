import { messageOf } from '../guards';
import { violation } from './violations';
import type { Violation } from './violations';

/** Header values by name in any case. */
export type HeaderMap = Record<string, string | string[] | undefined>;

/** The body of a message as a value, or why it has none. */
export interface Body {
	value: unknown;
	isPresent: boolean;
	violations: Violation[];
}

/** Gives a header by its lower-case name. */
export function headerOf(headers: HeaderMap, name: string): string | undefined {
	const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
	const value = key === undefined ? undefined : headers[key];
	return Array.isArray(value) ? value.join(', ') : value;
}

/** Gives the content type without its parameters, in lower case; empty when there is none. */
export function mediaTypeOf(headers: HeaderMap): string {
	return (headerOf(headers, 'content-type')?.split(';')[0] ?? '').trim().toLowerCase();
}

/** Reads a body: text is taken as JSON text, undefined and the empty text as no body. */
export function readBody(body: unknown): Body {
	if (body === undefined || body === '') {
		return { value: undefined, isPresent: false, violations: [] };
	}
	if (typeof body !== 'string') return { value: body, isPresent: true, violations: [] };
	try {
		const value: unknown = JSON.parse(body);
		return { value, isPresent: true, violations: [] };
	} catch (cause) {
		const reason = messageOf(cause);
		const unreadable = violation('body', [], 'parse', `is not JSON: ${reason}`, { reason });
		return { value: undefined, isPresent: true, violations: [unreadable] };
	}
}
