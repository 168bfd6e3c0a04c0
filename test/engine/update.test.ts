import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { bodies, settableOf, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';
import { add, assigned, reassign, remove, rows, stepChange } from './support/steps';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';

/** What the instance has before each update: two users of one step, one user of two, and a tag twice. */
const ASSIGNED = [assigned(1201, 42), assigned(1202, 43), assigned(1201, 44), assigned(1203, 42)];
const BEFORE = {
	tags: ['finance', 'urgent', 'urgent'],
	priority: null,
	step_assignments: ASSIGNED,
};

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
const processUri = (id: number) => `${sandbox.credentials.baseUrl}/processes/${id}/`;

describe('Update sends back what the user did not set. It', () => {
	const [NEW, NEWER] = [assigned(3, 7), assigned(1, 9)];
	const KEYS: Record<string, string> = {
		addTags: 'tags',
		removeTags: 'tags',
		stepAssignments: 'step_assignments',
	};
	test.each<[what: string, field: string, value: unknown, sent: unknown]>([
		['a name of 255 emoji', 'name', '😀'.repeat(255), '😀'.repeat(255)],
		['a name with its blanks', 'name', '  № "7"\\\n', '  № "7"\\\n'],
		['the last number that is a deadline', 'deadline', 4_133_980_799, '2100-12-31T18:59:59-05:00'],
		['High, by its value in small letters', 'priority', 'h', 'H'],
		['Very High, by its value', 'priority', '\u200bv\ufeff', 'V'],
		['Very High, by its label', 'priority', 'Very High', 'V'],
		['no priority for Regular', 'priority', ' REGULAR ', undefined],
		['tags between commas, each once', 'tags', ' b ,a,, c\t,\u200bb', ['b', 'a', 'c']],
		['the first of two spellings', 'tags', 're\u0301, ré', ['re\u0301']],
		['any tag of a list', 'tags', ['"a"', 'b; c', '[d', '(e'], ['"a"', 'b; c', '[d', '(e']],
		['tags with closed brackets', 'tags', 'Legal (EU), a [b], :)', ['Legal (EU)', 'a [b]', ':)']],
		['tags with closed brackets', 'tags', '(a] b), x {[c]}', ['(a] b)', 'x {[c]}']],
		['tags of a list', 'tags', ['z', ' a ', '', 'z', 'a, b', 1.5], ['z', 'a', 'a, b', '1.5']],
		['tags of JSON text', 'tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['a flag as it is', 'tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', ['🏴󠁧󠁢󠁥󠁮󠁧󠁿']],
		['tags on lines', 'tags', "a\n'90s\r\n", ['a', "'90s"]],
		['tags in brackets', 'tags', '[draft], [final]', ['[draft]', '[final]']],
		['a number as a tag', 'tags', 7, ['7']],
		['added tags after the others', 'addTags', 'late,finance', [...BEFORE.tags, 'late']],
		['tags without the removed ones', 'removeTags', ' finance, unknown', ['urgent', 'urgent']],
		['assignments of a list, each once', 'stepAssignments', [NEW, NEWER, NEW], [NEW, NEWER]],
		['assignments of JSON text', 'stepAssignments', '[{"step_id":" 3 ","user_id":"7"}]', [NEW]],
		['assignments with other keys', 'stepAssignments', [{ ...NEW, url: 'u' }], [NEW]],
	])('sends %s', async (_what, field, value, sent) => {
		const key = KEYS[field] ?? field;
		expect(await sentFor({ [field]: VALUE }, value)).toEqual({ ...before, [key]: sent });
	});

	const [first, second, third, fourth] = ASSIGNED;
	const BY_DEFAULT = { stepId: VALUE, userId: locator(' 8 ') };
	test.each<[what: string, rows: INodeParameters[], sent: unknown[]]>([
		['a user in place of two', [reassign(1201, 7)], [assigned(1201, 7), second, fourth]],
		['one of two', [reassign(1201, '44')], [third, second, fourth]],
		['a user of each step', [BY_DEFAULT], [assigned(1201, 8), second, fourth]],
		[
			'a user of a new step',
			[reassign(1204, 8), reassign(1204, 8)],
			[...ASSIGNED, assigned(1204, 8)],
		],
		['added users', [add(1204, 5), add(' 1204 ', '\u200b5')], [...ASSIGNED, assigned(1204, 5)]],
		['all but one of a step', [remove(VALUE, 42)], [second, third, fourth]],
		['all but those of a step', [remove(1201, '')], [second, fourth]],
		['all but two', [remove(1201, 44), remove(1203)], [first, second]],
		['all if none matches', [remove(1202, 42), remove(1204), add(1203, 42)], ASSIGNED],
		[
			'new users in place of all of a step',
			[add(1201, 7), add(1201, 44), remove(1201)],
			[second, fourth, assigned(1201, 7), third],
		],
		[
			'whom it adds, removes and reassigns at once',
			[reassign(1203, 9), add(1202, 7), remove(1202, 43)],
			[first, third, assigned(1203, 9), assigned(1202, 7)],
		],
	])('sends, of the step assignments, each once, %s', async (_what, given, step_assignments) => {
		const sent = await sentFor({ changeSteps: rows(...given) }, '1201');
		expect(sent).toEqual({ ...before, step_assignments });
	});

	test('finds a tag that has blanks, or an accent as a character of its own', async () => {
		const tags = [' urgent ', 're\u0301sume\u0301', 'a'];
		sandbox.control.change(ID, { tags });
		expect(await sentFor({ addTags: 'a, r\u00e9sum\u00e9, b' })).toMatchObject({
			tags: [...tags, 'b'],
		});
		sandbox.control.change(ID, { tags });
		sandbox.control.clearLog();
		const sent = await sentFor({ removeTags: 'urgent, r\u00e9sum\u00e9' });
		expect(sent).toMatchObject({ tags: ['a'] });
	});

	test('takes IDs that come as text for the same IDs', async () => {
		const texts = { step_assignments: [{ step_id: '1201', user_id: '42' }] };
		sandbox.control.addFault({ action: respond(200, { ...stored(sandbox, ID), ...texts }) });
		const sent = await sentFor({ changeSteps: rows(add(1201, 42)) });
		expect(sent).toMatchObject({ step_assignments: [assigned(1201, 42)] });
	});

	test('changes nothing of what was there, even what it would refuse or trim', async () => {
		sandbox.control.change(ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [assigned(0, -4), assigned(0, -4)],
		});
		const kept = settableOf(stored(sandbox, ID));
		expect(await sentFor({ process: locator(12) })).toEqual(kept);
	});

	test.each<[string, NodeParameterValueType]>([
		['the list', { ...locator('11', 'list'), cachedResultName: 'Onboarding' }],
		['a URL without the slash', locator('HTTP://127.0.0.1/tenant/processes/11', 'url')],
	])('moves the instance to the process whose ID is in %s', async (_what, process) => {
		expect(await sentFor({ process })).toEqual({ ...before, process: processUri(11) });
	});
});

test('Update reads nothing where each of the six fields is set or cleared', async () => {
	const set = { process: locator(12), name: 'A', priority: 'V' };
	const clearFields = ['deadline', 'stepAssignments'];
	await update({ updateFields: { ...set, tags: 'a' }, clearFields });
	const sent = { name: 'A', deadline: null, priority: 'V', tags: ['a'], step_assignments: [] };
	expect(bodies(sandbox, 'PUT')).toEqual([{ process: processUri(12), ...sent }]);
	expect(sandbox.requests()).toEqual([WRITE]);
	// What is edited or kept has to be read.
	await update({ updateFields: { ...set, addTags: 'b' }, clearFields });
	await update({ updateFields: { ...set, tags: 'a' }, clearFields: ['deadline'] });
	expect(sandbox.requests()).toEqual([WRITE, READ, WRITE, READ, WRITE]);
	expect(bodies(sandbox, 'PUT')[1]).toMatchObject({ tags: ['a', 'b'] });
});

describe('A name that the user did not set', () => {
	const ids = [SEED.running, SEED.autoNamed];
	const items = ids.map((id) => ({ id }));
	const LEAVE_OUT = { options: { leaveOutRejectedNames: true } };
	const tagAll = async (parameters = {}, settings = {}) =>
		await sandbox.run(
			{
				...{ operation: 'update', instanceId: ID_OF_ITEM, updateFields: { addTags: 'a' } },
				...parameters,
			},
			items,
			settings,
		);
	const namesSent = () => bodies(sandbox, 'PUT').map(({ name }) => name);

	test.each([{}, { options: { leaveOutRejectedNames: false } }])(
		'is sent back, and the item is refused if the service rejects it, with %j',
		async (parameters) => {
			const names = ids.map((id) => stored(sandbox, id).name);
			const { outputs } = await tagAll(parameters, CONTINUE);
			const error = expect.stringContaining('name: The process has automatic naming enabled.');
			const description = expect.stringMatching(
				/^If the process generates instance names, add 'Leave Out Rejected Names' under 'Options'\. Update sent the current 'Name' .* with 'Fields to Clear'\.$/,
			);
			expect(outputs).toMatchObject([
				[{ json: { name: names[0] } }, { json: { error, details: { description } } }],
			]);
			expect(namesSent()).toEqual(names);
			expect(stored(sandbox, SEED.autoNamed).name).toBe(names[1]);
		},
	);

	test('is omitted in one extra try where the user wants that, of the instance whose name is rejected', async () => {
		const names = ids.map((id) => stored(sandbox, id).name);
		const { outputs } = await tagAll(LEAVE_OUT);
		expect(outputs[0]?.map(({ json }) => json.name)).toEqual(names);
		expect(namesSent()).toEqual([...names, undefined]);
	});

	test.each<[status: number, body: object, tries: number, words: string]>([
		[422, { name: ['No.'] }, 2, 'name: No.'],
		[400, { errors: { name: 'No.' } }, 2, 'name: No.'],
		[400, { tags: ['The name "a" is taken.'] }, 1, 'tags: The name'],
		[409, { name: ['No.'] }, 1, 'name: No.'],
		[413, { name: ['No.'] }, 1, 'name: No.'],
		// Not the field: the class of an error, and another field.
		[400, { name: 'BadRequest', message: 'Locked.' }, 1, 'Locked.'],
		[400, { name: 'ValidationError', code: 17, field: 'deadline' }, 1, 'field: deadline'],
		[400, { name: 'Not valid', statusCode: 400 }, 1, 'name: Not valid'],
		[400, { name: 'ValidationError' }, 1, 'name: ValidationError'],
		[400, { 'invalid-params': [{ name: 'tags', reason: 'Locked.' }] }, 1, 'Locked.'],
	])('rejected with %d %j is tried %d times', async (status, body, tries, words) => {
		const match = { method: 'PUT' };
		sandbox.control.addFault({ match, times: 0, action: respond(status, body) });
		const { outputs } = await tagAll(LEAVE_OUT, CONTINUE);
		const error = expect.stringContaining(words);
		expect(outputs).toMatchObject([[{ json: { error } }, { json: { error } }]]);
		expect(bodies(sandbox, 'PUT')).toHaveLength(2 * tries);
	});

	test('has an unknown outcome when the first request was cut off', async () => {
		const responses: FaultAction[] = [
			{ type: 'applyThen', then: { type: 'reset' } },
			respond(400, { name: ['No.'] }),
			respond(403, { detail: 'No.' }),
		];
		for (const action of responses) sandbox.control.addFault({ match: { method: 'PUT' }, action });
		const { error } = await update({ updateFields: { priority: 'V' }, ...LEAVE_OUT });
		expect(error?.httpCode).toBe('403');
		expect(error?.description).toContain('The change may already have been made.');
	});

	test('is never omitted where the user set one', async () => {
		const updateFields = { addTags: 'b', name: 'A', process: locator(13) };
		const instanceId = locator(SEED.autoNamed);
		const { error } = await update({ instanceId, updateFields, ...LEAVE_OUT });
		expect(error?.message).toContain('name: The process has automatic naming enabled.');
		expect(error?.description).toContain("remove 'Name' from 'Fields to Update'");
		expect(bodies(sandbox, 'PUT')).toHaveLength(1);
	});
});

test('Update does not take what a replica returns for newer than what it has written itself', async () => {
	const old = respond(200, stored(sandbox, ID));
	const changed = { tags: ['by hand'], last_updated_time: '2100-01-01T00:00:00Z' };
	const newer = respond(200, { ...stored(sandbox, ID), ...changed });
	for (const action of [old, old, newer]) {
		sandbox.control.addFault({ match: { method: 'GET' }, action });
	}
	const addTags = '={{ $json.value }}';
	await update({ updateFields: { addTags } }, ['x', 'y', 'z'].map(itemWith));
	expect(bodies(sandbox, 'PUT').map(({ tags }) => tags)).toEqual([
		[...BEFORE.tags, 'x'],
		[...BEFORE.tags, 'x', 'y'],
		['by hand', 'z'],
	]);
});

describe('A step that is not in the instance', () => {
	const change = { changeSteps: rows(add(1102, 7)) };
	const message = `Step 1102 is not in instance ${ID}`;

	test.each([add(1102, 7), reassign(1102, 7), remove(1102)])('is refused in %j', async (row) => {
		const updateFields = { changeSteps: rows(row) };
		expect((await update({ updateFields })).error).toMatchObject({ message, context: { id: ID } });
		const { outputs } = await update({ updateFields, dryRun: true });
		const inDryRun = expect.stringContaining(`${message}. Choose a step of this instance`);
		expect(outputs[0]?.[0]?.json).toMatchObject({ id: ID, changes: null, message: inDryRun });
		expect(bodies(sandbox, 'PUT')).toEqual([]);
	});

	const snapshotOf = (...ids: number[]) =>
		JSON.stringify({ steps: ids.map((id) => ({ id, name: 'A' })) });
	test.each<[what: string, values: IDataObject, parameters?: INodeParameters]>([
		['without an active one', { process_snapshot: snapshotOf(1202, 1203), step_assignments: [] }],
		['without an assigned one', { process_snapshot: snapshotOf(1201, 1203) }],
		['that cannot be read', { process_snapshot: 'none' }],
		['whose active steps cannot be read', { active_step_ids: ['a'] }],
		['of the process that it leaves', {}, { process: locator(11) }],
	])('is sent where there is a snapshot %s', async (_what, values, fields = {}) => {
		sandbox.control.addFault({ action: respond(200, { ...stored(sandbox, ID), ...values }) });
		const sent = await sentFor({ ...change, ...fields });
		expect(sent?.step_assignments).toContainEqual(assigned(1102, 7));
	});
});

describe('Dry Run', () => {
	const dryRun = async (parameters: INodeParameters) => {
		const { outputs, error } = await update({ ...parameters, dryRun: true });
		expect(sandbox.requests()).toEqual([READ]);
		return error ?? outputs[0]?.[0]?.json;
	};
	const DUE = '2026-07-01T10:00:00Z';
	const NOW = { name: 'A', deadline: DUE, priority: 'H', tags: ['a', 'b'] };
	const ONE = [assigned(9, 42)];
	const TWO = [assigned(1, 2), assigned(3, 4)];
	const OTHER = { name: 'B', deadline: '2026-07-02T00:00:00Z', priority: 'V' };

	test.each<[INodeParameters, changes: IDataObject]>([
		[
			{ ...OTHER, tags: 'c', stepAssignments: JSON.stringify(TWO) },
			{ ...OTHER, tags: ['c'], step_assignments: TWO },
		],
		[{ addTags: 'c, d', removeTags: 'b, d' }, { tags: ['a', 'c'] }],
		[{ priority: 'regular', tags: 'a, b' }, { priority: null }],
		// The same in other words.
		[{ name: 'A', deadline: '2026-07-01T12:00:00+02:00', priority: 'high' }, {}],
		[{ tags: 'a, b', stepAssignments: JSON.stringify(ONE), process: locator(12) }, {}],
		[{ addTags: 'a', removeTags: 'x', changeSteps: rows(add(9, 42)) }, {}],
	])('lists of %j what would change: %j', async (updateFields, to) => {
		sandbox.control.change(ID, { ...NOW, step_assignments: ONE });
		const present: IDataObject = { ...stored(sandbox, ID) };
		const changes = Object.fromEntries(
			Object.entries(to).map(([key, value]) => [key, { from: present[key], to: value }]),
		);
		expect(await dryRun({ updateFields })).toEqual({ id: ID, name: 'A', dryRun: true, changes });
		expect(stored(sandbox, ID)).toEqual(present);
	});

	test('shows the names of steps and users', async () => {
		const step_assignments = [assigned(1201, 42), assigned(1202, 43)];
		const users = [{ id: 42, name: 'Ann' }];
		const process_snapshot = { steps: [{ id: 1201, name: 'Approve', users }] };
		const read = { ...stored(sandbox, ID), step_assignments, process_snapshot };
		sandbox.control.addFault({ action: respond(200, read) });
		const change = [reassign(1202, 42)];
		const approve = { step_id: 1201, stepName: 'Approve', user_id: 42, userName: 'Ann' };
		expect(await dryRun({ updateFields: { changeSteps: rows(...change) } })).toMatchObject({
			changes: {
				step_assignments: {
					from: [approve, assigned(1202, 43)],
					to: [approve, { step_id: 1202, user_id: 42, userName: 'Ann' }],
				},
			},
		});
	});

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'lists every item, with what is wrong with it, under %s',
		async (onError) => {
			const items = [
				{ id: 999_999, name: 'B' },
				{ id: 'x', name: 'B' },
				{ id: ID, name: 'A' },
				{ id: 101, name: '' },
			];
			const updateFields = { name: '={{ $json.name }}' };
			const parameters = {
				operation: 'update',
				instanceId: ID_OF_ITEM,
				updateFields,
				dryRun: true,
			};
			sandbox.control.change(ID, { name: 'A' });
			const { error, outputs } = await sandbox.run(parameters, items, { onError });
			expect(error).toBeUndefined();
			const wrong = (id: number | null, words: string) => ({
				...{ id, name: null, dryRun: true, changes: null },
				message: expect.stringContaining(words),
			});
			const listed = [
				wrong(999_999, 'did not find instance 999999 (404)'),
				wrong(null, '"x" in \'Instance\' is not the ID'),
				{ id: ID, name: 'A', dryRun: true, changes: {} },
				wrong(101, "'Name' is empty"),
			];
			expect(outputs[0]).toEqual(listed.map((json, item) => ({ json, pairedItem: { item } })));
			expect(bodies(sandbox, 'PUT')).toEqual([]);
		},
	);

	test('says once that nothing was changed, and how many items have a problem', async () => {
		const parameters = { updateFields: { name: '={{ $json.name }}' }, dryRun: true };
		const { tasks } = await update(parameters, [{ name: 'B' }, { name: '' }, { name: {} }]);
		const shown = tasks[0]?.hints?.map(({ message }) => message);
		const isOn = expect.stringMatching(/^Dry Run is on, so nothing was changed\. /);
		expect(shown).toEqual([isOn, 'Items with a problem: 2. See message.']);
	});

	test('lists where an instance would be moved, and what would be cleared', async () => {
		sandbox.control.change(ID, { ...NOW, step_assignments: ONE });
		const updateFields = { process: locator(11) };
		const clearFields = 'name, deadline, priority, tags, stepAssignments';
		expect(await dryRun({ updateFields, clearFields })).toMatchObject({
			changes: {
				process: { from: processUri(12), to: processUri(11) },
				...{ name: { from: 'A', to: null }, deadline: { from: DUE, to: null } },
				...{ priority: { from: 'H', to: null }, tags: { from: ['a', 'b'], to: [] } },
				step_assignments: { from: ONE, to: [] },
			},
		});
	});

	test('lists nothing that means the same to the service', async () => {
		const process = 'https://internal.example/api/processes/12';
		const step_assignments = [{ step_id: '9', user_id: '42', url: 'u' }];
		const empty = { name: '', deadline: '', priority: null, tags: null };
		const read = { ...stored(sandbox, ID), ...empty, process, step_assignments };
		sandbox.control.addFault({ action: respond(200, read) });
		const updateFields = { process: locator(12), stepAssignments: JSON.stringify(ONE) };
		const clearFields = 'name, deadline, priority, tags';
		const listed = await dryRun({ updateFields, clearFields });
		expect(listed).toEqual({ id: ID, name: '', dryRun: true, changes: {} });
	});

	test('shows what the service returned, readable or not, of what is set or cleared', async () => {
		const unclear = { tags: 'a, b', step_assignments: [{ step: 1201, user: 42 }], priority: 3 };
		const current = { ...unclear, name: undefined, deadline: 'soon', process: 'urn:process:3' };
		sandbox.control.addFault({ action: respond(200, { ...stored(sandbox, ID), ...current }) });
		const updateFields = { name: 'B', deadline: DUE, process: locator(11) };
		const clearFields = 'tags, stepAssignments, priority';
		expect(await dryRun({ updateFields, clearFields })).toMatchObject({
			name: null,
			changes: {
				name: { from: null, to: 'B' },
				deadline: { from: 'soon', to: DUE },
				process: { from: 'urn:process:3', to: processUri(11) },
				tags: { from: 'a, b', to: [] },
				step_assignments: { from: unclear.step_assignments, to: [] },
				priority: { from: 3, to: null },
			},
		});
	});

	test('refuses what the update itself could not send back', async () => {
		const read = { ...stored(sandbox, ID), step_assignments: [{ step: 1201, user: 42 }] };
		sandbox.control.addFault({ action: respond(200, read) });
		const message = expect.stringContaining("'Step Assignments' in a format that can't be sent");
		expect(await dryRun({ updateFields: { name: 'B' } })).toMatchObject({ message });
	});
});

