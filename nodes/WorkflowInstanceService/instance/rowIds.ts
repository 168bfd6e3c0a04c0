import type { INodeProperties } from 'n8n-workflow';

import type { Items } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, instanceIdIn } from '../values/ids';
import { asObject } from '../values/json';
import { shortened, trimmed } from '../values/text';
import { UserFacingError } from '../values/userFacingError';

/** An expression that reads an `id`, of the item or of another node's. */
const READS_ID = /(?:\.\s*|\[\s*["'])id\b/i;
const READS_INSTANCE_ID = /instance[ _-]?id/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process|property)[ _-]?)?instance[ _-]?(?:id|url)$|^(?:instance|url)$/i;
/** Columns that may contain something else. */
const UNSURE_COLUMN = /^(?:instance|url)$/i;

function isInstanceColumn(name: string): boolean {
	return INSTANCE_COLUMN.test(trimmed(name));
}

/** The columns of an item for the ID of an instance, and that ID, if there is one. */
function instanceColumns(json: unknown, columnsOfOthers: readonly string[] = []) {
	const item = asObject(json);
	const names = new Set([...Object.keys(item).filter(isInstanceColumn), ...columnsOfOthers]);
	return [...names]
		.map((name) => ({ name, id: instanceIdIn(item[name]) }))
		.filter(({ name, id }) => id !== undefined || !UNSURE_COLUMN.test(trimmed(name)));
}

/**
 * The error about an item for which an expression returned no ID. It says where else the item has one.
 * @param otherAdvice what else the user may do
 */
export function emptyId(
	place: string,
	{ json }: Pick<ItemParameters, 'json'>,
	otherAdvice = '',
): UserFacingError {
	const { error, instance } = asObject(json);
	const { message = error } = asObject(error);
	if (typeof message === 'string') {
		return new UserFacingError(
			`This item is an error item from an earlier node: ${shortened(message)}`,
			"Before this node, filter out the items that have 'error'.",
		);
	}
	const column = instanceColumns(json).find(({ id }) => id !== undefined)?.name;
	// In the trigger's items, it's inside `instance`.
	const isEvent = asObject(instance).id !== undefined;
	const path = isEvent ? '.instance.id' : column && `[${JSON.stringify(column)}]`;
	const example = path ? ` Use e.g. {{ $json${path} }}.` : '';
	const advice = `Its expression returned nothing, or failed. Check the name of the column.${example}${otherAdvice}`;
	return new UserFacingError(`${place} is empty`, advice);
}

/**
 * Returns a function that throws UserFacingError if an expression returned the ID of a table's row, although the row
 * also has a column for the ID of an instance, with another ID or none.
 */
export function rowIdCheck(form: INodeProperties, items: Items) {
	const expression = String(chosenIn(items[0].entered(form)));
	const readsInstanceId = READS_INSTANCE_ID.test(expression);
	const names = new Set<string>();
	// Nodes that read files leave out empty cells. But a fallback is meant for items without the column.
	if (READS_ID.test(expression) && !readsInstanceId) {
		for (const { json } of items) for (const name of Object.keys(asObject(json))) names.add(name);
	}
	const columnsOfAll = [...names].filter(isInstanceColumn);

	return ({ json }: Pick<ItemParameters, 'json'>, ids: readonly number[]): void => {
		// If several rows are read together, the instance of another row may have this row's ID.
		if (!READS_ID.test(expression) || (readsInstanceId && ids.length > 1)) return;
		const cells = Object.entries(asObject(json));
		const [, row] = cells.find(([name]) => /^id$/i.test(trimmed(name))) ?? [];
		if (!ids.includes(Number(row))) return;
		const columns = instanceColumns(json, columnsOfAll);
		const column = (columns.find(({ id }) => id !== undefined) ?? columns[0])?.name;
		if (column === undefined || columns.some(({ id }) => id === Number(row))) return;
		throw new UserFacingError(
			`The expression in '${form.displayName}' uses id, but the input also has ${column}`,
			`If id is the ID of a table's row, use ${column}. Otherwise, remove ${column} from the items with an Edit Fields node.`,
		);
	};
}
