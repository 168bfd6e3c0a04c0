import type { IDataObject } from 'n8n-workflow';

import { forEachYielding } from '../../n8n/eventLoop';
import { chosenOption, type Parameters } from '../../n8n/parameters';
import { parseIdList } from '../../values/ids';
import { valueAt } from '../../values/json';
import { isExpression } from '../../values/stepAssignments';
import { isEmpty, shortened, UserFacingError } from '../../values/userFacingError';
import { idField, idSource, instanceIds } from './description';

/** The indexes of the input items that contain each list of IDs. */
export type ItemsByList = Map<readonly number[], number[]>;
/** The indexes of the input items that contain each ID, in the order in which IDs were first seen. */
export type ItemsById = ReadonlyMap<number, number[]>;

/** An ID that thousands of items contain is paired to the first of them: n8n can't save more pairs. */
export const MAX_PAIRS = 100;
const LONGEST_LIST = 300;
const NAME_THE_FIELD =
	"Enter the name of the field that contains the instance's ID, e.g. instance_id.";

function valueInField(input: IDataObject, field: string): unknown {
	const { displayName: label } = idField;
	if (field === '') throw new UserFacingError(`'${label}' is empty`, NAME_THE_FIELD);
	const value = valueAt(input, field);
	if (value === undefined) {
		const fields = shortened(Object.keys(input).join(', '), LONGEST_LIST);
		throw new UserFacingError(
			`This item has no field "${field}" ('${label}')`,
			`It has these fields: ${fields}. ${NAME_THE_FIELD}`,
		);
	}
	if (!isEmpty(value)) return value;
	throw new UserFacingError(
		`The field "${field}" ('${label}') is empty in this item`,
		'Fill it in, or filter out the item before this node.',
	);
}

/** Reads the IDs of input items. Equal lists in a row are one array, so that thousands cost little. */
export function idReader(isTool: boolean) {
	let last: { value: unknown; ids: readonly number[] } = { value: null, ids: [] };

	const idsIn = (value: unknown, place: string, isTyped: boolean): readonly number[] => {
		if (value === last.value) return last.ids;
		const ids = parseIdList(value, place, isTyped);
		last = { value, ids: String(ids) === String(last.ids) ? last.ids : ids };
		return last.ids;
	};

	return (parameters: Parameters, input: IDataObject): readonly number[] => {
		const { displayName: label } = idSource;
		const source = chosenOption(parameters.get(idSource), label, ['list', 'inputField']);
		// n8n's "Always Output Data" sends an item without fields when there is nothing to do.
		const isEmptyItem = Object.keys(input).length === 0;
		if (source === 'list') {
			const value = parameters.get(instanceIds);
			if (value === undefined && isEmptyItem) return [];
			const isTyped = !isExpression(parameters.entered(instanceIds));
			return idsIn(value, `'${instanceIds.displayName}'`, isTyped);
		}
		if (isTool) {
			throw new UserFacingError(
				`'${label}' can't be set to Input Item Field when an AI agent uses this node as a tool`,
				`Set '${label}' to List, and let the model define '${instanceIds.displayName}'.`,
			);
		}
		if (isEmptyItem) return [];
		// Never an expression, even if it looks like one.
		const field = String(parameters.entered(idField)).replace(/^=/, '').trim();
		const place = `the field "${field}" ('${idField.displayName}')`;
		return idsIn(valueInField(input, field), place, false);
	};
}

/** The items that contain each ID, {@link MAX_PAIRS} at most. */
export async function itemsById(byList: ItemsByList): Promise<ItemsById> {
	const byId = new Map<number, number[]>();
	await forEachYielding(byList, ([ids, items]) => {
		const pairs = items.slice(0, MAX_PAIRS);
		for (const id of new Set(ids)) {
			const known = byId.get(id);
			// IDs of one list share one array, which n8n saves once.
			if (known === undefined) byId.set(id, pairs);
			else if (known.length < MAX_PAIRS) byId.set(id, [...known, ...pairs].slice(0, MAX_PAIRS));
		}
	});
	return byId;
}