describe('Update refuses before anything is sent:', () => {
	/** Runs good items and a bad one behind them, which must keep all back. */
	const refusal = async (field: string, form: NodeParameterValueType, ...values: unknown[]) => {
		const items = values.map(itemWith);
		const { error, outputs } = await update({ updateFields: { [field]: form } }, items);
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(values.length - 1);
		expect(error?.context).toMatchObject({ id: ID });
		expect(error?.description).toMatch(/\. Nothing was updated\.$/);
		expect(sandbox.requests()).toEqual([]);
		return error?.message;
	};

	const NO_LIST = 'is neither a JSON list nor plain text separated by commas';
	const LIST = "'Replace Step Assignments'";
	const CUT = 'contains half a character';
	const OBJECT = 'contains [object Object]';
	const NEW = assigned(1, 2);
	const INCOMPLETE = [
		...[[{ step_id: 1201, user: 42 }], [{ stepId: 1201, userId: 42 }], [{ step_id: 1201 }]],
		...['[{"__proto__": {"step_id": 7, "user_id": 8}}]', [null, 7], [7]],
		...[[assigned(1.5, 2)], [assigned(1, 2 ** 53)], [{ step_id: { value: 1 }, user_id: 2 }]],
		[assigned(1, 2), { step_id: 3, user_id: null }],
		// With a hole.
		Object.assign([assigned(1, 2)], { 2: assigned(3, 4) }),
	];
	test.each<[message: string, field: string, good: unknown, bad: unknown[]]>([
		["false in 'Name' is not text", 'name', 'A', [false]],
		["false in 'Replace Tags' is not text", 'tags', 'a', [false, ['a', false], '["a", false]']],
		[NO_LIST, 'tags', 'a', ['["a", "b"', "['a', 'b']", '[a', "('a', 'b')", '{"tags": ["a"]}']],
		[NO_LIST, 'tags', 'a', ['```json', '"a"', 'a, "b, c"', '‘a’', '[12345678901234567890]']],
		[`"a" in 'Replace Tags' is neither`, 'tags', 'a', ['"a"']],
		[
			NO_LIST,
			'tags',
			'a',
			['Legal (EU, UK), b', 'a {b, c}', 'a [b, c', 'a; b', 'a;', 'a|b', '[urgent), b]'],
		],
		[NO_LIST, 'removeTags', 'a', ['a; t4', 'a\tb', '紧急，财务', 'ا، ب', 'a、b', 'a；b']],
		[CUT, 'tags', 'a', ['\ud83d', ['a', 'b\udc00']]],
		[CUT, 'name', 'A', ['A \ud83d', '\ude00 A']],
		[OBJECT, 'name', 'A', ['Re: [object Object]']],
		["'Name' contains Invalid DateTime", 'name', 'A', ['Invalid DateTime']],
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
		for (const value of bad) expect(await refusal(field, VALUE, good, value)).toContain(message);
	});

	test.each<[message: string, INodeParameters]>([
		['There is nothing to update', {}],
		["NaN in 'Name' is not text", { updateFields: { name: '={{ 0 / 0 }}' } }],
		[
			"'Name' is in both 'Fields to Update' and 'Fields to Clear'",
			{ updateFields: { name: 'A' }, clearFields: ['name'] },
		],
		[
			"'Tags' is in both 'Fields to Update' and 'Fields to Clear'",
			{ updateFields: { removeTags: 'a' }, clearFields: ['tags'] },
		],
		["'Add Tags' and 'Replace Tags' can't", { updateFields: { addTags: 'a', tags: 'c' } }],
		[
			"'Change Step Assignments' and 'Replace Step Assignments' can't be used together",
			{
				updateFields: {
					changeSteps: rows(add(1, 2)),
					stepAssignments: '[{"step_id": 1, "user_id": 2}]',
				},
			},
		],
		[
			"The URL in 'Process' is on staging.example, but the credential is for 127.0.0.1",
			{ updateFields: { process: locator('https://staging.example/api/processes/11/', 'url') } },
		],
		...['$json.nothing', '[null]', '""', '"[null]"'].map((value): [string, INodeParameters] => [
			"'Fields to Clear' is empty",
			{ clearFields: `={{ ${value} }}`, updateFields: { name: 'A' } },
		]),
		['"process" in \'Fields to Clear\' is not one of its options', { clearFields: ['process'] }],
	])('%s (%j)', async (message, parameters) => {
		const { error } = await update(parameters);
		expect(error?.message).toContain(message);
		expect(sandbox.requests()).toEqual([]);
	});

	const CHANGE = "'Change Step Assignments'";
	const no = (words: string, part: string) => `${words} in '${part}' in row 1 of ${CHANGE} is not`;
	test.each<[message: string, NodeParameterValueType, value?: unknown]>([
		// n8n makes `{}` of it, so that taking that for no rows would change nothing.
		[`${CHANGE} is empty`, VALUE, [reassign(1204, 45)]],
		[`'Step' in row 2 of ${CHANGE} is empty`, rows(add(1, 45), add('', 45))],
		['"skip" in \'Action\' is not one of its options', rows(stepChange('skip', 1201, 42))],
		[no('"1e3"', 'Step'), rows(add(VALUE, 45)), '1e3'],
		[no('9007199254740992', 'Step'), rows(add(VALUE, 45)), 2 ** 53],
		[
			`'User' in row 1 of ${CHANGE} contains a list instead of an ID`,
			rows(reassign(7, VALUE)),
			[7],
		],
		...[
			rows(reassign(7, 1), reassign(7, 2)),
			rows(add(7, 1), reassign(7, 1)),
			rows(reassign(7, 1), remove(7)),
			rows(add(7, 1), remove(7, 1)),
		].map((form): [string, NodeParameterValueType] => [
			`The rows of ${CHANGE} contradict each other for step 7`,
			form,
		]),
	])('rows of Change Step Assignments: %s (%j)', async (message, form, value = null) => {
		expect(await refusal('changeSteps', form, value)).toContain(message);
	});
});
