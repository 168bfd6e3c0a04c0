import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object with keys: no array, no null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of an object's keys that are there, in the order of `keys`. */
export function pick(source: IDataObject, keys: readonly string[]): IDataObject {
	return Object.fromEntries(
		keys.filter((key) => Object.hasOwn(source, key)).map((key) => [key, source[key]]),
	);
}
