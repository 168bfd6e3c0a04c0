import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { FIELDS as UPDATE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { SEED } from '../../sandbox/service';
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
const REJECTED_BY_SERVICE = /\(400\): .*There is no such process/;
/** A process that rejects the name that was read: it is left out then. */
const NAMES_ITSELF = new RegExp(`/${SEED.processes.purchaseRequest}/$`);

const NO_ITEM: INodeExecutionData = { json: {} };
const LISTS = [[{ step_id: 7, user_id: 8 }], '[{"step_id":"1","user_id":2}]', []];
const PROCESSES = [11, '12', ' 12\u200b'];
const IDS = [1201, '42', ' 7\u200b'];

const change = (action: string, stepId: unknown, userId: unknown): INodeParameters => ({
	change: [{ action, stepId: locator(String(stepId)), userId: locator(String(userId)) }],
});

/** What each field of the form may change, and its label. */
const FIELDS = new Map(
	UPDATE_FIELDS.flatMap(({ key, form, edits = [] }) =>
		[form, ...edits.map((edit) => edit.form)].map(({ name, displayName: label }) => [
			name,
			{ key, label },
		]),
	),
);

/** A field, values that it takes, and its form. */
type Row = [name: string, usable: unknown[], form?: INodeParameters];
const ROWS: Row[] = [
	['name', ['A', 'x'.repeat(255), 7]],
	['deadline', ['2026-07-01', 1_782_900_000]],
	['priority', ['H', ' v', 'Regular ', 'very HIGH']],
	['tags', ['a, b', ['a', 'b '], '["a"]', []]],
	['addTags', ['a, finance', ['a', 7]]],
	['removeTags', ['hr', ['hr', 'berlin']]],
	['stepAssignments', LISTS],
	['changeSteps', IDS, change('reassign', VALUE, 7)],
	['changeSteps', IDS, change('add', 1201, VALUE)],
	['changeSteps', IDS, change('remove', 1201, VALUE)],
	['process', PROCESSES, { ...locator(VALUE) }],
];

test('Each field of the form is tried', () => {
	expect(new Set(ROWS.map(([name]) => name))).toEqual(new Set(FIELDS.keys()));
});

test.each(ROWS)(
	'Update: whatever %s is, it changes what it may, or sends nothing and names its label',
	async (...row) => {
		const [name, usable, form] = row;
		const { key, label } = FIELDS.get(name) ?? {};
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
				const may = NAMES_ITSELF.test(String(after.process)) ? [key, 'name'] : [key];
				const others = changed.filter((each) => !may.includes(each));
				expect([given[index], others]).toEqual([given[index], []]);
				expect(pairedItem).toEqual({ item: index });
				const text = String(json.error ?? '');
				if (text === '') taken++;
				if (text === '' || REJECTED_BY_SERVICE.test(text)) continue;
				expect([given[index], sent, changed]).toEqual([given[index], [], []]);
				expect(text).toMatch(new RegExp(`'${label}'|There is nothing to update`));
				expect(ownWords(text)).toMatch(PLAIN_WORDS);
			}
		});
		await fc.assert(property, settings(CASES / ROWS.length / ITEMS));
		expect(taken).toBeGreaterThan(0);
	},
);

const seen = (text: string) => text.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '');

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (!seen(value).startsWith('[')) {
		const entries = value.split(/,|\n/).filter((entry) => seen(entry) !== '');
		return entries.length > 0 ? entries : [value];
	}
	try {
		return [JSON.parse(seen(value))].flat();
	} catch {
		return [value];
	}
}

/** The IDs that a value is, by the docs, none for an empty list; undefined when it is something else. */
function idsOf(value: unknown): number[] | undefined {
	const found = entriesOf(value).map((entry) => {
		if (typeof entry === 'number') return entry;
		if (typeof entry !== 'string') return NaN;
		const [, uri] = /^http:\/\/127\.0\.0\.1\S*\/instances\/([1-9]\d*)\/?$/.exec(seen(entry)) ?? [];
		return Number(uri ?? /^[1-9]\d*$/.exec(seen(entry))?.[0]);
	});
	return found.every((id) => Number.isSafeInteger(id) && id > 0) ? found : undefined;
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
	fc.array(entry, { maxLength: 6 }).map((list) => JSON.stringify(list)),
	fc
		.array(entry, { minLength: 1, maxLength: 6 })
		.chain((list) => fc.constantFrom(',', '\n', '\r\n', ',\n').map((by) => list.join(by))),
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
		const all = [...itemsById(lists).keys()];
		const starts = all.flatMap((_id, place) => (place % batchSize === 0 ? place : []));
		const batches = starts.map((start) => all.slice(start, start + batchSize));
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
		const bad = lists.flatMap((list, item) => (list ? [] : [{ item }]));
		expect(rejected?.map(({ pairedItem }) => pairedItem)).toEqual(bad);
		for (const { json } of rejected ?? []) {
			expect(json.error).toContain("'Instance IDs'");
			expect(ownWords(json.error)).toMatch(PLAIN_WORDS);
		}
	});
	await fc.assert(property, settings(CASES / 20));
});
