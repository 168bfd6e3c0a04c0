import { type INodeProperties, isExpression } from 'n8n-workflow';

import { hasExpression, missingColumn, type Path, valueAt } from '../n8n/expressions';
import type { InputItem } from '../n8n/inputItem';
import type { NodeExecution } from '../n8n/operation';
import type { ItemParameters } from '../n8n/parameters';
import { chosenIn, instanceIdIn, parseIdList } from '../values/ids';
import { asObject } from '../values/json';
import { describeValue, isEmpty, listIds, trimmed } from '../values/text';
import { entriesOf } from '../values/textList';
import { UserFacingError } from '../values/userFacingError';
import { failedItem } from './failedItems';

/**
 * The error about a parameter without an ID.
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
	const own = chosenIn(entered(form));
	if (isTool || !hasExpression(own)) return new UserFacingError(message, onEntered);
	const error = failedItem(item.json()) ?? missingColumn(`'${form.displayName}'`, own, item);
	if (error) return error;
	const builderAdvice = `Its expression returned nothing, or failed. Check the name of the column.${onExpression}`;
	return new UserFacingError(message, '', { builderAdvice });
}

/** Throws UserFacingError about values that would make up one ID, as when a column is dragged into a filled field. */
export function assertNotJoined(
	form: INodeProperties,
	{ entered, get }: Pick<ItemParameters, 'entered' | 'get'>,
) {
	const isJoined = /\}\} *\{\{/.test(String(chosenIn(entered(form))));
	// A URL may be made up of several values.
	if (!isJoined || /^\s*https?:/i.test(String(chosenIn(get(form))))) return;
	const orSeparate = form.type === 'string' ? ', or separate several by commas' : '';
	throw new UserFacingError(`'${form.displayName}' joins several values into one ID`, '', {
		builderAdvice: `Keep only one expression in the field${orSeparate}.`,
	});
}

/** What identifies the row of a table. Google Sheets has its number. */
const ROW_ID = /^(?:id|row_number)$/i;
const INSTANCE_COLUMN =
	/^(?:(?:workflow|process)[ _-]?)?instan(?:ce|z)(?:[ _-]*\(?(?:ids?|urls?)\)?)?$|^url$/i;
/** Columns that may contain something else. */
const UNSURE_COLUMN = /^url$|instance$/i;
const MOST_LISTED = 3;

/** The IDs in a value that contains nothing else. */
function instanceIdsIn(value: unknown): Set<number> {
	const ids = entriesOf(value, /[,;]/).map(instanceIdIn);
	return new Set(ids.every((id) => id !== undefined) ? ids : []);
}

/**
 * Throws UserFacingError if the column that an expression consists of is the ID of a table's row, although the row also
 * has a column for the ID of an instance, with another ID or none.
 * @param path the expression for the IDs, if it's a path
 */
export function assertNoRowId(
	form: INodeProperties,
	path: Path | undefined,
	item: InputItem,
	ids: readonly number[],
): void {
	const key = trimmed(String(path?.keys.at(-1)));
	if (path === undefined || !ROW_ID.test(key)) return;
	const row = asObject(valueAt(item.json(path.node), path.keys.slice(0, -1)));
	const columns = Object.keys(row)
		.filter((name) => INSTANCE_COLUMN.test(trimmed(name)))
		.map((name) => ({ name, own: instanceIdsIn(row[name]) }));
	if (columns.some(({ own }) => ids.every((id) => own.has(id)))) return;
	const isForInstances = ({ name, own }: (typeof columns)[number]) =>
		own.size > 0 || !UNSURE_COLUMN.test(trimmed(name));
	const column = columns.find(isForInstances);
	if (column === undefined) return;
	const { name, own } = column;
	const content = isEmpty(row[name]) ? 'empty' : describeValue(row[name]);
	const where = path.node === undefined ? 'the item' : `the item of '${path.node}'`;
	throw new UserFacingError(
		`The expression in '${form.displayName}' uses ${key}, but ${where} also has '${name}' (${listIds([...own], MOST_LISTED) || content}, not ${listIds(ids, MOST_LISTED)})`,
		`If it's the ID of a table's row, clear the field, then use only '${name}'. Otherwise, use an Edit Fields node to copy the ID to a field with another name, and use that field.`,
	);
}

const ENTER_IDS = 'Enter IDs separated by commas, e.g. 12, 15.';
const NOTHING_TO_PROCESS =
	' You can also filter out items without IDs. If there is nothing to process, have the expression return an empty list, [].';

/** The parameter for several instances. */
export function idListForm(
	own: Pick<INodeProperties, 'builderHint' | 'description' | 'hint'>,
): INodeProperties {
	return {
		displayName: 'Instance IDs',
		name: 'instanceIds',
		type: 'string',
		// With several rows, a pasted column keeps its line breaks.
		typeOptions: { rows: 2 },
		required: true,
		default: '',
		placeholder: 'e.g. 12, 15, 18',
		...own,
	};
}

/** The IDs in a parameter for several, and whether the user typed them in, which makes the list unambiguous. */
export function readIdList(
	form: INodeProperties,
	parameters: ItemParameters,
	{ baseUrl, isTool }: Pick<NodeExecution, 'baseUrl' | 'isTool'>,
) {
	assertNotJoined(form, parameters);
	const areTyped = !isExpression(parameters.entered(form));
	const ids = parseIdList(parameters.get(form), `'${form.displayName}'`, baseUrl, areTyped);
	if (ids !== undefined) return { ids, areTyped };
	throw emptyId(form, parameters, isTool, ENTER_IDS, NOTHING_TO_PROCESS);
}
