import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { CASES, hostileValue, ownWords, PLAIN_WORDS, settings } from './support/hostile';
import { bodies, SETTABLE, settableOf, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(60_000, CASES * 100));

/** Items of one run: many, because a run costs more than an item. */
const ITEMS = 25;
const valuesOfItems = (usable: unknown[]) =>
	fc.array(hostileValue(usable), { minLength: ITEMS, maxLength: ITEMS });
const VALUE = '={{ $json.value }}';

const sandbox = useSandbox();

function toItem(id: number | undefined, value: unknown): IDataObject {
	const item: IDataObject = { id };
	if (value !== undefined) Reflect.set(item, 'value', value);
	return item;
}

/** What only the service can know. All else that it rejects, the node has to reject before. */
const REJECTED_BY_SERVICE = /\(400\): .*(There is no such process|has automatic naming enabled)/;

const NO_ITEM: INodeExecutionData = { json: {} };
const LISTS = [[{ step_id: 7, user_id: 8 }], '[{"step_id":"1","user_id":2}]', []];
const STEP = { change: [{ stepId: VALUE, userId: 7 }] };
const USER = { change: [{ action: 'remove', stepId: { ...locator(7) }, userId: VALUE }] };
const PROCESSES = [11, '12', 'http://127.0.0.1/api/processes/11/'];

/** A field to update: its name and label, what it may change (a process may name its instances), values that it takes, and its form. */
type Row = [name: string, label: string, key: string, usable: unknown[], form?: INodeParameters];
const FIELDS: Row[] = [
	['name', 'Name', 'name', ['A', 'x'.repeat(255), 7]],
	['deadline', 'Deadline', 'deadline', ['2026-07-01', 1_782_900_000]],
	['priority', 'Priority', 'priority', ['H', ' v', 'Regular ', 'very HIGH']],
	['tags', 'Replace Tags', 'tags', ['a, b', ['a', 'b '], '["a"]', []]],
	['addTags', 'Add Tags', 'tags', ['a, finance', ['a', 7]]],
	['removeTags', 'Remove Tags', 'tags', ['hr', ['hr', 'berlin']]],
	['stepAssignments', 'Replace Step Assignments', 'step_assignments', LISTS],
	['changeSteps', 'Change Step Assignments', 'step_assignments', [1201, '7'], STEP],
	['changeSteps', 'Change Step Assignments', 'step_assignments', [42, '7'], USER],
	['process', 'Process', 'process|name', PROCESSES, { ...locator(VALUE) }],
];

test.each(FIELDS)(
	'Update: whatever %s is, it changes what it may, or sends nothing and names its label',
	async (...row) => {
		const [name, label, key, usable, form] = row;
		let taken = 0;
		const property = fc.asyncProperty(valuesOfItems(usable), async (given) => {
			sandbox.control.reset();
			const before = new Map(
				sandbox.control.addInstances(ITEMS).map((id) => [id, settableOf(stored(sandbox, id))]),
			);
			const ids = [...before.keys()];
			const updateFields = { [name]: form ?? VALUE };
			const { outputs } = await sandbox.run(
				{ operation: 'update', instanceId: ID_OF_ITEM, updateFields },
				given.map((value, index) => toItem(ids[index], value)),
				CONTINUE,
			);
			expect(outputs[0]).toHaveLength(ITEMS);
			const requests = sandbox.requests();
			for (const [index, id] of ids.entries()) {
				const { json, pairedItem } = outputs[0]?.[index] ?? NO_ITEM;
				const sent = requests.filter((request) => request.endsWith(`/instances/${id}/`));
				const after: IDataObject = { ...settableOf(stored(sandbox, id)) };
				const was: IDataObject = { ...before.get(id) };
				const changed = SETTABLE.filter(
					(each) => JSON.stringify(after[each]) !== JSON.stringify(was[each]),
				);
				expect([given[index], changed.filter((each) => !key.includes(each))]).toEqual([
					given[index],
					[],
				]);
				expect(pairedItem).toEqual({ item: index });
				const text = String(json.error ?? '');
				if (text === '') taken++;
				if (text === '' || REJECTED_BY_SERVICE.test(text)) continue;
				expect([given[index], sent, changed]).toEqual([given[index], [], []]);
				expect(text).toMatch(new RegExp(`'${label}'|There is nothing to update`));
				expect(ownWords(text)).toMatch(PLAIN_WORDS);
			}
		});
		await fc.assert(property, settings(CASES / FIELDS.length / ITEMS));
		expect(taken).toBeGreaterThan(0);
	},
);

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (!value.trim().startsWith('[')) {
		return value.split(/,|\n/).filter((entry) => entry.trim() !== '');
	}
	try {
		return [JSON.parse(value)].flat();
	} catch {
		return [value];
	}
}

