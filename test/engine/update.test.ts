import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { takeUnexpectedRequests, useNodeRunner } from '../harness';
import { bodies, give, settableOf, stored } from './support/instances';
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
const process = (id: number) => `${sandbox.credentials.baseUrl}/processes/${id}/`;
beforeEach(async () => {
	await give(sandbox, ID, BEFORE);
});

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
	const DATE = '2026-07-01T10:00:00+02:00';

	test.each<[field: string, value: unknown, sent: unknown]>([
		['name', '😀'.repeat(255), '😀'.repeat(255)],
		['name', '  № "7"\\\n', '  № "7"\\\n'],
		['name', 118, '118'],
		['name', false, 'false'],
		...all([true, 'true'], 'automaticNaming'),
		['deadline', DATE, DATE],
		['deadline', null, null],
		...all(['h', ' HIGH\n'], 'priority', 'H'),
		...all(['v', 'Very High'], 'priority', 'V'),
		['priority', ' REGULAR ', undefined],
		['tags', ' b ,a,, c\t,b', ['b', 'a', 'c']],
		['tags', ['z', ' a ', '', 'z', 'a, b', 1.5, true, '1.5'], ['z', 'a', 'a, b', '1.5', 'true']],
		['tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['tags', '[draft], [final', ['[draft]', '[final']],
		['tags', 7, ['7']],
		['tags', true, ['true']],
		...all(['[]', ['', ' ']], 'tags', []),
		['addTags', 'late,finance', ['finance', 'urgent', 'late']],
		['addTags', '', ['finance', 'urgent']],
		['removeTags', ' finance, unknown', ['urgent']],
		['removeTags', [], ['finance', 'urgent']],
	])('%s given %j', async (field, value, sent) => {
		const before = settableOf(stored(sandbox, ID));
		const key = /tags$/i.test(field) ? 'tags' : field === 'automaticNaming' ? 'name' : field;
		const body = await kept({ updateFields: { [field]: VALUE } }, value);
		expect(body).toEqual({ ...before, [key]: sent });
	});

	const [first, second, third, fourth] = ASSIGNED;
	const assignedBy = async (field: string, form: INodeParameters, value: unknown) => {
		const before = settableOf(stored(sandbox, ID));
		const { step_assignments, ...rest } =
			(await kept({ updateFields: { [field]: form } }, value)) ?? {};
		expect({ ...rest, step_assignments: ASSIGNED }).toEqual(before);
		return step_assignments;
	};

	test.each<[form: INodeParameters, value: unknown, sent: unknown[]]>([
		[filled([1203, ' 7 '], [' 1201 ', 9]), null, [row(1203, 7), row(1201, 9)]],
		[listed(), '[]', []],
		[
			{ ...filled([1, 2]), ...listed() },
			[{ stepId: '3', userId: 4, id: 5 }],
			[row(1, 2), row(3, 4)],
		],
	])('step assignments replaced by %j given %j', async (form, value, sent) => {
		expect(await assignedBy('stepAssignments', form, value)).toEqual(sent);
	});

	test.each<[form: INodeParameters, value: unknown, added: unknown[]]>([
		[filled([1204, 45], [' 1204 ', '45'], [1203, 42]), null, [row(1204, 45)]],
		[
			{ ...filled([4, VALUE]), ...listed('[{"step_id":6,"user_id":7}]') },
			5,
			[row(4, 5), row(6, 7)],
		],
		[listed(), [], []],
	])('step assignments added as %j given %j', async (form, value, added) => {
		const sent = [...ASSIGNED, ...added];
		expect(await assignedBy('addStepAssignments', form, value)).toEqual(sent);
	});

	test.each<[form: INodeParameters, value: unknown, left: unknown[]]>([
		[filled([1201, 42]), null, [second, third, fourth]],
		[filled([1201, '']), null, [second, fourth]],
		[filled([1201, 44], [1203]), null, [first, second]],
		[filled([1202, 42], [1299]), null, ASSIGNED],
		[filled([VALUE, 44]), '1201', [first, second, fourth]],
		[listed(), [row(1201, 42), { step_id: 1202 }], [third, fourth]],
	])('step assignments removed as %j given %j', async (form, value, left) => {
		expect(await assignedBy('removeStepAssignments', form, value)).toEqual(left);
	});

	test.each<[form: INodeParameters, value: unknown, sent: unknown[]]>([
		[filled([1201, 7]), null, [row(1201, 7), second, fourth]],
		[filled([1201, '44'], [1204, '8']), null, [third, second, fourth, row(1204, 8)]],
		[
			listed(),
			[row(1203, 7), { stepId: '1202', userId: '9' }],
			[first, row(1202, 9), third, row(1203, 7)],
		],
		[listed(), [], ASSIGNED],
	])('steps reassigned as %j given %j', async (form, value, sent) => {
		expect(await assignedBy('reassignSteps', form, value)).toEqual(sent);
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
				removeStepAssignments: filled([1201, 44]),
				addStepAssignments: filled([1204, 8], [1201, 7]),
			},
			{ step_assignments: [first, second, row(1201, 7), fourth, row(1204, 8)] },
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
		await give(sandbox, ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [row(0, -4), row(0, -4)],
		});
		const before = JSON.stringify(settableOf(stored(sandbox, ID)));
		expect(JSON.stringify(await kept({ updateFields: { process: locator(12) } }))).toBe(before);
		expect(JSON.stringify(settableOf(stored(sandbox, ID)))).toBe(before);
	});
});

