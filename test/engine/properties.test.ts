import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { isObject } from '../../nodes/WorkflowInstanceService/values/json';
import { createContract, type InstanceUpdate, type LogEntry, SEED } from '../../sandbox/service';
import { expressionEngine, useNodeRunner } from '../harness';
import { aBody, bodies, SETTABLE, settableOf, stored } from './support/instances';
import { CASES, hostileValue, ownWords, PLAIN_WORDS, settings } from './support/hostile';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(60_000, CASES * 100));

/** Items of one run: many, because a run costs more than an item. */
const ITEMS = Math.min(100, Math.ceil(CASES / 20));

const sandbox = useSandbox();
const continuing = useNodeRunner({ parameters: {}, onError: 'continueRegularOutput' });
const stopping = useNodeRunner({ parameters: {} });

function toItem(id: number | undefined, value: unknown): IDataObject {
	const item: IDataObject = { id };
	if (value !== undefined) Reflect.set(item, 'value', value);
	return item;
}

/** What in a request the interface does not allow. */
function violations({ method, url, headers, body }: LogEntry): string[] {
	return createContract({ baseUrl: sandbox.credentials.baseUrl })
		.validateRequest({
			method,
			path: url,
			headers: { ...headers, authorization: 'Api-Key k' },
			body: body === '' ? undefined : body,
		})
		.map(({ message }) => message);
}

const VALUE = '={{ $json.value }}';
type Settable = Required<InstanceUpdate>;
const set = (field: string): INodeParameters => ({ updateFields: { [field]: VALUE } });
const rows = (field: string): INodeParameters => ({
	updateFields: { [field]: { list: [{ assignments: VALUE }] } },
});

const ASSIGNMENTS = [
	['stepAssignments', "'Step Assignments'"],
	['addStepAssignments', "'Add Step Assignments'"],
	['removeStepAssignments', "'Remove Step Assignments'"],
] as const;
const ROWS = [
	{ step_id: 7, user_id: 8 },
	{ stepId: ' 7 ', userId: '8' },
];
/** Steps that the instances of the sandbox have. */
const STEPS = [1101, 1102, 1201, 1202, 1301, 1302];
const PROCESSES = [
	11,
	'12',
	12,
	'https://other.example/api/processes/11/',
	' http://x/processes/12',
];

/** The parameters that take a value from an item, the label in messages, the keys that may change, and values that are taken. */
type Place = [
	label: string,
	parameters: INodeParameters,
	keys: readonly string[],
	usable: unknown[],
];
const PLACES: Place[] = [
	["'Name'", set('name'), ['name'], ['A', 'x'.repeat(255), '😀'.repeat(255), 7]],
	["'Priority'", set('priority'), ['priority'], ['H', ' v', 'Regular ', 'High', 'very HIGH']],
	["'Tags'", set('tags'), ['tags'], ['a, b', ['a', 'b '], '["a"]', []]],
	["'Add Tags'", set('addTags'), ['tags'], ['a, finance', ['a', 7], '["a, b"]', '', []]],
	["'Remove Tags'", set('removeTags'), ['tags'], ['hr', ['hr', 'berlin'], 'audit,remote']],
	["'Deadline'", set('deadline'), ['deadline'], ['2026-07-01', 1_782_900_000, null]],
	["'Automatic Naming'", set('automaticNaming'), ['name'], [true, 'true']],
	...ASSIGNMENTS.map(
		([field, label]): Place => [
			label,
			rows(field),
			['step_assignments'],
			[ROWS, '[{"stepId":"1","userId":2}]', [], STEPS.map((step_id) => ({ step_id, user_id: 7 }))],
		],
	),
	["'Process'", { process: locator(VALUE) }, ['process'], PROCESSES],
	["'Process'", { process: locator(VALUE, 'url') }, ['process'], PROCESSES],
	["'Fields to Clear'", { clearFields: VALUE }, SETTABLE, ['name', ['tags', 'deadline']]],
];

