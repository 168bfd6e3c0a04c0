import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { INPUT_ITEM, listsIn, pathsIn, valueOf } from '../n8n/expressions';
import type { InputItem } from '../n8n/inputItem';
import { assertNoDryRunAsked, type NodeExecution } from '../n8n/operation';
import { plainId } from '../values/ids';
import { asObject } from '../values/json';
import { shortened } from '../values/text';
import { UserFacingError } from '../values/userFacingError';
import type { IdCheck } from './rowIds';

/** What n8n and its database nodes return with an error. */
const OF_ERROR = ['error', 'item', 'itemIndex', 'message'];

/** Why an earlier node returned an item as failed, and the key under which it says so; undefined for any other item. */
function failureIn(json: unknown): { key: string; problem: unknown } | undefined {
	const item = asObject(json);
	const { dryRun, error, message } = item;
	// A dry run also lists what it could not read.
	const isPreview = dryRun === true && ['changes', 'deleted'].some((key) => key in item);
	if (isPreview) return { key: 'message', problem: message };
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

/** Whether an expression reads `error`, so that it handles items that failed. */
export function readsError(expression: string): boolean {
	return /\.\s*error\b|[[(,]\s*["'`]error["'`]\s*[\])]|["'`]error["'`]\s+in\b|[{,]\s*error\s*[,}=:]/.test(
		expression,
	);
}

/**
 * The error about an item that an earlier node returned because it failed; undefined for any other item.
 * @param what what to call it, if it isn't the item that is processed
 */
export function failedItem(json: unknown, what?: string): UserFacingError | undefined {
	const { key = '', problem } = failureIn(json) ?? {};
	if (typeof problem !== 'string' || problem === '') return undefined;
	return new UserFacingError(
		`${what ?? 'This item'} is an error item from an earlier node: ${shortened(problem)}`,
		what
			? `After that node, filter out the items that have '${key}', and use only the others in the expression.`
			: `Before this node, filter out the items that have '${key}'.`,
		{ id: plainId(asObject(json).id) },
	);
}

/** The error about the item at the root of a path, if it's one that failed. */
export function failedItemAt(root: string, { jsonAt }: InputItem): UserFacingError | undefined {
	return failedItem(jsonAt(root), INPUT_ITEM.test(root) ? undefined : root);
}

/** The errors about items that failed, by the IDs of their instances. */
function failuresIn(jsons: readonly unknown[]): Map<number, UserFacingError> {
	const failed = new Map<number, unknown>();
	for (const json of jsons) {
		const id = plainId(asObject(json).id);
		if (id === undefined) continue;
		// A later attempt may have succeeded.
		if (failureIn(json)) failed.set(id, json);
		else failed.delete(id);
	}
	const errors = new Map<number, UserFacingError>();
	for (const [id, json] of failed) {
		const error = failedItem(json, `The item of instance ${id}`);
		if (error) errors.set(id, error);
	}
	return errors;
}

/** The same for all items from which an expression may take IDs. */
function failuresAmong(
	expression: string,
	{ isTool, items, parameters, unexecutedInputs }: NodeExecution,
): Map<number, UserFacingError> {
	if (isTool) return new Map();
	const inputs = [...items.map(({ item }) => item.json), ...unexecutedInputs];
	const lists = listsIn(expression).map((root) => [parameters.item.jsonAt(root)].flat());
	return new Map([inputs, ...lists].flatMap((jsons) => [...failuresIn(jsons)]));
}

/** The error about a sample of the trigger. */
export function sampleItem(): UserFacingError {
	return new UserFacingError(
		'This item is a sample from a test of the trigger, and its instance is real',
		'To test the workflow, turn on Dry Run. Once published, the workflow gets real events.',
	);
}

/** Throws UserFacingError about an item that contains the IDs of instances, but that nobody means to delete. */
function assertDeletable(
	json: unknown,
	ids: readonly number[],
	{ isDryRun }: Pick<NodeExecution, 'isDryRun'>,
): void {
	// In a test of the whole workflow, the trigger returns samples, whose instances are real and may be running.
	if (!isDryRun && /^\d+-\w+-sample$/.test(String(asObject(json).eventId))) throw sampleItem();
	// Unlike a label of a form, such as "IDs (separated by ;)", the header of a file has no blanks around its delimiters.
	const merged = Object.entries(asObject(json)).find(
		([name, value]) => /[^\s;][;\t][^\s;)]/.test(name) && /[;\t]/.test(String(value)),
	);
	if (merged === undefined || ids.length < 2) return;
	throw new UserFacingError(
		`'${shortened(merged[0])}' contains several columns, since a file was read with another delimiter`,
		"In Extract from File, set 'Delimiter' to the one in the file, e.g. a semicolon.",
	);
}

/** Returns a check that an item is meant for deletion: it isn't a sample, didn't fail, and was read correctly. */
export function deletionCheck(form: INodeProperties, execution: NodeExecution): IdCheck {
	const expression = String(execution.parameters.entered(form));
	// What failed before an agent started is not about the IDs that its model chooses.
	const { isTool } = execution;
	const failures = failuresAmong(expression, execution);
	const ignoresItem = isTool || readsError(expression);
	const paths = isTool ? [] : pathsIn(expression);
	const roots = paths.map(({ root }) => root);
	const otherRoots = [...new Set(roots)].filter((root) => !INPUT_ITEM.test(root));
	return (ids, item) => {
		assertNoDryRunAsked(item, execution);
		assertDeletable(item.json, ids, execution);
		if (!ignoresItem && ids.length > 0) {
			const ofOthers = otherRoots.map((root) => failedItemAt(root, item));
			const error = [failedItem(item.json), ...ofOthers].find(Boolean);
			if (error) throw ids.length === 1 ? error.with({ id: ids[0] }) : error;
		}
		// As after an Aggregate node.
		const listed = ignoresItem ? [] : paths.flatMap((path) => [valueOf(path, item)].flat());
		const inside = failuresIn(listed.some((each) => asObject(each).error) ? listed : []);
		for (const id of ids) {
			const failure = failures.get(id) ?? inside.get(id);
			if (failure) throw failure;
		}
	};
}
