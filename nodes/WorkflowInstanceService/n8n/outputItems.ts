import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { defined } from '../values/json';
import type { UserFacingError } from '../values/userFacingError';

/** Why some input items, by their indexes, have no result. */
export type Failure = { items: readonly number[]; error: UserFacingError };
/** What came of some input items. */
export type ItemResult = { items: readonly number[]; json: IDataObject } | Failure;

type PairedItem = INodeExecutionData['pairedItem'];

/** Output items from the same list of input items share their pairing: n8n saves what is shared once. */
const pairings = new WeakMap<readonly number[], PairedItem>();

function pairedTo(items: readonly number[]): PairedItem {
	const pairs = items.map((item) => ({ item }));
	const pairing = pairings.get(items) ?? (pairs.length === 1 ? pairs[0] : pairs);
	pairings.set(items, pairing);
	return pairing;
}

/**
 * The output item of a result. On its way to the error output, an error item may have no keys but `error`
 * and `details`, and n8n adds the fields of the input item to it (docs/dev/n8n-engine.md#error-items).
 */
export function outputItem(
	result: ItemResult,
	shown: (error: UserFacingError) => UserFacingError,
	{ onError }: Pick<INode, 'onError'>,
): INodeExecutionData {
	const pairedItem = pairedTo(result.items);
	const [item] = result.items;
	if ('json' in result) return { json: result.json, pairedItem };
	const { message: error, advice: description, httpCode, details, id } = shown(result.error);
	const ofInstance = defined({ id });
	const facts = { description, item, ...defined({ httpCode }), ...details };
	if (onError !== 'continueErrorOutput') {
		return { json: { ...ofInstance, error, details: facts }, pairedItem };
	}
	const errorItem = { json: { error, details: { ...facts, ...ofInstance } }, pairedItem };
	// n8n before 2.36 moves an item with `details` to the error output only when it has an `error` beside
	// its json. It must not be enumerable: n8n looks at it, but does not copy it over the json.
	return Object.defineProperty(errorItem, 'error', { value: { message: error } });
}

/**
 * An error as n8n shows it; the editor itself adds the item (docs/dev/n8n-engine.md#errors-that-stop-the-node).
 * After a poll, n8n waits as long as the service asks, where it can (docs/dev/n8n-engine.md#polls-that-throw).
 */
export function nodeApiError(
	node: INode,
	{ message, advice: description, details, httpCode, id, pause }: UserFacingError,
	itemIndex?: number,
): NodeApiError {
	const failure = pause > 0 ? ({ cause: 'rate-limited', retryAfterMs: pause } as const) : undefined;
	const error = new NodeApiError(node, {}, { message, description, itemIndex, failure });
	// n8n exchanges a message in which it finds a word like ECONNRESET; these are the service's words.
	Object.assign(error, { message, httpCode: httpCode ?? null });
	Object.assign(error.context, details, defined({ id }));
	return error;
}
