import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { dateCell, oddValue, tagsCell, ZONES } from './cells';
import type { Instance } from './service';
import type { Form, Given, Parameter, Row } from './update';

type By = 'typed' | 'path' | 'expression' | 'luxon' | 'date';

/** A case: the form, what the items have for it, and the instances that they are about. */
export interface Case {
	parameters: INodeParameters;
	items: IDataObject[];
	/** What each item fills in. */
	forms: Form[];
	instances: Instance[];
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	timezone: string;
	/** How the node is run. */
	run: 'workflow' | 'call' | 'request';
	output: 'simplified' | 'raw' | 'selected';
	outputFields: string[];
	/** The service names instances itself: it rejects any name. */
	isNaming: boolean;
	isLeavingOut: boolean;
	/** The service responds to an update without a body. */
	isBodyless: boolean;
}

const STEPS = [11, 12, 13];
const USERS = [40, 41, 42];

const nameCell = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.constantFrom<unknown>(
			...['New', 'Invoice 7', ' padded ', 'Zu\u0308rich', '😀', 'null', 'a\nb', 'x'.repeat(255)],
			...['😀'.repeat(200), '[draft]', '{"a":1}'],
		),
	},
	oddValue,
	fc.constantFrom<unknown>(
		...['x'.repeat(256), '😀'.repeat(256), `${'x'.repeat(255)} `, 2026, 1.5, ['a'], 'cut \ud83d'],
		...['Order [object Object]', '\u200b', '[]', ' [ ] '],
	),
);
const priorityCell = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.constantFrom<unknown>(
			...['regular', 'H', 'V', 'High', 'Very High', 'Regular', 'very high', 'HIGH', 'v', ' H '],
			'High\u200b',
		),
	},
	oddValue,
	fc.constantFrom<unknown>(
		...['urgent', 'Low', '1', 1, 2, ['H'], 'VeryHigh', 'very  high', 'N', 'R', 'none', 'hoch'],
	),
);
const pair = fc.record<Record<string, unknown>>({
	step_id: fc.constantFrom<unknown>(...STEPS, '12', 99),
	user_id: fc.constantFrom<unknown>(...USERS, '41'),
});
const oddPair = fc.constantFrom<unknown>(
	...[{ step_id: 11 }, { user_id: 40 }, {}, null, [], 11, '11', { stepId: 11, userId: 40 }],
	...[
		{ step_id: 11, user_id: null },
		{ step_id: 1.5, user_id: 40 },
		{ step_id: 0, user_id: 40 },
	],
	...[
		{ step_id: '', user_id: 40 },
		{ step_id: 11, user_id: 40, note: 'x' },
	],
	...[{ step_id: 11, user_id: 2 ** 53 }, { step_id: { id: 11 }, user_id: 40 }, [11, 40]],
	...[
		{ step_id: '11x', user_id: 40 },
		{ step_id: true, user_id: 40 },
	],
);
const pairList = fc.array(
	fc.oneof({ weight: 9, arbitrary: pair as fc.Arbitrary<unknown> }, oddPair),
	{ maxLength: 4 },
);
const goodPairs = fc.array(pair, { minLength: 1, maxLength: 4 });
const pairsCell = fc.oneof(
	{ weight: 4, arbitrary: goodPairs as fc.Arbitrary<unknown> },
	{ weight: 2, arbitrary: goodPairs.map((list) => JSON.stringify(list)) },
	pairList,
	pairList.map((list) => JSON.stringify(list)),
	pair,
	oddPair,
	oddValue,
	fc.constantFrom(
		...['[{"step_id":11,"user_id":9007199254740993}]', '[{"step_id":11,"user_id":40}'],
		...["[{'step_id':11,'user_id':40}]", '11:40', '[{"step_id":1.1e1,"user_id":40}]'],
	),
);
const processCell = (base: string) =>
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.constantFrom<unknown>(
				...['3', 3, ' 4 ', `${base}/processes/5/`, `${base.replace('http', 'HTTP')}/processes/5/`],
			),
		},
		oddValue,
		fc.constantFrom<unknown>(
			...[`${base}/instances/5/`, 'https://other.example/api/processes/5/', '0', '-1', '1.5'],
			...['1e3', [3], `${base}/processes/5`, '3, 4', `${base}/processes/9007199254740993/`],
		),
	);

