import type { IDataObject } from 'n8n-workflow';

type Facts = Partial<Omit<UserFacingError, 'message' | 'description' | 'with'>>;

/** Why an item can't be processed: `message` says what happened, `description` what to do. `cause` is for the log. */
export class UserFacingError extends Error {
	readonly httpCode?: string;
	/** What the error output shows besides, for example `{ deletedIds: [1, 2] }`. */
	readonly details?: IDataObject;
	/** The ID of the instance that it is about, if it is about one. */
	readonly id?: number;
	/** The service's own words about its rejection; undefined if a gateway rejected the request. */
	readonly words?: string;
	/** Whether the service may still have processed the request. */
	readonly mayBeDone: boolean = false;
	/** Whether it may pass by itself. */
	readonly isTemporary: boolean = false;
	/** What to set under n8n's 'Request Options', where there are some. */
	readonly requestOption?: string;
	/** Whether the service rejected the API key, so that no other request can succeed. */
	readonly isAboutKey: boolean = false;
	/** Whether the service says that nothing has that ID. */
	readonly isAbsent: boolean = false;
	/** How long the service says to wait, in milliseconds; 0 when it doesn't. */
	readonly pause: number = 0;

	constructor(
		message: string,
		readonly description: string,
		{ cause, ...facts }: Facts = {},
	) {
		super(message, { cause });
		Object.assign(this, facts, { description });
	}

	with(change: Partial<UserFacingError>): UserFacingError {
		const { message = this.message, description = this.description, ...facts } = change;
		return new UserFacingError(message, description, { ...this, cause: this.cause, ...facts });
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

/** E.g. `"abc" in 'Deadline' is not a date`, `'Deadline' is empty`, `'Deadline' contains a list instead of…`. */
export function notExpected(
	value: unknown,
	place: string,
	expected: string,
	advice: string,
): UserFacingError {
	const because = (message: string) => new UserFacingError(message, advice);
	const beginning = `${place.charAt(0).toUpperCase()}${place.slice(1)}`;
	if (isEmpty(value)) return because(`${beginning} is empty`);
	const what = describeValue(value);
	if (typeof value !== 'object') return because(`${what} in ${place} is not ${expected}`);
	return because(`${beginning} contains ${what} instead of ${expected}`);
}
