import fc from 'fast-check';
import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import { ID_OF_ITEM } from '../engine/support/sandbox';
import { mostly, oddValue, oneOf, tagsCell } from './cells';
import type { Instance } from './service';
import type { Form, Given, Parameter, Row } from './update';

const STEPS = [11, 12, 13];
const USERS = [40, 41, 42];

const pairOf = (steps: unknown[], users: unknown[]) =>
	fc.record<Record<string, unknown>>({ step_id: oneOf(...steps), user_id: oneOf(...users) });
const pair = pairOf([...STEPS, '12', 99], [...USERS, '41']);
const ODD_PAIRS = `[
	{ "step_id": 11 }, { "user_id": 40 }, {}, null, [], 11, "11", [11, 40], { "stepId": 11, "userId": 40 },
	{ "step_id": null, "user_id": 40 }, { "step_id": "", "user_id": 40 }, { "step_id": 0, "user_id": 40 },
	{ "step_id": 1.5, "user_id": 40 }, { "step_id": "11x", "user_id": 40 }, { "step_id": true, "user_id": 40 },
	{ "step_id": 9007199254740992, "user_id": 40 }, { "step_id": { "id": 11 }, "user_id": 40 },
	{ "step_id": 11, "user_id": null }, { "step_id": 11, "user_id": 40, "note": "x" }
]`;
const oddPair = oneOf(...JSON.parse(ODD_PAIRS));
const goodPairs = fc.array(pair, { minLength: 1, maxLength: 4 });
const anyPairs = fc.array(mostly<unknown>(pair, oddPair), { maxLength: 4 });
const pairs = fc.oneof(goodPairs, goodPairs, anyPairs);

/** Moments of which any library makes the same. */
const MOMENTS = [
	...['2026-07-01T10:00:00Z', '2026-10-25T02:30:00+01:00', '2027-01-01T00:00:00.500-05:00'],
	...['2026-07-01T10:00:00+05:30', 'nonsense'],
];

const CELLS = (base: string): Record<Parameter, fc.Arbitrary<unknown>> => ({
	process: mostly(
		oneOf('3', 3, ' 4 ', `${base}/processes/5/`, `${base.replace('http', 'HTTP')}/processes/5/`),
		oddValue,
		oneOf(
			...[`${base}/instances/5/`, 'https://other.example/api/processes/5/', `${base}/processes/5`],
			...['0', '-1', '1.5', '1e3', [3], '3, 4', `${base}/processes/9007199254740993/`],
		),
	),
	name: mostly(
		oneOf(
			...['New', 'Invoice 7', ' padded ', 'Zu\u0308rich', '😀', 'null', 'a\nb', 'x'.repeat(255)],
			...['😀'.repeat(200), '[draft]', '{"a":1}'],
		),
		oddValue,
		oneOf(
			...['x'.repeat(256), '😀'.repeat(256), `${'x'.repeat(255)} `, 2026, 1.5, ['a'], 'cut \ud83d'],
			...['Order [object Object]', '\u200b', '[]', ' [ ] '],
		),
	),
	deadline: mostly(
		oneOf(...MOMENTS, 1782900000, 1782900000000),
		oddValue,
		oneOf('tomorrow', '2026-02-29', 946684799, 4133980800),
	),
	priority: mostly(
		oneOf(
			...['regular', 'H', 'V', 'High', 'Very High', 'Regular', 'very high', 'HIGH', 'v', ' H '],
			'High\u200b',
		),
		oddValue,
		oneOf('urgent', 'Low', '1', 1, 2, ['H'], 'VeryHigh', 'very  high', 'N', 'R', 'none', 'hoch'),
	),
	tags: mostly(tagsCell, oneOf('a, b', ['a', 'b'], '["a"]')),
	addTags: fc.oneof(tagsCell, oneOf('new', 'a, new', ['b'], 'e\u0301', 'é')),
	removeTags: fc.oneof(tagsCell, oneOf('a', 'a, b', ['b'], 'e\u0301', 'é', 'gone', 'padded')),
	stepAssignments: mostly(
		fc.oneof(
			pairs,
			pairs.map((list) => JSON.stringify(list)),
		),
		fc.oneof(pair, oddPair, oddValue),
		oneOf(
			...['[{"step_id":11,"user_id":9007199254740993}]', '[{"step_id":11,"user_id":40}'],
			...["[{'step_id':11,'user_id':40}]", '11:40', '[{"step_id":1.1e1,"user_id":40}]'],
		),
	),
});
/** No object with a value, which is how n8n stores a resource locator. */
const oddId = oddValue.filter((value) => Object(value).value === undefined);
const ROW_CELLS = {
	action: fc.oneof(
		{ weight: 15, arbitrary: oneOf('reassign', 'add', 'remove') },
		oneOf('', 'delete', null),
	),
	stepId: fc.oneof(
		{ weight: 9, arbitrary: oneOf(...STEPS, ...STEPS.map(String), ' 12 ', 99) },
		oddId,
		oneOf('0', '1.5', '11, 12', 'Step 11', '+11', [11]),
	),
	userId: fc.oneof(
		{ weight: 9, arbitrary: oneOf(...USERS, '41', 50) },
		oddId,
		oneOf('0', 'me@example.org', '1.5'),
	),
};

