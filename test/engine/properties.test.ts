import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { FIELDS as UPDATE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/update/fields';
import { CASES, hostileValue, PLAIN_WORDS, settings } from './support/hostile';
import { bodies, SETTABLE, settableOf, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(60_000, CASES * 100));

/** Items of one run: many, because a run costs more than an item. */
const ITEMS = 25;
const valuesOfItems = (usable: unknown[]) =>
	fc.array(hostileValue(usable), { minLength: ITEMS, maxLength: ITEMS });
const VALUE = '={{ $json.value }}';

const sandbox = useSandbox();

/** An item as other nodes send it; undefined stands for nothing. */
const toItem = (id: number | undefined, value: unknown): IDataObject =>
	JSON.parse(JSON.stringify({ id, value }));

/** What only the service can know. All else that it rejects, the node has to reject before. */
const REJECTED_BY_SERVICE = /\(400\): .*There is no such process/;
/** What only the instance can tell. */
const NOT_IN_INSTANCE = /^Step \d+ is not in instance/;

const LISTS = [[{ step_id: 7, user_id: 8 }], '[{"step_id":"1","user_id":2}]'];
const PROCESSES = [11, '12', ' 12\u200b'];
const IDS = [1101, '1102', ' 1103\u200b'];

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
	['tags', ['a, b', ['a', 'b '], '["a"]']],
	['addTags', ['a, finance', ['a', 7]]],
	['removeTags', ['hr', ['hr', 'berlin']]],
	['stepAssignments', LISTS],
	['changeSteps', IDS, change('reassign', VALUE, 7)],
	['changeSteps', IDS, change('add', 1101, VALUE)],
	['changeSteps', IDS, change('remove', 1101, VALUE)],
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
			const ids = sandbox.control.addInstances(ITEMS);
			const settable = () => ids.map((each) => settableOf(stored(sandbox, each)));
			const before = settable();
			const { outputs } = await sandbox.run(
				{ operation: 'update', instanceId: ID_OF_ITEM, updateFields: { [name]: form ?? VALUE } },
				given.map((value, index) => toItem(ids[index], value)),
				CONTINUE,
			);
			expect(outputs[0]).toHaveLength(ITEMS);
			const after = settable();
			const requests = sandbox.requests();
			for (const [index, { json, pairedItem }] of (outputs[0] ?? []).entries()) {
				const value = given[index];
				const [was, is]: IDataObject[] = [{ ...before[index] }, { ...after[index] }];
				const changed = SETTABLE.filter((each) => !isDeepStrictEqual(was?.[each], is?.[each]));
				const others = changed.filter((each) => each !== key);
				expect([value, others]).toEqual([value, []]);
				expect(pairedItem).toEqual({ item: index });
				const text = String(json.error ?? '');
				if (text === '') taken++;
				if (text === '' || REJECTED_BY_SERVICE.test(text)) continue;
				const sent = requests.filter((each) => each.endsWith(`/instances/${ids[index]}/`));
				const read = NOT_IN_INSTANCE.test(text) ? [`GET /api/instances/${ids[index]}/`] : [];
				expect([value, sent, changed]).toEqual([value, read, []]);
				if (read.length > 0) continue;
				expect(text).toMatch(new RegExp(`'${label}'|There is nothing to update`));
				expect(text).toMatch(PLAIN_WORDS);
			}
		});
		await fc.assert(property, settings(CASES / ROWS.length / ITEMS));
		expect(taken).toBeGreaterThan(0);
	},
);

const id = fc.integer({ min: 1, max: 60 });
const toUri = (each: number) => `http://127.0.0.1/api/instances/${each}/`;
/** The forms in which an item may name IDs. */
const FORMS: Array<(ids: number[]) => unknown> = [
	(ids) => ids,
	(ids) => ids.map(toUri),
	(ids) => JSON.stringify(ids.map(String)),
	...[', ', '\n', ',\r\n', ';', '\t'].map((by) => (ids: number[]) => ids.join(by)),
	// Two numbers with only a comma between may be one.
	(ids) => ids.join(ids.length === 2 ? ', ' : ','),
];
const named = fc
	.tuple(fc.array(id, { minLength: 1, maxLength: 6 }), fc.constantFrom(...FORMS))
	.map(([ids, form]) => ({ ids, value: form(ids) }));

const NO_IDS = ['1e3', '0x10', '007', '-1', '1.5', '1 2', '1?x=2', '1/../users', -1, 1.5, 2 ** 53];
/** Whether there is nothing that could be an ID in a value. An empty list names none. */
const isWithoutDigits = (value: unknown) =>
	!/[1-9]|^"?\[\s*\]"?$/.test(JSON.stringify(value ?? null));
const rejected = fc
	.oneof(fc.constantFrom<unknown>(...NO_IDS), hostileValue(['']).filter(isWithoutDigits))
	.map((value) => ({ ids: [], value }));

test('Bulk Delete sends each ID of usable values once, and names its label for all others', async () => {
	const items = fc.array(fc.oneof(named, rejected), { minLength: 1, maxLength: ITEMS });
	const sizes = fc.integer({ min: 1, max: 20 });
	const property = fc.asyncProperty(items, sizes, async (given, batchSize) => {
		sandbox.control.clearLog();
		const { outputs } = await sandbox.run(
			{ operation: 'bulkDelete', instanceIds: VALUE, options: { batchSize } },
			given.map(({ value }, index) => toItem(index, value)),
			CONTINUE,
		);
		const itemsById = new Map<number, number[]>();
		for (const [item, { ids }] of given.entries()) {
			for (const each of new Set(ids)) {
				itemsById.set(each, [...(itemsById.get(each) ?? []), item]);
			}
		}
		const all = [...itemsById.keys()];
		const starts = all.flatMap((_id, place) => (place % batchSize === 0 ? place : []));
		const batches = starts.map((start) => all.slice(start, start + batchSize));
		expect(bodies(sandbox, 'POST').map((body) => body.ids)).toEqual(batches);
		expect(sandbox.log().filter(({ status }) => status !== 204)).toEqual([]);

		const deleted = [...itemsById].map(([each, paired]) => {
			const [first, ...others] = paired.map((item) => ({ item }));
			const pairedItem = others.length === 0 ? first : [first, ...others];
			return { json: { id: each, deleted: true }, pairedItem };
		});
		expect(outputs[0]?.filter(({ json }) => json.error === undefined)).toEqual(deleted);
		const errors = outputs[0]?.filter(({ json }) => json.error !== undefined) ?? [];
		const bad = given.flatMap(({ ids }, item) => (ids.length === 0 ? { item } : []));
		expect(errors.map(({ pairedItem }) => pairedItem)).toEqual(bad);
		for (const { json } of errors) {
			expect(json.error).toContain("'Instance IDs'");
			expect(json.error).toMatch(PLAIN_WORDS);
		}
	});
	await fc.assert(property, settings(CASES / 20));
});
