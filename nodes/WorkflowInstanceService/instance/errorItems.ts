import { asObject } from '../values/json';
import { shortened } from '../values/text';
import { UserFacingError } from '../values/userFacingError';

/** The message in the `error` of an item, which may be text or an object; any other value as it is. */
export function errorMessageIn(json: unknown): unknown {
	const { error } = asObject(json);
	const { message = error } = asObject(error);
	return message;
}

/**
 * The error about an item that an earlier node returned because it failed.
 * @param key where the item contains the problem
 * @param id the instance, if it's known and may be deleted anyway
 */
export function errorItem(problem: string, key: string, id?: number): UserFacingError {
	const anyway =
		id === undefined
			? ''
			: ` To delete this instance anyway, remove '${key}' from the item with an Edit Fields node.`;
	return new UserFacingError(
		`This item is an error item from an earlier node: ${shortened(problem)}`,
		`Before this node, filter out the items that have '${key}'.${anyway}`,
		{ id },
	);
}
