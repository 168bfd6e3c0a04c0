import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { isObject } from '../../nodes/WorkflowInstanceService/values/objects';
import { createContract, type InstanceUpdate, type LogEntry, SEED } from '../../sandbox/service';
import { createNodeRunner, expressionEngine, type NodeRunner } from '../harness';
import { bodies, SETTABLE, settableOf, stored } from './support/instances';
import { CASES, hostileValue, ownWords, PLAIN_WORDS, settings } from './support/hostile';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

jest.setTimeout(CASES * 100);

const VALUE = '={{ $json.value }}';
/** Items of one run: many, because a run costs more than an item. */
const ITEMS = 100;

type Settable = Required<InstanceUpdate>;
type StepAssignment = Settable['step_assignments'][number];
type Model = (value: unknown, before: Settable) => Partial<Settable> | 'refused' | 'either';

const isPrimitive = (value: unknown): value is string | number | boolean =>
	['string', 'number', 'boolean'].includes(typeof value);

function listIn(text: string): unknown[] {
	try {
		const list: unknown = text.trim().startsWith('[') ? JSON.parse(text) : undefined;
		return Array.isArray(list) ? list : text.split(',');
	} catch {
		return text.split(',');
	}
}

function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function withoutRepeats(rows: StepAssignment[]): StepAssignment[] {
	return rows.filter(
		({ step_id, user_id }, index) =>
			rows.findIndex((row) => row.step_id === step_id && row.user_id === user_id) === index,
	);
}

function tagsIn(value: unknown): string[] | 'refused' {
	if (!Array.isArray(value) && !isPrimitive(value)) return 'refused';
	const list = Array.isArray(value) ? value : typeof value === 'string' ? listIn(value) : [value];
	if (!list.every(isPrimitive)) return 'refused';
	return [...new Set(list.map((tag) => String(tag).trim()).filter((tag) => tag !== ''))];
}

const NAME: Model = (value) => {
	if (value === null) return { name: null };
	if (!isPrimitive(value) || String(value).trim() === '') return 'refused';
	return Array.from(String(value)).length > 255 ? 'refused' : { name: String(value) };
};
const PRIORITY: Model = (value) => {
	if (value === null) return { priority: null };
	const word = typeof value === 'string' ? value.trim().toUpperCase() : '';
	if (word === 'REGULAR') return { priority: null };
	if (word === 'H' || word === 'HIGH') return { priority: 'H' };
	return word === 'V' || word === 'VERY HIGH' ? { priority: 'V' } : 'refused';
};
const TAGS: Model = (value) => {
	if (typeof value === 'string' && /^[\s,]*$/.test(value)) return 'refused';
	const tags = tagsIn(value);
	return tags === 'refused' ? tags : { tags };
};
const ADD_TAGS: Model = (value, before) => {
	const tags = tagsIn(value);
	return tags === 'refused' ? tags : { tags: [...new Set([...before.tags, ...tags])] };
};
const REMOVE_TAGS: Model = (value, before) => {
	const tags = tagsIn(value);
	if (tags === 'refused') return tags;
	return { tags: before.tags.filter((tag) => !tags.includes(tag)) };
};
const isId = (value: unknown) =>
	/^\s*0*[1-9]\d*\s*$/.test(String(value)) && Number.isSafeInteger(Number(value));

/** A number for a step or a user, which may be written as text. */
function numberIn(value: unknown): number | undefined {
	return isPrimitive(value) && typeof value !== 'boolean' && isId(value)
		? Number(value)
		: undefined;
}
/** The rows of a list of step assignments; undefined when it is none, or one has no step. */
function rowsIn(value: unknown) {
	const list: unknown = typeof value === 'string' ? jsonIn(value) : value;
	if (!Array.isArray(list)) return undefined;
	const rows = list.map((entry) => {
		const { step_id, stepId, user_id, userId }: IDataObject = isObject(entry) ? entry : {};
		const user = user_id ?? userId ?? '';
		return { step: numberIn(step_id ?? stepId), user: user === '' ? 'anybody' : numberIn(user) };
	});
	return rows.every(({ step, user }) => step && user) ? rows : undefined;
}
const userRowsIn = (value: unknown) =>
	rowsIn(value)?.map(({ step: step_id = 0, user }) => ({ step_id, user_id: Number(user) }));
const isWhole = (rows: StepAssignment[] | undefined): rows is StepAssignment[] =>
	rows?.every(({ user_id }) => !Number.isNaN(user_id)) === true;

