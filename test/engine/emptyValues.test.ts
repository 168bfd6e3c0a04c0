import type { IDataObject, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { bodies, settableOf, stored } from './support/instances';
import { CONTINUE, locator, useSandbox } from './support/sandbox';
import { add, assigned, reassign, remove, rows } from './support/steps';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';
const NOTHING: IDataObject[] = [
	...[{ value: null }, { value: '' }, { value: ' \n' }, {}],
	// What multi-selects and `filter(Boolean)` give.
	...[{ value: [] }, { value: ' [ ]' }, { value: [' ', null, []] }, { value: '["", null]' }],
];

const ASSIGNED = [assigned(1201, 42), assigned(1202, 43)];

type Case = [field: string, given: NodeParameterValueType, cleared: IDataObject];

/** Each field, with what Clear sends of it. Process, and fields that add or remove, send nothing. */
const CASES: Case[] = [
	['name', VALUE, { name: null }],
	['deadline', VALUE, { deadline: null }],
	['priority', VALUE, { priority: null }],
	['process', locator(VALUE), {}],
	['process', VALUE, {}],
	['tags', VALUE, { tags: [] }],
	['addTags', VALUE, {}],
	['removeTags', VALUE, {}],
	['stepAssignments', VALUE, { step_assignments: [] }],
	...[reassign, add, remove].flatMap((action): Case[] => [
		['changeSteps', rows(action(VALUE, 7)), {}],
		['changeSteps', rows(action(1201, VALUE)), {}],
		['changeSteps', rows({ ...action(1201, 7), userId: VALUE }), {}],
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

const update = async (
	emptyValues: string | undefined,
	updateFields: NodeParameterValueType,
	items = NOTHING,
	settings = {},
) => {
	const options = emptyValues === undefined ? {} : { emptyValues };
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
				const { outputs, error } = await update(emptyValues, { [field]: given }, NOTHING, CONTINUE);
				expect(error).toBeUndefined();
				expect(outputs[0]).toHaveLength(NOTHING.length);
				return { items: outputs[0]?.map(({ json }) => json), requests: sandbox.requests() };
			};
			const refused = {
				id: expect.any(Number),
				error: expect.stringMatching(/' is empty$/),
				details: expect.objectContaining({
					description: expect.stringMatching(
						Object.keys(cleared).length > 0
							? /'Empty Values' under 'Options' to Keep or Clear\.$/
							: /'Empty Values' under 'Options' to Keep\.$/,
					),
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
		const empty = { deadline: VALUE, priority: VALUE, tags: VALUE };
		const changeSteps = rows(add(1202, 8), reassign(1201, VALUE));
		const step_assignments = [...ASSIGNED, assigned(1202, 8)];
		const body = { ...before(), ...changed, name: 'New', step_assignments };
		await update(emptyValues, { name: 'New', ...empty, changeSteps });
		expect(bodies(sandbox, 'PUT')).toEqual(NOTHING.map(() => body));
	});

	test.each([
		['Step', add(VALUE, 8)],
		['User', add(1201, VALUE)],
		['Action', { ...add(1201, 8), action: VALUE }],
	])('as %s in one of several rows is refused with all others by default', async (part, row) => {
		const changeSteps = rows(add(1202, 8), row);
		const { error } = await update(undefined, { changeSteps }, [{}]);
		expect(error?.message).toBe(`'${part}' in row 2 of 'Change Step Assignments' is empty`);
		expect(error?.description).toContain("set 'Empty Values' under 'Options' to Keep.");
		expect(sandbox.requests()).toEqual([]);
	});

	test('beside other entries of a list is omitted', async () => {
		await update(undefined, { tags: '={{ ["a", null, "", []] }}' }, [{}]);
		expect(bodies(sandbox, 'PUT')).toMatchObject([{ tags: ['a'] }]);
	});

	test('between commas is one, too, and of a name it is text', async () => {
		await update('clear', { tags: '={{ $json.value }}, ', name: '={{ $json.value }}, ' }, [{}]);
		expect(bodies(sandbox, 'PUT')).toMatchObject([{ tags: [], name: ', ' }]);
	});
});

test('An instance whose six fields were all added is read only if one of them is empty and kept', async () => {
	const lists = { tags: 'a', stepAssignments: '[{"step_id": 1, "user_id": 2}]' };
	const set = { name: 'New', priority: 'V', ...lists, process: locator(12) };
	const { deadline } = before();
	await update('keep', { ...set, deadline: VALUE }, [{}]);
	await update('clear', { ...set, deadline: VALUE }, [{}]);
	expect(sandbox.requests()).toEqual([READ, WRITE, WRITE]);
	expect(bodies(sandbox, 'PUT')).toMatchObject([{ deadline }, { deadline: null }]);
});

test.each<[field: string, given: NodeParameterValueType]>([
	['name', ''],
	['deadline', ' '],
	['priority', ''],
	['tags', ' , '],
	['tags', '[]'],
	['addTags', ''],
	['process', locator('', 'list')],
	['stepAssignments', ' '],
	['stepAssignments', '[]'],
	['changeSteps', rows(reassign(1201, ''))],
	['changeSteps', rows()],
])('A field left empty is refused with any Empty Values: %s as %j', async (field, given) => {
	for (const emptyValues of ['reject', 'keep', 'clear']) {
		const { error } = await update(emptyValues, { [field]: given });
		expect(error?.message).toMatch(/' is empty$/);
		expect(error?.description).toContain('remove');
	}
	expect(sandbox.requests()).toEqual([]);
});
