import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { bodies, settableOf, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';

const row = (step_id: number, user_id: number) => ({ step_id, user_id });
/** What the instance has before each update: two users of one step, one user of two, and a tag twice. */
const ASSIGNED = [row(1201, 42), row(1202, 43), row(1201, 44), row(1203, 42)];
const BEFORE = {
	tags: ['finance', 'urgent', 'urgent'],
	priority: null,
	step_assignments: ASSIGNED,
};

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
let before: IDataObject;
beforeEach(() => {
	sandbox.control.change(ID, BEFORE);
	before = { ...settableOf(stored(sandbox, ID)) };
});

const update = async (parameters: INodeParameters, items?: IDataObject[]) =>
	await sandbox.run({ operation: 'update', instanceId: locator(ID), ...parameters }, items);
/** What is sent for an item. */
const sentFor = async (updateFields: INodeParameters, value: unknown = null) => {
	const { error } = await update({ updateFields }, [itemWith(value)]);
	expect(error).toBeUndefined();
	expect(sandbox.requests()).toEqual([READ, WRITE]);
	return bodies(sandbox, 'PUT')[0];
};
describe('Update with Keep sends back what the user did not set. It', () => {
	test.each<[what: string, field: string, value: unknown, sent: unknown]>([
		['a name of 255 emoji', 'name', '😀'.repeat(255), '😀'.repeat(255)],
		['a name with its blanks', 'name', '  № "7"\\\n', '  № "7"\\\n'],
		['the text of a switch as a name', 'name', false, 'false'],
		['no name if the process names it', 'automaticNaming', true, undefined],
		['no name if the text says so', 'automaticNaming', 'true', undefined],
		['High, by its value in small letters', 'priority', 'h', 'H'],
		['High, by its label and with blanks', 'priority', ' HIGH\n', 'H'],
		['Very High, by its value', 'priority', 'v', 'V'],
		['Very High, by its label', 'priority', 'Very High', 'V'],
		['no priority for Regular', 'priority', ' REGULAR ', undefined],
		['tags between commas, each once', 'tags', ' b ,a,, c\t,b', ['b', 'a', 'c']],
		['tags of a list', 'tags', ['z', ' a ', '', 'z', 'a, b', 1.5], ['z', 'a', 'a, b', '1.5']],
		['tags of JSON text', 'tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['tags in brackets', 'tags', '[draft], [final]', ['[draft]', '[final]']],
		['a number as a tag', 'tags', 7, ['7']],
		['no tags for an empty list', 'tags', '[]', []],
		['added tags after the others', 'addTags', 'late,finance', [...BEFORE.tags, 'late']],
		['tags without the removed ones', 'removeTags', ' finance, unknown', ['urgent', 'urgent']],
		['all tags if it removes none', 'removeTags', [], BEFORE.tags],
	])('sends %s', async (_what, field, value, sent) => {
		const key = /tags$/i.test(field) ? 'tags' : field === 'automaticNaming' ? 'name' : field;
		expect(await sentFor({ [field]: VALUE }, value)).toEqual({ ...before, [key]: sent });
	});

	const [first, second, third, fourth] = ASSIGNED;
	const BOTH = { ...filled([1, VALUE]), ...listed('[{"stepId":"3","userId":4,"id":5}]') };
	const ADDED = filled([4, 5], [' 4 ', '5'], [1203, 42]);
	const OF_LIST = [row(1201, 42), { step_id: 1202 }];
	const SET = 'stepAssignments';
	const ADD = 'addStepAssignments';
	const REMOVE = 'removeStepAssignments';
	const REASSIGN = 'reassignSteps';
	const HANDED_OVER = [third, second, row(1203, 8)];
	test.each<[what: string, field: string, INodeParameters, value: unknown, sent: unknown[]]>([
		['rows', SET, filled([3, ' 7 '], [' 1 ', 9]), null, [row(3, 7), row(1, 9)]],
		['an empty list', SET, listed(), '[]', []],
		['rows before a list', SET, BOTH, 2, [row(1, 2), row(3, 4)]],
		['added users, each once', ADD, ADDED, null, [...ASSIGNED, row(4, 5)]],
		['all if a list adds none', ADD, listed(), [], ASSIGNED],
		['all but one of a step', REMOVE, filled([1201, 42]), null, [second, third, fourth]],
		['all but those of a step', REMOVE, filled([1201, '']), null, [second, fourth]],
		['all but two', REMOVE, filled([1201, 44], [1203]), null, [first, second]],
		['all if none matches', REMOVE, filled([1202, 42], [1299]), null, ASSIGNED],
		['all but one', REMOVE, filled([VALUE, 44]), '1201', [first, second, fourth]],
		['all but those of a list', REMOVE, listed(), OF_LIST, [third, fourth]],
		['one in place of two', REASSIGN, filled([1201, 7]), null, [row(1201, 7), second, fourth]],
		['one of two', REASSIGN, filled([1201, '44'], [1203, '8']), null, HANDED_OVER],
		['one by a list', REASSIGN, listed(), [row(1202, 7)], [first, row(1202, 7), third, fourth]],
		['all if a list reassigns none', REASSIGN, listed(), [], ASSIGNED],
	])('sends, of the step assignments, %s, by %s', async (...given) => {
		const [, field, form, value, step_assignments] = given;
		expect(await sentFor({ [field]: form }, value)).toEqual({ ...before, step_assignments });
	});

	test.each<[what: string, INodeParameters, IDataObject]>([
		[
			'no removed tag',
			{ addTags: 'd, urgent, e', removeTags: 'finance, e' },
			{ tags: ['urgent', 'd'] },
		],
		['a name beside a switch that is off', { name: 'A', automaticNaming: false }, { name: 'A' }],
		[
			'a name beside the text false',
			{ name: 'A', automaticNaming: '={{ "false" }}' },
			{ name: 'A' },
		],
		[
			'a new user in place of those who are removed',
			{ removeStepAssignments: filled([1201]), addStepAssignments: filled([1201, 7], [1202, 43]) },
			{ step_assignments: [row(1201, 7), row(1202, 43), row(1203, 42)] },
		],
		[
			'users whom it adds, removes and reassigns at once',
			{
				reassignSteps: filled([1203, 9], [1203, 9], [1204, 8]),
				addStepAssignments: filled([1203, 9], [1202, 7]),
				removeStepAssignments: filled([1203, 42], [1202, 43]),
			},
			{ step_assignments: [first, row(1202, 7), third, row(1203, 9), row(1204, 8)] },
		],
	])('sends %s', async (_what, updateFields, sent) => {
		expect(await sentFor(updateFields)).toEqual({ ...before, ...sent });
	});

	test('changes nothing of what was there, even what it would refuse or trim', async () => {
		sandbox.control.change(ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [row(0, -4), row(0, -4)],
		});
		const kept = JSON.stringify(settableOf(stored(sandbox, ID)));
		expect(JSON.stringify(await sentFor({ process: locator(12) }))).toBe(kept);
	});

	test.each<[string, NodeParameterValueType]>([
		['the list', { ...locator('11', 'list'), cachedResultName: 'Onboarding' }],
		['an expression, with blanks', locator('={{ " 11 " }}')],
		['a link without the slash', locator('http://other.example/tenant/processes/11', 'url')],
		['a link where an ID is expected', locator('https://other.example/api/processes/11/')],
	])('moves the instance to the process whose ID is in %s', async (_what, given) => {
		const process = `${sandbox.credentials.baseUrl}/processes/11/`;
		expect(await sentFor({ process: given })).toEqual({ ...before, process });
	});
});

test('Update with Reset sends only the fields that are set, without reading the instance', async () => {
	const updateFields = { process: locator(12), name: 'A' };
	await update({ updateFields, clearFields: ['deadline'], options: { unsetFields: 'reset' } });
	const process = `${sandbox.credentials.baseUrl}/processes/12/`;
	expect(bodies(sandbox, 'PUT')).toEqual([{ process, name: 'A', deadline: null }]);
	expect(sandbox.requests()).toEqual([WRITE]);
});

describe('Update refuses before anything is sent:', () => {
	/** Runs a good item and a bad one behind it, which must keep both back. */
	const refusal = async (field: string, form: NodeParameterValueType, ...values: unknown[]) => {
		const items = values.map(itemWith);
		const { error, outputs } = await update({ updateFields: { [field]: form } }, items);
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(values.length - 1);
		expect(error?.description).toMatch(/\S.*\.$/);
		expect(sandbox.requests()).toEqual([]);
		return error?.message;
	};

	test.each<[message: string, field: string, good: unknown, bad: unknown]>([
		...[
			'["urgent", "finance"',
			"['urgent', 'finance']",
			'{"tags": ["a"]}',
			'```json',
			'"urgent"',
		].map((text): [string, string, string, string] => [
			`"${text}" in 'Replace Tags' is neither a JSON list nor plain text separated by commas`,
			'tags',
			'a',
			text,
		]),
		["'Replace Tags' contains an object instead of text", 'tags', 'a', '["a", {}]'],
		["'Name' is 256 characters long", 'name', 'A', '😀'.repeat(256)],
		['"HV" in \'Priority\' is not a priority', 'priority', 'H', 'HV'],
		["1 in 'Priority' is not a priority", 'priority', 'H', 1],
	])('%s in the second item', async (message, field, good, bad) => {
		expect(await refusal(field, VALUE, good, bad)).toBe(message);
	});

	const RESET = { unsetFields: 'reset' };
	const ASSIGNED_TWICE = {
		reassignSteps: filled([8, 1], [7, 1]),
		addStepAssignments: filled([8, 1], [7, 2]),
	};
	test.each<[message: string, INodeParameters]>([
		['There is nothing to update', {}],
		['There is nothing to update', { updateFields: { automaticNaming: false } }],
		["'Name' is both set and cleared", { updateFields: { name: 'A' }, clearFields: ['name'] }],
		[
			"'Replace Tags' and 'Add Tags' can't be used together",
			{ updateFields: { addTags: 'a', removeTags: 'b', tags: 'c' } },
		],
		[
			"'Name' and 'Automatic Naming' can't be used together",
			{ updateFields: { name: 'A', automaticNaming: true } },
		],
		["'Fields to Clear' is empty", { clearFields: '={{ $json.nothing }}' }],
		['"process" in \'Fields to Clear\' is not one of its options', { clearFields: ['process'] }],
		["'Name' contains an object instead of text", { updateFields: { name: '={{ ({ a: 1 }) }}' } }],
		[
			'"maybe" in \'Automatic Naming\' is not true or false',
			{ updateFields: { automaticNaming: '={{ "maybe" }}' } },
		],
		[
			'"skip" in \'Empty Values\' is not one of its options',
			{ updateFields: { name: 'A' }, options: { emptyValues: 'skip' } },
		],
		[
			"'Process' is required when 'Other Fields' is set to Reset",
			{ updateFields: { name: 'A' }, options: RESET },
		],
		[
			"'Reassign Steps' contains step 7, which would get more than one user",
			{ updateFields: ASSIGNED_TWICE },
		],
	])('%s (%j)', async (message, parameters) => {
		expect((await update(parameters)).error?.message).toBe(message);
		expect(sandbox.requests()).toEqual([]);
	});

	test('a list under Remove Step Assignments with a key that may be misspelled', async () => {
		const message = `'Remove Step Assignments' contains an entry with the key "user"`;
		const value = [{ step_id: 1201, user: 42 }];
		expect(await refusal('removeStepAssignments', listed(), value)).toBe(message);
	});

	// One reads assignments, the other those that it selects, where the user may be left open.
	test.each([
		['addStepAssignments', 'Add Step Assignments'],
		['removeStepAssignments', 'Remove Step Assignments'],
	])('rows and lists in %s that are no assignments', async (field, label) => {
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
});