/** What the messages say when a value means that nothing was chosen. */
const NOTHING = 'Nothing to update was chosen';

describe('Update with arbitrary values', () => {
	/** New instances that the service lets us name, and what they hold. */
	const instances = (count: number): Map<number, Settable> => {
		const ids = sandbox.control.addInstances(count * 2).filter((id) => id % 3 !== 0);
		const entries = ids.map((id) => [id, settableOf(stored(sandbox, id))] as const);
		return new Map(entries.filter(([, { process }]) => !process.endsWith('/13/')).slice(0, count));
	};

	function requestsById(): Record<string, string[]> {
		const requests: Record<string, string[]> = {};
		for (const request of sandbox.requests())
			(requests[request.split('/')[3] ?? ''] ??= []).push(request);
		return requests;
	}

	interface Case {
		value: unknown;
		index: number;
		before: Settable;
		after: Settable;
		/** The requests for the instance of the item. */
		sent: string[];
		item: INodeExecutionData;
	}

	/** What is wrong with what came of one item; undefined when nothing is. */
	function whatIsWrong([label, , keys, usable]: Place, result: Case): string | undefined {
		const { value, index, before, after, sent, item } = result;
		const { json, error, pairedItem } = item;
		const isRefused = json.error !== undefined || error !== undefined;
		// Only the service knows which processes there are.
		const unknownProcess = label === "'Process'" && String(json.error).includes('(400): ');
		if (isRefused && sent.length > 0 && !unknownProcess) return 'refused, but something was sent';
		if (isRefused && JSON.stringify(after) !== JSON.stringify(before)) return 'changed';
		// The vm engine does not let out every object; then n8n itself makes the item.
		if (error !== undefined) return expressionEngine() === 'vm' ? undefined : error.message;
		if (JSON.stringify(pairedItem) !== JSON.stringify({ item: index })) return 'not paired';
		if (isRefused) {
			const text = String(json.error);
			if (usable.some((good) => JSON.stringify(good) === JSON.stringify(value)))
				return `should not be refused: ${text}`;
			if (!unknownProcess && !text.includes(label) && !text.startsWith(NOTHING))
				return `without its label: ${text}`;
			if (!PLAIN_WORDS.test(ownWords(text))) return `not in plain words: ${text}`;
			return text.includes(sandbox.credentials.apiKey) ? 'shows the key' : undefined;
		}
		if (value === undefined || isObject(value)) return 'should be refused';
		if (sent.map((request) => request.slice(0, 3)).join() !== 'GET,PUT') return sent.join();
		const kept = SETTABLE.filter((key) => !keys.includes(key));
		const told = (settable: Settable, key: string) => JSON.stringify(Reflect.get(settable, key));
		const changed = kept.filter((key) => told(after, key) !== told(before, key));
		return changed.length === 0 ? undefined : `changed ${changed.join()}`;
	}

	test.each(PLACES)('%s is either taken or refused by its label', async (...place) => {
		const [, parameters, , usable] = place;
		const values = fc.array(hostileValue(usable), { minLength: ITEMS, maxLength: ITEMS });
		const property = fc.asyncProperty(values, async (given) => {
			sandbox.control.reset();
			const present = instances(given.length);
			const ids = [...present.keys()];
			const { outputs } = await continuing.run({
				parameters: { operation: 'update', instanceId: ID_OF_ITEM, ...parameters },
				items: given.map((value, index) => toItem(ids[index], value)),
				credentials: sandbox.credentials,
			});
			expect(sandbox.log().flatMap(violations)).toEqual([]);
			for (const body of bodies(sandbox, 'PUT')) {
				expect(SETTABLE).toEqual(expect.arrayContaining(Object.keys(body)));
			}
			expect(outputs[0]).toHaveLength(given.length);
			const requests = requestsById();
			const wrong = [...present].map(([id, before], index) => {
				const [value, item = { json: {} }] = [given[index], outputs[0]?.[index]];
				const [after, sent] = [settableOf(stored(sandbox, id)), requests[id] ?? []];
				const why = whatIsWrong(place, { value, index, before, after, sent, item });
				return why && { value, why };
			});
			expect(wrong.filter(Boolean)).toEqual([]);
		});
		await fc.assert(property, settings(CASES / PLACES.length / ITEMS));
	});

	const ROW_FORM = { assignment: [{ stepId: 1, userId: '2' }] };
	const ROW_SENT = [{ step_id: 1, user_id: 2 }];
	const NO_ROWS = { list: [{ assignments: '[]' }] };
	/** The key that each field is about, and usable values with what is sent for them. */
	const USABLE: Record<
		string,
		{ key: string; amends?: true; values: Array<[value: INodeParameters[string], sent?: unknown]> }
	> = {
		name: {
			key: 'name',
			values: [
				[' 名前 😀 ', ' 名前 😀 '],
				['x'.repeat(255), 'x'.repeat(255)],
				[118, '118'],
			],
		},
		automaticNaming: { key: 'name', values: [[true], [false]] },
		deadline: {
			key: 'deadline',
			values: [['2026-07-01 10:00:00+02:00', '2026-07-01T10:00:00+02:00']],
		},
		priority: { key: 'priority', values: [['H', 'H'], ['Very High', 'V'], ['regular']] },
		tags: {
			key: 'tags',
			values: [
				['a, b', ['a', 'b']],
				[
					['b', ' a '],
					['b', 'a'],
				],
				['[]', []],
			],
		},
		addTags: {
			key: 'tags',
			amends: true,
			values: [
				['a, b', ['a', 'b']],
				['', []],
			],
		},
		removeTags: {
			key: 'tags',
			amends: true,
			values: [
				['urgent', ['urgent']],
				[[], []],
			],
		},
		stepAssignments: {
			key: 'step_assignments',
			values: [
				[ROW_FORM, ROW_SENT],
				[NO_ROWS, []],
			],
		},
		addStepAssignments: {
			key: 'step_assignments',
			amends: true,
			values: [
				[ROW_FORM, ROW_SENT],
				[NO_ROWS, []],
			],
		},
		removeStepAssignments: {
			key: 'step_assignments',
			amends: true,
			values: [
				[{ assignment: [{ stepId: '1201', userId: '' }] }, [1201]],
				[NO_ROWS, []],
			],
		},
	};
	const CLEARABLE = ['name', 'deadline', 'priority', 'tags', 'stepAssignments'];
	const keyOf = (field: string) => USABLE[field]?.key ?? '';
	const isAmending = (field: string) => USABLE[field]?.amends === true;

	const fields = fc.record(
		Object.fromEntries(
			Object.entries(USABLE).map(([field, { values }]) => [field, fc.constantFrom(...values)]),
		),
		{ requiredKeys: [] },
	);
	const combination = fc.record({
		fields,
		cleared: fc.subarray(CLEARABLE),
		keeps: fc.boolean(),
		process: fc.constantFrom(undefined, 11, 12),
		id: fc.constantFrom(SEED.running, SEED.fullyFilled, SEED.bare, SEED.overdue),
	});

	test('sends exactly what a combination of usable choices means, or refuses it', async () => {
		await fc.assert(
			fc.asyncProperty(combination, async ({ fields: chosen, cleared, keeps, process, id }) => {
				sandbox.control.reset();
				const before = settableOf(stored(sandbox, id));
				const given = Object.entries(chosen).flatMap(([field, pair]) =>
					pair === undefined ? [] : [{ field, value: pair[0], sends: pair[1] }],
				);
				const effective = given.filter(({ value }) => value !== false);
				const { outputs } = await continuing.run({
					parameters: {
						operation: 'update',
						instanceId: locator(id),
						unsetFields: keeps ? 'keep' : 'reset',
						process: locator(process ?? ''),
						updateFields: Object.fromEntries(given.map(({ field, value }) => [field, value])),
						clearFields: cleared,
					},
					credentials: sandbox.credentials,
				});
				const names = effective.map(({ field }) => field);
				const amended = new Set(names.filter(isAmending).map(keyOf));
				const replaced = [...names.filter((name) => !isAmending(name)), ...cleared].map(keyOf);
				const keysSet = [...replaced, ...amended];
				const contradicts = new Set(keysSet).size < keysSet.length;
				const nothing = keysSet.length === 0 && process === undefined;
				const json: IDataObject = outputs[0]?.[0]?.json ?? {};
				if (contradicts || nothing || (!keeps && process === undefined)) {
					expect(json.error).toMatch(PLAIN_WORDS);
					expect(json.error).toMatch(/'|Nothing to update/);
					expect(sandbox.requests()).toEqual([]);
					return;
				}
				expect(json.error).toBeUndefined();
				const get = keeps || amended.size > 0 ? [`GET /api/instances/${id}/`] : [];
				expect(sandbox.requests()).toEqual([...get, `PUT /api/instances/${id}/`]);
				const sent = (field: string) => [chosen[field]?.[1] ?? []].flat();
				const tags = [...before.tags, ...sent('addTags')].filter(
					(tag) => !sent('removeTags').includes(tag),
				);
				const assigned = [...before.step_assignments, ...sent('addStepAssignments')].filter(
					(row) => !sent('removeStepAssignments').includes(Object(row).step_id),
				);
				// What the sandbox makes of a key that is not sent.
				const unsent: Record<string, unknown> = { ...aBody(), name: '' };
				const base = keeps ? before : { ...unsent, process: before.process };
				const expected: Record<string, unknown> = {
					...base,
					...(amended.has('tags') && { tags }),
					...(amended.has('step_assignments') && { step_assignments: assigned }),
				};
				for (const { field, sends } of effective) {
					const key = keyOf(field);
					if (!isAmending(field)) expected[key] = sends ?? unsent[key];
				}
				for (const name of cleared) expected[keyOf(name)] = aBody()[keyOf(name)];
				if (process !== undefined) {
					expected.process = `${sandbox.credentials.baseUrl}/processes/${process}/`;
				}
				expect(settableOf(stored(sandbox, id))).toEqual(expected);
			}),
			settings(CASES / 10),
		);
	});
});

const LABELS = { inputField: "'ID Field'", list: "'Instance IDs'" };

function entriesOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	if (value.trim().startsWith('[')) {
		try {
			const list: unknown = JSON.parse(value);
			if (Array.isArray(list)) return list;
		} catch {
			return [value];
		}
	}
	return value.split(/,|\n/).filter((entry) => entry.trim() !== '');
}