const STEP_ASSIGNMENTS: Model = (value) => {
	const rows = userRowsIn(value);
	return isWhole(rows) ? { step_assignments: rows } : 'refused';
};
const ADD_STEP_ASSIGNMENTS: Model = (value, { step_assignments }) => {
	const rows = userRowsIn(value);
	if (!isWhole(rows)) return 'refused';
	return { step_assignments: withoutRepeats([...step_assignments, ...rows]) };
};
const REMOVE_STEP_ASSIGNMENTS: Model = (value, { step_assignments }) => {
	const rows = rowsIn(value);
	if (rows === undefined) return 'refused';
	const left = step_assignments.filter(
		({ step_id, user_id }) =>
			!rows.some(({ step, user }) => step === step_id && (user === 'anybody' || user === user_id)),
	);
	return { step_assignments: left };
};
const PROCESS: Model = (value) => {
	const link = /^\s*https?:\/\/[^\s?#]+\/processes\/(\d+)\/?\s*$/;
	const id = typeof value === 'string' ? (link.exec(value)?.[1] ?? value) : value;
	// An expression that gives empty text says that no process is chosen; here nothing else is.
	return numberIn(id) === undefined ? 'refused' : 'either';
};
const CLEAR: Model = (value) => {
	const names = Array.isArray(value) ? value : [value];
	return names.every((name) => typeof name === 'string') ? 'either' : 'refused';
};

const set = (field: string): INodeParameters => ({ updateFields: { [field]: VALUE } });
const rows = (field: string): INodeParameters => ({
	updateFields: { [field]: { list: [{ assignments: VALUE }] } },
});

/** Steps that the instances of the sandbox have. */
const STEPS = [1101, 1102, 1201, 1202, 1301, 1302];
const PROCESSES = [
	11,
	'12',
	12,
	'https://other.example/api/processes/11/',
	' http://x/processes/12',
];

/** The parameters that take a value from an item, the label in messages, and what shall come of it. */
type Place = [label: string, parameters: INodeParameters, model: Model, usable: unknown[]];
const PLACES: Place[] = [
	["'Name'", set('name'), NAME, ['A', 'x'.repeat(255), '😀'.repeat(255), '😀'.repeat(256), 7]],
	[
		"'Priority'",
		set('priority'),
		PRIORITY,
		['H', 'V', ' v', 'regular', 'Regular ', 'High', 'very HIGH', 'Very  High'],
	],
	["'Tags'", set('tags'), TAGS, ['a, b', ['a', 'b '], '["a"]', ', ,', []]],
	["'Add Tags'", set('addTags'), ADD_TAGS, ['a, finance', ['a', 7], '["a, b"]', '', []]],
	["'Remove Tags'", set('removeTags'), REMOVE_TAGS, ['hr', ['hr', 'berlin'], 'audit,remote']],
	["'Deadline'", set('deadline'), () => 'either', ['2026-07-01', 1_782_900_000, null]],
	[
		"'Automatic Naming'",
		set('automaticNaming'),
		(value) => (value === true || value === 'true' ? { name: '' } : 'refused'),
		[true, 'true'],
	],
	[
		"'Step Assignments'",
		rows('stepAssignments'),
		STEP_ASSIGNMENTS,
		[[{ step_id: 1, user_id: 2 }], '[{"stepId":"1","userId":2}]', []],
	],
	[
		"'Add Step Assignments'",
		rows('addStepAssignments'),
		ADD_STEP_ASSIGNMENTS,
		[
			[{ step_id: 1, user_id: 2 }],
			'[{"stepId":"1","userId":2}]',
			[],
			[
				{ step_id: 7, user_id: 8 },
				{ stepId: ' 7 ', userId: '8' },
			],
		],
	],
	[
		"'Remove Step Assignments'",
		rows('removeStepAssignments'),
		REMOVE_STEP_ASSIGNMENTS,
		[[{ step_id: 1 }], '[{"stepId":"1","userId":2}]', [], STEPS.map((step_id) => ({ step_id }))],
	],
	["'Process'", { process: locator(VALUE) }, PROCESS, PROCESSES],
	["'Process'", { process: locator(VALUE, 'url') }, PROCESS, PROCESSES],
	["'Fields to Clear'", { clearFields: VALUE }, CLEAR, ['name', ['tags', 'deadline'], []]],
];

/** The one key that a value changes which the model does not foresee. */
const KEPT_OF: Record<string, keyof Settable> = {
	"'Process'": 'process',
	"'Deadline'": 'deadline',
};

function toItem(id: number | undefined, value: unknown): IDataObject {
	const item: IDataObject = { id };
	if (value !== undefined) Reflect.set(item, 'value', value);
	return item;
}

/** What the messages say when a value means that nothing was chosen. */
const NOTHING = 'Nothing to update was chosen';

describe('Update with arbitrary values', () => {
	const sandbox = useSandbox();
	let runner: NodeRunner;
	beforeAll(async () => {
		runner = await createNodeRunner({ parameters: {}, onError: 'continueRegularOutput' });
	});
	afterAll(async () => {
		await runner.close();
	});

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
	function whatIsWrong([label, , model]: Place, result: Case): string | undefined {
		const { value, index, before, after, sent, item } = result;
		const { json, error, pairedItem } = item;
		const expected = value === undefined ? undefined : model(value, before);
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
			if (typeof expected === 'object') return `should not be refused: ${text}`;
			if (!unknownProcess && !text.includes(label) && !text.startsWith(NOTHING))
				return `without its label: ${text}`;
			if (!PLAIN_WORDS.test(ownWords(text))) return `not in plain words: ${text}`;
			return text.includes(sandbox.credentials.apiKey) ? 'shows the key' : undefined;
		}
		if (expected === 'refused') return 'should be refused';
		if (sent.map((request) => request.slice(0, 3)).join() !== 'GET,PUT') return sent.join();
		const kept = KEPT_OF[label];
		const wanted =
			typeof expected === 'object'
				? { ...before, ...expected }
				: kept && { ...before, [kept]: after[kept] };
		if (wanted === undefined) return undefined;
		return JSON.stringify(after) === JSON.stringify(wanted) ? undefined : JSON.stringify(after);
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