describe('Process', () => {
	test.each<[string, NodeParameterValueType]>([
		['an ID', locator(11)],
		['the list', { ...locator('11', 'list'), cachedResultName: 'Onboarding' }],
		['an expression, with blanks', locator('={{ " 11 " }}')],
		['a link without the slash', locator('http://other.example/tenant/processes/11', 'url')],
		['a link where an ID is expected', locator('https://other.example/api/processes/11/')],
	])('is taken from %s, and only its ID is used', async (_what, given) => {
		expect(await kept({ updateFields: { process: given } })).toEqual({
			...settableOf(stored(sandbox, ID)),
			process: process(11),
		});
		expect(takeUnexpectedRequests()).toEqual([]);
	});
});

/** What each refusal says is in docs/messages.md; that no value slips through, in properties.test.ts. */
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
		['removeTags', 'a', '[["a"]]', "The list in 'Remove Tags' contains a list instead of text"],
		['tags', 'a', '["a", null]', "The list in 'Replace Tags' contains an empty entry"],
		['tags', 'a', ', ,', "'Replace Tags' is empty"],
		['tags', 'a', ' ', "'Replace Tags' is empty"],
		['process', 11, '', "'Process' is empty"],
		['automaticNaming', true, 1, "1 in 'Automatic Naming' is not true or false"],
		['name', 'A', '😀'.repeat(256), "'Name' is 256 characters long"],
		['priority', 'H', 'HV', '"HV" in \'Priority\' is not a priority'],
		['priority', 'H', 1, "1 in 'Priority' is not a priority"],
	])('in %s, beside %j: %j', async (field, good, bad, message) => {
		expect(await refusal(field, VALUE, good, bad)).toBe(message);
	});

	test('an item for which nothing is left to do', async () => {
		const { error } = await update({ updateFields: { automaticNaming: false } });
		expect(error?.message).toBe('There is nothing to update');
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
			[EMPTY, listed(), null],
			[`"[{"step_id": 7" in '${label}' is not a list of assignments`, listed(), '[{"step_id": 7'],
			[`'${label}' contains an object instead of a list of assignments`, listed(), row(1, 2)],
			[NO_STEP, { assignment: [{ stepId: 1, userId: 2 }, {}] }],
			[NO_STEP, filled(['', 45])],
			[NO_STEP, { assignment: [{ stepId: { ...locator(''), value: null }, userId: 45 }] }],
			[NO_STEP, filled(['={{ $json.nothing }}', 45])],
			[NO_STEP, listed('[null]')],
			[NO_STEP, listed('[{"__proto__": {"step_id": 7, "user_id": 8}}]')],
			[NO_USER, filled([1201, '={{ $json.nobody }}'])],
			[NO_USER, filled([1201, '={{ "" }}'])],
			[NO_USER, listed('[{ "step_id": 1201, "user_id": null }]')],
			[no('"1e3"', 'Step'), filled([VALUE, 45]), '1e3'],
			[no('"0x10"', 'User'), filled([7, VALUE]), '0x10'],
			[no('0', 'Step'), filled([VALUE, 45]), 0],
			[no('1.5', 'User'), filled([7, VALUE]), 1.5],
			[no('9007199254740992', 'Step'), filled([VALUE, 45]), 2 ** 53],
			[no('a list', 'User'), filled([7, VALUE]), [7]],
			[no('an object', 'Step'), listed(), [{ step_id: { value: 1 }, user_id: 2 }]],
		];
		for (const [message, form, value] of rows) {
			expect(await refusal(field, form, value)).toBe(message);
		}
	});

	test.each<[INodeParameters, message: string]>([
		[
			{ reassignSteps: filled([7, 1], [8, 1], [7, 2]) },
			"'Reassign Steps' contains step 7 more than once, with different users",
		],
		[
			{ reassignSteps: filled([7, 1]), addStepAssignments: filled([8, 1], [7, 2]) },
			"Step 7 is in 'Reassign Steps' and also in 'Add Step Assignments'",
		],
		[
			{ reassignSteps: filled([8, 1], [7, 1]), removeStepAssignments: filled([7, 1]) },
			"Step 7 is in 'Reassign Steps' and also in 'Remove Step Assignments'",
		],
		[
			{ reassignSteps: filled([7, 1]), stepAssignments: filled([8, 1]) },
			"'Reassign Steps' and 'Replace Step Assignments' can't be used together",
		],
	])('%j, of which one thing contradicts another', async (updateFields, message) => {
		expect((await update({ updateFields })).error?.message).toBe(message);
		expect(sandbox.requests()).toEqual([]);
	});
});
