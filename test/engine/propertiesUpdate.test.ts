import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { isObject } from '../../nodes/WorkflowInstanceService/values/json';
import { createContract, type InstanceUpdate, type LogEntry, SEED } from '../../sandbox/service';
import { expressionEngine, useNodeRunner } from '../harness';
import { bodies, SETTABLE, settableOf, stored } from './support/instances';
import { CASES, hostileValue, ownWords, PLAIN_WORDS, settings } from './support/hostile';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(Math.max(60_000, CASES * 100));

const VALUE = '={{ $json.value }}';
/** Items of one run: many, because a run costs more than an item. */
const ITEMS = 100;

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
	keys: ReadonlyArray<keyof Settable>,
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

function toItem(id: number | undefined, value: unknown): IDataObject {
	const item: IDataObject = { id };
	if (value !== undefined) Reflect.set(item, 'value', value);
	return item;
}

/** What the messages say when a value means that nothing was chosen. */
const NOTHING = 'Nothing to update was chosen';

describe('Update with arbitrary values', () => {
	const sandbox = useSandbox();
	const runner = useNodeRunner({ parameters: {}, onError: 'continueRegularOutput' });

	/** New instances that the service lets us name, and what they hold. */
	const instances = (count: number): Map<number, Settable> => {
		const ids = sandbox.control.addInstances(count * 2).filter((id) => id % 3 !== 0);
		const entries = ids.map((id) => [id, settableOf(stored(sandbox, id))] as const);
		return new Map(entries.filter(([, { process }]) => !process.endsWith('/13/')).slice(0, count));
	};

	const violations = ({ method, url, headers, body }: LogEntry): string[] =>
		createContract({ baseUrl: sandbox.credentials.baseUrl })
			.validateRequest({
				method,
				path: url,
				headers: { ...headers, authorization: 'Api-Key k' },
				body: body === '' ? undefined : body,
			})
			.map(({ message }) => message);

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
		const changed = kept.filter(
			(key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
		);
		return changed.length === 0 ? undefined : `changed ${changed.join()}`;
	}

	test.each(PLACES)('%s is either taken or refused by its label', async (...place) => {
		const [, parameters, , usable] = place;
		const values = fc.array(hostileValue(usable), { minLength: ITEMS, maxLength: ITEMS });
		const property = fc.asyncProperty(values, async (given) => {
			sandbox.control.reset();
			const present = instances(given.length);
			const ids = [...present.keys()];
			const { outputs } = await runner.run({
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

	/** Usable values of each field, with what is sent for them. */
	const USABLE: Record<string, Array<[value: INodeParameters[string], sent: unknown]>> = {
		name: [
			['Named', 'Named'],
			[' 名前 😀 ', ' 名前 😀 '],
			['x'.repeat(255), 'x'.repeat(255)],
			[118, '118'],
		],
		deadline: [
			['2026-07-01T10:00:00Z', '2026-07-01T10:00:00Z'],
			['2026-07-01 10:00:00+02:00', '2026-07-01T10:00:00+02:00'],
		],
		priority: [
			['H', 'H'],
			['V', 'V'],
			['regular', undefined],
			['Very High', 'V'],
		],
		tags: [
			['a, b', ['a', 'b']],
			[
				['b', ' a '],
				['b', 'a'],
			],
			['[]', []],
		],
		addTags: [
			['a, b', ['a', 'b']],
			['', []],
		],
		removeTags: [
			['urgent', ['urgent']],
			[[], []],
		],
		automaticNaming: [
			[true, undefined],
			[false, undefined],
		],
		stepAssignments: [
			[{ assignment: [{ stepId: 1, userId: '2' }] }, [{ step_id: 1, user_id: 2 }]],
			[{ list: [{ assignments: '[]' }] }, []],
		],
		addStepAssignments: [
			[{ assignment: [{ stepId: 1, userId: '2' }] }, [{ step_id: 1, user_id: 2 }]],
			[{ list: [{ assignments: '[]' }] }, []],
		],
		removeStepAssignments: [
			[{ assignment: [{ stepId: '1201', userId: '' }] }, [1201]],
			[{ list: [{ assignments: [] }] }, []],
		],
	};
	const KEYS: Record<string, keyof Settable> = {
		name: 'name',
		automaticNaming: 'name',
		deadline: 'deadline',
		priority: 'priority',
		tags: 'tags',
		addTags: 'tags',
		removeTags: 'tags',
		stepAssignments: 'step_assignments',
		addStepAssignments: 'step_assignments',
		removeStepAssignments: 'step_assignments',
	};
	/** The fields that change the current list. */
	const AMENDING = ['addTags', 'removeTags', 'addStepAssignments', 'removeStepAssignments'];
	const EMPTY: Record<string, null | []> = {
		name: null,
		deadline: null,
		priority: null,
		tags: [],
		stepAssignments: [],
	};
	const DEFAULTS: Omit<Settable, 'process'> = {
		name: '',
		deadline: null,
		priority: null,
		tags: [],
		step_assignments: [],
	};

	const fields = fc.record(
		Object.fromEntries(
			Object.entries(USABLE).map(([field, values]) => [field, fc.constantFrom(...values)]),
		),
		{ requiredKeys: [] },
	);
	const combination = fc.record({
		fields,
		cleared: fc.subarray(Object.keys(EMPTY)),
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
				const { outputs } = await runner.run({
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
				const amended = new Set(
					names.filter((name) => AMENDING.includes(name)).map((name) => KEYS[name]),
				);
				const keysSet = [
					...[...names.filter((name) => !AMENDING.includes(name)), ...cleared].map(
						(name) => KEYS[name],
					),
					...amended,
				];
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
				const base = keeps ? before : { ...DEFAULTS, process: before.process };
				const expected: Record<string, unknown> = {
					...base,
					...(amended.has('tags') && { tags }),
					...(amended.has('step_assignments') && { step_assignments: assigned }),
				};
				for (const { field, sends } of effective) {
					if (AMENDING.includes(field)) continue;
					const key = KEYS[field] ?? '';
					expected[key] = sends ?? Reflect.get(DEFAULTS, key);
				}
				for (const name of cleared) expected[KEYS[name] ?? ''] = EMPTY[name];
				if (process !== undefined) {
					expected.process = `${sandbox.credentials.baseUrl}/processes/${process}/`;
				}
				expect(settableOf(stored(sandbox, id))).toEqual(expected);
			}),
			settings(CASES / 10),
		);
	});
});