const CELLS = (base: string): Record<Parameter, fc.Arbitrary<unknown>> => ({
	process: processCell(base),
	name: nameCell,
	deadline: fc.oneof(
		{
			weight: 4,
			arbitrary: fc.constantFrom<unknown>(
				...['2026-07-01T10:00:00', '2026-07-01', '2026-07-01T10:00:00+05:30'],
				...['2026-10-25T02:30:00', '2026-03-29T02:30:00', 1782900000, 1782900000000],
			),
		},
		dateCell,
	),
	priority: priorityCell,
	tags: fc.oneof(tagsCell, fc.constantFrom<unknown>('a, b', ['a', 'b'], '["a"]')),
	addTags: fc.oneof(tagsCell, fc.constantFrom<unknown>('new', 'a, new', ['b'], 'e\u0301', 'é')),
	removeTags: fc.oneof(
		tagsCell,
		fc.constantFrom<unknown>('a', 'a, b', ['b'], 'e\u0301', 'é', 'gone', 'padded'),
	),
	stepAssignments: pairsCell,
});

const idCell = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom<unknown>(...STEPS, ...STEPS.map(String), ' 12 ', 99) },
	oddValue,
	fc.constantFrom<unknown>('0', '1.5', '11, 12', 'Step 11', '+11', [11]),
);
const userCell = fc.oneof(
	{ weight: 9, arbitrary: fc.constantFrom<unknown>(...USERS, '41', 50) },
	oddValue,
	fc.constantFrom<unknown>('0', 'me@example.org', '1.5'),
);

/** Present values: mostly as a service sends them, sometimes odd or missing. */
const mostly = (usual: fc.Arbitrary<unknown>, odd: unknown[]) =>
	fc.oneof(
		{ weight: 12, arbitrary: usual },
		{ weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, undefined, ...odd) },
	);
const snapshotOf = fc.constantFrom<(steps: IDataObject[]) => unknown>(
	(steps) => JSON.stringify({ name: 'Process', steps }),
	(steps) => JSON.stringify({ steps: steps.map(({ id, name }) => ({ id, title: name })) }),
	(steps) =>
		JSON.stringify({ workflow: { task_list: steps.map(({ id, name }) => ({ id, label: name })) } }),
	(steps) =>
		JSON.stringify({
			stages: [
				{ name: 'One', steps: steps.slice(0, 2) },
				{ name: 'Two', steps: steps.slice(2) },
			],
		}),
	(steps) => JSON.stringify({ users: steps, forms: [{ id: 99, name: 'Form' }] }),
	(steps) => JSON.stringify({ steps: steps.map(({ id }) => ({ id })) }),
	(steps) => JSON.stringify({ steps: steps.map(({ id }) => id) }),
	(steps) => JSON.stringify(Object.fromEntries(steps.map(({ id, name }) => [String(id), name]))),
	() => 'not JSON',
	() => '',
	() => null,
	() => undefined,
	() => '[]',
	() => '{"steps":[]}',
);
const snapshot = fc
	.tuple(fc.subarray(STEPS, { minLength: 0 }), fc.boolean(), snapshotOf)
	.map(([some, isAll, write]) =>
		write((isAll ? STEPS : some).map((id) => ({ id, name: `Step ${id}` }))),
	);
