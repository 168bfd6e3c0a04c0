import type { IDataObject } from 'n8n-workflow';

import type { Parameters } from '../../../engine/parameters';
import { parseIdList } from '../../../values/ids';
import { valueAt } from '../../../values/objects';
import { describeValue, Trouble } from '../../../values/trouble';

export const IDS_LABEL = 'Instance IDs';
export const FIELD_LABEL = 'ID Field';

/**
 * The ids that one input item names; none when it names an empty list.
 *
 * @param input the `json` of the input item
 * @throws Trouble naming 'Instance IDs' or 'ID Field' when the item has no ids there, or others
 */
export function readIds(parameters: Parameters, input: IDataObject): number[] {
	const source = parameters.get('idSource');
	if (source === 'inputField') return idsInField(parameters, input);
	if (source !== 'list') {
		throw new Trouble(`'ID Source' cannot be ${describeValue(source)}`, 'Use list or inputField.');
	}
	const value = parameters.get('instanceIds');
	if (value !== undefined) return parseIds(value ?? [], IDS_LABEL);
	if (isEmptyItem(input)) return [];
	throw new Trouble(
		`'${IDS_LABEL}' has no value`,
		'Its expression found nothing in this item. Correct the expression, or let it give an empty list.',
	);
}

function idsInField(parameters: Parameters, input: IDataObject): number[] {
	if (isEmptyItem(input)) return [];
	const field = String(parameters.get('idField')).trim();
	const value = valueAt(input, field);
	if (value !== undefined && value !== null && value !== '') {
		return parseIds(value, FIELD_LABEL);
	}
	throw new Trouble(
		`'${FIELD_LABEL}' names ${describeValue(field)}, which has ${describeValue(value)} in this item`,
		`Enter the name of the field that holds the ID, e.g. id or instance.id, or remove the item before this node.`,
	);
}

/** n8n's "Always Output Data" sends an item without fields when there is nothing to do. */
function isEmptyItem(input: IDataObject): boolean {
	return Object.keys(input).length === 0;
}

function parseIds(value: unknown, label: string): number[] {
	return parseIdList(value, { label, segment: 'instances' });
}

/** The items that named each id, ids in the order in which they were first seen. */
export function itemsById(jobs: Map<number, number[]>): Map<number, number[]> {
	const byId = new Map<number, number[]>();
	for (const [item, ids] of jobs) {
		for (const id of new Set(ids)) {
			const items = byId.get(id);
			if (items === undefined) byId.set(id, [item]);
			else items.push(item);
		}
	}
	return byId;
}
