import type { INodeProperties } from 'n8n-workflow';

import { hasExpression, pathReader, pathsIn } from '../n8n/expressions';
import type { NodeExecution } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, idFromUrl, INSTANCE, instanceIdIn, plainId } from '../values/ids';
import { asObject, isObject } from '../values/json';
import { trimmed } from '../values/text';
import { UserFacingError } from '../values/userFacingError';
import { failedItem } from './failedItems';

/** An expression that reads an `id`, of the item or of another node's. */
const READS_ID = /(?:\.\s*|\[\s*["'`])id\b/i;
const READS_INSTANCE_ID = /instance[ _-]?id/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process|property)[ _-]?)?instance(?:[ _-]*\(?(?:ids?|urls?)\)?)?$/i;
/** Columns that may contain something else. */
const UNSURE_COLUMN = /instance$/i;
/** The key at the end of a path. */
const LAST_ID = /\s*(?:\?\s*)?(?:\.\s*id|(?:\?\.)?\[\s*["'`]id["'`]\s*\])$/i;
/** The item itself. */
const ITSELF = /^\$(?:json|input\.item\.json)$/;
/** The items in which an instance URL shows that their column is for these. */
const MOST_SEARCHED = 100;

function isInstanceColumn(name: string): boolean {
	return INSTANCE_COLUMN.test(trimmed(name));
}

/** The ID in a column for instances, or in the URL of an instance in any column. */
function instanceIdOf(name: string, value: unknown): number | undefined {
	return isInstanceColumn(name) ? instanceIdIn(value) : idFromUrl(value, INSTANCE);
}

/**
 * The error about a parameter without an ID. After an expression, it says where else the item has one.
 * @param onEntered what to enter instead of an expression
 * @param onExpression what else the user of an expression may do
 */
export function emptyId(
	form: INodeProperties,
	{ entered, json }: Pick<ItemParameters, 'entered' | 'json'>,
	isTool: boolean,
	onEntered: string,
	onExpression = '',
): UserFacingError {
	const message = `'${form.displayName}' is empty`;
	if (isTool || !hasExpression(entered(form))) return new UserFacingError(message, onEntered);
	const error = failedItem(json);
	if (error) return error;
	const item = asObject(json);
	const column = Object.keys(item).find((name) => instanceIdOf(name, item[name]) !== undefined);
	// In the trigger's items, it's inside `instance`.
	const isEvent = asObject(item.instance).id !== undefined;
	const path = isEvent ? '.instance.id' : column && `[${JSON.stringify(column)}]`;
	const example = path ? ` Use e.g. {{ $json${path} }}.` : '';
	const builderAdvice = `Its expression returned nothing, or failed. Check the name of the column.${example}${onExpression}`;
	return new UserFacingError(message, '', { builderAdvice });
}

interface Inputs extends Pick<NodeExecution, 'unexecutedInputs'> {
	items: ReadonlyArray<Pick<ItemParameters, 'json'>>;
}

/** The columns of rows that are called _id_, and those for the ID of an instance. */
function columnsOf({ items, unexecutedInputs }: Inputs) {
	const rows = [...items.map(({ json }) => json), ...unexecutedInputs];
	const names = new Set<string>();
	for (const row of rows) for (const name of Object.keys(asObject(row))) names.add(name);
	const idNames = [...names].filter((name) => /^id$/i.test(trimmed(name)));
	const rowIdsIn = (row: unknown) =>
		idNames.flatMap((name) => [asObject(row)[name]].flat().flatMap((id) => plainId(id) ?? []));
	const searched = rows.slice(0, MOST_SEARCHED).map(asObject);
	const hasUrl = (name: string) => searched.some((row) => idFromUrl(row[name], INSTANCE));
	const others = [...names].filter((name) => !idNames.includes(name));
	const ofInstances = others.filter((name) => isInstanceColumn(name) || hasUrl(name));
	const columns = ofInstances.map((name) => {
		const ids = new Set<number>();
		let differs = false;
		for (const [index, row] of rows.entries()) {
			const id = instanceIdOf(name, asObject(row)[name]);
			if (id === undefined) continue;
			ids.add(id);
			differs ||= index < items.length && !rowIdsIn(row).includes(id);
		}
		const isSure = ids.size === 0 && !UNSURE_COLUMN.test(trimmed(name));
		/** Whether it shows that _id_ is the ID of a row even where it's empty. */
		const countsIfEmpty = differs || isSure;
		return { name, ids, countsIfEmpty };
	});
	return { rowIdsIn, columns };
}

/**
 * Returns a function that throws UserFacingError if an expression returned the ID of a table's row, although the row
 * also has a column for the ID of an instance, with another ID or none.
 */
export function rowIdCheck(
	form: INodeProperties,
	inputs: Pick<NodeExecution, 'items' | 'unexecutedInputs'>,
) {
	const expression = String(chosenIn(inputs.items[0].entered(form)));
	if (!READS_ID.test(expression)) return () => undefined;
	const readsInstanceId = READS_INSTANCE_ID.test(expression);
	/** The objects inside the item, or of other nodes, whose _id_ is read. */
	const owners = pathsIn(expression)
		.filter((path) => LAST_ID.test(path))
		.map((path) => path.replace(LAST_ID, ''))
		.filter((owner) => !ITSELF.test(owner));

	const assertNoRowId = (
		json: unknown,
		ids: readonly number[],
		{ rowIdsIn, columns }: ReturnType<typeof columnsOf>,
		where = 'the input',
	): void => {
		const item = asObject(json);
		// Nodes that read files leave out empty cells. But a fallback is meant for items without the column.
		const own = columns.filter(({ name }) => Object.hasOwn(item, name) || !readsInstanceId);
		const isInstance = (id: number) =>
			own.some(({ name }) => instanceIdOf(name, item[name]) === id) ||
			// If several rows are read together, the instance of another row may have this row's ID.
			(ids.length > 1 && columns.some((column) => column.ids.has(id)));
		const rowIds = rowIdsIn(json).filter((id) => ids.includes(id));
		if (rowIds.every(isInstance)) return;
		const column =
			own.find(({ name }) => instanceIdOf(name, item[name]) !== undefined) ??
			own.find(({ countsIfEmpty }) => countsIfEmpty);
		if (column === undefined) return;
		const { name } = column;
		throw new UserFacingError(
			`The expression in '${form.displayName}' uses id, but ${where} also has '${name}'`,
			`If id is the ID of a table's row, use only '${name}'. Otherwise, remove '${name}' from these items with an Edit Fields node.`,
		);
	};

	const ofInputs = columnsOf(inputs);
	return (
		{ json, evaluate }: Pick<ItemParameters, 'json'> & Partial<ItemParameters>,
		ids: readonly number[],
	): void => {
		assertNoRowId(json, ids, ofInputs);
		for (const owner of owners) {
			const read = pathReader(owner);
			const object = read ? read(json) : evaluate?.(`{{ ${owner} }}`);
			if (!isObject(object)) continue;
			const ofObject = columnsOf({ items: [{ json: object }], unexecutedInputs: [] });
			assertNoRowId(object, ids, ofObject, owner);
		}
	};
}
