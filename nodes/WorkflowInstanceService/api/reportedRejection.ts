import { isObject } from '../values/json';

/** Keys under which a response that looks like success says what failed. */
const FAILED = /^(errors?|failed|failures?)$/i;
const DONE = /^(success|ok|deleted)$/i;
const STATUS = /^(status|result)$/i;

function isFilled(value: unknown): boolean {
	if (typeof value === 'object') return Object.keys(value ?? {}).length > 0;
	return !['', '0', 'false', 'undefined'].includes(String(value));
}

function reports(key: string, value: unknown): boolean {
	const word = typeof value === 'object' ? '' : String(value).toLowerCase();
	if (FAILED.test(key)) return isFilled(value);
	if (DONE.test(key)) return word === 'false';
	return STATUS.test(key) && /^(error|fail|failed|failure)$/.test(word);
}

/** Whether an object says, at its own level, that something failed: filled `errors`, `success: false` … */
export function reportsRejection(json: object): boolean {
	return Object.entries(json).some(([key, value]) => reports(key, value));
}

/** All objects in a JSON value, at any depth. */
export function objectsIn(json: unknown): object[] {
	// A list that grows, not a recursion: a body may be nested deeper than functions can call.
	const found: unknown[] = [json];
	for (const value of found) {
		if (typeof value === 'object' && value !== null) found.push(...Object.values(value));
	}
	return found.filter((value): value is object => isObject(value));
}
