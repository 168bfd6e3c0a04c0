import type { INodeProperties } from 'n8n-workflow';

import { INPUT_ITEM, listsIn, pathsIn, valueOf } from '../n8n/expressions';
import type { InputItem } from '../n8n/inputItem';
import type { NodeExecution } from '../n8n/operation';
import { instanceIdIn, plainId } from '../values/ids';
import { asObject } from '../values/json';
import { listIds, trimmed } from '../values/text';
import { entriesOf } from '../values/textList';
import { UserFacingError } from '../values/userFacingError';

/** What identifies the row of a table. Google Sheets has its number. */
const ROW_IDS = ['id', 'row_number'];
const READS_INSTANCE_ID = /instan(?:ce|z)[ _-]?id/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process|property)[ _-]?)?instance(?:[ _-]*\(?(?:ids?|urls?)\)?)?$|^instanz[ _-]?(?:ids?|urls?)$|^url$/i;
/** Columns that may contain something else. */
const UNSURE_COLUMN = /instance$|^url$/i;
const MOST_LISTED = 3;
const INPUT = 'the input';

export function isInstanceColumn(name: string): boolean {
	return INSTANCE_COLUMN.test(trimmed(name));
}

/** The IDs in a value that contains nothing else. */
export function instanceIdsIn(value: unknown): Set<number> {
	const ids = entriesOf(value, /[,;]/).map(instanceIdIn);
	return new Set(ids.every((id) => id !== undefined) ? ids : []);
}

