import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { takeUnexpectedRequests, useNodeRunner } from '../harness';
import { bodies, settableOf, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';

const row = (step_id: number, user_id: number) => ({ step_id, user_id });
/** What the instance has before each update: two users of one step, and one user of two steps. */
const ASSIGNED = [row(1201, 42), row(1202, 43), row(1201, 44), row(1203, 42)];
const BEFORE = { tags: ['finance', 'urgent'], priority: null, step_assignments: ASSIGNED };

/** Rows as the editor saves them; a number stays one, as older workflows and agents have it. */
const filled = (...rows: Array<[step: unknown, user?: unknown]>): INodeParameters => ({
	assignment: rows.map(([stepId, userId]) => ({
		stepId: chosen(stepId),
		...(userId !== undefined && { userId: chosen(userId) }),
	})),
});
const chosen = (id: unknown) =>
	typeof id === 'number' ? id : locator(String(id), id === '' ? 'list' : 'id');
const listed = (assignments = VALUE): INodeParameters => ({ list: [{ assignments }] });
/** An item as other nodes send it; undefined stands for nothing. */
const itemWith = (value: unknown): IDataObject => JSON.parse(JSON.stringify({ value }));

const sandbox = useSandbox();
const runner = useNodeRunner({ parameters: {} });
beforeEach(() => sandbox.control.change(ID, BEFORE));

const update = async (parameters: INodeParameters, items: IDataObject[] = [{}]) =>
	await runner.run({
		parameters: { operation: 'update', instanceId: locator(ID), ...parameters },
		items,
		credentials: sandbox.credentials,
	});
/** What Keep sends for an item. */
const kept = async (parameters: INodeParameters, value: unknown = null) => {
	const { error } = await update(parameters, [itemWith(value)]);
	expect(error).toBeUndefined();
	expect(sandbox.requests()).toEqual([READ, WRITE]);
	return bodies(sandbox, 'PUT')[0];
};

describe('Update keeps all but', () => {
	const all = (values: unknown[], field: string, sent?: unknown) =>
		values.map((value): [string, unknown, unknown] => [field, value, sent]);

	test.each<[field: string, value: unknown, sent: unknown]>([
		['name', '😀'.repeat(255), '😀'.repeat(255)],
		['name', '  № "7"\\\n', '  № "7"\\\n'],
		['name', false, 'false'],
		...all([true, 'true'], 'automaticNaming'),
		...all(['h', ' HIGH\n'], 'priority', 'H'),
		...all(['v', 'Very High'], 'priority', 'V'),
		['priority', ' REGULAR ', undefined],
		['tags', ' b ,a,, c\t,b', ['b', 'a', 'c']],
		['tags', ['z', ' a ', '', 'z', 'a, b', 1.5, true, '1.5'], ['z', 'a', 'a, b', '1.5', 'true']],
		['tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['tags', '[draft], [final', ['[draft]', '[final']],
		['tags', 7, ['7']],
		['tags', true, ['true']],
		['tags', '[]', []],
		['addTags', 'late,finance', ['finance', 'urgent', 'late']],
		['removeTags', ' finance, unknown', ['urgent']],
		['removeTags', [], ['finance', 'urgent']],
	])('%s given %j', async (field, value, sent) => {
		const before = settableOf(stored(sandbox, ID));
		const key = /tags$/i.test(field) ? 'tags' : field === 'automaticNaming' ? 'name' : field;
		const body = await kept({ updateFields: { [field]: VALUE } }, value);
		expect(body).toEqual({ ...before, [key]: sent });
	});

	const [first, second, third, fourth] = ASSIGNED;
	const BOTH = { ...filled([1, VALUE]), ...listed('[{"stepId":"3","userId":4,"id":5}]') };
	test.each<[field: string, form: INodeParameters, value: unknown, sent: unknown[]]>([
		['stepAssignments', filled([3, ' 7 '], [' 1 ', 9]), null, [row(3, 7), row(1, 9)]],
		['stepAssignments', listed(), '[]', []],
		['stepAssignments', BOTH, 2, [row(1, 2), row(3, 4)]],
		[
			'addStepAssignments',
			filled([4, 5], [' 4 ', '5'], [1203, 42]),
			null,
			[...ASSIGNED, row(4, 5)],
		],
		['addStepAssignments', listed(), [], ASSIGNED],
		['removeStepAssignments', filled([1201, 42]), null, [second, third, fourth]],
		['removeStepAssignments', filled([1201, '']), null, [second, fourth]],
		['removeStepAssignments', filled([1201, 44], [1203]), null, [first, second]],
		['removeStepAssignments', filled([1202, 42], [1299]), null, ASSIGNED],
		['removeStepAssignments', filled([VALUE, 44]), '1201', [first, second, fourth]],
		['removeStepAssignments', listed(), [row(1201, 42), { step_id: 1202 }], [third, fourth]],
		['reassignSteps', filled([1201, 7]), null, [row(1201, 7), second, fourth]],
		['reassignSteps', filled([1201, '44'], [1203, '8']), null, [third, second, row(1203, 8)]],
		['reassignSteps', listed(), [row(1203, 7)], [first, second, third, row(1203, 7)]],
		['reassignSteps', listed(), [], ASSIGNED],
	])('%s as %j given %j', async (field, form, value, step_assignments) => {
		const before = settableOf(stored(sandbox, ID));
		const body = await kept({ updateFields: { [field]: form } }, value);
		expect(body).toEqual({ ...before, step_assignments });
	});

	test.each<[INodeParameters, IDataObject]>([
		[{ addTags: 'd, urgent, e', removeTags: 'finance, e' }, { tags: ['urgent', 'd'] }],
		[{ name: 'A', automaticNaming: false }, { name: 'A' }],
		[{ name: 'A', automaticNaming: '={{ "false" }}' }, { name: 'A' }],
		[
			// Given to somebody else: removed whoever has it, added for the new one.
			{ removeStepAssignments: filled([1201]), addStepAssignments: filled([1201, 7], [1202, 43]) },
			{ step_assignments: [row(1201, 7), row(1202, 43), row(1203, 42)] },
		],
		[
			{
				reassignSteps: filled([1203, 9], [1203, 9], [1204, 8]),
				addStepAssignments: filled([1203, 9], [1202, 7]),
				removeStepAssignments: filled([1203, 42], [1202, 43]),
			},
			{ step_assignments: [first, row(1202, 7), third, row(1203, 9), row(1204, 8)] },
		],
	])('%j together', async (updateFields, sent) => {
		const before = settableOf(stored(sandbox, ID));
		expect(await kept({ updateFields })).toEqual({ ...before, ...sent });
	});

	test('nothing of what was there, in its order, even where it would be refused or trimmed', async () => {
		sandbox.control.change(ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [row(0, -4), row(0, -4)],
		});
		const before = JSON.stringify(settableOf(stored(sandbox, ID)));
		expect(JSON.stringify(await kept({ updateFields: { process: locator(12) } }))).toBe(before);
		expect(JSON.stringify(settableOf(stored(sandbox, ID)))).toBe(before);
	});

	test.each<[string, NodeParameterValueType]>([
		['the list', { ...locator('11', 'list'), cachedResultName: 'Onboarding' }],
		['an expression, with blanks', locator('={{ " 11 " }}')],
		['a link without the slash', locator('http://other.example/tenant/processes/11', 'url')],
		['a link where an ID is expected', locator('https://other.example/api/processes/11/')],
	])('the process, of which only the ID in %s is used', async (_what, given) => {
		const before = settableOf(stored(sandbox, ID));
		const process = `${sandbox.credentials.baseUrl}/processes/11/`;
		expect(await kept({ updateFields: { process: given } })).toEqual({ ...before, process });
		expect(takeUnexpectedRequests()).toEqual([]);
	});
});

test('Update with Reset sends only the fields that are set, without reading the instance', async () => {
	const updateFields = { process: locator(12), name: 'A' };
	await update({ updateFields, clearFields: ['deadline'], options: { unsetFields: 'reset' } });
	const process = `${sandbox.credentials.baseUrl}/processes/12/`;
	expect(bodies(sandbox, 'PUT')).toEqual([{ process, name: 'A', deadline: null }]);
	expect(sandbox.requests()).toEqual([WRITE]);
});

describe('Update refuses', () => {
	/** Runs a good item and a bad one behind it, which must keep both back. */
	const refusal = async (field: string, form: NodeParameterValueType, ...values: unknown[]) => {
		const { error, outputs } = await update(
			{ updateFields: { [field]: form } },
			values.map(itemWith),
		);
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(values.length - 1);
		expect(error?.description).toMatch(/\S.*\.$/);
		expect(sandbox.requests()).toEqual([]);
		return error?.message;
	};

	test.each<[field: string, good: unknown, bad: unknown, message: string]>([
		['addTags', 'a', null, "'Add Tags' is empty"],
		['tags', 'a', '["a", {}]', "'Replace Tags' contains an object instead of text"],
		['tags', 'a', ', ,', "'Replace Tags' is empty"],
		['name', 'A', '😀'.repeat(256), "'Name' is 256 characters long"],
		['priority', 'H', 'HV', '"HV" in \'Priority\' is not a priority'],
		['priority', 'H', 1, "1 in 'Priority' is not a priority"],
	])('in %s, beside %j: %j', async (field, good, bad, message) => {
		expect(await refusal(field, VALUE, good, bad)).toBe(message);
	});

	const RESET = { unsetFields: 'reset' };
	test.each<[INodeParameters, message: string]>([
		[{}, 'There is nothing to update'],
		[{ updateFields: { automaticNaming: false } }, 'There is nothing to update'],
		[{ updateFields: { name: 'A' }, clearFields: ['name'] }, "'Name' is both set and cleared"],
		[
			{ updateFields: { addTags: 'a', removeTags: 'b', tags: 'c' } },
			"'Replace Tags' and 'Add Tags' can't be used together",
		],
		[{ clearFields: '={{ $json.nothing }}' }, "'Fields to Clear' is empty"],
		[{ clearFields: ['process'] }, '"process" in \'Fields to Clear\' is not one of its options'],
		[{ updateFields: { name: '={{ ({ a: 1 }) }}' } }, "'Name' contains an object instead of text"],
		[
			{ updateFields: { automaticNaming: '={{ "maybe" }}' } },
			'"maybe" in \'Automatic Naming\' is not true or false',
		],
		[
			{ updateFields: { name: 'A' }, options: RESET },
			"'Process' is required when 'Other Fields' is set to Reset",
		],
	])('%j before anything is sent: %s', async (parameters, message) => {
		expect((await update(parameters)).error?.message).toBe(message);
		expect(sandbox.requests()).toEqual([]);
	});

	// One reads assignments, the other those that it selects, where the user may be left open.
	test.each([
		['addStepAssignments', 'Add Step Assignments'],
		['removeStepAssignments', 'Remove Step Assignments'],
	])('in %s what is no assignment', async (field, label) => {
		const EMPTY = `'${label}' is empty`;
		const [NO_STEP, NO_USER] = ['Step', 'User'].map((part) => `'${part}' in ${EMPTY}`);
		const no = (words: string, part: string) => `${words} is not a valid '${part}' in '${label}'`;
		const rows: Array<[message: string | undefined, NodeParameterValueType, value?: unknown]> = [
			[EMPTY, { assignment: [], list: [] }],
			// n8n makes `{}` of it, so that taking that for an empty list would lose everything.
			[EMPTY, VALUE, [row(1204, 45)]],
			[`'${label}' contains an object instead of a list of assignments`, listed(), row(1, 2)],
			[NO_STEP, { assignment: [{ stepId: { ...locator(''), value: null }, userId: 45 }] }],
			[NO_STEP, listed('[null]')],
			[NO_STEP, listed('[{"__proto__": {"step_id": 7, "user_id": 8}}]')],
			[`'Step' or 'User' in ${EMPTY}`, filled([1201, '={{ $json.nobody }}'])],
			[NO_USER, listed('[{ "step_id": 1201, "user_id": null }]')],
			[no('"1e3"', 'Step'), filled([VALUE, 45]), '1e3'],
			[no('1.5', 'User'), filled([7, VALUE]), 1.5],
			[no('9007199254740992', 'Step'), filled([VALUE, 45]), 2 ** 53],
			[no('a list', 'User'), filled([7, VALUE]), [7]],
			[no('an object', 'Step'), listed(), [{ step_id: { value: 1 }, user_id: 2 }]],
		];
		for (const [message, form, value] of rows) {
			expect(await refusal(field, form, value)).toBe(message);
		}
	});

	test('to give a step to two users in different fields', async () => {
		const updateFields = {
			reassignSteps: filled([8, 1], [7, 1]),
			addStepAssignments: filled([8, 1], [7, 2]),
		};
		const message = "'Reassign Steps' contains step 7, which would get more than one user";
		expect((await update({ updateFields })).error?.message).toBe(message);
		expect(sandbox.requests()).toEqual([]);
	});
});
