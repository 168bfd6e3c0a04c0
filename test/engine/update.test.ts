import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { TRIGGER_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { bodies, itemsOf, settableOf, stored } from './support/instances';
import { WHOLE_UPDATE } from './support/operations';
import { CONTINUE, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';
import { add, assigned, reassign, remove, rows, stepChange } from './support/steps';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
type Value = IDataObject[string];
const VALUE = '={{ $json.value }}';
const UPDATE = { operation: 'update', instanceId: locator(ID) };

/** The instance before each update: two users of one step, one user of two steps, and a tag that is there twice. */
const ASSIGNED = [assigned(1201, 42), assigned(1202, 43), assigned(1201, 44), assigned(1203, 42)];
const TAGS = ['finance', 'urgent', 'urgent'];
const BEFORE = { tags: TAGS, priority: null, step_assignments: ASSIGNED };

const sandbox = useSandbox();
const { fault } = sandbox;
let before: IDataObject;
beforeEach(() => {
	sandbox.control.change(ID, BEFORE);
	before = { ...settableOf(stored(sandbox, ID)) };
});

const update = async (parameters: INodeParameters, items?: IDataObject[], settings = {}) =>
	await sandbox.run({ ...UPDATE, ...parameters }, items, settings);
/** Makes the service return the instance with these values; undefined leaves a field out. */
const returns = (values: IDataObject) => fault(respond(200, { ...stored(sandbox, ID), ...values }));
/** What is sent for an item. */
const sentFor = async (updateFields: INodeParameters, value: unknown = null) => {
	const { error } = await update({ updateFields }, itemsOf([value], 'value'));
	expect(error).toBeUndefined();
	expect(sandbox.requests()).toEqual([READ, WRITE]);
	return bodies(sandbox, 'PUT')[0];
};

test('Options are accepted in any letter case, as AI models write them', async () => {
	const changeSteps = rows(stepChange('ADD', 1204, 45));
	await update({ updateFields: { changeSteps }, clearFields: ['Name'] });
	const [body] = bodies(sandbox, 'PUT');
	expect(body).toMatchObject({ name: null, step_assignments: [...ASSIGNED, assigned(1204, 45)] });
});

test.each<IDataObject>([
	{ id: ID, value: null, text: 'tomorrow' },
	{ mode: 'dark', value: [] },
	{ mode: 'id' },
])('The object %j is neither empty nor an ID', async (value) => {
	const isObject = / contains an object instead of /;
	const options = { emptyValues: 'clear' };
	for (const field of ['name', 'deadline', 'priority', 'tags', 'stepAssignments']) {
		const { error } = await update({ updateFields: { [field]: VALUE }, options }, [{ value }]);
		expect(error?.message).toMatch(isObject);
	}
	const instance = { instanceId: VALUE, updateFields: { name: 'N' } };
	const column = { id: ID, text: 'a', ...value, value: 101, mode: 'dark' };
	expect((await update(instance, [{ value: column }])).error?.message).toMatch(isObject);
	expect(sandbox.requests()).toEqual([]);
});

test('A hint says that samples of the trigger have changed real instances', async () => {
	const items = [{ sample: true, event: 'completed', instance: { id: ID } }];
	const settings = { source: TRIGGER_TYPE };
	const { hints } = await update({ updateFields: { addTags: 'a' } }, items, settings);
	expect(hints).toEqual([expect.stringContaining('their instances are real, and this node')]);
	const dryRun = await update({ updateFields: { addTags: 'a' }, dryRun: true }, items, settings);
	expect(dryRun.hints).toEqual([expect.stringContaining('If changes is empty')]);
});

test('What later nodes do to the output of a dry run changes no update', async () => {
	const clear = { clearFields: ['tags'] };
	const { outputs } = await update({ ...clear, dryRun: true });
	Object(outputs[0]?.[0]?.json.changes).tags.to.push('x');
	await update(clear);
	expect(bodies(sandbox, 'PUT')).toMatchObject([{ tags: [] }]);
});

test('A quotation in a message ends at a whole character', async () => {
	const { error } = await update({ instanceId: locator(`${'a'.repeat(78)}😀😀`) });
	expect(error?.message).not.toMatch(/\p{Cs}/u);
});

const ofRows = (...change: INodeParameters[]) => ({ changeSteps: rows(...change) });
/** What a dry run shows for an item. */
const previewOf = async (
	updateFields: INodeParameters,
	item: IDataObject,
	{ emptyValues = 'clear', beside }: { emptyValues?: string; beside?: string } = {},
) => {
	const parameters = { updateFields, options: { emptyValues }, dryRun: true };
	const { outputs } = await update(parameters, [item], { beside });
	return outputs[0]?.[0]?.json;
};

describe('Update sends back what the user did not set. It', () => {
	const [NEW, NEWER] = [assigned(1, 11), assigned(11, 1)];
	const KEYS: Record<string, string> = {
		addTags: 'tags',
		removeTags: 'tags',
		stepAssignments: 'step_assignments',
	};
	test.each<[what: string, field: string, value: unknown, sent: unknown]>([
		['a name of 255 emoji', 'name', '😀'.repeat(255), '😀'.repeat(255)],
		['a name with {{ }} from the data', 'name', '{{ $json.id }}', '{{ $json.id }}'],
		['a name with $json from the data', 'name', 'About $json', 'About $json'],
		['a name with its blanks', 'name', '  № "7"\\\n', '  № "7"\\\n'],
		['the last number that is a deadline', 'deadline', 4_133_980_799, '2100-12-31T18:59:59-05:00'],
		['High, by its value in small letters', 'priority', 'h', 'H'],
		['Very High, by its value', 'priority', '\u200bv\ufeff', 'V'],
		['Very High, by its label', 'priority', 'Very High', 'V'],
		['no priority for Regular', 'priority', ' REGULAR ', undefined],
		['tags between commas, each once', 'tags', ' b ,a,, c\t,\u200bb', ['b', 'a', 'c']],
		['the first of two spellings', 'tags', 're\u0301, ré', ['re\u0301']],
		['any tag of a list', 'tags', ['"a"', 'b; c', '[d', '(e'], ['"a"', 'b; c', '[d', '(e']],
		['tags with closed brackets', 'tags', '(a] b), x {[c]}, :)', ['(a] b)', 'x {[c]}', ':)']],
		['tags of a list', 'tags', ['z', ' a ', '', 'z', 'a, b', 1.5], ['z', 'a', 'a, b', '1.5']],
		['tags of JSON text', 'tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['a flag, but not a part of one', 'tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿, \u{e0052}', ['🏴󠁧󠁢󠁥󠁮󠁧󠁿']],
		['a time after a rare blank', 'deadline', '2026-07-01\u202f10:00Z', '2026-07-01T10:00:00Z'],
		['tags with a colon of another script', 'tags', '\ufe13a, \ufe52b', ['\ufe13a', '\ufe52b']],
		['a tag that starts with a dash', 'tags', '- a', ['- a']],
		['tags on lines', 'tags', "a\n'90s\r\n[draft]", ['a', "'90s", '[draft]']],
		['added tags after the others', 'addTags', 'late,finance', [...BEFORE.tags, 'late']],
		['tags without the removed ones', 'removeTags', ' finance, unknown', ['urgent', 'urgent']],
		['assignments of a list, each once', 'stepAssignments', [NEW, NEWER, NEW], [NEW, NEWER]],
		['assignments of JSON text', 'stepAssignments', '[{"step_id":" 1 ","user_id":"11"}]', [NEW]],
		['assignments with other keys', 'stepAssignments', [{ ...NEW, url: 'u' }], [NEW]],
	])('sends %s', async (_what, field, value, sent) => {
		const key = KEYS[field] ?? field;
		expect(await sentFor({ [field]: VALUE }, value)).toEqual({ ...before, [key]: sent });
	});

	const [first, second, third, fourth] = ASSIGNED;
	const BY_DEFAULT = { stepId: VALUE, userId: locator(' 8 ') };
	const OF_USER_7 = assigned(1201, 7);
	const ALL_NEW = [add(1201, 7), add(1201, 44), remove(1201)];
	const ALL_ACTIONS = [reassign(1203, 9), add(1202, 7), remove(1202, 43)];
	const [NEW_USER, TWO_NEW] = [assigned(1204, 8), [reassign(1204, 8), reassign(1204, 8)]];
	test.each<[what: string, rows: INodeParameters[], sent: unknown[]]>([
		['a user in place of two', [reassign(1201, 7)], [OF_USER_7, second, fourth]],
		['one of two', [reassign(1201, '44')], [third, second, fourth]],
		['a user of each step', [BY_DEFAULT], [assigned(1201, 8), second, fourth]],
		['a user of a new step', TWO_NEW, [...ASSIGNED, NEW_USER]],
		['added users', [add(1204, 8), add(' 1204 ', '\u200b8')], [...ASSIGNED, NEW_USER]],
		['all but one of a step', [remove(VALUE, 42)], [second, third, fourth]],
		['all but those of a step', [remove(1201, '')], [second, fourth]],
		['all but two', [remove(1201, 44), remove(1203)], [first, second]],
		['all if none matches', [remove(1202, 42), remove(1204), add(1203, 42)], ASSIGNED],
		['new users in place of all of a step', ALL_NEW, [second, fourth, OF_USER_7, third]],
		[
			'after all three actions at once',
			ALL_ACTIONS,
			[first, third, assigned(1203, 9), assigned(1202, 7)],
		],
	])('sends each step assignment once, %s', async (_what, given, step_assignments) => {
		const sent = await sentFor({ changeSteps: rows(...given) }, '1201');
		expect(sent).toEqual({ ...before, step_assignments });
	});

	test('changes nothing that was there, even what it would refuse or trim', async () => {
		sandbox.control.change(ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [assigned(0, -4), assigned(0, -4)],
		});
		const kept = settableOf(stored(sandbox, ID));
		expect(await sentFor({ process: locator(12) })).toEqual(kept);
	});

	test('reads nothing if each field is set or cleared', async () => {
		expect((await update(WHOLE_UPDATE)).error).toBeUndefined();
		expect(sandbox.requests()).toEqual([WRITE]);
	});

	test.each<[string, NodeParameterValueType]>([
		['the list', { ...locator('11', 'list'), cachedResultName: 'Onboarding' }],
		['a URL without the slash', locator('HTTP://127.0.0.1/tenant/processes/11', 'url')],
	])('moves the instance to the process whose ID is in %s', async (_what, chosen) => {
		const process = `${sandbox.credentials.baseUrl}/processes/11/`;
		expect(await sentFor({ process: chosen })).toEqual({ ...before, process });
	});
});

describe('A name that the user did not set', () => {
	const ids = [SEED.running, SEED.autoNamed];
	const LEAVE_OUT = { options: { leaveOutRejectedNames: true } };
	const tagAll = async (parameters = {}, settings = {}) => {
		const fields = { instanceId: ID_OF_ITEM, updateFields: { addTags: 'a' }, ...parameters };
		return await update(fields, itemsOf(ids), settings);
	};
	const names = () => ids.map((id) => stored(sandbox, id).name);
	const namesSent = () => bodies(sandbox, 'PUT').map(({ name }) => name);

	test('is sent back, and the item is refused if the service rejects it', async () => {
		const present = names();
		const { outputs } = await tagAll({}, CONTINUE);
		const error = expect.stringContaining('name: The process has automatic naming enabled.');
		const description = expect.stringMatching(
			/^Update sent the current 'Name' .* rejected it\. If the process generates instance names, add 'Leave Out Rejected Names' under 'Options'\. Otherwise, set 'Name' .* with 'Fields to Clear'\. The current value will be lost\.$/,
		);
		expect(outputs).toMatchObject([
			[{ json: { name: present[0] } }, { json: { error, details: { description } } }],
		]);
		expect(namesSent()).toEqual(present);
		expect(names()).toEqual(present);
	});

	test('is omitted in one extra attempt if the user wants that, only for the instance whose name is rejected', async () => {
		const present = names();
		const { outputs } = await tagAll(LEAVE_OUT);
		expect(outputs[0]?.map(({ json }) => json.name)).toEqual(present);
		expect(namesSent()).toEqual([...present, undefined]);
	});

	test('is omitted, and what the service then rejects has advice of its own', async () => {
		fault(respond(400, { name: ['No.'] }), { method: 'PUT' });
		fault(respond(400, { deadline: ['No.'] }), { method: 'PUT' });
		const { error } = await update({ updateFields: { priority: 'V' }, ...LEAVE_OUT });
		expect(error?.description).toContain("Update sent the current 'Deadline' (");
	});

	test.each<[status: number, body: object, tries: number, words: string]>([
		[422, { name: ['No.'] }, 2, 'name: No.'],
		[422, { name: 'required' }, 2, 'name: required'],
		[422, { name: 'Занято' }, 2, 'name: Занято'],
		[400, { errors: { name: 'No.' } }, 2, 'name: No.'],
		[400, { validation_errors: { name: ['No.'] } }, 2, ': name: No.'],
		[400, { error: { code: 17, fields: { name: ['No.'] } } }, 2, '; name: No.'],
		[400, { tags: ['The name "a" is taken.'] }, 1, 'tags: The name'],
		[409, { name: ['No.'] }, 1, 'name: No.'],
		// Not about the field: the class of an error, and another field.
		[400, { name: 'BadRequest', message: 'Locked.' }, 1, 'Locked.'],
		[400, { name: 'ValidationError', code: 17, field: 'deadline' }, 1, 'field: deadline'],
		[400, { name: 'Not valid', statusCode: 400 }, 1, 'name: Not valid'],
		[400, { name: 'ValidationError' }, 1, 'name: ValidationError'],
		[400, { name: 'validation_error' }, 1, 'name: validation_error'],
		[400, { 'invalid-params': [{ name: 'tags', reason: 'Locked.' }] }, 1, 'Locked.'],
		[400, { error: 'Locked.', data: { name: 'Invoice 12' } }, 1, 'Locked; data.name: Invoice 12'],
	])('rejected with %d %j is tried %d times', async (status, body, tries, words) => {
		fault(respond(status, body), { method: 'PUT', times: 0 });
		const { outputs } = await tagAll(LEAVE_OUT, CONTINUE);
		const error = expect.stringContaining(words);
		expect(outputs).toMatchObject([[{ json: { error } }, { json: { error } }]]);
		expect(bodies(sandbox, 'PUT')).toHaveLength(2 * tries);
		// The last attempt left it out, or the reason isn't its value.
		expect(JSON.stringify(outputs)).not.toContain('back unchanged');
	});

	test('has an unknown outcome when the first request was cut off', async () => {
		fault({ type: 'applyThen', then: { type: 'reset' } }, { method: 'PUT' });
		fault(respond(400, { name: ['No.'] }), { method: 'PUT' });
		fault(respond(403, { detail: 'No.' }), { method: 'PUT' });
		const { error } = await update({ updateFields: { priority: 'V' }, ...LEAVE_OUT });
		expect(error?.httpCode).toBe('403');
		expect(error?.description).toContain('The change may already have been made.');
	});
});

describe('A step that is not in the instance', () => {
	const NAMED = [1201, 1202, 1203].map((id) => ({ id, name: 'A' }));
	// A user with the same ID says nothing about steps.
	const process_snapshot = { steps: NAMED, assignees: [{ id: 1102, name: 'Ann' }] };
	const change = { changeSteps: rows(add(1102, 7)) };
	const STEP = { id: 1102, name: 'A' };
	const message = `Step 1102 is not in instance ${ID}`;

	test.each([add(1102, 7), reassign(1102, 7), remove(1102)])('is refused in %j', async (row) => {
		const updateFields = { changeSteps: rows(row) };
		// The message says which instance, even if the response doesn't.
		returns({ id: undefined });
		expect((await update({ updateFields })).error).toMatchObject({ message, context: { id: ID } });
		// To the process that it's already in.
		const unmoved = { ...updateFields, process: locator(12) };
		expect((await update({ updateFields: unmoved })).error).toMatchObject({ message });
		returns({ id: undefined, process_snapshot });
		const { outputs } = await update({ updateFields, dryRun: true });
		const inDryRun = expect.stringContaining(`${message}. Choose a step of this instance`);
		expect(outputs[0]?.[0]?.json).toMatchObject({ id: ID, changes: null, message: inDryRun });
		expect(bodies(sandbox, 'PUT')).toEqual([]);
	});

	test('is also refused if a replica returns the state before an update of the run', async () => {
		const before = { ...stored(sandbox, ID), process_snapshot };
		fault(respond(200, before), { method: 'GET', times: 2 });
		const updateFields = { changeSteps: rows(add(VALUE, 7)) };
		const { error } = await update({ updateFields }, itemsOf([1201, 1102], 'value'));
		expect(error).toMatchObject({ message });
	});

	const snapshotOf = (...ids: number[]) =>
		JSON.stringify({ steps: NAMED.filter(({ id }) => ids.includes(id)) });
	test.each<[what: string, values: IDataObject, parameters?: INodeParameters]>([
		['without an active one', { process_snapshot: snapshotOf(1202, 1203), step_assignments: [] }],
		['without an assigned one', { process_snapshot: snapshotOf(1201, 1203) }],
		['that cannot be read', { process_snapshot: 'none' }],
		['whose active steps cannot be read', { active_step_ids: ['a'] }],
		['of the process that it leaves', {}, { process: locator(11) }],
		[
			'that lists it without a name',
			{ process_snapshot: { steps: [...NAMED, null, { id: '1102' }] } },
		],
		['that lists it below a user', { process_snapshot: { steps: NAMED, user: { tasks: [STEP] } } }],
		['of no step in use', { active_step_ids: [], step_assignments: [] }],
	])('is sent if there is a snapshot %s', async (_what, values, fields = {}) => {
		returns(values);
		const sent = await sentFor({ ...change, ...fields });
		expect(sent?.step_assignments).toContainEqual(assigned(1102, 7));
	});
});

describe('Dry Run of Update', () => {
	const [DUE, LATER] = ['2026-07-01T10:00:00Z', '2026-07-02T00:00:00Z'];
	const [AB, ONE, TWO] = [['a', 'b'], [assigned(9, 42)], [assigned(9, 42), assigned(8, 43)]];
	const NOW = { name: 'A', deadline: DUE, priority: 'H', tags: AB, step_assignments: ONE };
	const [ONE_AS_TEXT, TWO_AS_TEXT] = [JSON.stringify(ONE), JSON.stringify(TWO)];
	const SAME = { name: 'A', deadline: '2026-07-01T12:00:00+02:00', priority: 'high', tags: 'a, b' };
	const CLEAR_ALL = 'name, deadline, priority, tags, stepAssignments';
	const EMPTY = { name: '', deadline: '', priority: null, tags: null };
	const LISTED = [{ step_id: '9', user_id: '42', url: 'u' }];
	const UNCLEAR = [{ step: 9, user: 42 }];
	const MOVED = expect.stringMatching(/\/processes\/11\/$/);

	type Changes = Record<string, [from: unknown, to: unknown]>;
	const ALL_SET = { name: 'B', deadline: LATER, tags: 'c', stepAssignments: TWO_AS_TEXT };
	const SET: Changes = { name: ['A', 'B'], deadline: [DUE, LATER], tags: [AB, ['c']] };
	const CLEARED: Changes = { name: ['A', null], deadline: [DUE, null], priority: ['H', null] };
	const IN_12 = { process: 'https://internal.example/api/processes/12' };
	const ODD = { name: undefined, deadline: 'soon', tags: 'a, b', priority: 3 };
	const MENDED: Changes = { name: [null, 'B'], deadline: ['soon', DUE], tags: ['a, b', []] };
	const EXCHANGED = [assigned(9, 42), assigned(8, 42)];
	test.each<[read: IDataObject, set: INodeParameters, clearFields: string, changes: Changes]>([
		[{}, ALL_SET, '', { ...SET, step_assignments: [ONE, TWO] }],
		// What is both removed and added is there afterward.
		[{}, { addTags: 'c, b', removeTags: 'a, b, c' }, '', { tags: [AB, ['c', 'b']] }],
		[{}, { priority: 'regular', tags: 'a, b' }, '', { priority: ['H', null] }],
		[
			{ process: 'urn:process:3' },
			{ process: locator(11) },
			'',
			{ process: ['urn:process:3', MOVED] },
		],
		[{}, {}, CLEAR_ALL, { ...CLEARED, tags: [AB, []], step_assignments: [ONE, []] }],
		// The same value in other words.
		[{}, { ...SAME, stepAssignments: ONE_AS_TEXT, process: locator(12) }, '', {}],
		[{}, { addTags: 'a', removeTags: 'x', ...ofRows(add(9, 42)) }, '', {}],
		// The same value to the service.
		[{ ...EMPTY, ...IN_12 }, { process: locator(12) }, 'name, deadline, priority, tags', {}],
		[{ step_assignments: LISTED }, { stepAssignments: ONE_AS_TEXT }, '', {}],
		// Shows what was returned, readable or not.
		[ODD, { name: 'B', deadline: DUE }, 'tags, priority', { ...MENDED, priority: [3, null] }],
		// Nothing has to be kept if nothing is changed.
		[{ step_assignments: UNCLEAR }, { name: '={{ null }}' }, '', {}],
		[{ step_assignments: UNCLEAR }, {}, 'stepAssignments', { step_assignments: [UNCLEAR, []] }],
		[
			{ step_assignments: TWO },
			ofRows(reassign(8, 42)),
			'',
			{ step_assignments: [TWO, EXCHANGED] },
		],
	])('of what was read as %j, lists for %j and %j cleared: %j', async (...row) => {
		const [read, updateFields, clear, changes] = row;
		const current = { ...NOW, ...read };
		returns(current);
		const clearFields = clear.split(', ').filter(Boolean);
		const options = { emptyValues: 'keep' };
		const { outputs } = await update({ updateFields, clearFields, options, dryRun: true });
		const listed = Object.entries(changes).map(([key, [from, to]]) => [key, { from, to }]);
		const { name = null } = current;
		expect(outputs[0]?.map(({ json }) => json)).toEqual([
			{ id: ID, name, dryRun: true, changes: Object.fromEntries(listed) },
		]);
		expect(sandbox.requests()).toEqual([READ]);
	});

	test('lists every item, with what is wrong with it, and says that nothing was changed', async () => {
		sandbox.control.change(ID, { name: 'A' });
		fault(respond(200, { id: 103, process: 'p', tags: [1] }), { ids: [103] });
		fault(respond(500), { ids: [104] });
		const wrong = (id: number | null, words: string) => ({
			...{ id, name: null, dryRun: true, changes: null },
			message: expect.stringContaining(words),
		});
		const listed: Array<[id: number | string, name: string, json: object]> = [
			[999_999, 'B', wrong(999_999, 'did not find instance 999999 (404)')],
			['x', 'B', wrong(null, '"x" in \'Instance\' is not the ID')],
			[103, 'B', wrong(103, "did not return the 'Deadline'")],
			[ID, 'A', { id: ID, name: 'A', dryRun: true, changes: {} }],
			[101, '', wrong(101, "'Name' is empty")],
			[104, 'B', wrong(104, '(500)')],
		];
		const updateFields = { name: '={{ $json.name }}' };
		const parameters = { instanceId: ID_OF_ITEM, updateFields, dryRun: true };
		const items = listed.map(([id, name]) => ({ id, name }));
		const { error, outputs, tasks } = await update(parameters, items);
		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual(listed.map(([, , json], item) => ({ json, pairedItem: { item } })));
		expect(bodies(sandbox, 'PUT')).toEqual([]);
		const isOn = expect.stringMatching(/^Dry Run is on, so nothing was changed\. /);
		const failed = "Items that can't be processed: 5. See the message field of each.";
		const shown = { type: 'info', location: 'outputPane' };
		const hints = [isOn, failed].map((message: unknown) => ({ ...shown, message }));
		expect(tasks[0]?.hints).toEqual(hints);
	});
});

describe('A value that an expression returns empty', () => {
	const EMPTY = [undefined, null, '', ' \n', [], ' [ ]', [' ', null, []], '["", null]', ['[ ]']];
	const NOTHING = itemsOf(EMPTY, 'value');
	const FAILED = { error: 'Get failed', details: { item: 0 }, id: 7 };
	const to = (field: string, value: unknown) => ({ changes: { [field]: { to: value } } });
	const says = (words: string) => ({ message: expect.stringContaining(words) });
	const inRow = (part: string) => `'${part}' in row 1 of 'Change Step Assignments'`;
	test.each<[place: string, updateFields: INodeParameters]>([
		["'Name'", { name: VALUE }],
		["'Replace Tags'", { tags: VALUE }],
		["'Add Tags'", { addTags: VALUE }],
		["'Process'", { process: locator(VALUE) }],
		["'Process'", { process: VALUE }],
		[inRow('Action'), ofRows({ ...add(1201, 8), action: VALUE })],
		[inRow('Step'), ofRows(add(VALUE, 8))],
		[inRow('User'), ofRows({ ...remove(1201), userId: VALUE })],
	])('is refused in %s, unless Empty Values is Keep: %j', async (place, updateFields) => {
		const { outputs } = await update({ updateFields }, NOTHING, CONTINUE);
		const canClear = ['name', 'tags'].some((key) => key in updateFields);
		const advice = `'Empty Values' under 'Options' to Keep${canClear ? ' or Clear' : ''}.`;
		const description = expect.stringContaining(advice);
		const json = { id: ID, error: `${place} is empty`, details: { description } };
		expect(outputs).toMatchObject([NOTHING.map(() => ({ json }))]);
		expect(sandbox.requests()).toEqual([]);
		const kept = await update({ updateFields, options: { emptyValues: 'keep' } }, NOTHING);
		expect(kept.outputs[0]).toHaveLength(NOTHING.length);
		const label = 'changeSteps' in updateFields ? "'Change Step Assignments'" : place;
		expect(kept.hints[0]).toContain(`No item has a value for ${label} (kept). `);
		expect(sandbox.requests()).toEqual(NOTHING.map(() => READ));
	});

	test.each<[expression: string, item: IDataObject, failure: string | undefined]>([
		["={{ $json.v.split(';') }}", { v: 2026 }, '$json.v.split is not a function'],
		["={{ DateTime.fromFormat($json.v, 'd.M.yyyy') }}", { v: 46_477 }, 'input.match is not'],
		["={{ $json.v.split(';').join() // all }}", { v: 2026 }, '$json.v.split is not a function'],
		['={{ JSON.parse($json["v w"]) }}', { 'v w': '{' }, 'Expected property name'],
		['={{ JSON.parse($json["v w"]) }}', { 'v w': '', v: 1 }, undefined],
		["={{ $json.Größe.split('x'); }}", { Größe: 12 }, '$json.Größe.split is not'],
		["={{ JSON.parse('{') }}", {}, undefined],
		['={{ DateTime.fromISO($json.v).toISO() }}', { v: '03/31/2027' }, 'Invalid time value'],
		['={{ DateTime.fromISO($json.v).toISODate() }}', { v: '' }, undefined],
		['={{ new Date($json.v[0]).toISOString() }}', { v: 'soon' }, 'Invalid time value'],
		['={{ $json.v.match(/Invoice .+/)[0] }}', { v: 'Rechnung 5' }, undefined],
		['={{ $json.v.find(({ id }) => id === 1).v.trim() }}', { v: [{ id: 1, v: null }] }, undefined],
		['={{ DateTime.fromISO($json.v, { zone: $json.w }).toISO() }}', { v: '', w: 'UTC' }, undefined],
		['={{ DateTime.fromISO($json.v).toSQLDate() }}', { v: '03/31/2027' }, 'Invalid time value'],
		['={{ $input.first().json.v.trim() }}', { v: null }, undefined],
		['={{ $json.v.find(({ id }) => id === 2).v }}', { v: [{ id: 1 }] }, undefined],
		["={{ $json.v.split(';') }}", {}, undefined],
		["={{ $json.v.split(';') }}", { v: null }, undefined],
		['={{ $json.v?.name }}', { v: 'a' }, undefined],
		['={{ DateTime.fromISO($json.body.due).toISO() }}', { body: { due: '' } }, undefined],
		['={{ JSON.parse($json["v w"].x).y }}', { 'v w': { x: '' } }, undefined],
		['={{ Duration.fromISO($json.v).toISO() }}', { v: 'x' }, undefined],
		['={{ null; }}', { v: 'a' }, undefined],
		["={{ $json.v ? '' : 1 }}{{ '' }}", { v: 'a' }, undefined],
		['={{ $now.plus({ days: $json.v }).toISO() }}', { v: 'ten' }, 'Invalid unit value ten'],
		["={{ (() => { throw new Error('Unknown status') })($json.v) }}", { v: 1 }, 'Unknown status'],
		[
			"={{ $json.v ? DateTime.fromFormat($json.v, 'd/M/yyyy').toISO() : null }}",
			{ v: '2027-01-15' },
			'Invalid time value',
		],
		['={{ $vars.PREFIX.trim() }}', { v: 1 }, undefined],
		["={{ DateTime.fromISO($json.v).toISO() ?? '' }}", { v: 'TBD' }, undefined],
		["={{ DateTime.fromISO($json.v).toISO() === 'x' ? 1 : '' }}", { v: 'open' }, undefined],
		['={{ $binary.data.fileName }}', { v: 1 }, undefined],
		["={{ $json.टैग.split(',') }}", { टैग: 5 }, '$json.टैग.split is not'],
	])('is rejected if %s of %j fails: %s', async (name, item, failure) => {
		const json = await previewOf({ name }, item);
		const message = `The expression in 'Name' can't be evaluated: ${failure}`;
		expect(json).toMatchObject(failure === undefined ? to('name', null) : says(message));
		const kept = await previewOf({ name }, item, { emptyValues: 'keep' });
		expect(kept?.changes).toEqual({});
	});

	test.each<[item: IDataObject, isRejected: boolean]>([
		[{ 'Due date': '2027-01-01' }, true],
		[{ 'Due date': ' ' }, false],
		[{ due_date: '', 'Due date': '2027-01-01' }, false],
		[{ 'Due at': '2027-01-01' }, false],
	])('is rejected if a column of %j is almost called due_date: %p', async (item, isRejected) => {
		const updateFields = { deadline: '={{ $json.due_date }}' };
		const both = { deadline: "={{ $json.due_date ?? $json['Due date'].slice(10) }}" };
		expect(await previewOf(both, item)).toMatchObject(to('deadline', null));
		const kept = await previewOf(updateFields, item, { emptyValues: 'keep' });
		expect(kept?.changes).toEqual({});
		const words = "'Deadline' uses 'due_date', but the item has 'Due date'";
		const expected = isRejected ? says(words) : to('deadline', null);
		expect(await previewOf(updateFields, item)).toMatchObject(expected);
		const refused = await previewOf(updateFields, item, { emptyValues: 'reject' });
		expect(refused?.message).toContain(isRejected ? words : "'Deadline' is empty");
		expect(refused?.message).toContain("set 'Empty Values' under 'Options' to Keep or Clear.");
	});

	test('is rejected if it is of a node that the item has not passed, unless it is kept', async () => {
		const name = "={{ $('Other').item.json.name }}";
		const message = expect.stringContaining("uses $('Other'), but this item doesn't come from");
		expect(await previewOf({ name }, {}, { beside: 'Other' })).toMatchObject({ message });
		const kept = await previewOf({ name }, {}, { emptyValues: 'keep', beside: 'Other' });
		expect(kept?.changes).toEqual({});
	});

	test.each([
		['keep', 'kept'],
		['clear', 'cleared'],
	])('in all items is reported next to the output (%s: %s)', async (emptyValues, done) => {
		const updateFields = { name: '={{ $json.name }}', tags: '={{ $json.Tags }}', deadline: VALUE };
		const parameters = { updateFields, options: { emptyValues } };
		const rows = [
			{ name: 'A', tags: ['a'] },
			{ name: 'B', value: '2027-01-01' },
			{ value: 'soon' },
		];
		const { hints } = await update(parameters, rows, CONTINUE);
		const hint = `No valid item has a value for 'Replace Tags' (${done}). If you expected values, `;
		expect(hints[0]).toContain(hint);
	});

	test.each<[field: string, cleared: IDataObject]>([
		['name', { name: null }],
		['deadline', { deadline: null }],
		['priority', { priority: null }],
		['tags', { tags: [] }],
		['stepAssignments', { step_assignments: [] }],
		['process', {}],
		['addTags', {}],
		['removeTags', {}],
	])('in %s changes, if Empty Values is Clear, only %j', async (field, cleared) => {
		sandbox.control.change(ID, { priority: 'H' });
		const updateFields = { [field]: VALUE, ...(field !== 'name' && { name: 'New' }) };
		const options = { emptyValues: 'clear' };
		const { error } = await update({ updateFields, options }, [{ value: null }]);
		expect(error).toBeUndefined();
		const sent = { ...before, priority: 'H', name: 'New', ...cleared };
		expect(bodies(sandbox, 'PUT')).toEqual([sent]);
	});

	test('changes nothing if an expression lists no fields to clear, and nothing else is set', async () => {
		const { outputs } = await update({ clearFields: VALUE }, [{ value: [] }]);
		expect(outputs).toMatchObject([[{ json: { id: ID, tags: BEFORE.tags } }]]);
		expect(sandbox.requests()).toEqual([READ]);
	});

	const ITEM_FAILED = says('error item');
	const NO_SPLIT = says(`in ${inRow('User')} can't be evaluated: $json.v.split`);
	const ORDER = { order: { Due: '2027-01-01' } };
	test.each<[updateFields: INodeParameters, item: IDataObject, result: object]>([
		[{ deadline: '=31.12.2027 {{ $json.v }}' }, { v: '' }, says("in 'Deadline' is not a date")],
		[{ name: "={{ DateTime.fromISO($json.v).toFormat('yyyy') }} A" }, { v: 'x' }, says('Invalid')],
		[{ name: "={{ 'Due ' + new Date($json.v) }}" }, { v: 'x' }, says('contains Invalid Date')],
		[{ deadline: "={{ $json.due ?? 'soon' }}" }, {}, says('"soon" in \'Deadline\' is not a date')],
		[{ tags: "={{ [$json.v && 'vip'] }}" }, { v: false }, says("false in 'Replace Tags' is not")],
		[{ tags: '={{ [$json.v] }}' }, { v: null }, to('tags', [])],
		[{ tags: `${VALUE}, ` }, {}, to('tags', [])],
		[{ name: `${VALUE}, ` }, {}, to('name', ', ')],
		[{ deadline: '={{ $json.days }}' }, FAILED, ITEM_FAILED],
		[
			{ tags: "={{ $('Items').item.json.v }}" },
			FAILED,
			says("The item of 'Items' is an error item"),
		],
		[{ deadline: '={{ $json.v }}' }, { message: 'A', error: 'B', item: {} }, ITEM_FAILED],
		// Expressions that read what an item has, even if it failed.
		[{ name: '=Copy of {{ $json.id }}' }, FAILED, to('name', 'Copy of 7')],
		[{ name: '={{ $json.name ?? $json.error }}' }, FAILED, to('name', 'Get failed')],
		[{ name: '={{ $json.v ?? $json.t }}' }, { ...FAILED, id: 'A-1', t: 'A' }, to('name', 'A')],
		[{ name: '={{ $json.v ?? $json.message }}' }, { message: 'A', dryRun: true }, to('name', 'A')],
		[{ name: "={{ $json.v ? $('Nowhere').item.json.name : '' }}" }, {}, to('name', null)],
		[ofRows({ ...add(1201, 8), userId: "={{ $json.v.split(';')[0] }}" }), { v: 45 }, NO_SPLIT],
		// The item has almost this key.
		[{ deadline: '={{ $json.order["due"] }}' }, ORDER, says("but the item has 'Due'")],
		[{ deadline: '={{ $json.Order.Due }}' }, ORDER, says("but the item has 'order'")],
		[{ deadline: "={{ $('Items').item.json.order.due }}" }, ORDER, says("but the item has 'Due'")],
	])('makes of %j with %j: %j', async (updateFields, item, json) => {
		expect(await previewOf(updateFields, item)).toMatchObject(json);
	});

	test('keeps the field if Empty Values is Keep, even if the item failed', async () => {
		const updateFields = { addTags: 'failed', name: VALUE };
		const parameters = { updateFields, options: { emptyValues: 'keep' } };
		expect((await update(parameters, [FAILED])).error).toBeUndefined();
		expect(bodies(sandbox, 'PUT')).toEqual([{ ...before, tags: [...BEFORE.tags, 'failed'] }]);
	});
});

describe('Update refuses before anything is sent:', () => {
	const NO_LIST = 'is neither a JSON list nor plain text separated by commas';
	const LIST = "'Replace Step Assignments'";
	const CUT = 'contains half a character';
	const OBJECT = 'contains [object Object]';
	const USE_INSIDE = 'To use a value inside it, enter e.g. {{ $json.column.id }}';
	const NEW = assigned(1, 2);
	const INCOMPLETE = [
		...[[{ step_id: 1201, user: 42 }], [{ stepId: 1201, userId: 42 }], [{ step_id: 1201 }]],
		...['[{"__proto__": {"step_id": 7, "user_id": 8}}]', [null, 7], [7]],
		...[[assigned(1.5, 2)], [assigned(1, 2 ** 53)], [{ step_id: { value: 1 }, user_id: 2 }]],
		[assigned(1, 2), { step_id: 3, user_id: null }],
	];
	const NO_TAGS = [
		...["'a\nb'", '["a", "b"', "['a', 'b']", '[a', "('a', 'b')", '{"tags": ["a"]}', '```json'],
		...['"a"', '‘a’', '- a\n- b', '• a\r\n• b', 'Tags:\n- a', 'a\n* b', '– a\n– b', '- \na'],
		...['x\n  + a', "HR, 'Legal, EU'", "'Legal, EU', HR", 'HR\n‘Legal, UK, EU’', '[],a', 'a; b'],
		...['a, "b, c"', 'Legal (EU, UK), b', 'a {b, c}', 'a [b, c', '[urgent), b]', 'a|b'],
		...['»a«, »b«', '‚a‘', '›a‹', '‹a›', '「a」', '『a』', '＂a＂'],
		...['[12345678901234567890]', '\u200b[12345678901234567890]'],
	];
	const SEPARATED = ['a; t4', 'a\tb', '紧急，财务', 'ا، ب', 'a、b', 'a；b'];
	test.each<[message: string, field: string, good: unknown, bad: unknown[]]>([
		["false in 'Name' is not text", 'name', 'A', [false]],
		['"High" in \'Priority\' is not one', 'priority', 'High', ['"High"', ' "High" ']],
		["false in 'Replace Tags' is not text", 'tags', 'a', [false, ['a', false], '["a", false]']],
		[`"a" in 'Replace Tags' is neither`, 'tags', 'a', ['"a"']],
		[NO_LIST, 'tags', 'a', NO_TAGS],
		[NO_LIST, 'removeTags', 'a', SEPARATED],
		[CUT, 'tags', 'a', ['\ud83d', ['a', 'b\udc00']]],
		[CUT, 'name', 'A', ['A \ud83d', '\ude00 A']],
		[OBJECT, 'name', 'A', ['Re: [object Object]']],
		["'Name' contains Invalid DateTime", 'name', 'undefined', ['Due Invalid DateTime']],
		["'Name' contains #NV instead of text", 'name', 'Re: #NV', ['#NV', ' #NV ']],
		["'Name' contains \ufffd instead of text", 'name', 'Müller', ['M\ufffdller']],
		["'Add Tags' contains #DIV/0! instead of text", 'addTags', '#urgent!', ['a, #DIV/0!']],
		["in 'Deadline' is not a date", 'deadline', '2026-07-01', ['2026-01-01 10:00 PM']],
		[OBJECT, 'addTags', 'a', ['[object Object]', ['a', 'x [object Object]']]],
		["'Replace Tags' contains an object instead of text", 'tags', 'a', ['["a", {}]']],
		["'Name' is 256 characters long", 'name', 'A', ['😀'.repeat(256)]],
		["4133980800 in 'Deadline' is not a date", 'deadline', '2026-07-01', [4_133_980_800]],
		["in 'Priority' is not one of its options", 'priority', 'H', ['HV', 1]],
		[`${LIST} contains an object instead`, 'stepAssignments', [NEW], [assigned(1, 2)]],
		[`${LIST} is not a list of`, 'stepAssignments', [NEW], ['1201: 42', '[{"step_id": 1201']],
		[`${LIST} needs a valid step_id and user_id`, 'stepAssignments', [NEW], INCOMPLETE],
	])('%s, in the second item: %s %j, %j', async (message, field, good, bad) => {
		for (const value of bad) {
			const items = itemsOf([good, value], 'value');
			const { error, outputs } = await update({ updateFields: { [field]: VALUE } }, items);
			expect(outputs).toEqual([]);
			expect(error?.message).toContain(message);
			expect(error?.context).toMatchObject({ id: ID, itemIndex: 1, notSentIds: [] });
			expect(error?.description).toMatch(/\. Nothing was updated in this run of the node\.$/);
		}
		expect(sandbox.requests()).toEqual([]);
	});

	const AND_CLEARED = "in 'Fields to Clear' can't be used together";
	const CHANGE = "'Change Step Assignments'";
	const CONTRADICTION = `The rows of ${CHANGE} contradict each other for step 7`;
	const KEEP = { options: { emptyValues: 'keep' } };
	const OR_TEXT = "={{ $json.value ?? '' + '' }}";
	const no = (words: string, part: string) => `${words} in '${part}' in row 1 of ${CHANGE} is not`;
	test.each<[message: string, INodeParameters, value?: unknown]>([
		['There is nothing to update', {}],
		["'Name' looks like an expression", { updateFields: { name: 'A {{\n$json.id }}' } }],
		["'Name' looks like an expression", { updateFields: { name: '$json.id' } }],
		["'Name' looks like an expression", { updateFields: { name: '$node["A"].json.id' } }],
		["'Name' looks like an expression", { updateFields: { name: '={ $input.item }' } }],
		["'Add Tags' looks like an expression", { updateFields: { addTags: "a, $('A').item" } }],
		["'Add Tags' looks like an expression", { updateFields: { addTags: ['a', '{{ $json.id }}'] } }],
		["'Replace Tags' is empty", { updateFields: { tags: ' , ' }, ...KEEP }],
		["'Replace Tags' is empty", { updateFields: { tags: '[]' } }],
		["'Process' is empty", { updateFields: { process: locator('', 'list') } }],
		[`${CHANGE} is empty`, { updateFields: ofRows() }],
		["NaN in 'Name' is not text", { updateFields: { name: '={{ 0 / 0 }}' } }],
		// JavaScript can't write it as text.
		["'Name' contains an object instead", { updateFields: { name: OR_TEXT } }, { toString: 'x' }],
		[`'Name' and 'Name' ${AND_CLEARED}`, { updateFields: { name: 'A' }, clearFields: ['name'] }],
		[
			`'Add Tags' and 'Tags' ${AND_CLEARED}`,
			{ updateFields: { addTags: 'a' }, clearFields: ['tags'] },
		],
		["'Replace Tags' and 'Add Tags' can't", { updateFields: { addTags: 'a', tags: 'c' } }],
		[
			"The URL in 'Process' is on staging.example, but the credential is for 127.0.0.1",
			{ updateFields: { process: locator('https://staging.example/api/processes/11/', 'url') } },
		],
		...[undefined, [null], '', '[null]'].map((value): [string, INodeParameters, unknown] => [
			"'Fields to Clear' is empty",
			{ clearFields: VALUE, updateFields: { name: 'A' } },
			value,
		]),
		['"process" in \'Fields to Clear\' is not one of its options', { clearFields: ['process'] }],
		// n8n turns it into `{}`. If that counted as no rows, nothing would change.
		[`${CHANGE} is empty`, { updateFields: { changeSteps: VALUE } }, [reassign(1204, 45)]],
		[
			`'Step' in row 2 of ${CHANGE} is empty`,
			{ updateFields: ofRows(add(VALUE, 45), add('', 45)), ...KEEP },
			1,
		],
		[`'User' in row 1 of ${CHANGE} is empty`, { updateFields: ofRows(add(7, '')) }],
		[no('"skip"', 'Action'), { updateFields: ofRows(stepChange('skip', 1201, 42)) }],
		[no('"1e3"', 'Step'), { updateFields: ofRows(add(VALUE, 45)) }, '1e3'],
		[no('"{{ $json.step }}"', 'Step'), { updateFields: ofRows(add('{{ $json.step }}', 45)) }],
		[no('9007199254740992', 'Step'), { updateFields: ofRows(add(VALUE, 45)) }, 2 ** 53],
		[
			`'User' in row 1 of ${CHANGE} contains a list instead`,
			{ updateFields: ofRows(add(7, VALUE)) },
			[7],
		],
		[CONTRADICTION, { updateFields: ofRows(reassign(7, 1), reassign(7, 2)) }],
		[CONTRADICTION, { updateFields: ofRows(add(7, 1), reassign(7, 1)) }],
		[CONTRADICTION, { updateFields: ofRows(reassign(7, 1), remove(7)) }],
		[CONTRADICTION, { updateFields: ofRows(add(7, 1), remove(7, 1)) }],
	])('%s (%j, %j)', async (message, parameters, value = null) => {
		const { error } = await update(parameters, itemsOf([value], 'value'));
		expect(error?.message).toContain(message);
		expect(sandbox.requests()).toEqual([]);
	});

	test.each<[label: string, word: string, updateFields: INodeParameters, item: IDataObject]>([
		['Name', 'undefined', { name: "={{ 'Invoice ' + $json.number }}" }, {}],
		['Name', 'null', { name: "={{ 'Deal ' + $json.company }}" }, { company: null }],
		['Name', 'NaN', { name: '={{ `Invoice ${$json.number * 2}` }}' }, {}],
		['Add Tags', 'undefined', { addTags: "={{ ['a', 'q' + $json.quarter] }}" }, {}],
	])('%s with %s, found instead of a value: %j, %j', async (label, word, updateFields, item) => {
		const { error } = await update({ updateFields }, [item]);
		const message = `'${label}' contains ${word}, since its expression found no value`;
		expect(error).toMatchObject({ message, context: { id: ID } });
		expect(sandbox.requests()).toEqual([]);
		// It's intended if an expression passes it on or contains it itself, or if the item has it.
		const OWN = [`={{ $json.value + '' + ${word} }}`, `${word} + 1`, `={{ '1 ' + $json.value }}`];
		const OTHERS = [VALUE, '={{ $json.value }} (1+1)', "={{ $('Items').item.json.value.trim() }}"];
		for (const name of [...OWN, ...OTHERS]) {
			const { error: none } = await update({ updateFields: { name } }, itemsOf([word], 'value'));
			expect(none).toBeUndefined();
		}
	});

	test('no name about what n8n has for AI models', async () => {
		const name = "={{ 'How to use $json and $fromAI' }}";
		expect(await sentFor({ name })).toMatchObject({ name: 'How to use $json and $fromAI' });
	});

	const NAME = { name: VALUE };
	const TAGS_SET = { tags: VALUE };
	test.each<[updateFields: INodeParameters, value: Value, message: string, advice: string]>([
		[NAME, ['A'], 'a list instead of text', '{{ $json.column[0] }} for the first entry of a list'],
		[NAME, ['A', 'B'], 'a list', 'To process each entry separately, add a Split Out node before'],
		[TAGS_SET, [['a', 'b']], 'a list', USE_INSIDE],
		[
			TAGS_SET,
			'a|b',
			NO_LIST,
			"e.g. {{ typeof $json['tags'] === 'string' ? $json['tags'].split(/[|,\\r\\n]/) : $json['tags'] }}, with",
		],
		[TAGS_SET, 'a\tb', NO_LIST, "$json['tags'].split(/[\\t,\\r\\n]/) : $json['tags'] }}, with"],
		[TAGS_SET, "['a', 'b']", NO_LIST, 'Or use an expression that returns a list.'],
		[ofRows(add(VALUE, 7)), { id: 1, step_id: 1201 }, 'an object', USE_INSIDE],
		[ofRows(add(7, VALUE)), assigned(1201, 42), 'an object', USE_INSIDE],
		[{ process: locator(VALUE) }, { id: ID, process: 'u' }, 'an object', USE_INSIDE],
	])('%j with %j (%s), and says what to use: %s', async (updateFields, value, message, advice) => {
		const { error } = await update({ updateFields }, [{ value }]);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(advice);
	});
});

test.each([
	['typed in', locator(ID), true],
	['that of the first item', locator('={{ $input.first().json.id }}'), true],
	['that of each item', ID_OF_ITEM, false],
])('A hint says that several items update one instance: %s', async (_how, instanceId, isSaid) => {
	const items = itemsOf([ID, ID]);
	const parameters = { instanceId, updateFields: { addTags: 'a' } };
	const hint = `2 items update instance ${ID}. If each item should update a different instance, in 'Instance', use an expression that reads the item, e.g. {{ $json.instance_id }}.`;
	expect((await update(parameters, items)).hints).toEqual(isSaid ? [hint] : []);
	expect((await update(parameters, items.slice(1))).hints).toEqual([]);
});
