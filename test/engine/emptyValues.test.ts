import type { IDataObject, INodeParameters, NodeParameterValueType, OnError } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { bodies, settableOf, stored } from './support/instances';
import { CONTINUE, locator, useSandbox } from './support/sandbox';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';
const NOTHING = [{ value: null }, { value: '' }, { value: ' \n' }, {}];

const row = (step_id: number, user_id: number) => ({ step_id, user_id });
const ASSIGNED = [row(1201, 42), row(1202, 43)];
const rows = (...given: Array<[step: unknown, user: unknown]>): INodeParameters => ({
	assignment: given.map(([step, user]) => ({
		stepId: locator(String(step)),
		userId: locator(String(user)),
	})),
});
const listed = { list: [{ assignments: VALUE }] };

type Case = [field: string, given: NodeParameterValueType, cleared: IDataObject];

/** Each field, with what Clear sends of it. Process, and fields that add or remove, send nothing. */
const CASES: Case[] = [
	['name', VALUE, { name: null }],
	['deadline', VALUE, { deadline: null }],
	['priority', VALUE, { priority: null }],
	['process', locator(VALUE), {}],
	['process', VALUE, {}],
	['automaticNaming', VALUE, {}],
	['tags', VALUE, { tags: [] }],
	['tags', '={{ $json.value }}, {{ $json.value }}', { tags: [] }],
	['tags', '={{ [$json.value, null] }}', { tags: [] }],
	['addTags', VALUE, {}],
	['removeTags', VALUE, {}],
	['stepAssignments', rows([VALUE, 7]), { step_assignments: [] }],
	['stepAssignments', rows([1201, VALUE]), { step_assignments: [] }],
	['stepAssignments', listed, { step_assignments: [] }],
	...['addStepAssignments', 'removeStepAssignments', 'reassignSteps'].flatMap((field): Case[] => [
		[field, rows([VALUE, 7]), {}],
		[field, rows([1201, VALUE]), {}],
		[field, { assignment: [{ stepId: 1201, userId: VALUE }] }, {}],
		[field, listed, {}],
		[field, { list: [{ assignments: '={{ [null, { step_id: $json.value, user_id: 7 }] }}' }] }, {}],
	]),
];

const sandbox = useSandbox();
beforeEach(() =>
	sandbox.control.change(ID, {
		priority: 'V',
		tags: ['finance', 'urgent'],
		step_assignments: ASSIGNED,
	}),
);
const before = () => settableOf(stored(sandbox, ID));

interface Settings {
	items?: IDataObject[];
	unsetFields?: string;
	onError?: OnError;
}

const update = async (
	emptyValues: string | undefined,
	updateFields: NodeParameterValueType,
	{ items = NOTHING, unsetFields = 'keep', ...settings }: Settings = {},
) => {
	const options = { unsetFields, ...(emptyValues !== undefined && { emptyValues }) };
	const parameters = { operation: 'update', instanceId: locator(ID), updateFields, options };
	return await sandbox.run(parameters, items, settings);
};

