import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { defined } from '../values/json';
import type { UserFacingError } from '../values/userFacingError';

/** What came of some input items, by their indexes, or why nothing did. */
export type ItemResult = { items: readonly number[] } & (
	| { json: IDataObject }
	| { error: UserFacingError }
);

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