/** Whether an expression reads a key, of the item or of another node's. */
function readsKey(expression: string, key: string): boolean {
	// A text that is compared is no key.
	const code = expression.replace(/([=!]=\s*)(["'])(?:\\.|(?!\2)[^\\])*\2/gs, "$1''");
	return new RegExp(`(?:[.{,]\\s*|\\[\\s*["'\`])${key}\\b`, 'i').test(code);
}

/** The IDs of a row itself, with their columns. */
function rowIdsIn(row: unknown, rowIds: readonly string[]) {
	const fields = asObject(row);
	const isOfRow = (name: string) => rowIds.includes(name.trim().toLowerCase());
	return Object.keys(fields)
		.filter(isOfRow)
		.flatMap((name) =>
			[fields[name]].flat().flatMap((each) => {
				const id = plainId(each);
				return id === undefined ? [] : [{ name, id }];
			}),
		);
}

/** The columns of rows for the ID of an instance. */
function columnsOf(
	executed: readonly unknown[],
	rowIds: readonly string[],
	unexecuted: readonly unknown[] = [],
) {
	const rows = [...executed, ...unexecuted];
	const names = new Set(rows.flatMap((row) => Object.keys(asObject(row))));
	return [...names].filter(isInstanceColumn).map((name) => {
		const idsByRow = rows.map((row) => instanceIdsIn(asObject(row)[name]));
		const ids = new Set(idsByRow.flatMap((own) => [...own]));
		const isOfRow = (own: ReadonlySet<number>, row: unknown) =>
			rowIdsIn(row, rowIds).some(({ id }) => own.has(id));
		const differs = idsByRow
			.slice(0, executed.length)
			.some((own, index) => own.size > 0 && !isOfRow(own, rows[index]));
		const isSure = ids.size === 0 && !UNSURE_COLUMN.test(trimmed(name));
		/** Whether it shows that _id_ is the ID of a row even where it's empty. */
		const countsIfEmpty = differs || isSure;
		return { name, ids, countsIfEmpty };
	});
}

type Columns = ReturnType<typeof columnsOf>;

/** Rows by their IDs: each of thousands of items may read one of thousands of rows. */
function rowsById(rows: readonly unknown[], rowIds: readonly string[]) {
	const byId = new Map<number, Set<unknown>>();
	for (const row of rows) {
		for (const { id } of rowIdsIn(row, rowIds)) byId.set(id, (byId.get(id) ?? new Set()).add(row));
	}
	return byId;
}

export type Inputs = Pick<NodeExecution, 'items' | 'unexecutedInputs'>;

/** Checks the IDs that an expression returned for an item. Throws UserFacingError. */
export type IdCheck = (ids: readonly number[], item: InputItem) => void;

/**
 * Checks that an expression didn't return the ID of a table's row, although the row also has a column for the ID of
 * an instance, with another ID or none.
 */
export function rowIdCheck(
	form: INodeProperties,
	expression: string,
	{ items, unexecutedInputs }: Inputs,
): IdCheck {
	// What a model fills in isn't from the item.
	if (/\$fromAI\b/i.test(expression)) return () => undefined;
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
		row: unknown,
		ids: ReadonlySet<number>,
		columns: Columns,
		areTogether: boolean,
		where: string,
	): void => {
		const item = asObject(row);
		// Nodes that read files leave out empty cells. But a fallback is meant for items without the column.
		const own = columns
			.filter(({ name }) => Object.hasOwn(item, name) || !readsInstanceId)
			.map((column) => ({ ...column, inItem: instanceIdsIn(item[column.name]) }));
		const column =
			own.find(({ inItem }) => inItem.size > 0) ?? own.find(({ countsIfEmpty }) => countsIfEmpty);
		if (column === undefined) return;
		const isInstance = (id: number) =>
			own.some(({ inItem }) => inItem.has(id)) ||
			// If several rows are read together, the instance of another row may have this row's ID.
			(areTogether && columns.some((each) => each.ids.has(id)));
		const rowId = rowIdsIn(row, rowIds).find(({ id }) => ids.has(id) && !isInstance(id));
		if (rowId === undefined) return;
		const { name, inItem } = column;
		const found = listIds([...inItem], MOST_LISTED) || 'empty';
		throw new UserFacingError(
			`The expression in '${form.displayName}' uses ${rowId.name}, but ${where} also has '${name}' (${found}, not ${rowId.id})`,
			`If it's the ID of a table's row, clear the field, then use only '${name}'. Otherwise, use an Edit Fields node to copy the ID to a field with another name, and use that field.`,
		);
	};

	const executed = items.map(({ item }) => item.json);
	const inputColumns = columnsOf(executed, rowIds, unexecutedInputs);
	const readsAllInputs = /\$input\s*\.\s*all/.test(expression);
	const roots = readsAllInputs ? [INPUT] : listsIn(expression);
	// What the expression takes from the input may have the same ID as a row of a list.
	const inputPaths = pathsIn(expression).filter(({ root }) => /^\$(?:json|input)/.test(root));
	const lists = new Map<string, { columns: Columns; byId: ReturnType<typeof rowsById> }>();
	/** What was found to be right, since thousands of items and rows may have the same ID. */
	const checked = new Set<string>();
	const listAt = (root: string, { jsonAt }: InputItem) => {
		const rows = root === INPUT ? [...executed, ...unexecutedInputs] : [jsonAt(root)].flat();
		const columns = root === INPUT ? inputColumns : columnsOf(rows, rowIds);
		return { columns, byId: rowsById(rows, rowIds) };
	};
	const checkList = (root: string, ids: ReadonlySet<number>, item: InputItem): void => {
		const ofInput = new Set(inputPaths.flatMap((path) => [...instanceIdsIn(valueOf(path, item))]));
		const { columns, byId } = lists.get(root) ?? listAt(root, item);
		lists.set(root, { columns, byId });
		const areTogether = ids.size > 1 || readsInstanceId;
		for (const id of ids) {
			const check = `${root} ${id} ${areTogether}`;
			if (ofInput.has(id) || checked.has(check)) continue;
			for (const row of byId.get(id) ?? [])
				assertNoRowId(row, new Set([id]), columns, areTogether, root);
			checked.add(check);
		}
	};
	return (ids, item) => {
		const idSet = new Set(ids);
		const areTogether = idSet.size > 1 || (readsAllInputs && readsInstanceId);
		assertNoRowId(item.json, idSet, inputColumns, areTogether, INPUT);
		for (const path of owners) {
			const rows = [valueOf(path, item)].flat();
			const where = [path.root, ...path.keys].join('.');
			// Each of thousands of items may have hundreds of rows.
			const chosen = rows.filter((row) => rowIdsIn(row, rowIds).some(({ id }) => idSet.has(id)));
			const columns = chosen.length > 0 ? columnsOf(rows, rowIds) : [];
			for (const row of chosen) assertNoRowId(row, idSet, columns, rows.length > 1, where);
		}
		for (const root of roots) checkList(root, idSet, item);
	};
}
