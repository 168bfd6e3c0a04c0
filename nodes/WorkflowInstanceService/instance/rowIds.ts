import type { INodeProperties } from 'n8n-workflow';

import { hasExpression, misspelledKey, pathsIn, valueOf } from '../n8n/expressions';
import type { NodeExecution } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, instanceIdIn, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { trimmed } from '../values/text';
import { entriesOf } from '../values/textList';
import { UserFacingError } from '../values/userFacingError';
import { failedItem } from './failedItems';

/** What identifies the row of a table. Google Sheets has its number. */
const ROW_ID = '(?:id|row_number)';
/** An expression that reads an `id`, of the item or of another node's. */
const READS_ROW_ID = new RegExp(`(?:\\.\\s*|\\[\\s*["'\`])${ROW_ID}\\b`, 'i');
const ROW_ID_COLUMN = new RegExp(`^${ROW_ID}$`, 'i');
const READS_INSTANCE_ID = /instance[ _-]?id/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process|property)[ _-]?)?instance(?:[ _-]*\(?(?:ids?|urls?)\)?)?$|^url$/i;
/** Columns that may contain something else. */
const UNSURE_COLUMN = /instance$|^url$/i;
/** An `id` at the end of a path. */
const LAST_ID = new RegExp(
	`\\s*(?:\\?\\s*)?(?:\\.\\s*${ROW_ID}|(?:\\?\\.)?\\[\\s*["'\`]${ROW_ID}["'\`]\\s*\\])$`,
	'i',
);
/** The input item, which is always checked. */
const INPUT_ITEM = /^\$(?:json|input\.item\.json)$/;

function isInstanceColumn(name: string): boolean {
	return INSTANCE_COLUMN.test(trimmed(name));
}

function instanceIdsIn(value: unknown): number[] {
	return entriesOf(value, /[,;\s]/).flatMap((entry) => instanceIdIn(entry) ?? []);
}

function hasInstanceColumn(value: unknown): boolean {
	return [value].flat().some((object) => Object.keys(asObject(object)).some(isInstanceColumn));
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
	const column =
		misspelledKey(String(chosenIn(entered(form))), json)?.actual ??
		Object.keys(item).find(
			(name) => isInstanceColumn(name) && instanceIdIn(item[name]) !== undefined,
		);
	// In the trigger's items, it's inside `instance`.
	const isEvent = asObject(item.instance).id !== undefined;
	const path = isEvent ? '.instance.id' : column && `[${JSON.stringify(column)}]`;
	const example = path ? ` Use e.g. {{ $json${path} }}.` : '';
	const builderAdvice = `Its expression returned nothing, or failed. Check the name of the column.${example}${onExpression}`;
	return new UserFacingError(message, '', { builderAdvice });
}

/** Expressions without a separator between them, or between one and a digit. */
const JOINED = /^=.*?(?:(?:\}\}|\d) *\{\{|\}\} *\d)/s;

/** Throws UserFacingError about values that would make up one ID, as when a column is dragged into a filled field. */
export function assertNotJoined(
	form: INodeProperties,
	{ entered }: Pick<ItemParameters, 'entered'>,
) {
	if (!JOINED.test(String(chosenIn(entered(form))))) return;
	const orSeparate = form.type === 'string' ? ', or separate several by commas' : '';
	throw new UserFacingError(`'${form.displayName}' joins several values into one ID`, '', {
		builderAdvice: `Keep only one expression in the field${orSeparate}.`,
	});
}

interface Inputs extends Pick<NodeExecution, 'unexecutedInputs'> {
	items: ReadonlyArray<Pick<ItemParameters, 'json'>>;
}

/** The columns of rows that are called _id_, and those for the ID of an instance. */
function columnsOf({ items, unexecutedInputs }: Inputs) {
	const rows = [...items.map(({ json }) => json), ...unexecutedInputs];
	const names = new Set<string>();
	for (const row of rows) for (const name of Object.keys(asObject(row))) names.add(name);
	const idNames = [...names].filter((name) => ROW_ID_COLUMN.test(trimmed(name)));
	const rowIdsIn = (row: unknown) =>
		idNames.flatMap((name) =>
			[asObject(row)[name]].flat().map((id) => ({ name, id: plainId(id) })),
		);
	const columns = [...names].filter(isInstanceColumn).map((name) => {
		const idsOf = (row: unknown) => instanceIdsIn(asObject(row)[name]);
		const ids = new Set(rows.flatMap(idsOf));
		const differs = items.some(({ json }) => {
			const own = idsOf(json);
			return own.length > 0 && !rowIdsIn(json).some(({ id }) => own.includes(Number(id)));
		});
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
	const [first] = inputs.items;
	const expression = String(chosenIn(first.entered(form)));
	if (!READS_ROW_ID.test(expression)) return () => undefined;
	const readsInstanceId = READS_INSTANCE_ID.test(expression);
	/** The paths to objects whose _id_ may be read, inside the item or in items of other nodes. */
	const owners = pathsIn(expression)
		.map((path) => path.replace(LAST_ID, ''))
		.filter((owner) => !INPUT_ITEM.test(owner))
		// Each item's object of another node costs an evaluation, so those without such a column are left out.
		.filter((owner) => owner.startsWith('$json') || hasInstanceColumn(valueOf(owner, first)));

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
		const own = columns.filter(({ name }) => Object.hasOwn(item, name) || !readsInstanceId);
		const isInstance = (id = NaN) =>
			own.some(({ name }) => instanceIdsIn(item[name]).includes(id)) ||
			// If several rows are read together, the instance of another row may have this row's ID.
			(areTogether && columns.some((column) => column.ids.has(id)));
		const isRowId = ({ id = NaN }) => ids.has(id) && !isInstance(id);
		const rowId = rowIdsIn(json).find(isRowId);
		if (rowId === undefined) return;
		const column =
			own.find(({ name }) => instanceIdsIn(item[name]).length > 0) ??
			own.find(({ countsIfEmpty }) => countsIfEmpty);
		if (column === undefined) return;
		const { name } = column;
		throw new UserFacingError(
			`The expression in '${form.displayName}' uses ${rowId.name}, but ${where} also has '${name}'`,
			`If it's the ID of a table's row, clear the field, then use only '${name}'. Otherwise, use an Edit Fields node to copy the ID to a field with another name, and use that field.`,
		);
	};

	const ofInputs = columnsOf(inputs);
	return (
		input: Pick<ItemParameters, 'json'> & Partial<ItemParameters>,
		ids: readonly number[],
	): void => {
		const idSet = new Set(ids);
		assertNoRowId(input.json, idSet, ofInputs, idSet.size > 1);
		for (const owner of owners) {
			const objects = [valueOf(owner, input)].flat();
			const items = objects.map((json) => ({ json }));
			const ofObjects = columnsOf({ items, unexecutedInputs: [] });
			for (const object of objects)
				assertNoRowId(object, idSet, ofObjects, objects.length > 1, owner);
		}
	};
}