/** The ids that a value is, as the README says; undefined when it is something else. */
function idsOf(value: unknown): number[] | undefined {
	const ids = entriesOf(value).map((entry) => {
		if (typeof entry === 'number') return entry;
		if (typeof entry !== 'string') return NaN;
		const [, digits] =
			/^(?:https?:\/\/[^\s?#]+\/instances\/(?=\d+\/?$))?([1-9]\d*)\/?$/.exec(entry.trim()) ?? [];
		return digits === undefined || /^\d+\/$/.test(entry.trim()) ? NaN : Number(digits);
	});
	return ids.every((id) => Number.isSafeInteger(id) && id > 0) ? ids : undefined;
}

/** The items that name each id, in the order in which the ids are first seen. */
function itemsById(lists: Array<number[] | undefined>): Map<number, number[]> {
	const byId = new Map<number, number[]>();
	for (const [item, ids] of lists.entries()) {
		for (const id of new Set(ids)) byId.set(id, [...(byId.get(id) ?? []), item]);
	}
	return byId;
}

function paired(items: number[]): INodeExecutionData['pairedItem'] {
	const pairs = items.map((item) => ({ item }));
	return pairs.length === 1 ? pairs[0] : pairs;
}

const id = fc.integer({ min: 1, max: 60 });
const uri = id.map((number) => `https://other.example/api/instances/${number}/`);
const entry = fc.oneof(id, id.map(String), uri);
/** All forms in which an item may name ids. */
const naming: fc.Arbitrary<unknown> = fc.oneof(
	entry,
	fc.array(entry, { minLength: 1, maxLength: 6 }),
	fc.array(id, { maxLength: 6 }).map((ids) => JSON.stringify(ids)),
	fc
		.array(entry, { minLength: 1, maxLength: 6 })
		.chain((ids) => fc.constantFrom(',', '\n', ' , ', ',\n').map((by) => ids.join(by))),
);

describe('Bulk Delete with arbitrary values', () => {
	const idsSent = () => bodies(sandbox, 'POST').map(({ ids }) => ids);

	test('merges whatever names ids into as few requests as the batch size allows', async () => {
		const property = fc.asyncProperty(
			fc.array(naming, { minLength: 1, maxLength: 30 }),
			fc.integer({ min: 1, max: 20 }),
			async (values, batchSize) => {
				sandbox.control.clearLog();
				const items: IDataObject[] = JSON.parse(
					JSON.stringify(values.map((value) => ({ deep: { ids: value } }))),
				);
				const { outputs, evaluations } = await stopping.run({
					parameters: {
						operation: 'bulkDelete',
						idSource: 'inputField',
						idField: 'deep.ids',
						options: { batchSize, onEmpty: 'nothing' },
					},
					items,
					credentials: sandbox.credentials,
				});
				const byId = itemsById(values.map(idsOf));
				const ids = [...byId.keys()];
				const batches = Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
					ids.slice(index * batchSize, (index + 1) * batchSize),
				);
				expect(idsSent()).toEqual(batches);
				expect(outputs[0]).toEqual(
					[...byId].map(([deleted, named]) => ({
						json: { id: deleted, deleted: true },
						pairedItem: paired(named),
					})),
				);
				expect(evaluations).toBe(0);
			},
		);
		await fc.assert(property, settings(CASES / 40));
	});

	test.each(['inputField', 'list'] as const)(
		'%s: each item is taken or refused',
		async (idSource) => {
			const values = fc.array(hostileValue([1, '2,3', [4, '5'], '[6]']), {
				minLength: ITEMS,
				maxLength: ITEMS,
			});
			const property = fc.asyncProperty(values, async (given) => {
				sandbox.control.clearLog();
				const { outputs } = await continuing.run({
					parameters: { operation: 'bulkDelete', idSource, idField: 'value', instanceIds: VALUE },
					items: given.map((value, index) => toItem(index, value)),
					credentials: sandbox.credentials,
				});
				expect(sandbox.log().flatMap(violations)).toEqual([]);
				const output = outputs[0] ?? [];
				// The vm engine does not let out every object; then n8n itself makes the item, unpaired.
				const ofNode = output.filter(({ error }) => error === undefined);
				if (expressionEngine() === 'legacy') expect(ofNode).toHaveLength(output.length);
				const refused = ofNode.filter(({ json }) => json.error !== undefined);
				for (const { json } of refused) {
					expect(json.error).toContain(LABELS[idSource]);
					expect(ownWords(json.error)).toMatch(PLAIN_WORDS);
				}
				const bad = given.flatMap((value, item) => (isUsable(value, idSource) ? [] : [item]));
				const reported = refused.map(({ json }) => Object(json.details).item);
				expect(bad).toEqual(expect.arrayContaining(reported));
				expect(reported.length).toBe(bad.length - (output.length - ofNode.length));
				const byId = itemsById(
					given.map((value) => (isUsable(value, idSource) ? idsOf(value) : [])),
				);
				expect(idsSent().flat()).toEqual([...byId.keys()]);
			});
			await fc.assert(property, settings(CASES / 4 / ITEMS));
		},
	);

	function isUsable(value: unknown, idSource: 'inputField' | 'list'): boolean {
		if (value === undefined) return false;
		// null and empty text are a list without ids where a list is expected, but no field of an item.
		if (value === null || value === '') return idSource === 'list';
		return idsOf(value) !== undefined;
	}
});