const instance = (base: string) =>
	fc.record({
		process: mostly(
			fc.constantFrom<unknown>(`${base}/processes/3/`, 'https://service.example/api/processes/3/'),
			[null, '', 3, {}],
		),
		name: mostly(fc.constantFrom<unknown>('Old', '', null, ' padded ', '日本'), [
			...[5, {}, 'x'.repeat(300), '\ud800'],
		]),
		deadline: mostly(
			fc.constantFrom<unknown>(
				...[null, '2026-07-01T10:00:00Z', '2026-07-01T12:00:00+02:00'],
				'2026-07-01T10:00:00.123456Z',
			),
			['', '2026-07-01', 1782900000, {}],
		),
		priority: mostly(fc.constantFrom<unknown>(null, 'H', 'V'), ['', 'regular', 'N', 1]),
		tags: mostly(
			fc.constantFrom<unknown>(
				...[[], ['a'], ['a', 'b'], [' padded ', 'c'], ['e\u0301', 'x'], ['a', 'a'], ['B', 'b']],
				['a, b'],
			),
			[null, 'a', [1], [null], ['a', ''], [{ name: 'a' }], {}],
		),
		step_assignments: mostly(
			fc.array(
				fc.record({
					step_id: fc.constantFrom<unknown>(...STEPS),
					user_id: fc.constantFrom<unknown>(...USERS),
				}),
				{ maxLength: 4 },
			),
			[
				...[null, {}, [{ step_id: 11 }], [{ step_id: '11', user_id: '40' }]],
				...[[{ step_id: 11, user_id: 40, name: 'X' }], [null]],
				[{ step_id: 11, user_id: '@9007199254740993' }],
				...[[{ step_id: '9007199254740993', user_id: 40 }], 'x'],
			],
		),
		active_step_ids: mostly(fc.subarray(STEPS), [null, ['11'], 'x']),
		process_snapshot: snapshot,
		extra: fc.constantFrom<unknown>(undefined, 'kept by the service', { a: 1 }),
	});

/** JSON as the service sends it: without what is undefined. */
const asJson = (value: unknown): Instance => JSON.parse(JSON.stringify(value));

const SINGLE: Parameter[] = ['process', 'name', 'deadline', 'priority', 'tags', 'stepAssignments'];
export const PARAMETERS: Parameter[] = [...SINGLE, 'addTags', 'removeTags'];
const chosenParameters = fc.oneof(
	{ weight: 6, arbitrary: fc.subarray(PARAMETERS, { minLength: 1, maxLength: 2 }) },
	fc.subarray(PARAMETERS),
	fc.constantFrom<Parameter[]>(['addTags', 'removeTags'], SINGLE, []),
);
const CLEARABLE = SINGLE.filter((name) => name !== 'process');
const cleared = (parameters: Parameter[]) =>
	fc.oneof(
		{ weight: 6, arbitrary: fc.constant<string[]>([]) },
		{
			weight: 2,
			arbitrary: fc.constant(CLEARABLE.filter((name) => !parameters.some((one) => one === name))),
		},
		fc.subarray(CLEARABLE),
	);

const LOCATORS = ['process', 'stepId', 'userId'];

/** How a parameter is stored: typed in, or as an expression into a field of the item. */
function stored(
	name: string,
	field: string,
	by: By,
	value: unknown,
	mode: string,
	isTool: boolean,
): unknown {
	const expression = isTool
		? `={{ $fromAI('${field}', 'Some value', 'string') }}`
		: by === 'path'
			? `={{ $json.${field} }}`
			: `={{ ($json.${field}) }}`;
	const luxon = `={{ DateTime.fromISO($json.${field}, { setZone: true }) }}`;
	const ways = { typed: value, luxon, date: `={{ new Date($json.${field}) }}` };
	const text = by in ways && !(isTool && by !== 'typed') ? Reflect.get(ways, by) : expression;
	if (!LOCATORS.includes(name) || mode === 'plain') return text;
	return { __rl: true, mode, value: text };
}

/** The text of a value that is typed in: what only an item can hold is text there. */
function typedIn(value: unknown): string {
	const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
	return text.startsWith('=') ? 'a' : text;
}

interface Slot {
	name: string;
	field: string;
	by: By;
	mode: string;
	/** One value for each item; the first where it is typed in. */
	values: unknown[];
}

