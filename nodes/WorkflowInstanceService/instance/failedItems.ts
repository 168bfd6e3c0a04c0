import type { IDataObject } from 'n8n-workflow';

import type { Path } from '../n8n/expressions';
import type { InputItem } from '../n8n/inputItem';
import { isPreview } from '../n8n/operation';
import { plainId } from '../values/ids';
import { asObject } from '../values/json';
import { shortened } from '../values/text';
import { UserFacingError } from '../values/userFacingError';

/** What n8n and its database nodes return with an error. */
const OF_ERROR = ['error', 'item', 'itemIndex', 'message'];

/** Why an earlier node returned an item as failed, and the key under which it says so; undefined for any other item. */
function failureIn(json: unknown): { key: string; problem: unknown } | undefined {
	const item = asObject(json);
	const { error, message } = item;
	// A dry run also lists what it could not read.
	if (isPreview(item)) return { key: 'message', problem: message };
	// APIs also return `error: false` or 0.
	if (!error || !isErrorItem(item)) return undefined;
	const { message: problem = message ?? error } = asObject(error);
	return { key: 'error', problem };
}

/** Whether an item with an error has nothing else, or is of this node. */
function isErrorItem({ details, ...others }: IDataObject): boolean {
	const isAlone = Object.keys(others).every((key) => OF_ERROR.includes(key));
	// Other nodes return only the error, as text or an object.
	if (typeof details !== 'object') return isAlone;
	const { id, item } = asObject(details);
	// On the error output, an item has its ID in the details, or its own fields. There, the user means to process it.
	const hasOwnFields = id !== undefined || (plainId(others.id) === undefined && !isAlone);
	return Number.isInteger(item) && !hasOwnFields;
}

/**
 * The error about an item that an earlier node returned because it failed; undefined for any other item.
 * @param node the node whose item it is, if it isn't the one that is processed
 */
export function failedItem(json: unknown, node?: string): UserFacingError | undefined {
	const { key = '', problem } = failureIn(json) ?? {};
	if (typeof problem !== 'string' || problem === '') return undefined;
	return new UserFacingError(
		`${node === undefined ? 'This item' : `The item of '${node}'`} is an error item from an earlier node: ${shortened(problem)}`,
		`${node === undefined ? 'Before this node' : 'After that node'}, filter out the items that have '${key}'.`,
		{ id: plainId(asObject(json).id) },
	);
}

/** Whether an item is a sample of the trigger, whose instance is real and may be running. */
export function isSample(json: unknown): boolean {
	return /^\d+-\w+-sample$/.test(String(asObject(json).eventId));
}

/** The error about such an item. */
export function sampleItem(): UserFacingError {
	return new UserFacingError(
		'This item is a sample from a test of the trigger, and its instance is real',
		'To test the workflow, turn on Dry Run. Once published, the workflow gets real events.',
	);
}

/** Throws UserFacingError about the name of a column that consists of several. */
function assertOneColumn(name: string): void {
	// Unlike a label of a form, such as "IDs (separated by ;)", the header of a file has no blanks around its delimiters.
	if (!/[^\s;][;\t][^\s;)]/.test(name)) return;
	throw new UserFacingError(
		`'${shortened(name)}' contains several columns, since a file was read with another delimiter`,
		"In Extract from File, set 'Delimiter' to the one in the file, e.g. a semicolon.",
	);
}

/**
 * Throws UserFacingError about IDs from an item that nobody means to delete by.
 * @param path the expression for the IDs, if it's a path
 */
export function assertDeletable(
	path: Path | undefined,
	item: InputItem,
	ids: readonly number[],
): void {
	if (ids.length === 0) return;
	const { node, keys = [] } = path ?? {};
	const ofNode = node === undefined ? undefined : failedItem(item.json(node), node);
	// An earlier step on this item failed, wherever the ID is from.
	const error = failedItem(item.json()) ?? ofNode;
	if (error) throw ids.length === 1 ? error.with({ id: ids[0] }) : error;
	if (ids.length > 1) assertOneColumn(String(keys.at(-1)));
}
