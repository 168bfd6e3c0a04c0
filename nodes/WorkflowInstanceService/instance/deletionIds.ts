import { forEachYielding } from '../api/clock';
import type { NodeExecution } from '../n8n/operation';
import type { Parameters } from '../n8n/parameters';
import { asObject } from '../values/json';
import { isEmpty, UserFacingError } from '../values/userFacingError';
import { idListForm, readIdList } from './locators';

export const instanceIds = idListForm({
	hint: 'IDs or URLs, separated by commas, or a column of the input',
	description:
		'The IDs or URLs of the instances to delete, separated by commas, or an expression that returns them for each input item. The instances of all input items are deleted together, without duplicates.',
	builderHint: {
		propertyHint:
			"For IDs from a previous node, use an expression such as {{ $json.instance_id }}. All input items are processed in one run, so don't put Loop Over Items, Split In Batches or Aggregate before this node.",
	},
});

/** The indexes of the input items that contain each ID, in the order in which IDs were first seen. */
export type ItemsById = ReadonlyMap<number, readonly number[]>;

/** An ID that thousands of items contain is paired to the first of them: n8n can't save more pairs. */
const MAX_PAIRS = 100;

/** An expression that reads the `id` of an item, and no column of instance IDs. */
const READS_ID = /^(?!.*instance_?id).*\$json\s*(?:\.\s*id\b|\[\s*["']id["'])/is;
const COLUMNS = ['instance_id', 'instanceId'];

/** A test of the whole workflow has samples of the trigger, whose instances are real and may be running. */
function assertNoSample({ json }: Parameters): void {
	const { eventId, sample } = asObject(json);
	if (sample !== true || !String(eventId).endsWith('-sample')) return;
	throw new UserFacingError(
		'This item is a sample from a test of the trigger, and its instance is real',
		'To test the workflow, turn on Dry Run. When it is published, it gets real events.',
	);
}

/** Reads the IDs of input items. Equal lists in a row are one array, so that thousands cost little. */
export function idReader({ baseUrl, hint, isDryRun, parameters: { entered } }: NodeExecution) {
	const readsId = READS_ID.test(String(entered(instanceIds)));
	let last: { value: unknown; ids: readonly number[] } = { value: null, ids: [] };

	return (parameters: Parameters): readonly number[] => {
		if (!isDryRun) assertNoSample(parameters);
		const column = COLUMNS.find((key) => readsId && !isEmpty(asObject(parameters.json)[key]));
		const advice = `If id is the ID of a table's row, use ${column}.`;
		if (column) hint(`'Instance IDs' reads id, but the input also has ${column}. ${advice}`);
		const value = parameters.get(instanceIds);
		if (value === last.value && value !== null) return last.ids;
		const { ids } = readIdList(instanceIds, parameters, baseUrl);
		last = { value, ids: String(ids) === String(last.ids) ? last.ids : ids };
		return last.ids;
	};
}

/** The first items that contain each ID, by those that contain each list of IDs. */
export async function itemsById(byList: ReadonlyMap<readonly number[], readonly number[]>) {
	const byId = new Map<number, readonly number[]>();
	await forEachYielding(byList, ([ids, items]) => {
		const first = items.slice(0, MAX_PAIRS);
		for (const id of new Set(ids)) {
			const previous = byId.get(id);
			// IDs of one list share one array, which n8n saves once.
			if (previous === undefined) byId.set(id, first);
			else if (previous.length < MAX_PAIRS)
				byId.set(id, [...previous, ...first].slice(0, MAX_PAIRS));
		}
	});
	return byId;
}
