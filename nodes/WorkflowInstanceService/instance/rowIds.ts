import type { INodeProperties } from 'n8n-workflow';

import { hasExpression, misspelledKey, pathsIn, valueOf } from '../n8n/expressions';
import type { InputItem } from '../n8n/inputItem';
import type { NodeExecution } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, instanceIdIn, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { trimmed } from '../values/text';
import { entriesOf } from '../values/textList';
import { UserFacingError } from '../values/userFacingError';
import { failedItem } from './failedItems';

/** What identifies the row of a table. Google Sheets has its number. */
const ROW_IDS = ['id', 'row_number'];
const READS_INSTANCE_ID = /instance[ _-]?id/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process|property)[ _-]?)?instance(?:[ _-]*\(?(?:ids?|urls?)\)?)?$|^url$/i;
/** Columns that may contain something else. */
const UNSURE_COLUMN = /instance$|^url$/i;
/** The input item, which is always checked. */
const INPUT_ITEM = /^\$(?:json|input\.item\.json)$/;

function isInstanceColumn(name: string): boolean {
	return INSTANCE_COLUMN.test(trimmed(name));
}

/** The IDs in a value that contains nothing else. */
function instanceIdsIn(value: unknown): Set<number> {
	const ids = entriesOf(value, /[,;]/).map(instanceIdIn);
	return new Set(ids.every((id) => id !== undefined) ? ids : []);
}

/** Whether an expression reads a key, of the item or of another node's. */
function readsKey(expression: string, key: string): boolean {
	return new RegExp(`(?:[.{,]\\s*|\\[\\s*["'\`])${key}\\b`, 'i').test(expression);
}

/**
 * The error about a parameter without an ID. After an expression, it says where else the item has one.
 * @param onEntered what to enter instead of an expression
 * @param onExpression what else the user of an expression may do
 */
export function emptyId(
	form: INodeProperties,
	{ entered, item }: Pick<ItemParameters, 'entered' | 'item'>,
	isTool: boolean,
	onEntered: string,
	onExpression = '',
): UserFacingError {
	const message = `'${form.displayName}' is empty`;
	if (isTool || !hasExpression(entered(form))) return new UserFacingError(message, onEntered);
	const error = failedItem(item.json);
	if (error) return error;
	const json = asObject(item.json);
	const misspelled = misspelledKey(String(chosenIn(entered(form))), item)?.actual;
	const names = Object.keys(json).filter((name) => instanceIdIn(json[name]) !== undefined);
	const column = names.find(isInstanceColumn) ?? names.find((name) => name === misspelled);
	// In the trigger's items, it's inside `instance`.
	const isEvent = asObject(json.instance).id !== undefined;
	const path = isEvent ? '.instance.id' : column && `[${JSON.stringify(column)}]`;
	const example = path ? ` Use e.g. {{ $json${path} }}.` : '';
	const builderAdvice = `Its expression returned nothing, or failed. Check the name of the column.${example}${onExpression}`;
	return new UserFacingError(message, '', { builderAdvice });
}

/** A path alone, as n8n inserts it when a column is dragged into a field. */
const PART = '\\{\\{ *\\$(?:json|\\([^(){}]*\\)\\.item\\.json)[^(){}?:,;+]*\\}\\}';
/** Expressions without a separator between them, or between one and a digit. */
const JOINED = new RegExp(`^=(?:${PART}|[^{}])*(?:(?:${PART}|\\d) *${PART}|${PART} *\\d)`);

/** Throws UserFacingError about values that would make up one ID, as when a column is dragged into a filled field. */
export function assertNotJoined(
	form: INodeProperties,
	{ entered, get }: Pick<ItemParameters, 'entered' | 'get'>,
) {
	const isJoined = JOINED.test(String(chosenIn(entered(form))));
	// A URL may be made up of several values.
	if (!isJoined || /^\s*https?:/i.test(String(chosenIn(get(form))))) return;
	const orSeparate = form.type === 'string' ? ', or separate several by commas' : '';
	throw new UserFacingError(`'${form.displayName}' joins several values into one ID`, '', {
		builderAdvice: `Keep only one expression in the field${orSeparate}.`,
	});
}

