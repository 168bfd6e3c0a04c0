import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { bodies, settableOf, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';

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

type StepRow = [action: string | undefined, step: unknown, user?: unknown];
/** Rows as the editor saves them; a number stays one, as agents have it. */
const rows = (...given: StepRow[]): INodeParameters => ({
	change: given.map(([action, stepId, userId]) => ({
		...(action !== undefined && { action }),
		stepId: chosen(stepId),
		...(userId !== undefined && { userId: chosen(userId) }),
	})),
});
const chosen = (id: unknown) =>
	typeof id === 'number' ? id : locator(String(id), id === '' ? 'list' : 'id');
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
	test.each<[what: string, field: string, value: unknown, sent: unknown]>([
		['a name of 255 emoji', 'name', '😀'.repeat(255), '😀'.repeat(255)],
		['a name with its blanks', 'name', '  № "7"\\\n', '  № "7"\\\n'],
		['the text of a switch as a name', 'name', false, 'false'],
		['the last number that is a deadline', 'deadline', 4_133_980_799, '2100-12-31T18:59:59-05:00'],
		['High, by its value in small letters', 'priority', 'h', 'H'],
		['High, by its label and with blanks', 'priority', ' HIGH\n', 'H'],
		['Very High, by its value', 'priority', '\u200bv\ufeff', 'V'],
		['Very High, by its label', 'priority', 'Very High', 'V'],
		['no priority for Regular', 'priority', ' REGULAR ', undefined],
		['tags between commas, each once', 'tags', ' b ,a,, c\t,\u200bb', ['b', 'a', 'c']],
		['tags of a list', 'tags', ['z', ' a ', '', 'z', 'a, b', 1.5], ['z', 'a', 'a, b', '1.5']],
		['tags of JSON text', 'tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['a flag as it is', 'tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', ['🏴󠁧󠁢󠁥󠁮󠁧󠁿']],
		['tags on lines', 'tags', "a\n'90s\r\n", ['a', "'90s"]],
		['tags in brackets', 'tags', '[draft], [final]', ['[draft]', '[final]']],
		['a number as a tag', 'tags', 7, ['7']],
		['no tags for an empty list', 'tags', '[]', []],
		['added tags after the others', 'addTags', 'late,finance', [...BEFORE.tags, 'late']],
		['tags without the removed ones', 'removeTags', ' finance, unknown', ['urgent', 'urgent']],
		['all tags if it removes none', 'removeTags', [], BEFORE.tags],
	])('sends %s', async (_what, field, value, sent) => {
		const key = /tags$/i.test(field) ? 'tags' : field;
		expect(await sentFor({ [field]: VALUE }, value)).toEqual({ ...before, [key]: sent });
	});

	const [first, second, third, fourth] = ASSIGNED;
	test.each<[what: string, rows: StepRow[], sent: unknown[]]>([
		['a user in place of two', [['reassign', 1201, 7]], [row(1201, 7), second, fourth]],
		['one of two', [['reassign', 1201, '44']], [third, second, fourth]],
		['a user of each step', [[undefined, VALUE, ' 8 ']], [row(1201, 8), second, fourth]],
		[
			'a user of a step that had none, once',
			[
				['reassign', 1204, 8],
				['reassign', 1204, 8],
			],
			[...ASSIGNED, row(1204, 8)],
		],
		[
			'added users, each once',
			[
				['add', 4, 5],
				['add', ' 4 ', '\u200b5'],
				['add', 1203, 42],
			],
			[...ASSIGNED, row(4, 5)],
		],
		['all but one of a step', [['remove', VALUE, 42]], [second, third, fourth]],
		['all but those of a step', [['remove', 1201, '']], [second, fourth]],
		[
			'all but two',
			[
				['remove', 1201, 44],
				['remove', 1203],
			],
			[first, second],
		],
		[
			'all if none matches',
			[
				['remove', 1202, 42],
				['remove', 1299],
			],
			ASSIGNED,
		],
		[
			'new users in place of all of a step',
			[
				['add', 1201, 7],
				['add', 1201, 44],
				['remove', 1201],
			],
			[second, fourth, row(1201, 7), third],
		],
		[
			'whom it adds, removes and reassigns at once',
			[
				['reassign', 1203, 9],
				['add', 1202, 7],
				['remove', 1202, 43],
			],
			[first, third, row(1203, 9), row(1202, 7)],
		],
	])('sends, of the step assignments, %s', async (_what, given, step_assignments) => {
		const sent = await sentFor({ changeSteps: rows(...given) }, '1201');
		expect(sent).toEqual({ ...before, step_assignments });
	});

	test.each<[StepRow, sent: unknown[]]>([
		[['reassign', 1201, 7], [row(1201, 7)]],
		[['add', 1201, 42], [row(1201, 42)]],
		[['remove', 1201, 42], []],
	])('takes IDs that come as text for the same IDs, with %j', async (given, step_assignments) => {
		const read = { ...stored(sandbox, ID), step_assignments: [{ step_id: '1201', user_id: '42' }] };
		sandbox.control.addFault({ action: respond(200, read) });
		expect(await sentFor({ changeSteps: rows(given) })).toMatchObject({ step_assignments });
	});

	test.each<[what: string, form: string, value: unknown, sent: unknown[]]>([
		['of a list, each once', VALUE, [row(3, 7), row(1, 9), row(3, 7)], [row(3, 7), row(1, 9)]],
		['of JSON text', VALUE, '[{"step_id": " 1 ", "user_id": "2"}]', [row(1, 2)]],
		['that are typed', '[{"step_id": 1, "user_id": 2}]', null, [row(1, 2)]],
		['of entries with other keys', VALUE, [{ ...row(1, 2), url: 'u' }], [row(1, 2)]],
		['of an empty list', VALUE, [], []],
	])('replaces the step assignments by those %s', async (_what, form, value, step_assignments) => {
		const sent = await sentFor({ stepAssignments: form }, value);
		expect(sent).toEqual({ ...before, step_assignments });
	});

	test('removes a tag that has blanks, or an accent as a character of its own', async () => {
		sandbox.control.change(ID, { tags: [' urgent ', 're\u0301sume\u0301', 'a'] });
		const sent = await sentFor({ removeTags: 'urgent, r\u00e9sum\u00e9' });
		expect(sent).toMatchObject({ tags: ['a'] });
	});

	test('adds no tag that it removes', async () => {
		const updateFields = { addTags: 'd, finance, e', removeTags: 'urgent, e' };
		expect(await sentFor(updateFields)).toEqual({ ...before, tags: ['finance', 'd'] });
	});

	test('changes nothing of what was there, even what it would refuse or trim', async () => {
		sandbox.control.change(ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [row(0, -4), row(0, -4)],
		});
		const kept = settableOf(stored(sandbox, ID));
		expect(await sentFor({ process: locator(12) })).toEqual(kept);
	});

	test.each<[string, NodeParameterValueType]>([
		['the list', { ...locator('11', 'list'), cachedResultName: 'Onboarding' }],
		['an expression, with blanks', locator('={{ " 11\u200b " }}')],
		['a URL without the slash', locator('HTTP://127.0.0.1/tenant/processes/11', 'url')],
		['a URL where an ID is expected', locator('https://127.0.0.1/api/processes/11/')],
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
	const tagAll = async (settings = {}) =>
		await sandbox.run(
			{ operation: 'update', instanceId: ID_OF_ITEM, updateFields: { addTags: 'a' } },
			items,
			settings,
		);

	test('is sent back, and left out in one more try only where the service rejects it', async () => {
		const names = ids.map((id) => stored(sandbox, id).name);
		const { outputs } = await tagAll();
		expect(outputs[0]?.map(({ json }) => json.name)).toEqual(names);
		const sent = bodies(sandbox, 'PUT').map(({ name }) => name);
		expect(sent).toEqual([...names, undefined]);
	});

	test.each<[status: number, body: object, tries: number, words: string]>([
		[422, { name: ['No.'] }, 2, 'name: No.'],
		[400, { name: ['No.'], tags: ['No.'] }, 2, 'tags: No.'],
		[400, { tags: ['The name "a" is taken.'] }, 1, 'tags: The name'],
		[400, { detail: 'The process names its instances.' }, 1, 'The process names'],
		[409, { name: ['No.'] }, 1, 'name: No.'],
		[400, { errors: { name: 'No.' } }, 2, 'name: No.'],
		// Not the field: the class of an error, and another field.
		[400, { name: 'BadRequest', message: 'Locked.' }, 1, 'Locked.'],
		[400, { 'invalid-params': [{ name: 'tags', reason: 'Locked.' }] }, 1, 'Locked.'],
	])('rejected with %d %j is tried %d times', async (status, body, tries, words) => {
		sandbox.control.addFault({
			match: { method: 'PUT' },
			times: 0,
			action: respond(status, body),
		});
		const { outputs } = await tagAll(CONTINUE);
		expect(outputs[0]?.map(({ json }) => json.error)).toEqual(
			Array(2).fill(expect.stringContaining(words)),
		);
		expect(bodies(sandbox, 'PUT')).toHaveLength(2 * tries);
	});

	test('stays in doubt when the first request was cut off', async () => {
		const answers: FaultAction[] = [
			{ type: 'applyThen', then: { type: 'reset' } },
			respond(400, { name: ['No.'] }),
			respond(403, { detail: 'No.' }),
		];
		for (const action of answers) sandbox.control.addFault({ match: { method: 'PUT' }, action });
		const { error } = await update({ updateFields: { priority: 'V' } });
		expect(error?.httpCode).toBe('403');
		expect(error?.description).toContain('The change may already have been made.');
	});

	test.each<[INodeParameters]>([
		[{ updateFields: { name: 'A' } }],
		[{ updateFields: { addTags: 'b', name: 'A', process: locator(13) } }],
	])('is never left out where the user set one, as in %j', async (parameters) => {
		const instanceId = locator(SEED.autoNamed);
		const { error } = await update({ instanceId, ...parameters });
		expect(error?.message).toContain('name: The process has automatic naming enabled.');
		expect(error?.description).toContain("remove 'Name' from 'Fields to Update'");
		expect(bodies(sandbox, 'PUT')).toHaveLength(1);
	});
});

describe('Dry Run', () => {
	const dryRun = async (parameters: INodeParameters) => {
		const { outputs, error } = await update({ ...parameters, options: { dryRun: true } });
		expect(sandbox.requests()).toEqual([READ]);
		return error ?? outputs[0]?.[0]?.json;
	};
	const DUE = '2026-07-01T10:00:00Z';
	const CLEAR = 'name, deadline, priority, tags, stepAssignments';
	const NOW = { name: 'A', deadline: DUE, priority: 'H', tags: ['a', 'b'] };
	const ONE = [row(1201, 42)];

	test.each<[INodeParameters, changes: IDataObject]>([
		[{ name: 'B' }, { name: 'B' }],
		[{ deadline: '2026-07-02T00:00:00Z' }, { deadline: '2026-07-02T00:00:00Z' }],
		[{ priority: 'V' }, { priority: 'V' }],
		[{ priority: 'regular' }, { priority: null }],
		[{ tags: 'c' }, { tags: ['c'] }],
		[{ addTags: 'c' }, { tags: ['a', 'b', 'c'] }],
		[{ removeTags: 'b' }, { tags: ['a'] }],
		[{ changeSteps: rows(['reassign', 1201, 7]) }, { step_assignments: [row(1201, 7)] }],
		[{ changeSteps: rows(['remove', 1201]) }, { step_assignments: [] }],
		[{ stepAssignments: '[{"step_id": 1, "user_id": 2}]' }, { step_assignments: [row(1, 2)] }],
		[{ name: 'B', tags: 'a, b' }, { name: 'B' }],
		// The same in other words.
		[{ name: 'A', deadline: '2026-07-01T12:00:00+02:00', priority: 'high' }, {}],
		[{ tags: 'a, b', stepAssignments: JSON.stringify(ONE), process: locator(12) }, {}],
		[{ addTags: 'a', removeTags: 'x', changeSteps: rows(['add', 1201, 42]) }, {}],
	])('lists of %j what would change: %j', async (updateFields, to) => {
		sandbox.control.change(ID, { ...NOW, step_assignments: ONE });
		const present: IDataObject = { ...stored(sandbox, ID) };
		const changes = Object.entries(to).map(([key, value]) => [
			key,
			{ from: present[key], to: value },
		]);
		expect(await dryRun({ updateFields })).toEqual({
			id: ID,
			name: 'A',
			dryRun: true,
			changes: Object.fromEntries(changes),
		});
		expect(stored(sandbox, ID)).toEqual(present);
	});

	test('lists where an instance would be moved, and what would be cleared', async () => {
		sandbox.control.change(ID, { ...NOW, step_assignments: ONE });
		const updateFields = { process: locator(11) };
		expect(await dryRun({ updateFields, clearFields: CLEAR })).toMatchObject({
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
		const step_assignments = [{ step_id: '1201', user_id: '42', url: 'u' }];
		const empty = { name: '', deadline: '', priority: null, tags: null };
		const read = { ...stored(sandbox, ID), ...empty, process, step_assignments };
		sandbox.control.addFault({ action: respond(200, read) });
		const updateFields = { process: locator(12), stepAssignments: JSON.stringify(ONE) };
		const clearFields = 'name, deadline, priority, tags';
		const listed = await dryRun({ updateFields, clearFields });
		expect(listed).toEqual({ id: ID, name: '', dryRun: true, changes: {} });
	});

	test('lists what is cleared, although it could not be kept', async () => {
		const current = { tags: 'a, b', step_assignments: [{ step: 1201, user: 42 }], priority: 3 };
		sandbox.control.addFault({ action: respond(200, { ...stored(sandbox, ID), ...current }) });
		const clearFields = 'tags, stepAssignments, priority';
		expect(await dryRun({ clearFields })).toMatchObject({
			changes: {
				tags: { from: 'a, b', to: [] },
				step_assignments: { from: [{ step: 1201, user: 42 }], to: [] },
				priority: { from: 3, to: null },
			},
		});
	});

	test('shows what the service returned, readable or not', async () => {
		const current = { name: undefined, deadline: 'soon', process: 'urn:process:3' };
		sandbox.control.addFault({ action: respond(200, { ...stored(sandbox, ID), ...current }) });
		const updateFields = { name: 'B', deadline: DUE, process: locator(11) };
		expect(await dryRun({ updateFields })).toMatchObject({
			name: null,
			changes: {
				name: { from: null, to: 'B' },
				deadline: { from: 'soon', to: DUE },
				process: { from: 'urn:process:3', to: processUri(11) },
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
	/** Runs a good item and a bad one behind it, which must keep both back. */
	const refusal = async (field: string, form: NodeParameterValueType, ...values: unknown[]) => {
		const items = values.map(itemWith);
		const { error, outputs } = await update({ updateFields: { [field]: form } }, items);
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(values.length - 1);
		expect(error?.context).toMatchObject({ id: ID });
		expect(error?.description).toMatch(/\. Nothing was changed\.$/);
		expect(sandbox.requests()).toEqual([]);
		return error?.message;
	};

	const NO_LIST = 'is neither a JSON list nor plain text separated by commas';
	test.each<[message: string, field: string, good: unknown, bad: unknown]>([
		...[
			'["urgent", "finance"',
			"['urgent', 'finance']",
			'{"tags": ["a"]}',
			'```json',
			'"urgent"',
			'urgent, "finance"',
			'urgent, "finance, hr"',
			"('urgent', 'finance')",
			'[urgent, finance]',
			'‘urgent’',
		].map((text): [string, string, string, string] => [NO_LIST, 'tags', 'a', text]),
		["'Replace Tags' contains an object instead of text", 'tags', 'a', '["a", {}]'],
		["'Name' is 256 characters long", 'name', 'A', '😀'.repeat(256)],
		["4133980800 in 'Deadline' is not a date", 'deadline', '2026-07-01', 4_133_980_800],
		['"HV" in \'Priority\' is not one of its options', 'priority', 'H', 'HV'],
		["1 in 'Priority' is not one of its options", 'priority', 'H', 1],
	])('%s in the second item: %s %j, %j', async (message, field, good, bad) => {
		expect(await refusal(field, VALUE, good, bad)).toContain(message);
	});

	test.each<[message: string, INodeParameters]>([
		['There is nothing to update', {}],
		[
			`""urgent"" in 'Replace Tags' is neither`,
			{ updateFields: { tags: `={{ '"urgent","finance"'.split(',') }}` } },
		],
		["NaN in 'Name' is not text", { updateFields: { name: '={{ 0 / 0 }}' } }],
		["Infinity in 'Add Tags' is not text", { updateFields: { addTags: '={{ [1 / 0] }}' } }],
		[
			"'Name' and 'Name' in 'Fields to Clear' can't be used together",
			{ updateFields: { name: 'A' }, clearFields: ['name'] },
		],
		[
			"'Add Tags' and 'Replace Tags' can't be used together",
			{ updateFields: { addTags: 'a', removeTags: 'b', tags: 'c' } },
		],
		[
			"'Change Step Assignments' and 'Replace Step Assignments' can't be used together",
			{ updateFields: { changeSteps: rows(['add', 1, 2]), stepAssignments: '[]' } },
		],
		[
			"The URL in 'Process' is on staging.example, but the credential is for 127.0.0.1",
			{ updateFields: { process: locator('https://staging.example/api/processes/11/', 'url') } },
		],
		["'Fields to Clear' is empty", { clearFields: '={{ $json.nothing }}' }],
		['"process" in \'Fields to Clear\' is not one of its options', { clearFields: ['process'] }],
		["'Name' contains an object instead of text", { updateFields: { name: '={{ ({ a: 1 }) }}' } }],
		[
			'"skip" in \'Empty Values\' is not one of its options',
			{ updateFields: { name: 'A' }, options: { emptyValues: 'skip' } },
		],
		["'Dry Run' is not true", { updateFields: { name: 'A' }, options: { dryRun: 'yes' } }],
	])('%s (%j)', async (message, parameters) => {
		const { error } = await update(parameters);
		expect(error?.message).toContain(message);
		expect(sandbox.requests()).toEqual([]);
	});

	const CHANGE = "'Change Step Assignments'";
	const no = (words: string, part: string) => `${words} in '${part}' of ${CHANGE} is not an ID`;
	test.each<[message: string, NodeParameterValueType, value?: unknown]>([
		[`${CHANGE} is empty`, rows()],
		// n8n makes `{}` of it, so that taking that for no rows would change nothing.
		[`${CHANGE} is empty`, VALUE, [row(1204, 45)]],
		[`'Step' of ${CHANGE} is empty`, rows(['add', '', 45])],
		[`'User' of ${CHANGE} is empty`, rows(['reassign', 1201, ''])],
		[`'Step' or 'User' of ${CHANGE} is empty`, rows(['remove', 1201, '={{ $json.nobody }}'])],
		['"skip" in \'Action\' is not one of its options', rows(['skip', 1201, 42])],
		["'Action', 'Step' or 'User' of 'Change Step Assignments' is empty", rows([VALUE, 1201, 42])],
		[no('"1e3"', 'Step'), rows(['add', VALUE, 45]), '1e3'],
		[no('1.5', 'User'), rows(['remove', 7, VALUE]), 1.5],
		[no('9007199254740992', 'Step'), rows(['add', VALUE, 45]), 2 ** 53],
		[`'User' of ${CHANGE} contains a list instead of an ID`, rows(['reassign', 7, VALUE]), [7]],
		...[
			rows(['reassign', 7, 1], ['reassign', 7, 2]),
			rows(['add', 7, 1], ['reassign', 7, 1]),
			rows(['reassign', 7, 1], ['remove', 7]),
			rows(['add', 7, 1], ['remove', 7, 1]),
		].map((form): [string, NodeParameterValueType] => [
			`The rows of ${CHANGE} contradict each other for step 7`,
			form,
		]),
	])('rows of Change Step Assignments: %s (%j)', async (message, form, value = null) => {
		expect(await refusal('changeSteps', form, value)).toContain(message);
	});

	test.each<[words: string, values: unknown[]]>([
		['contains an object instead of a list of assignments', [row(1, 2)]],
		['is not a list of assignments', ['1201: 42', '[{"step_id": 1201']],
		[
			'needs a valid step_id and user_id',
			[
				...[[{ step_id: 1201, user: 42 }], [{ stepId: 1201, userId: 42 }], [{ step_id: 1201 }]],
				...['[{"__proto__": {"step_id": 7, "user_id": 8}}]', [null], [7], [[]]],
				...[[row(1.5, 2)], [row(1, 2 ** 53)], [{ step_id: { value: 1 }, user_id: 2 }]],
				[row(1, 2), { step_id: 3, user_id: null }],
			],
		],
	])('Replace Step Assignments by what %s: %j', async (words, values) => {
		for (const value of values) {
			const message = await refusal('stepAssignments', VALUE, value);
			expect(message).toContain(`'Replace Step Assignments' ${words}`);
		}
	});
});
