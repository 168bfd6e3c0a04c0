import { isEmpty } from './userFacingError';

/** A whole number, or its text, as a number; undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
	const number = typeof value === 'string' && !isEmpty(value) ? Number(value) : value;
	return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
