/**
 * What a value may mean by the contract: one of some values, nothing (it is empty), or nothing valid.
 * Where the contract leaves a choice, several of these are true at once, and each outcome is fine.
 */
export interface Meaning<T> {
	values: T[];
	isEmpty?: boolean;
	isRefused?: boolean;
}

export const INVALID: Meaning<never> = { values: [], isRefused: true };
export const EMPTY: Meaning<never> = { values: [], isEmpty: true };

/** Exactly this. */
export const only = <T>(value: T): Meaning<T> => ({ values: [value] });

/** Any of these: the contract does not say which. */
export function either<T>(...meanings: Array<Meaning<T>>): Meaning<T> {
	return {
		values: meanings.flatMap(({ values }) => values),
		isEmpty: meanings.some(({ isEmpty }) => isEmpty),
		isRefused: meanings.some(({ isRefused }) => isRefused),
	};
}

/** This, or refused: the contract is silent, and both are safe. */
export const perhaps = <T>(value: T): Meaning<T> => either(only(value), INVALID);

/** Text without what nobody sees at its ends: blanks and characters of the Unicode class Cf. */
export const trimmed = (text: string): string => text.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '');

/** What JSON text holds; undefined when it is none. */
export function parsed(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** Whether a value is one of those that an empty cell of a table gives: DESIGN, `options.emptyValues`. */
export function isEmptyCell(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	if (Array.isArray(value)) return value.every(isEmptyCell);
	if (typeof value !== 'string') return false;
	const list = parsed(value);
	return trimmed(value) === '' || (Array.isArray(list) && isEmptyCell(list));
}

/** Half a character, or an object that became text: refused in names and tags. */
export const isBroken = (text: string): boolean =>
	/\p{Cs}/u.test(text) || text.includes('[object Object]');
