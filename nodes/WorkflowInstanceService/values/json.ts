import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/**
 * The JSON value of a text, or undefined when it is not JSON. A `__proto__` key is left out, since
 * copying it further on would set a prototype instead of a field.
 */
export function parseJson(text: string): unknown {
	const reviver = text.includes('__proto__')
		? (key: string, value: unknown) => (key === '__proto__' ? undefined : value)
		: undefined;
	try {
		return JSON.parse(text, reviver);
	} catch {
		return undefined;
	}
}

/** Whether a value is an object with keys: no array, no null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that is an object, otherwise an empty one. */
export function asObject(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

/** The values of an object's keys that are there, in the order of `keys`. */
export function pick(source: IDataObject, keys: readonly string[]): IDataObject {
	return Object.fromEntries(
		keys.filter((key) => Object.hasOwn(source, key)).map((key) => [key, source[key]]),
	);
}

/**
 * The value at a path in dot notation, e.g. `instance.id`; undefined when there is none. A key that
 * has dots itself comes first. Only an object's own keys count.
 */
export function valueAt(source: unknown, path: string): unknown {
	const object = asObject(source);
	if (Object.hasOwn(object, path)) return object[path];
	const dot = path.indexOf('.');
	if (dot === -1) return undefined;
	const key = path.slice(0, dot);
	return valueAt(pick(object, [key])[key], path.slice(dot + 1));
}

const HASH_LENGTH = 16;

/** A short text that stands for a value that JSON can hold: the same for the same, another for another. */
export function shortHash(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, HASH_LENGTH);
}