type Step = { id: number; name: string };
/** Ways to write the steps of a process, some of which do not show them. */
const SNAPSHOTS: Array<(steps: Step[]) => unknown> = [
	(steps) => ({ name: 'Process', steps }),
	(steps) => ({ steps: steps.map(({ id, name }) => ({ id, title: name })) }),
	(steps) => ({ workflow: { task_list: steps.map(({ id, name }) => ({ id, label: name })) } }),
	(steps) => ({ stages: [{ name: 'One', steps: steps.slice(0, 2) }, { steps: steps.slice(2) }] }),
	(steps) => ({ users: steps, forms: [{ id: 99, name: 'Form' }] }),
	(steps) => ({ steps: steps.map(({ id }) => ({ id })) }),
	(steps) => ({ steps: steps.map(({ id }) => id) }),
	(steps) => Object.fromEntries(steps.map(({ id, name }) => [String(id), name])),
];
const snapshot = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.tuple(fc.oneof(fc.constant(STEPS), fc.subarray(STEPS)), fc.constantFrom(...SNAPSHOTS))
			.map(([ids, write]) => JSON.stringify(write(ids.map((id) => ({ id, name: `Step ${id}` }))))),
	},
	oneOf('not JSON', '', null, undefined, '[]'),
);

/** Mostly what a service sends; sometimes odd, or missing. */
const stored = (usual: fc.Arbitrary<unknown>, ...odd: unknown[]) =>
	fc.oneof({ weight: 12, arbitrary: usual }, oneOf(undefined, undefined, ...odd));
const PRESENT = (base: string) =>
	fc.record({
		process: stored(
			oneOf(`${base}/processes/3/`, 'https://service.example/api/processes/3/'),
			...[null, 3],
		),
		name: stored(oneOf('Old', '', null, ' padded ', '日本'), 5, {}, 'x'.repeat(300), '\ud800'),
		deadline: stored(
			oneOf(
				...[null, '2026-07-01T10:00:00Z', '2026-07-01T12:00:00+02:00'],
				'2026-07-01T10:00:00.123456Z',
			),
			...['', '2026-07-01', 1782900000],
		),
		priority: stored(oneOf(null, 'H', 'V'), '', 'regular', 1),
		tags: stored(
			oneOf(
				...[[], ['a'], ['a', 'b'], [' padded ', 'c'], ['e\u0301', 'x'], ['a', 'a'], ['B', 'b']],
				['a, b'],
			),
			...[null, 'a', [1], [null], ['a', ''], [{ name: 'a' }]],
		),
		step_assignments: stored(
			fc.array(pairOf(STEPS, USERS), { maxLength: 4 }),
			...[null, {}, [{ step_id: 11 }], [{ step_id: '11', user_id: '40' }], [null], 'x'],
			...[
				[{ step_id: 11, user_id: 40, name: 'X' }],
				[{ step_id: '9007199254740993', user_id: 40 }],
			],
		),
		active_step_ids: stored(fc.subarray(STEPS), null, ['11'], 'x'),
		process_snapshot: snapshot,
		extra: oneOf(undefined, 'kept by the service', { a: 1 }),
	});

const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const SINGLE: Parameter[] = ['process', 'name', 'deadline', 'priority', 'tags', 'stepAssignments'];
export const PARAMETERS: Parameter[] = [...SINGLE, 'addTags', 'removeTags'];
export const CLEARABLE = SINGLE.filter((name) => name !== 'process');

type EmptyValues = Form['emptyValues'] | undefined;
const ON_ERROR: OnError[] = ['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'];

/** How a value of the item's field gets into a parameter, unless it is typed in. */
const WAYS = {
	path: (field: string) => `={{ $json.${field} }}`,
	expression: (field: string) => `={{ ($json.${field}) }}`,
	luxon: (field: string) => `={{ DateTime.fromISO($json.${field}, { setZone: true }) }}`,
	date: (field: string) => `={{ new Date($json.${field}) }}`,
};
type Way = keyof typeof WAYS | 'typed';

function waysOf(name: string): Way[] {
	if (name === 'action' || name === 'priority') return ['typed', 'path'];
	const others: Way[] = name === 'deadline' ? ['luxon', 'date'] : ['expression', 'expression'];
	return ['typed', 'typed', 'path', 'path', 'path', ...others];
}

