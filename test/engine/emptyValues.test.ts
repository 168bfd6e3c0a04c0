import type { IDataObject, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { bodies, settableOf, stored } from './support/instances';
import { CONTINUE, locator, useSandbox } from './support/sandbox';
import { add, reassign, remove, rows } from './support/steps';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';
const NOTHING: IDataObject[] = [
	...[{ value: null }, { value: '' }, { value: ' \n' }, {}],
	// What multi-selects and `filter(Boolean)` give.
	...[
		{ value: [] },
		{ value: ' [ ]' },
		{ value: [' ', null, []] },
		{ value: '["", null]' },
		{ value: ['[ ]'] },
	],
];

const sandbox = useSandbox();
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

// What is kept or cleared beside other values is in test/model/update.test.ts.
test.each<[field: string, given: NodeParameterValueType, cleared: IDataObject]>([
	['name', VALUE, { name: null }],
	['deadline', VALUE, { deadline: null }],
	['priority', VALUE, { priority: null }],
	['tags', VALUE, { tags: [] }],
	['stepAssignments', VALUE, { step_assignments: [] }],
	// These can't be cleared.
	['process', locator(VALUE), {}],
	['process', VALUE, {}],
	['addTags', VALUE, {}],
	['removeTags', VALUE, {}],
	['changeSteps', rows(add(VALUE, 7)), {}],
	['changeSteps', rows(reassign(1201, VALUE)), {}],
	['changeSteps', rows({ ...remove(1201), userId: VALUE }), {}],
])(
	'A value that an expression returns empty in %s as %j is refused by default, kept with Keep, and cleared with Clear',
	async (field, given, cleared) => {
		const before = settableOf(stored(sandbox, ID));
		const run = async (emptyValues?: string) => {
			sandbox.control.clearLog();
			const { outputs, error } = await update(emptyValues, { [field]: given }, NOTHING, CONTINUE);
			expect(error).toBeUndefined();
			return { items: outputs[0]?.map(({ json }) => json), requests: sandbox.requests() };
		};
		const isClearable = Object.keys(cleared).length > 0;
		const choices = isClearable ? 'Keep or Clear' : 'Keep';
		const description = expect.stringContaining(`'Empty Values' under 'Options' to ${choices}.`);
		const refused = {
			id: expect.any(Number),
			error: expect.stringMatching(/' is empty$/),
			details: expect.objectContaining({ description }),
		};
		expect(await run()).toEqual({ items: NOTHING.map(() => refused), requests: [] });

		const { name, deadline } = before;
		const asItWas = expect.objectContaining({ id: ID, name, deadline });
		const reads = NOTHING.map(() => READ);
		expect(await run('keep')).toEqual({ items: NOTHING.map(() => asItWas), requests: reads });

		const { requests } = await run('clear');
		const requested = isClearable ? [READ, WRITE] : [READ];
		expect(requests).toEqual(NOTHING.flatMap(() => requested));
		const body = { ...before, ...cleared };
		expect(bodies(sandbox, 'PUT')).toEqual(isClearable ? NOTHING.map(() => body) : []);
	},
);

test.each([
	['Step', add(VALUE, 8)],
	['User', add(1201, VALUE)],
	['Action', { ...add(1201, 8), action: VALUE }],
])('An empty %s in one of several rows refuses all of them by default', async (part, row) => {
	const { error } = await update(undefined, { changeSteps: rows(add(1202, 8), row) }, [{}]);
	expect(error?.message).toBe(`'${part}' in row 2 of 'Change Step Assignments' is empty`);
	expect(error?.description).toContain("set 'Empty Values' under 'Options' to Keep.");
	expect(sandbox.requests()).toEqual([]);
});

test('An empty value between commas is one, too, and of a name it is text', async () => {
	await update('clear', { tags: '={{ $json.value }}, ', name: '={{ $json.value }}, ' }, [{}]);
	expect(bodies(sandbox, 'PUT')).toMatchObject([{ tags: [], name: ', ' }]);
});

test.each<[field: string, given: NodeParameterValueType]>([
	['name', ''],
	['deadline', ' '],
	['priority', ''],
	['tags', ' , '],
	['tags', '[]'],
	['addTags', ''],
	['process', locator('', 'list')],
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
