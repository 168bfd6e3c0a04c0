import type { IDataObject } from 'n8n-workflow';

interface Facts {
	/** The status of the answer, if any. */
	httpCode?: string;
	/** What the error output shows besides, for example `{ deletedIds: [1, 2] }`. */
	details?: IDataObject;
	/** Whether the service may have carried out the request all the same. */
	mayBeDone?: boolean;
	/** What was thrown, for n8n's log: never shown to the user. */
	cause?: unknown;
}

/**
 * What stops an item, in words for the user: a value that cannot be used, or an answer that is not
 * what was asked for. `message` says what happened, `description` what to do about it.
 */
export class UserFacingError extends Error {
	readonly httpCode: string | undefined;

	readonly details: IDataObject;

	readonly mayBeDone: boolean;

	constructor(
		message: string,
		readonly description: string,
		{ httpCode, details = {}, mayBeDone = false, cause }: Facts = {},
	) {
		super(message, { cause });
		this.httpCode = httpCode;
		this.details = details;
		this.mayBeDone = mayBeDone;
	}

	/** The same with other words or facts. */
	with(change: { message?: string; description?: string } & Facts): UserFacingError {
		const { message, description, httpCode, details, mayBeDone, cause } = this;
		const facts = { httpCode, details, mayBeDone, cause, ...change };
		return new UserFacingError(change.message ?? message, change.description ?? description, facts);
	}
}

/** The words of something that was thrown, without the name of its kind. */
export function wordsOf(cause: unknown): string {
	return String(cause).replace(/^\w*Error: /, '');
}

const LONGEST_QUOTE = 80;

/**
 * Words for a value in a message, short enough to read: `"abc"`, `1.5`, `no value`, `a list`.
 */
export function describeValue(value: unknown): string {
	if (value === undefined || value === null) return 'no value';
	if (value === '') return 'empty text';
	if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
	if (typeof value === 'object') return 'an object';
	const quote = typeof value === 'string' ? JSON.stringify(value) : String(value);
	return quote.length > LONGEST_QUOTE ? `${quote.slice(0, LONGEST_QUOTE)}…` : quote;
}