const MODES: Record<string, string[]> = {
	process: ['id', 'url', 'list'],
	stepId: ['id', 'list', 'plain'],
	userId: ['id', 'list', 'plain'],
};

/** A parameter that is filled in. */
interface Filled {
	name: string;
	/** As n8n stores it. */
	stored: unknown;
	/** What each item has for it. */
	given: Given[];
}
const storedOf = (filled: Filled[]) =>
	Object.fromEntries(filled.map(({ name, stored: value }) => [name, value]));
const givenOf = (filled: Filled[], at: number) =>
	Object.fromEntries(filled.map(({ name, given }) => [name, given[at]]));

/** The text of a value that is typed in. */
function typedIn(value: unknown): string {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
	return text.startsWith('=') ? 'a' : text;
}

/** A case with all that the contract says of Update. */
export function anUpdate(base: string) {
	const cells = CELLS(base);
	const present = PRESENT(base);
	return fc.gen().map((generate) => {
		const any = <T>(arbitrary: fc.Arbitrary<T>): T => generate(() => arbitrary);
		const one = <T>(...values: T[]): T => any(fc.constantFrom(...values));
		const oneIn = (count: number): boolean => any(fc.nat({ max: count - 1 })) === 0;

		const isShared = oneIn(6);
		const items = Array.from({ length: one(1, 1, 1, 2, 3) }, (_, at): IDataObject => {
			if (oneIn(15)) return { id: one<string | number | null>(null, '', 'x', '1.5', 0, '1/../2') };
			return { id: isShared ? 1 : at + 1 };
		});

		function fillIn(name: string, cell: fc.Arbitrary<unknown>, field = name): Filled {
			const way = one(...waysOf(name));
			const isDate = way === 'luxon' || way === 'date';
			const typed = typedIn(any(cell));
			const given = items.map((item): Given => {
				if (way === 'typed') return { value: typed, isExpression: false };
				Object.assign(item, asJson({ [field]: any(isDate ? oneOf(...MOMENTS) : cell) }));
				return { value: item[field], isExpression: true };
			});
			const value = way === 'typed' ? typed : WAYS[way](field);
			const mode = one(...(MODES[name] ?? ['plain']));
			return { name, stored: mode === 'plain' ? value : { __rl: true, mode, value }, given };
		}

		const some = any(fc.subarray(PARAMETERS, { minLength: 1, maxLength: 2 }));
		const parameters = oneIn(4)
			? one<Parameter[]>(any(fc.subarray(PARAMETERS)), ['addTags', 'removeTags'], SINGLE, [])
			: some;
		const fields = parameters.map((name) => fillIn(name, cells[name]));
		const hasRows = oneIn(4);
		const rows = Array.from({ length: hasRows ? one(0, 1, 1, 2, 3) : 0 }, (_, at) => {
			const names: Array<keyof Row> = ['action', 'stepId', 'userId'];
			if (oneIn(6)) names.pop();
			return names.map((name) => fillIn(name, ROW_CELLS[name], name + at));
		});
		const others = CLEARABLE.filter((name) => !parameters.includes(name));
		const isClearGiven = oneIn(4);
		const cleared = isClearGiven
			? one<unknown>(null, '', [], 'none', undefined, ['name'], ['tags'], ['process'])
			: one<unknown>([], [], [], others, any(fc.subarray(CLEARABLE)));
		if (isClearGiven) for (const item of items) Object.assign(item, asJson({ clear: cleared }));
		const emptyValues = one<EmptyValues>(undefined, undefined, 'reject', 'keep', 'keep', 'clear');
		return {
			parameters: {
				resource: 'instance',
				operation: 'update',
				instanceId: ID_OF_ITEM,
				updateFields: {
					...storedOf(fields),
					...(hasRows && { changeSteps: { change: rows.map(storedOf) } }),
				},
				clearFields: isClearGiven ? '={{ $json.clear }}' : cleared,
				output: 'raw',
				options: { ...(emptyValues && { emptyValues }) },
			} as INodeParameters,
			items,
			/** What each item fills in. */
			forms: items.map(
				({ id }, at): Form => ({
					instanceId: id,
					updateFields: givenOf(fields, at),
					...(hasRows && { changeSteps: rows.map((row) => givenOf(row, at)) }),
					clearFields: cleared,
					emptyValues: emptyValues ?? 'reject',
				}),
			),
			/** What the service has. */
			instances: items.map((_, at): Instance => {
				const own = { id: at + 1, stage: 'Review', last_updated_time: '2026-06-01T10:00:00Z' };
				return asJson({ ...own, ...any(present) });
			}),
			onError: one(...ON_ERROR),
		};
	});
}

export type Case = ReturnType<typeof anUpdate> extends fc.Arbitrary<infer Value> ? Value : never;
