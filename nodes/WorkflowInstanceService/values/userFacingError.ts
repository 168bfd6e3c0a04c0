import type { IDataObject } from 'n8n-workflow';

import { describeValue, isEmpty } from './text';

/** What sort of thing happened, as far as it decides what the node does next. */
export type ErrorKind =
	| 'notFound' // The service says that nothing has that ID.
	| 'conflict' // The state of the instance does not allow the request.
	| 'forbidden' // The key has no access.
	| 'invalid' // The node does not take a value.
	| 'key' // The service rejected the API key.
	| 'notProcessed' // This time, the service did nothing: it was not sent, or refused unprocessed, as by 429.
	| 'otherWebsite' // Something that is not the service responded.
	| 'rejected' // The service rejected the values.
	| 'stopped' // It was not sent, or not waited for, because its execution was stopped, or ended by its first error.
	| 'unknown'; // Anything else. If the request was sent, the service may have processed it.

type Facts = Partial<Omit<UserFacingError, 'advice' | 'message' | 'with'>>;

/**
 * Why an item can't be processed: `message` says what happened, `advice` what to do. All else is data until
 * n8n/connection.ts shows it. `cause` is for the log.
 */
export class UserFacingError extends Error {
	readonly kind: ErrorKind = 'invalid';
	readonly httpCode?: string;
	/** What the error output shows besides, e.g. `{ deletedIds: [1, 2] }`. */
	readonly details?: IDataObject;
	/** The ID of the instance that it is about, if it is about one. */
	readonly id?: number;
	/** The words of the response that it is about. */
	readonly words?: string;
	/** The keys of what was sent under which the service says what is wrong. */
	readonly rejectedKeys: readonly string[] = [];
	/** Whether it's a rejection that says that something was changed. */
	readonly isPartlyDone?: boolean;
	/** Whether it may pass by itself. */
	readonly isTemporary: boolean = false;

	constructor(
		message: string,
		readonly advice: string,
		{ cause, ...facts }: Facts = {},
	) {
		super(message, { cause });
		Object.assign(this, facts);
	}

	with(change: Partial<Omit<UserFacingError, 'with'>>): UserFacingError {
		const { message = this.message } = change;
		const facts = { ...this, cause: this.cause, ...change };
		return new UserFacingError(message, facts.advice, facts);
	}
}

/** What happened, then what to do, where there is one place for both. */
export function wholeMessage({ message, advice }: Pick<UserFacingError, 'advice' | 'message'>) {
	return `${message}${/[.?!…]$/.test(message) ? '' : '.'} ${advice}`.trim();
}

/** What an advice adds of what happened earlier. */
export function beforeThat(message: string): string {
	return ` An earlier attempt failed: ${wholeMessage({ message, advice: '' })}`;
}

/** The words of something that was thrown, without the name of its class. */
export function wordsOf(cause: unknown): string {
	return String(cause).replace(/^\w*Error: /, '');
}

const REPORT =
	"Run this node again. If this keeps happening, report it with the details in n8n's log: https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service/issues";

/** A user-facing error as it is; anything else that was thrown as unexpected. */
export function asUserFacingError(cause: unknown): UserFacingError {
	if (cause instanceof UserFacingError) return cause;
	const message = `Something unexpected happened in this node: ${wordsOf(cause)}`;
	return new UserFacingError(message, REPORT, { cause, kind: 'unknown' });
}

/**
 * The error about a value that a parameter, e.g. `'Deadline'`, can't take; it expects e.g. `a date`.
 * @param part the key of an object under which such a value often is
 */
export function notValid(
	value: unknown,
	place: string,
	expected: string,
	advice: string,
	part?: string,
): UserFacingError {
	if (isEmpty(value)) return new UserFacingError(`${place} is empty`, advice);
	const what = describeValue(value);
	if (typeof value !== 'object')
		return new UserFacingError(`${what} in ${place} is not ${expected}`, advice);
	const isOfValues = Array.isArray(value) && value.every((each) => typeof each !== 'object');
	const inObject = `{{ $json.column.${part} }}, or {{ $json.column.map((each) => each.${part}) }} for a list of objects. To process each entry separately, add a Split Out node before this node.`;
	const onPart = ` To use a value inside it, enter e.g. ${isOfValues ? '{{ $json.column[0] }}.' : inObject}`;
	const allAdvice = part ? advice + onPart : advice;
	return new UserFacingError(`${place} contains ${what} instead of ${expected}`, allAdvice);
}
