import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/** A `__proto__` key, even if it's escaped: later copies would set a prototype instead of a field. */
const MAY_HAVE_PROTO = /__proto__|\\u00(?:5f|6f|7[024])/i;

/** The JSON value of a text without `__proto__` keys, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
	const reviver = (key: string, value: unknown) => (key === '__proto__' ? undefined : value);
	try {
		const json: unknown = JSON.parse(text, MAY_HAVE_PROTO.test(text) ? reviver : undefined);
		return json;
	} catch {
		return undefined;
	}
}

/** The same, but also undefined if JavaScript can't represent a number in it: an integer beyond 2^53, or `1e400`. */
export function parseExactJson(text: string): unknown {
	const json = parseJson(text);
	let isExact = true;
	const visit = (_key: string, value: unknown) => {
		if (typeof value === 'number' && Math.abs(value) >= 2 ** 53) isExact = false;
		return value;
	};
	// Only where there may be such a number: snapshots are large.
	if (/\d{16}|\de/i.test(text)) JSON.stringify(json, visit);
	return isExact ? json : undefined;
}

/** Whether a value is an object with keys: not an array, and not null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that is an object, otherwise an empty one. */
export function asObject(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

/** The same without the keys that have no value. */
export function withoutUndefined(source: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined));
}

/** An object with only the listed keys, in that order, leaving out those that aren't its own. */
export function pick(source: IDataObject, keys: readonly string[]): IDataObject {
	return Object.fromEntries(
		keys.filter((key) => Object.hasOwn(source, key)).map((key) => [key, source[key]]),
	);
}

/** A short text for a JSON value: the same for equal values, different for others. */
export function shortHash(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** JSON that doesn't depend on the order of an object's keys. */
export function canonical(value: unknown, idOf: (text: unknown) => unknown = () => undefined) {
	return JSON.stringify(value, (_key, each: unknown) =>
		isObject(each) ? pick(each, Object.keys(each).sort()) : (idOf(each) ?? each),
	);
}