const by = fc.constantFrom<By>('typed', 'path', 'path', 'expression');
const slot = (
	name: string,
	field: string,
	cell: fc.Arbitrary<unknown>,
	size: number,
): fc.Arbitrary<Slot> =>
	fc
		.record({
			name: fc.constant(name),
			field: fc.constant(field),
			by: name === 'action' || name === 'priority' ? fc.constantFrom<By>('typed', 'path') : by,
			mode: fc.constantFrom(
				...(name === 'process' ? ['id', 'url', 'list'] : ['id', 'list', 'plain']),
			),
			values: fc.array(cell, { minLength: size, maxLength: size }),
		})
		.chain((one) => {
			const isDate = name === 'deadline' && one.by === 'expression';
			if (!isDate) return fc.constant(one);
			const values = fc.array(fc.constantFrom<unknown>(...MOMENTS), {
				minLength: size,
				maxLength: size,
			});
			return fc
				.record({ by: fc.constantFrom<By>('luxon', 'date'), values })
				.map((other) => ({ ...one, ...other }));
		})
		.map((one) =>
			one.by === 'typed' ? { ...one, values: one.values.map(() => typedIn(one.values[0])) } : one,
		);

/** Moments of which any library makes the same. */
const MOMENTS = [
	...['2026-07-01T10:00:00Z', '2026-10-25T02:30:00+01:00', '2027-01-01T00:00:00.500-05:00'],
	...['2026-07-01T10:00:00+05:30', 'nonsense'],
];

const rowSlots = (at: number, size: number) =>
	fc.tuple(
		slot(
			'action',
			`action${at}`,
			fc.oneof(
				{ weight: 15, arbitrary: fc.constantFrom<unknown>('reassign', 'add', 'remove') },
				fc.constantFrom<unknown>('', 'delete', null),
			),
			size,
		),
		slot('stepId', `step${at}`, idCell, size),
		fc.option(slot('userId', `user${at}`, userCell, size), { freq: 5, nil: undefined }),
	);

