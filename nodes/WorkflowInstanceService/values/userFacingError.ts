import type { IDataObject } from 'n8n-workflow';

import { describeValue, isEmpty } from './text';

/** What kind of thing happened, as far as that decides what the node does next. */
export type ErrorKind =
	| 'notFound' // The service says that nothing has that ID.
	| 'conflict' // The state of the instance does not allow the request.
	| 'forbidden' // The key has no access.
	| 'invalid' // A value is not valid for the node.
	| 'key' // The service rejected the API key.
	| 'notProcessed' // This time, nothing was done: it was not sent, or the service didn't process it, as with a 429.
	| 'otherWebsite' // Something that is not the service responded.
	| 'rejected' // The service rejected the values.
	| 'stopped' // It was not sent, or not waited for, because its execution was stopped, or ended by its first error.
	| 'unknown'; // Anything else. If the request was sent, the service may have processed it.

type Facts = Partial<Omit<UserFacingError, 'advice' | 'forReader' | 'message' | 'with'>>;

/**
 * Why an item can't be processed: `message` says what happened, `advice` what to do. It's only data until
 * n8n/connection.ts makes n8n's error of it. `cause` is for the log.
 */
export class UserFacingError extends Error {
	readonly kind: ErrorKind = 'invalid';
	readonly httpCode?: string;
	/** What the context of n8n's error also contains, e.g. `{ deletedIds: [1, 2] }`. */
	readonly details?: IDataObject;
	/** The ID of the instance that it is about, if it is about one. */
	readonly id?: number;
	/** The words of the response that it is about. */
	readonly words?: string;
	/** The keys in what was sent that the service complains about. */
	readonly rejectedKeys: readonly string[] = [];
	/** Whether it's a rejection that reports that something was changed. */
	readonly isPartlyDone?: boolean;
	/** Whether it may pass by itself. */
	readonly isTemporary: boolean = false;
	/** What only the builder of the workflow can do, until `forReader` adds it to the advice. */
	readonly builderAdvice?: string;

	constructor(
		message: string,
		readonly advice: string,
		{ cause, ...facts }: Facts = {},
	) {
		super(message, { cause });
		Object.assign(this, facts);
	}

	with(change: Partial<Omit<UserFacingError, 'forReader' | 'with'>>): UserFacingError {
		const { message = this.message } = change;
		const facts = { ...this, cause: this.cause, ...change };
		return new UserFacingError(message, facts.advice, facts);
	}

	/** The same for its reader: an AI model can't edit the node, and may take its advice literally. */
	forReader(isModel: boolean): UserFacingError {
		if (this.builderAdvice === undefined) return this;
		const advice = isModel ? this.advice : `${this.advice} ${this.builderAdvice}`.trim();
		return this.with({ advice, builderAdvice: undefined });
	}
}

/** What happened, then what to do, where there is one place for both. */
export function wholeMessage({ message, advice }: Pick<UserFacingError, 'advice' | 'message'>) {
	return `${message}${/[.?!…]$/.test(message) ? '' : '.'} ${advice}`.trim();
}

/** What advice adds about an earlier failure, if there was one. */
export function beforeThat(failure: UserFacingError | undefined): string {
	if (failure === undefined) return '';
	return ` An earlier attempt failed: ${wholeMessage({ message: failure.message, advice: '' })}`;
}

/** The words of something that was thrown, without the name of its class. */
export function wordsOf(cause: unknown): string {
	return String(cause).replace(/^\w*Error: /, '');
}

const REPORT =
	"Run this node again. If this keeps happening, report it with the details in n8n's log: https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service/issues";

/** A user-facing error as it is; anything else that was thrown becomes an unexpected one. */
export function asUserFacingError(cause: unknown): UserFacingError {
	if (cause instanceof UserFacingError) return cause;
	const message = `Something unexpected happened in this node: ${wordsOf(cause)}`;
	return new UserFacingError(message, REPORT, { cause, kind: 'unknown' });
}

/** What the builder can do about an object or a list in a place that takes text or a number. */
const USE_INSIDE =
	'To use a value inside it, enter e.g. {{ $json.column.id }}, {{ $json.column[0] }} for the first entry of a list, or, in a field that takes a list, {{ $json.column.map((each) => each.id) }}. To process each entry separately, add a Split Out node before this node.';

/** The error about a value that is not valid in a place such as `'Deadline'`, which expects e.g. `a date`. */
export function notValid(
	value: unknown,
	place: string,
	expected: string,
	advice: string,
	builderAdvice = '',
): UserFacingError {
	if (isEmpty(value)) return new UserFacingError(`${place} is empty`, advice, { builderAdvice });
	const what = describeValue(value);
	if (typeof value !== 'object') {
		const message = `${what} in ${place} is not ${expected}`;
		// The message has room for only one pair of quotation marks.
		const isQuoted = /^\s*(["'])(?:(?!\1).)*\1\s*$/s.test(String(value));
		const onQuotes = isQuoted ? 'Remove the quotation marks around the value. ' : '';
		return new UserFacingError(message, `${onQuotes}${advice}`, { builderAdvice });
	}
	const message = `${place} contains ${what} instead of ${expected}`;
	return new UserFacingError(message, advice, { builderAdvice: USE_INSIDE });
}
