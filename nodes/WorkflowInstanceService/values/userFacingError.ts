import type { IDataObject } from 'n8n-workflow';

interface Facts {
	/** The status of the response, if any. */
	httpCode?: string;
	/** What the error output shows besides, for example `{ deletedIds: [1, 2] }`. */
	details?: IDataObject;
	/** The ID of the instance that it is about, if it is about one. */
	id?: number;
	/** The service's own words about its rejection; undefined if a gateway rejected the request. */
	words?: string;
	/** Whether the service may still have processed the request. */
	mayBeDone?: boolean;
	/** Whether the service says that nothing has that ID. */
	isAbsent?: boolean;
	/** How long the service says to wait, in milliseconds; 0 when it doesn't. */
	pause?: number;
	/** What was thrown, for n8n's log: never shown to the user. */
	cause?: unknown;
}

/**
 * Why an item can't be processed, in words for the user. `message` says what happened, `description`
 * what to do about it.
 */
export class UserFacingError extends Error implements Facts {
	readonly httpCode?: string;
	readonly details?: IDataObject;
	readonly id?: number;
	readonly words?: string;
	readonly mayBeDone: boolean = false;
	readonly isAbsent: boolean = false;
	readonly pause: number = 0;

	constructor(
		message: string,
		readonly description: string,
		{ cause, ...facts }: Facts = {},
	) {
		super(message, { cause });
		Object.assign(this, facts);
	}

	/** The same with other words or facts. */
	with(change: { message?: string; description?: string } & Facts): UserFacingError {
		const { message, description, cause } = this;
		const { message: words = message, description: advice = description, ...facts } = change;
		return new UserFacingError(words, advice, { ...this, cause, ...facts, description: advice });
	}
}

/** The words of something that was thrown, without the name of its class. */
export function wordsOf(cause: unknown): string {
	return String(cause).replace(/^\w*Error: /, '');
}

const LONGEST_QUOTE = 80;

/** A text as a message shows it, no longer than that many characters. */
export function shortened(text: string, longest: number): string {
	return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A value that is not empty, as a message shows it: `"abc"`, `1.5`, `a list`. */
export function describeValue(value: unknown): string {
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
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
	const beginning = `${place.charAt(0).toUpperCase()}${place.slice(1)}`;
	if (isEmpty(value)) return new UserFacingError(`${beginning} is empty`, advice);
	const what = describeValue(value);
	const message =
		typeof value === 'object'
			? `${beginning} contains ${what} instead of ${expected}`
			: `${what} in ${place} is not ${expected}`;
	return new UserFacingError(message, advice);
}