/** The IDs that a value is, by the docs; undefined when it is something else, or nothing but an empty list. */
function idsOf(value: unknown): number[] | undefined {
	const entries = entriesOf(value);
	if (entries.length === 0 && !JSON.stringify(value).includes('[')) return undefined;
	const ids = entries.map((entry) => {
		if (typeof entry === 'number') return entry;
		if (typeof entry !== 'string') return NaN;
		const uri = /^https?:\/\/127\.0\.0\.1\/[^\s?#]+\/instances\/([1-9]\d*)\/?$/.exec(
			entry.trim(),
		)?.[1];
		const digits = uri ?? /^[1-9]\d*$/.exec(entry.trim())?.[0];
		return Number(digits);
	});
	return ids.every((id) => Number.isSafeInteger(id) && id > 0) ? ids : undefined;
}

/** The items that name each ID, in the order in which the IDs are first seen. */
function itemsById(lists: Array<number[] | undefined>): Map<number, number[]> {
	const byId = new Map<number, number[]>();
	for (const [item, ids] of lists.entries()) {
		for (const id of new Set(ids)) byId.set(id, [...(byId.get(id) ?? []), item]);
	}
	return byId;
}

const id = fc.integer({ min: 1, max: 60 });
const uri = id.map((number) => `http://127.0.0.1/api/instances/${number}/`);
const entry = fc.oneof(id, id.map(String), uri);
/** All forms in which an item may name IDs. */
const naming: fc.Arbitrary<unknown> = fc.oneof(
	entry,
	fc.array(entry, { maxLength: 6 }),
	fc.array(entry, { maxLength: 6 }).map((ids) => JSON.stringify(ids)),
	fc
		.array(entry, { minLength: 1, maxLength: 6 })
		.chain((ids) => fc.constantFrom(',', '\n', '\r\n', ',\n').map((by) => ids.join(by))),
);

test('Bulk Delete sends each ID of usable values once, and names its label for all others', async () => {
	const value = fc.oneof(naming, hostileValue([1]));
	const values = fc.array(value, { minLength: 1, maxLength: ITEMS });
	const sizes = fc.integer({ min: 1, max: 20 });
	const property = fc.asyncProperty(values, sizes, async (given, batchSize) => {
		sandbox.control.clearLog();
		const { outputs } = await sandbox.run(
			{ operation: 'bulkDelete', instanceIds: VALUE, options: { batchSize } },
			given.map((each, index) => toItem(index, each)),
			CONTINUE,
		);
		const lists = given.map(idsOf);
		const ids = [...itemsById(lists).keys()];
		const starts = ids.flatMap((_id, place) => (place % batchSize === 0 ? place : []));
		const batches = starts.map((start) => ids.slice(start, start + batchSize));
		expect(bodies(sandbox, 'POST').map((body) => body.ids)).toEqual(batches);
		expect(sandbox.log().filter(({ status }) => status !== 204)).toEqual([]);

		const [deleted, rejected] = [true, undefined].map((isDeleted) =>
			(outputs[0] ?? []).filter(({ json }) => json.deleted === isDeleted),
		);
		expect(deleted).toEqual(
			[...itemsById(lists)].map(([each, items]) => {
				const pairs = items.map((item) => ({ item }));
				const pairedItem = pairs.length === 1 ? pairs[0] : pairs;
				return { json: { id: each, deleted: true }, pairedItem };
			}),
		);
		const bad = lists.flatMap((list, item) => (list === undefined ? [{ item }] : []));
		expect(rejected?.map(({ pairedItem }) => pairedItem)).toEqual(bad);
		for (const { json } of rejected ?? []) {
			expect(json.error).toContain("'Instance IDs'");
			expect(ownWords(json.error)).toMatch(PLAIN_WORDS);
		}
	});
	await fc.assert(property, settings(CASES / 10));
});
