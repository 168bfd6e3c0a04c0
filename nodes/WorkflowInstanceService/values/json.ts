import { createHash, randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/** A number of JSON text that JavaScript would change: it stands for itself in what was parsed. */
export class InexactNumber {
	/** @param digits as they came, e.g. `9007199254740993` */
	constructor(private readonly digits: string) {}

	toString(): string {
		return this.digits;
	}
}

/** Only a text with one of these can have a number that is too long, or too large. */
const MAY_BE_INEXACT = /\d{16}|e\+?\d{3}/i;
const TEXTS_AND_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:e[+-]?\d+)?/gi;

/** Whether JavaScript holds what a number means: an integer to its last digit, anything else about. */
function isHeld(literal: string): boolean {
	const number = Number(literal);
	if (!Number.isFinite(number)) return false;
	return !/^-?\d+$/.test(literal) || BigInt(literal) === BigInt(number);
}

function withInexactMarked(text: string, mark: string): string {
	return text.replace(TEXTS_AND_NUMBERS, (token) =>
		token.startsWith('"') || isHeld(token) ? token : `"${mark}${token}"`,
	);
}

/**
 * The JSON value of a text, or undefined when it is not JSON; an {@link InexactNumber} where JavaScript
 * would change a number. A `__proto__` key is left out, since copying it further on would set a
 * prototype instead of a field.
 */
export function parseJson(text: string): unknown {
	const mark = MAY_BE_INEXACT.test(text) ? randomUUID() : undefined;
	const reviver = (key: string, value: unknown) => {
		if (key === '__proto__') return undefined;
		const isMarked = mark !== undefined && typeof value === 'string' && value.startsWith(mark);
		return isMarked ? new InexactNumber(value.slice(mark.length)) : value;
	};
	try {
		const plain: unknown = JSON.parse(text, text.includes('__proto__') ? reviver : undefined);
		return mark === undefined ? plain : JSON.parse(withInexactMarked(text, mark), reviver);
	} catch {
		return undefined;
	}
}

/** The first number of a value, at any depth, that JavaScript would have changed. */
export function inexactNumberIn(value: unknown): InexactNumber | undefined {
	if (value instanceof InexactNumber) return value;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const each of Object.values(value)) {
		const inexact = inexactNumberIn(each);
		if (inexact !== undefined) return inexact;
	}
	return undefined;
}

/** Whether a value is an object with keys: no array, no null. */
export function isObject(value: unknown): value is IDataObject {
	if (typeof value !== 'object' || value === null) return false;
	return !Array.isArray(value) && !(value instanceof InexactNumber);
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
 * The value at a path in dot notation, e.g. `instance.id`, or undefined if the path doesn't exist.
 * A key that contains dots itself takes precedence. Only an object's own keys count.
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
