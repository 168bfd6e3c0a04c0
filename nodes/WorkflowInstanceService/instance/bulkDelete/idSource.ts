import type { IDataObject } from 'n8n-workflow';

import { forEachYielding } from '../../n8n/eventLoop';
import type { Parameters } from '../../n8n/parameters';
import { parseIdList } from '../../values/ids';
import { valueAt } from '../../values/json';
import { notExpected, shortened, UserFacingError } from '../../values/userFacingError';
import { idField, idSource, instanceIds } from './description';

/** n8n's "Always Output Data" sends an item without fields when there is nothing to do. */
function isEmptyItem(input: IDataObject): boolean {
	return Object.keys(input).length === 0;
}

/**
 * Rejects IDs from a field of the input where the node is a tool: there the input is whatever the model sends.
 *
 * @throws UserFacingError naming 'ID Source'
 */
export function rejectFieldOfTool(parameters: Parameters): void {
	if (parameters.get(idSource) !== 'inputField') return;
	throw new UserFacingError(
		`'${idSource.displayName}' can't be set to Field of the Input Items when an AI agent uses this node as a tool`,
		`Set '${idSource.displayName}' to List, and let the model define '${instanceIds.displayName}'.`,
	);
}

const NAME_THE_FIELD =
	"Enter the name of the field that contains the instance's ID, e.g. instance_id.";
const FILL_IN = 'Fill it in, or filter out the item before this node.';

/** The name as it was entered, which is never an expression. */
function fieldName(parameters: Parameters): string {
	return String(parameters.entered(idField)).replace(/^=/, '').trim();
}

const LONGEST_LIST = 300;

/** What an item has in a field, by the name of the field. */
function valueInField(input: IDataObject, field: string): unknown {
	const value = valueAt(input, field);
	if (value !== undefined && value !== null && value !== '') return value;
	const { displayName: label } = idField;
	if (field === '') throw new UserFacingError(`'${label}' is empty`, NAME_THE_FIELD);
	if (value !== undefined) {
		throw new UserFacingError(`The field "${field}" ('${label}') is empty in this item`, FILL_IN);
	}
	const fields = shortened(Object.keys(input).join(', '), LONGEST_LIST);
	throw new UserFacingError(
		`This item has no field "${field}" ('${label}')`,
		`It has these fields: ${fields}. ${NAME_THE_FIELD}`,
	);
}

function isSameList(ids: readonly number[], others: readonly number[]): boolean {
	return ids.length === others.length && ids.every((id, place) => id === others[place]);
}

/**
 * What reads the ids that each input item names, none when it names an empty list. Items that name
 * the same list as the item before get the same array, so that thousands of them cost little.
 *
 * @returns a function of the parameters and the `json` of an item, which throws UserFacingError naming
 *   'Instance IDs' or 'ID Field' when the item has no ids there, or others
 */
export function idReader(): (parameters: Parameters, input: IDataObject) => readonly number[] {
	let last: { value: unknown; ids: readonly number[] } = { value: undefined, ids: [] };

	const idsOf = (value: unknown, place: string): readonly number[] => {
		if (value === last.value) return last.ids;
		const ids = parseIdList(value, place);
		last = { value, ids: isSameList(ids, last.ids) ? last.ids : ids };
		return last.ids;
	};

	return (parameters, input) => {
		const source = parameters.get(idSource);
		if (source === 'inputField') {
			if (isEmptyItem(input)) return [];
			const field = fieldName(parameters);
			return idsOf(valueInField(input, field), `the field "${field}" ('${idField.displayName}')`);
		}
		if (source !== 'list') {
			throw notExpected(
				source,
				`'${idSource.displayName}'`,
				'one of its options',
				'Use list or inputField.',
			);
		}
		const value = parameters.get(instanceIds);
		if (value !== undefined) return idsOf(value ?? [], `'${instanceIds.displayName}'`);
		if (isEmptyItem(input)) return [];
		throw new UserFacingError(
			`'${instanceIds.displayName}' has no value`,
			'Its expression returned nothing for this item. Correct it, or have it return an empty list.',
		);
	};
}

/** An id that thousands of items name is paired to the first of them: more pairs n8n cannot save. */
export const MOST_PAIRS = 100;

/**
 * The items that named each id, {@link MOST_PAIRS} at most, ids in the order in which they were first
 * seen.
 *
 * @param named the ids that each item named, by the index of the item
 */
export async function itemsById(
	named: ReadonlyMap<number, readonly number[]>,
): Promise<Map<number, number[]>> {
	const itemsOfList = new Map<readonly number[], number[]>();
	for (const [item, ids] of named) {
		const items = itemsOfList.get(ids) ?? [];
		if (items.length < MOST_PAIRS) items.push(item);
		itemsOfList.set(ids, items);
	}
	const byId = new Map<number, number[]>();
	const add = (id: number, items: number[]) => {
		const known = byId.get(id);
		// Ids of one list share one array, which n8n saves once.
		if (known === undefined) byId.set(id, items);
		else if (known.length < MOST_PAIRS) byId.set(id, [...known, ...items].slice(0, MOST_PAIRS));
	};
	await forEachYielding(itemsOfList, ([ids, items]) =>
		new Set(ids).forEach((id) => add(id, items)),
	);
	return byId;
}
