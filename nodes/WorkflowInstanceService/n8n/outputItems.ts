import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { RunStopped } from '../api/pace/runStopped';
import type { Redact } from '../api/redactor';
import { asObject } from '../values/json';
import { UserFacingError, wordsOf } from '../values/userFacingError';

type NodeApiErrorOptions = NonNullable<ConstructorParameters<typeof NodeApiError>[2]>;

/** The result for some input items, by their indexes. */
export type Result = { items: number[] } & ({ json: IDataObject } | { error: UserFacingError });

const REPORT =
	"Run this node again. If this keeps happening, report it with the details in n8n's log: https://github.com/workflow-instance-service/n8n-nodes-workflow-instance-service/issues";

/** A user-facing error as it is; anything else that was thrown as unexpected. */
export function asUserFacingError(cause: unknown): UserFacingError {
	if (cause instanceof UserFacingError) return cause;
	const message = `Something unexpected happened in this node: ${wordsOf(cause)}`;
	return new UserFacingError(message, REPORT, { cause });
}

/** Writes the stacks of unexpected errors to n8n's log. */
export function logUnexpected(
	errors: UserFacingError[],
	{ log }: { log(level: 'error', message: string): void },
): void {
	for (const cause of new Set(errors.map(({ cause }) => cause))) {
		if (cause === undefined) continue;
		const { stack = cause } = asObject(cause);
		log('error', `Unexpected error in Workflow Instance Service: ${String(stack)}`);
	}
}

/** The result of work as a value, or why it has no result. */
export async function settle<T>(work: Promise<T>): Promise<T | UserFacingError | RunStopped> {
	return await work.catch((cause: unknown) =>
		cause instanceof RunStopped ? cause : asUserFacingError(cause),
	);
}

/** Output items from the same list of input items share their pairing: n8n saves what is shared once. */
const pairings = new WeakMap<number[], INodeExecutionData['pairedItem']>();

function pairedTo(items: number[]): INodeExecutionData['pairedItem'] {
	const pairs = items.map((item) => ({ item }));
	const pairing = pairings.get(items) ?? (pairs.length === 1 ? pairs[0] : pairs);
	pairings.set(items, pairing);
	return pairing;
}

/**
 * The json of an error item. On its way to the error output it may have no other keys beside `error`
 * and `details`, and n8n adds the fields of the input item to it, which may have an `id` of its own
 * (docs/dev/n8n-engine.md#error-items).
 */
function errorJson(
	{ message, description, httpCode, details, id }: UserFacingError,
	redact: Redact,
	item: number | undefined,
	onError: INode['onError'],
) {
	const error = redact(message);
	const ofInstance = id === undefined ? {} : { id };
	const code = httpCode === undefined ? {} : { httpCode };
	const facts = { description: redact(description), item, ...code, ...details };
	if (onError !== 'continueErrorOutput') return { ...ofInstance, error, details: facts };
	return { error, details: { ...facts, ...ofInstance } };
}

/** The output item of a result; an error without the API key. */
export function outputItem(
	result: Result,
	redact: Redact,
	{ onError }: Pick<INode, 'onError'>,
): INodeExecutionData {
	const { items } = result;
	const pairedItem = pairedTo(items);
	if ('json' in result) return { json: result.json, pairedItem };
	const json = errorJson(result.error, redact, items[0], onError);
	const item = { json, pairedItem };
	if (onError !== 'continueErrorOutput') return item;
	// n8n before 2.36 moves an item with `details` to the error output only when it has an `error` beside
	// its json. It must not be enumerable: n8n looks at it, but does not copy it over the json.
	return Object.defineProperty(item, 'error', { value: { message: json.error } });
}

function apiError(
	node: INode,
	{ message, description, httpCode, details, id }: UserFacingError,
	redact: Redact,
	options: NodeApiErrorOptions = {},
): NodeApiError {
	const words = { message: redact(message), description: redact(description) };
	const shown = new NodeApiError(node, {}, { ...words, ...options });
	// n8n exchanges a message in which it finds a word like ECONNRESET; these are the service's words.
	shown.message = words.message;
	shown.httpCode = httpCode ?? null;
	Object.assign(shown.context, details, id === undefined ? {} : { id });
	return shown;
}

/**
 * An error as the node shows it when it stops; the editor itself adds the item
 * (docs/dev/n8n-engine.md#errors-that-stop-the-node).
 */
export function nodeError(
	node: INode,
	error: UserFacingError,
	redact: Redact,
	itemIndex: number,
): NodeApiError {
	return apiError(node, error, redact, { itemIndex });
}

/**
 * An error as a poll that returns nothing throws it: n8n waits as long as the service asks, where it can
 * (docs/dev/n8n-engine.md#polls-that-throw).
 */
export function pollError(node: INode, error: UserFacingError, redact: Redact): NodeApiError {
	const { pause } = error;
	const failure = { cause: 'rate-limited', retryAfterMs: pause } as const;
	return apiError(node, error, redact, pause > 0 ? { failure } : {});
}

/**
 * An error as a list in the form throws it. n8n takes dashes and hyphens in the message for the ends of
 * sentences, and drops them; another character that looks the same stays.
 */
export function listError(node: INode, error: UserFacingError, redact: Redact): NodeApiError {
	const message = error.message.replace(/[-–—]/g, '\u2011');
	return apiError(node, error.with({ message }), redact);
}
