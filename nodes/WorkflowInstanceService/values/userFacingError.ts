import type { IDataObject } from 'n8n-workflow';

import { InexactNumber, inexactNumberIn } from './json';

interface Facts {
	/** The status of the response, if any. */
	httpCode?: string;
	/** What the error output shows besides, for example `{ deletedIds: [1, 2] }`. */
	details?: IDataObject;
	/** The ID of the instance that it is about, if it is about one. */
	id?: number;
	/** What the service said when it refused; undefined where it is a gateway that did. */
	words?: string;
	/** Whether the service may still have processed the request. */
	mayBeDone?: boolean;
	/** Whether the service says that there is nothing of that ID. */
	isAbsent?: boolean;
	/** How long the service asks to wait, in milliseconds; 0 when it does not say. */
	pause?: number;
	/** What was thrown, for n8n's log: never shown to the user. */
	cause?: unknown;
}

/**
 * What stops an item, in words for the user: a value that cannot be used, or a response that is not
 * what was asked for. `message` says what happened, `description` what to do about it.
 */
export class UserFacingError extends Error {
	readonly httpCode: string | undefined;

	readonly details: IDataObject;

	readonly id: number | undefined;

	readonly words: string | undefined;

	readonly mayBeDone: boolean;

	readonly isAbsent: boolean;

	readonly pause: number;

	constructor(
		message: string,
		readonly description: string,
		facts: Facts = {},
	) {
		const { httpCode, details = {}, words, mayBeDone = false, isAbsent = false, pause = 0 } = facts;
		super(message, { cause: facts.cause });
		this.httpCode = httpCode;
		this.details = details;
		this.id = facts.id;
		this.words = words;
		this.mayBeDone = mayBeDone;
		this.isAbsent = isAbsent;
		this.pause = pause;
	}

	/** The same with other words or facts. */
	with(change: { message?: string; description?: string } & Facts): UserFacingError {
		const { message, description } = this;
		const facts: Facts = { ...this, cause: this.cause, ...change };
		return new UserFacingError(change.message ?? message, change.description ?? description, facts);
	}
}

/** The words of something that was thrown, without the name of its kind. */
export function wordsOf(cause: unknown): string {
	return String(cause).replace(/^\w*Error: /, '');
}

const LONGEST_QUOTE = 80;

/** A text as a message shows it: no longer than that many characters. */
export function shortened(text: string, longest: number): string {
	return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function isStructure(value: unknown): boolean {
	return typeof value === 'object' && !(value instanceof InexactNumber);
}

/**
 * Words for a value that is not empty in a message, short enough to read: `"abc"`, `1.5`, `a list`. Blanks
 * around a text are left out.
 */
export function describeValue(value: unknown): string {
	if (isStructure(value)) return Array.isArray(value) ? 'a list' : 'an object';
	// Quotation marks of the value itself stay as they are; line breaks do not.
	const quote =
		typeof value === 'string' ? JSON.stringify(value.trim()).replaceAll('\\"', '"') : String(value);
	return shortened(quote, LONGEST_QUOTE);
}

/** Whether there is nothing in a value that a user could recognize. */
export function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	return value === undefined || value === null;
}

/**
 * The error about a value, e.g. `"abc" in 'Deadline' is not a date`, `'Deadline' contains a list instead
 * of a date`, `'Deadline' is empty`.
 *
 * @param place where it was found, e.g. `'Deadline'`, `the field "due"`
 * @param expected what should be there, e.g. `a date`
 * @param advice what to do
 */
export function notExpected(
	value: unknown,
	place: string,
	expected: string,
	advice: string,
): UserFacingError {
	const begun = `${place.charAt(0).toUpperCase()}${place.slice(1)}`;
	if (isEmpty(value)) return new UserFacingError(`${begun} is empty`, advice);
	const what = describeValue(value);
	return new UserFacingError(
		isStructure(value)
			? `${begun} contains ${what} instead of ${expected}`
			: `${what} in ${place} is not ${expected}`,
		advice,
	);
}

/** Like {@link notExpected}, for an entry of the list that was found at a place. */
export function notExpectedEntry(
	entry: unknown,
	place: string,
	expected: string,
	advice: string,
): UserFacingError {
	if (isEmpty(entry)) {
		return new UserFacingError(`The list in ${place} contains an empty entry`, advice);
	}
	const where = isStructure(entry) ? `the list in ${place}` : place;
	return notExpected(entry, where, expected, advice);
}

/**
 * Rejects what would come out, or be sent back, with a number that JavaScript has changed.
 *
 * @param label the label of the field that the value is of
 * @throws UserFacingError naming the label and the number, if there is one at any depth
 */
export function rejectInexact(value: unknown, label: string, advice: string): void {
	const number = inexactNumberIn(value);
	if (number === undefined) return;
	const digits = describeValue(number);
	throw new UserFacingError(
		`'${label}' contains ${digits}, a number that n8n can't represent exactly`,
		advice,
	);
}