/** A case with all that the contract says of Update. */
export function anUpdate(base: string): fc.Arbitrary<Case> {
	const shape = fc.record({
		size: fc.constantFrom(1, 1, 1, 2, 3),
		parameters: chosenParameters,
		rows: fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, fc.constantFrom(0, 1, 1, 2, 3)),
		run: fc.constantFrom<Case['run']>(...Array<'workflow'>(6).fill('workflow'), 'call', 'request'),
	});
	return shape.chain(({ size: wanted, parameters, rows, run }) => {
		const isTool = run !== 'workflow';
		const size = isTool ? 1 : wanted;
		const cells = CELLS(base);
		return fc
			.record({
				slots: fc.tuple(...parameters.map((name) => slot(name, name, cells[name], size))),
				rows: fc.tuple(...Array.from({ length: Math.max(0, rows) }, (_, at) => rowSlots(at, size))),
				clearFields: cleared(parameters),
				ids: fc.array(
					fc.oneof(
						{ weight: 15, arbitrary: fc.constant<unknown>('good') },
						{ weight: 1, arbitrary: fc.constantFrom<unknown>(null, '', 'x', '1.5', 0, '1/../2') },
					),
					{ minLength: size, maxLength: size },
				),
				instances: fc.array(instance(base), { minLength: size, maxLength: size }),
				emptyValues: fc.constantFrom<Form['emptyValues'] | undefined>(
					undefined,
					undefined,
					'reject',
					'keep',
					'keep',
					'clear',
				),
				isDryRun: fc.constantFrom<unknown>(
					...Array(30).fill(false),
					...Array(10).fill(true),
					...['true', 'false', null, 1],
				),
				clearBy: fc.constantFrom<unknown>(
					...Array(24).fill('typed'),
					...[null, '', [], 'none', undefined, ['name'], ['tags'], ['process']],
				),
				isBodyless: fc.constantFrom(false, false, false, false, false, true),
				onError: fc.constantFrom<Case['onError']>(
					'stopWorkflow',
					'continueRegularOutput',
					'continueErrorOutput',
				),
				timezone: fc.constantFrom(...ZONES),
				output: fc.constantFrom<Case['output']>('simplified', 'raw', 'selected'),
				outputFields: fc.subarray([
					...['name', 'tags', 'deadline', 'priority', 'stage', 'process', 'step_assignments'],
				]),
				isNaming: fc.constantFrom(false, false, false, false, true),
				isLeavingOut: fc.boolean(),
				isShared: fc.constantFrom(false, false, false, false, false, true),
			})
			.map((parts): Case => {
				const all = [
					...parts.slots,
					...parts.rows.flatMap((row) => row.filter((one) => one !== undefined)),
				];
				const write = ({ name, field, by: how, values, mode }: Slot) =>
					stored(name, field, how, values[0], mode, isTool);
				const isClearTyped = parts.clearBy === 'typed';
				const change = parts.rows.map((row) =>
					Object.fromEntries(
						row.filter((one) => one !== undefined).map((one) => [one.name, write(one)]),
					),
				);
				const fields = Object.fromEntries(parts.slots.map((one) => [one.name, write(one)]));
				const ids = parts.ids.map((value, at) =>
					value === 'good' ? (parts.isShared ? 1 : at + 1) : value,
				);
				const items = ids.map((number, at) => {
					const values = all
						.filter((one) => one.by !== 'typed')
						.map((one) => [one.field, one.values[at]]);
					return asJson({
						id: number,
						clear: parts.clearBy,
						...Object.fromEntries(values),
					}) as IDataObject;
				});
				const given = (one: Slot, at: number): Given => ({
					value: one.by === 'typed' ? one.values[0] : items[at]?.[one.field],
					isExpression: one.by !== 'typed',
				});
				const forms = ids.map(
					(number, at): Form => ({
						instanceId: { value: number, isExpression: true },
						updateFields: Object.fromEntries(parts.slots.map((one) => [one.name, given(one, at)])),
						...(rows >= 0 && {
							changeSteps: parts.rows.map(
								([action, step, user]): Row => ({
									action: given(action, at),
									stepId: given(step, at),
									...(user && { userId: given(user, at) }),
								}),
							),
						}),
						clearFields: isClearTyped ? parts.clearFields : parts.clearBy,
						emptyValues: parts.emptyValues ?? 'reject',
						isTool,
						isDryRun: parts.isDryRun,
					}),
				);
				const options = {
					...(parts.emptyValues && { emptyValues: parts.emptyValues }),
					...(parts.isLeavingOut && { leaveOutRejectedNames: true }),
				};
				return {
					parameters: {
						resource: 'instance',
						operation: 'update',
						instanceId: {
							__rl: true,
							mode: 'id',
							value: isTool ? "={{ $fromAI('id', 'The ID', 'number') }}" : '={{ $json.id }}',
						},
						updateFields: {
							...fields,
							...(rows >= 0 && { changeSteps: { change } }),
						} as INodeParameters,
						clearFields: isClearTyped
							? parts.clearFields
							: isTool
								? "={{ $fromAI('clear', 'Fields', 'string') }}"
								: '={{ $json.clear }}',
						dryRun: parts.isDryRun as boolean,
						output: parts.output,
						...(parts.output === 'selected' && { outputFields: parts.outputFields }),
						options,
					},
					items,
					forms,
					instances: parts.instances.map((one, at) =>
						asJson({
							id: at + 1,
							url: `${base}/instances/${at + 1}/`,
							stage: 'Review',
							last_updated_time: '2026-06-01T10:00:00Z',
							...one,
						}),
					),
					// A tool has no error output.
					onError:
						isTool && parts.onError === 'continueErrorOutput' ? 'stopWorkflow' : parts.onError,
					timezone: isTool ? 'America/New_York' : parts.timezone,
					run,
					output: parts.output,
					outputFields: parts.outputFields,
					isNaming: parts.isNaming,
					isBodyless: parts.isBodyless,
					isLeavingOut: parts.isLeavingOut,
				};
			});
	});
}
