import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Redact } from '../api/redactor';
import { RunStopped } from '../api/pace/runStopped';
import { asObject } from '../values/json';
import { UserFacingError, wordsOf } from '../values/userFacingError';

type NodeApiErrorOptions = NonNullable<ConstructorParameters<typeof NodeApiError>[2]>;

/** What came of one piece of work, and the indexes of the input items that asked for it. */
export type Result = { items: number[] } & ({ json: IDataObject } | { error: UserFacingError });

const REPORT =
	"Run this node again. If this keeps happening, report it with the details in n8n's log: https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service/issues";

/** A user-facing error as it is; anything else thrown as what this node did not expect. */
export function asUserFacingError(cause: unknown): UserFacingError {
	if (cause instanceof UserFacingError) return cause;
	return new UserFacingError(
		`Something unexpected happened in this node: ${wordsOf(cause)}`,
		REPORT,
		{ cause },
	);
}

/** Leaves the stacks of what this node did not expect in n8n's log. */
export function logUnexpected(
	errors: UserFacingError[],
	run: { log(level: 'error', message: string): void },
): void {
	for (const cause of new Set(errors.map((error) => error.cause))) {
		if (cause === undefined) continue;
		const { stack = cause } = asObject(cause);
		run.log('error', `Unexpected error in Workflow Instance Service: ${String(stack)}`);
	}
}

/** What comes of work, as a value: what it gives, or why it could not. */
export async function settle<T>(work: Promise<T>): Promise<T | UserFacingError | RunStopped> {
	return await work.catch((cause: unknown) =>
		cause instanceof RunStopped ? cause : asUserFacingError(cause),
	);
}

/** The same error without the API key. */
export function redacted(error: UserFacingError, redact: Redact): UserFacingError {
	const { message, description } = error;
	return error.with({ message: redact(message), description: redact(description) });
}

/** Output items from the same list of input items share their pairs: n8n saves what is shared once. */
const pairings = new WeakMap<number[], INodeExecutionData['pairedItem']>();

/** The pairing of an output item with the input items that it came from, by their index. */
function pairedTo(items: number[]): INodeExecutionData['pairedItem'] {
	const known = pairings.get(items);
	if (known !== undefined) return known;
	const pairs = items.map((item) => ({ item }));
	const pairing = pairs.length === 1 ? pairs[0] : pairs;
	pairings.set(items, pairing);
	return pairing;
}

/**
 * The json of an error item. On its way to the error output it may have no other keys beside `error`
 * and `details`, and n8n adds the fields of the input item to it, which may have an `id` of its own
 * (docs/n8n-engine.md#error-items).
 */
function errorJson(error: UserFacingError, item: number | undefined, onError: INode['onError']) {
	const { message, description, httpCode, details, id } = error;
	const ofInstance = id === undefined ? {} : { id };
	const facts = { description, item, ...(httpCode && { httpCode }), ...details };
	if (onError === 'continueErrorOutput') {
		return { error: message, details: { ...facts, ...ofInstance } };
	}
	return { ...ofInstance, error: message, details: facts };
}

/**
 * Marks an error item for n8n before 2.36, which moves an item with `details` to the error output only
 * when it has an `error` beside its json. It must not be enumerable: n8n looks at it, but does not
 * copy it, and so leaves the json alone.
 */
function markedForErrorOutput(item: INodeExecutionData): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: { message: item.json.error } });
}

/** The output item of a result; an error is without the API key. */
export function outputItem(
	{ items, ...result }: Result,
	redact: Redact,
	{ onError }: Pick<INode, 'onError'>,
): INodeExecutionData {
	if ('json' in result) return { json: result.json, pairedItem: pairedTo(items) };
	const json = errorJson(redacted(result.error, redact), items[0], onError);
	const item = { json, pairedItem: pairedTo(items) };
	return onError === 'continueErrorOutput' ? markedForErrorOutput(item) : item;
}

/**
 * The same error as the node shows it when it stops; the editor itself adds the item
 * (docs/n8n-engine.md#errors-that-stop-the-node).
 */
export function nodeError(node: INode, error: UserFacingError, itemIndex: number): NodeApiError {
	return apiError(node, error, { itemIndex });
}

/**
 * The same error as a poll that gives nothing throws it: n8n waits as long as the service asks, where
 * it can (docs/n8n-engine.md#polls-that-throw).
 */
export function pollError(node: INode, error: UserFacingError): NodeApiError {
	const { pause } = error;
	const failure = { cause: 'rate-limited', retryAfterMs: pause } as const;
	return apiError(node, error, pause > 0 ? { failure } : {});
}

/**
 * The same error as a list in the form throws it. n8n takes dashes and hyphens in the message for the ends
 * of sentences, and drops them; another sign that looks the same stays.
 */
export function listError(node: INode, error: UserFacingError): NodeApiError {
	return apiError(node, error.with({ message: error.message.replace(/[-–—]/g, '\u2011') }));
}

function apiError(
	node: INode,
	{ message, description, httpCode, details, id }: UserFacingError,
	options: NodeApiErrorOptions = {},
): NodeApiError {
	const shown = new NodeApiError(node, {}, { message, description, ...options });
	// n8n exchanges a message in which it finds a word like ECONNRESET; these are the service's words.
	shown.message = message;
	shown.httpCode = httpCode ?? null;
	Object.assign(shown.context, id === undefined ? details : { ...details, id });
	return shown;
}