describe('A value that an expression returns empty', () => {
	test.each(CASES)(
		'in %s as %j is refused by default, kept with Keep, and cleared with Clear',
		async (...row) => {
			const [field, given, cleared] = row;
			const sent = async (emptyValues?: string) => {
				sandbox.control.clearLog();
				const { outputs, error } = await update(emptyValues, { [field]: given }, CONTINUE);
				expect(error).toBeUndefined();
				expect(outputs[0]).toHaveLength(NOTHING.length);
				return { items: outputs[0]?.map(({ json }) => json), requests: sandbox.requests() };
			};
			const refused = {
				error: expect.stringMatching(/' is empty$/),
				details: expect.objectContaining({
					description: expect.stringContaining("'Empty Values' under 'Options'"),
				}),
			};
			expect(await sent()).toEqual({ items: NOTHING.map(() => refused), requests: [] });

			const { name, deadline } = before();
			const asItWas = expect.objectContaining({ id: ID, name, deadline });
			const reads = NOTHING.map(() => READ);
			expect(await sent('keep')).toEqual({ items: NOTHING.map(() => asItWas), requests: reads });

			const body = Object.keys(cleared).map(() => ({ ...before(), ...cleared }));
			const { requests } = await sent('clear');
			expect(requests).toEqual(NOTHING.flatMap(() => [READ, ...body.map(() => WRITE)]));
			expect(bodies(sandbox, 'PUT')).toEqual(NOTHING.flatMap(() => body));
		},
	);

	test.each<[emptyValues: string, changed: IDataObject]>([
		['keep', {}],
		['clear', { deadline: null, priority: null, tags: [] }],
	])('beside values that are not empty is treated as %s says', async (emptyValues, changed) => {
		const fields = {
			deadline: VALUE,
			priority: VALUE,
			tags: VALUE,
			reassignSteps: rows([1201, VALUE]),
		};
		const body = { ...before(), ...changed, name: 'New' };
		await update(emptyValues, { name: 'New', ...fields });
		expect(bodies(sandbox, 'PUT')).toEqual(NOTHING.map(() => body));
	});

	test.each<[NodeParameterValueType, IDataObject]>([
		[{ tags: '={{ [] }}', name: VALUE }, { tags: [] }],
		[{ tags: '={{ ["a", null, ""] }}' }, { tags: ['a'] }],
		[{ addTags: '={{ [] }}' }, {}],
	])('is no empty list, and no empty entry of one, as in %j', async (updateFields, changed) => {
		const body = { ...before(), ...changed };
		const { error } = await update('keep', updateFields, { items: [{}] });
		expect(error).toBeUndefined();
		expect(bodies(sandbox, 'PUT')).toEqual([body]);
	});
});

describe('A row in which an expression returns nothing', () => {
	const TWO = rows([1202, 8], [1201, VALUE]);
	const LIST = {
		list: [
			{ assignments: '={{ [{ step_id: 1202, user_id: 8 }, { step_id: 1201, user_id: null }] }}' },
		],
	};
	test.each<
		[emptyValues: string, field: string, given: INodeParameters, sent: IDataObject[] | undefined]
	>([
		['keep', 'addStepAssignments', TWO, [...ASSIGNED, row(1202, 8)]],
		['keep', 'reassignSteps', LIST, [row(1201, 42), row(1202, 8)]],
		['keep', 'removeStepAssignments', rows([1202, 43], [1201, VALUE]), [row(1201, 42)]],
		['keep', 'stepAssignments', TWO, undefined],
		['keep', 'stepAssignments', LIST, undefined],
		['clear', 'stepAssignments', LIST, [row(1202, 8)]],
		['clear', 'reassignSteps', TWO, [row(1201, 42), row(1202, 8)]],
	])('with %s leaves out only what it has to of %s as %j', async (...each) => {
		const [emptyValues, field, given, step_assignments] = each;
		const body = step_assignments === undefined ? [] : [{ ...before(), step_assignments }];
		const { error } = await update(emptyValues, { [field]: given }, { items: [{}] });
		expect(error).toBeUndefined();
		expect(bodies(sandbox, 'PUT')).toEqual(body);
	});
});

describe('With Other Fields set to Reset', () => {
	const unsetFields = 'reset';
	const process = locator(12);

	test('an empty value that is kept is read, and the fields that were not added are reset', async () => {
		const { deadline, step_assignments } = before();
		const updateFields = { process, deadline: VALUE, stepAssignments: listed, name: 'New' };
		await update('keep', updateFields, { items: [{}], unsetFields });
		const uri = `${sandbox.credentials.baseUrl}/processes/12/`;
		expect(bodies(sandbox, 'PUT')).toEqual([
			{ process: uri, name: 'New', deadline, step_assignments },
		]);
		expect(sandbox.requests()).toEqual([READ, WRITE]);
	});

	test('nothing is reset for an item without any value', async () => {
		await update('keep', { process: locator(VALUE), name: VALUE }, { unsetFields });
		expect(sandbox.requests()).toEqual(NOTHING.map(() => READ));
	});
});

describe('A value that the user left empty is refused, whatever Empty Values says,', () => {
	test.each<[field: string, given: NodeParameterValueType]>([
		['name', ''],
		['deadline', ' '],
		['priority', ''],
		['tags', ' , '],
		['addTags', ''],
		['process', locator('', 'list')],
		['reassignSteps', rows([1201, ''])],
		['stepAssignments', { assignment: [] }],
		// n8n makes an empty form of it, whatever it returns.
		['stepAssignments', '={{ [{ step_id: 1201, user_id: 7 }] }}'],
	])('in %s as %j', async (field, given) => {
		for (const emptyValues of ['reject', 'keep', 'clear']) {
			const { error } = await update(emptyValues, { [field]: given });
			expect(error?.message).toMatch(/' is empty$/);
			expect(error?.description).toContain('remove');
		}
		expect(sandbox.requests()).toEqual([]);
	});
});
