import { forEachYielding } from '../../n8n/eventLoop';
import type { NodeRun } from '../../n8n/operation';
import type { Parameters } from '../../n8n/parameters';
import { asObject } from '../../values/json';
import { isEmpty } from '../../values/userFacingError';
import { readIdList } from '../locators';
import { instanceIds } from './form';

/** The indexes of the input items that contain each ID, in the order in which IDs were first seen. */
export type ItemsById = ReadonlyMap<number, readonly number[]>;

/** An ID that thousands of items contain is paired to the first of them: n8n can't save more pairs. */
const MAX_PAIRS = 100;

/** An expression that reads the `id` of an item, and no column of instance IDs. */
const READS_ID = /^(?!.*instance_?id).*\$json\s*(?:\.\s*id\b|\[\s*["']id["'])/is;
const COLUMNS = ['instance_id', 'instanceId'];

/** Reads the IDs of input items. Equal lists in a row are one array, so that thousands cost little. */
export function idReader({ baseUrl, hint, parameters: { entered } }: NodeRun) {
	const readsId = READS_ID.test(String(entered(instanceIds)));
	let last: { value: unknown; ids: readonly number[] } = { value: null, ids: [] };

	return (parameters: Parameters): readonly number[] => {
		const column = COLUMNS.find((key) => readsId && !isEmpty(asObject(parameters.json)[key]));
		if (column !== undefined)
			hint(
				`'Instance IDs' reads id, but the input also has ${column}. If id is the ID of a table's row, use ${column}.`,
			);
		const value = parameters.get(instanceIds);
		if (value === last.value && value !== null) return last.ids;
		const { ids } = readIdList(instanceIds, parameters, baseUrl);
		last = { value, ids: String(ids) === String(last.ids) ? last.ids : ids };
		return last.ids;
	};
}

/** The first items that contain each ID, by those that contain each list of IDs. */
export async function itemsById(
	byList: ReadonlyMap<readonly number[], readonly number[]>,
): Promise<ItemsById> {
	const byId = new Map<number, readonly number[]>();
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
