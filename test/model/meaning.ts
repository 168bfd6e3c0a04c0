/**
 * What a value may mean by the contract: a value, nothing (it's empty), or nothing valid. If the contract
 * leaves a choice, there are several meanings, and any of them is fine.
 */
export type Meaning<T> = Array<{ value: T } | 'empty' | 'invalid'>;

export const EMPTY: Meaning<never> = ['empty'];
export const INVALID: Meaning<never> = ['invalid'];

export const only = <T>(...values: T[]): Meaning<T> => values.map((value) => ({ value }));

/** A meaning that may also be refused, because the contract is silent. */
export const orInvalid = <T>(meaning: Meaning<T>, isSilent = true): Meaning<T> =>
	isSilent ? [...meaning, 'invalid'] : meaning;

export const valuesOf = <T>(meaning: Meaning<T>): T[] =>
	meaning.flatMap((one) => (typeof one === 'object' ? [one.value] : []));

export const same = (one: unknown, other: unknown): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** Text without invisible characters at its ends: blanks and those of the Unicode class Cf. */
export const trimmed = (text: string): string => text.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '');

/** What JSON text contains; undefined if it isn't JSON. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Whether a value is like that of an empty cell in a table. */
export function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null) return true;
	if (Array.isArray(value)) return value.every(isEmpty);
	if (typeof value !== 'string') return false;
	const list = parsed(value);
	return trimmed(value) === '' || (Array.isArray(list) && isEmpty(list));
}