/** The columns of rows that are called like one of the row IDs, and those for the ID of an instance. */
function columnsOf(
	executed: readonly unknown[],
	unexecuted: readonly unknown[],
	rowIds: readonly string[],
) {
	const rows = [...executed, ...unexecuted];
	const names = new Set<string>();
	for (const row of rows) for (const name of Object.keys(asObject(row))) names.add(name);
	const idNames = [...names].filter((name) => rowIds.includes(trimmed(name).toLowerCase()));
	const rowIdsIn = (row: unknown) =>
		idNames.flatMap((name) => {
			const ids = [asObject(row)[name]].flat().flatMap((id) => plainId(id) ?? []);
			return ids.map((id) => ({ name, id }));
		});
	const columns = [...names].filter(isInstanceColumn).map((name) => {
		const idsByRow = rows.map((row) => instanceIdsIn(asObject(row)[name]));
		const ids = new Set(idsByRow.flatMap((own) => [...own]));
		const differs = idsByRow
			.slice(0, executed.length)
			.some((own, index) => own.size > 0 && !rowIdsIn(rows[index]).some(({ id }) => own.has(id)));
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
	{ items, unexecutedInputs }: Pick<NodeExecution, 'items' | 'unexecutedInputs'>,
) {
	const expression = String(chosenIn(items[0].entered(form)));
	const rowIds = ROW_IDS.filter((key) => readsKey(expression, key));
	if (rowIds.length === 0) return () => undefined;
	const readsInstanceId = READS_INSTANCE_ID.test(expression);
	/** The paths to objects whose _id_ may be read, inside the item or in items of other nodes. */
	const owners = pathsIn(expression)
		.map(({ root, keys }) => {
			const readsRowId = ROW_IDS.includes(String(keys.at(-1)).toLowerCase());
			return { root, keys: readsRowId ? keys.slice(0, -1) : keys };
		})
		.filter(({ root, keys }) => keys.length > 0 || !INPUT_ITEM.test(root));

	const assertNoRowId = (
		json: unknown,
		ids: ReadonlySet<number>,
		{ rowIdsIn, columns }: ReturnType<typeof columnsOf>,
		areTogether: boolean,
		where = 'the input',
	): void => {
		if (columns.length === 0) return;
		const item = asObject(json);
		// Nodes that read files leave out empty cells. But a fallback is meant for items without the column.
		const own = columns
			.filter(({ name }) => Object.hasOwn(item, name) || !readsInstanceId)
			.map((column) => ({ ...column, inItem: instanceIdsIn(item[column.name]) }));
		const isInstance = (id: number) =>
			own.some(({ inItem }) => inItem.has(id)) ||
			// If several rows are read together, the instance of another row may have this row's ID.
			(areTogether && columns.some((column) => column.ids.has(id)));
		const rowId = rowIdsIn(json).find(({ id }) => ids.has(id) && !isInstance(id));
		if (rowId === undefined) return;
		const column =
			own.find(({ inItem }) => inItem.size > 0) ?? own.find(({ countsIfEmpty }) => countsIfEmpty);
		if (column === undefined) return;
		const { name } = column;
		throw new UserFacingError(
			`The expression in '${form.displayName}' uses ${rowId.name}, but ${where} also has '${name}'`,
			`If it's the ID of a table's row, clear the field, then use only '${name}'. Otherwise, use an Edit Fields node to copy the ID to a field with another name, and use that field.`,
		);
	};

	const jsons = items.map(({ item }) => item.json);
	const ofInputs = columnsOf(jsons, unexecutedInputs, rowIds);
	return (item: InputItem, ids: readonly number[]): void => {
		const idSet = new Set(ids);
		assertNoRowId(item.json, idSet, ofInputs, idSet.size > 1);
		for (const owner of owners) {
			const objects = [valueOf(owner, item)].flat();
			const ofObjects = columnsOf(objects, [], rowIds);
			const where = [owner.root, ...owner.keys].join('.');
			for (const object of objects)
				assertNoRowId(object, idSet, ofObjects, objects.length > 1, where);
		}
	};
}
