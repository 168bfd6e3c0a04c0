import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { expressionEngine, takeUnexpectedRequests, useNodeRunner } from '../harness';
import { bodies, give, settableOf, stored } from './support/instances';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';

const row = (step_id: number, user_id: number) => ({ step_id, user_id });
/** What the instance has before each update: two users of one step, and one user of two steps. */
const ASSIGNED = [row(1201, 42), row(1202, 43), row(1201, 44), row(1203, 42)];
const BEFORE = { tags: ['finance', 'urgent'], priority: null, step_assignments: ASSIGNED };

const filled = (...rows: Array<[step: unknown, user?: unknown]>): INodeParameters => ({
	assignment: rows.map(([stepId, userId]) => ({
		stepId: String(stepId),
		...(userId !== undefined && { userId: String(userId) }),
	})),
});
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
	const NAMES = ['x'.repeat(255), '😀'.repeat(255), '  № 7 ', ',,', '<b>"&amp;"\\\n', '__proto__'];
	const DATE = '2026-07-01T10:00:00+02:00';

	test.each<[field: string, value: unknown, sent: unknown]>([
		...NAMES.flatMap((name) => all([name], 'name', name)),
		['name', 118, '118'],
		['name', false, 'false'],
		['name', null, null],
		...all([true, 'true'], 'automaticNaming'),
		['deadline', DATE, DATE],
		['deadline', null, null],
		...all(['H', 'h', 'High', ' HIGH\n'], 'priority', 'H'),
		...all([' v ', 'V', 'Very High', 'VERY HIGH'], 'priority', 'V'),
		...all(['regular', ' REGULAR '], 'priority'),
		['priority', null, null],
		['tags', ' b ,a,, c\t,b', ['b', 'a', 'c']],
		['tags', 'line 1\nline 2, 😀', ['line 1\nline 2', '😀']],
		['tags', ['z', ' a ', '', 'z', 'a, b', 1.5, true, '1.5'], ['z', 'a', 'a, b', '1.5', 'true']],
		['tags', ' ["x", " y ", "x, z", 1, "1"] ', ['x', 'y', 'x, z', '1']],
		['tags', '[draft], [final', ['[draft]', '[final']],
		['tags', 7, ['7']],
		['tags', true, ['true']],
		...all([[], '[]', ['', ' '], '["", " "]'], 'tags', []),
		['addTags', 'late,finance', ['finance', 'urgent', 'late']],
		['addTags', ['a, b', 7], ['finance', 'urgent', 'a, b', '7']],
		['addTags', '', ['finance', 'urgent']],
		['removeTags', ' finance, unknown', ['urgent']],
		['removeTags', '["urgent", "finance"]', []],
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
		[listed(), [{ stepId: '1', userId: ' 7 ', id: 3 }], [row(1, 7)]],
		[{ ...filled([1, 2]), ...listed() }, '[{"step_id":3,"user_id":4}]', [row(1, 2), row(3, 4)]],
	])('step assignments replaced by %j given %j', async (form, value, sent) => {
		expect(await assignedBy('stepAssignments', form, value)).toEqual(sent);
	});

	test.each<[form: INodeParameters, value: unknown, added: unknown[]]>([
		[filled([1204, 46], [1202, 45]), null, [row(1204, 46), row(1202, 45)]],
		[filled([1204, 45], [' 1204 ', '45'], [1203, 42]), null, [row(1204, 45)]],
		[listed(), [row(7, 8), row(1202, 43)], [row(7, 8)]],
		[filled([4, VALUE]), 5, [row(4, 5)]],
		[{ ...filled([4, 5]), ...listed() }, '[{"stepId": "6", "userId": 7}]', [row(4, 5), row(6, 7)]],
		[listed(), [], []],
	])('step assignments added as %j given %j', async (form, value, added) => {
		const sent = [...ASSIGNED, ...added];
		expect(await assignedBy('addStepAssignments', form, value)).toEqual(sent);
	});

	test.each<[form: INodeParameters, value: unknown, left: unknown[]]>([
		[filled([1201, 42]), null, [second, third, fourth]],
		[filled([1201]), null, [second, fourth]],
		[filled([1201, '']), null, [second, fourth]],
		[filled([1201, 44], [1203]), null, [first, second]],
		[filled([1202, 42], [1299], [42, 1201]), null, ASSIGNED],
		[filled([VALUE, 44]), '1201', [first, second, fourth]],
		[listed(), [row(1201, 42), { step_id: 1202 }], [third, fourth]],
		[listed(), '[{"stepId": 1201}]', [second, fourth]],
		[listed(), [], ASSIGNED],
	])('step assignments removed as %j given %j', async (form, value, left) => {
		expect(await assignedBy('removeStepAssignments', form, value)).toEqual(left);
	});

	test.each<[INodeParameters, IDataObject]>([
		[{ addTags: 'd, urgent, e', removeTags: 'finance, e' }, { tags: ['urgent', 'd'] }],
		[{ name: 'A', automaticNaming: false }, { name: 'A' }],
		[{ name: 'A', automaticNaming: '={{ "false" }}' }, { name: 'A' }],
		[
			// Given to somebody else: removed whoever has it, added for the new one.
			{ removeStepAssignments: filled([1201]), addStepAssignments: filled([1201, 7], [1202, 43]) },
			{ step_assignments: [row(1202, 43), row(1203, 42), row(1201, 7)] },
		],
	])('%j together', async (updateFields, sent) => {
		const before = settableOf(stored(sandbox, ID));
		expect(await kept({ updateFields })).toEqual({ ...before, ...sent });
	});

	test.each([
		['name', { name: null }],
		['deadline', { deadline: null }],
		['priority', { priority: null }],
		['tags', { tags: [] }],
		['stepAssignments', { step_assignments: [] }],
	])('%s that is cleared', async (name, sent) => {
		await give(sandbox, ID, { priority: 'H' });
		const before = settableOf(stored(sandbox, ID));
		expect(await kept({ clearFields: [name] })).toEqual({ ...before, ...sent });
		expect(settableOf(stored(sandbox, ID))).toEqual({ ...before, ...sent });
	});

	test('nothing of what was there, in its order, even where it would be refused or trimmed', async () => {
		await give(sandbox, ID, {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [row(0, -4), row(0, -4)],
		});
		const before = JSON.stringify(settableOf(stored(sandbox, ID)));
		expect(JSON.stringify(await kept({ process: locator(12) }))).toBe(before);
		expect(JSON.stringify(settableOf(stored(sandbox, ID)))).toBe(before);
	});

	test('what each item gives for its own instance', async () => {
		const ids = [SEED.running, ID, SEED.overdue];
		const before = ids.map((id) => settableOf(stored(sandbox, id)));
		await update(
			{
				instanceId: ID_OF_ITEM,
				updateFields: {
					priority: '={{ $json.priority }}',
					addStepAssignments: filled([9, '={{ $json.id }}']),
				},
			},
			ids.map((id, index) => ({ id, priority: ['H', 'V', 'regular'][index] ?? '' })),
		);
		expect(ids.map((id) => settableOf(stored(sandbox, id)))).toEqual(
			before.map((instance, index) => ({
				...instance,
				priority: ['H', 'V', null][index],
				step_assignments: [...instance.step_assignments, row(9, ids[index] ?? 0)],
			})),
		);
		expect(sandbox.requests()).toHaveLength(2 * ids.length);
	});
});

describe('Reset sends the process and', () => {
	test.each<[updateFields: INodeParameters, sent: IDataObject, requests: string[]]>([
		[{}, {}, [WRITE]],
		[{ name: 'A', priority: 'V' }, { name: 'A', priority: 'V' }, [WRITE]],
		[{ automaticNaming: true, priority: 'regular' }, {}, [WRITE]],
		[{ tags: 'a', stepAssignments: listed('[]') }, { tags: ['a'], step_assignments: [] }, [WRITE]],
		[
			{ addTags: 'late', removeTags: 'urgent, unknown' },
			{ tags: ['finance', 'late'] },
			[READ, WRITE],
		],
		[{ addTags: '={{ [] }}' }, { tags: BEFORE.tags }, [READ, WRITE]],
		[
			{ addStepAssignments: filled([4, 5]) },
			{ step_assignments: [...ASSIGNED, row(4, 5)] },
			[READ, WRITE],
		],
		[
			{ removeStepAssignments: filled([1201]) },
			{ step_assignments: [row(1202, 43), row(1203, 42)] },
			[READ, WRITE],
		],
	])('for %j %j', async (updateFields, sent, requests) => {
		const { error } = await update({ unsetFields: 'reset', process: locator(11), updateFields });
		expect(error).toBeUndefined();
		expect(bodies(sandbox, 'PUT')).toEqual([{ process: process(11), ...sent }]);
		expect(sandbox.requests()).toEqual(requests);
	});
});

describe('Process', () => {
	test.each<[string, NodeParameterValueType]>([
		['an ID', locator(11)],
		['an ID as text with blanks', locator(' 11 ')],
		['an expression', locator('={{ 11 }}')],
		['a link', locator('https://other.example/tenant/api/processes/11/', 'url')],
		['a link without the slash', locator('http://other.example/processes/11', 'url')],
		['a link where an ID is expected', locator('https://other.example/api/processes/11/')],
		['an ID where a link is expected', locator(11, 'url')],
	])('is taken from %s, and only its ID is used', async (_what, given) => {
		expect(await kept({ process: given })).toHaveProperty('process', process(11));
		expect(takeUnexpectedRequests()).toEqual([]);
	});

	test.each([['='], ['={{ "" }}'], [null]])('%p is as if none was chosen', async (value) => {
		const before = stored(sandbox, ID).process;
		const given = { process: { ...locator(''), value }, updateFields: { name: 'A' } };
		expect(await kept(given)).toMatchObject({ process: before, name: 'A' });
	});
});

describe('Update refuses', () => {
	const GOOD = { updateFields: { name: 'Renamed' } };

	/** Runs good items and a bad one behind them, which must keep all of them back. */
	const refusal = async (parameters: INodeParameters, ...values: unknown[]) => {
		const items = values.length === 0 ? [{}] : values.map(itemWith);
		const { error, outputs } = await update({ ...GOOD, ...parameters }, items);
		const { message = '', description = '' } = error ?? {};
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(items.length - 1);
		expect(description).toMatch(new RegExp(`\\S.* \\(item ${items.length - 1}\\)$`));
		expect(`${message} ${description}`).not.toMatch(/error|problem|failure|mistake|undefined/i);
		expect(sandbox.requests()).toEqual([]);
		return message;
	};
	const given = (field: string): INodeParameters => ({ updateFields: { [field]: VALUE } });
	/** An object that cannot be made text of; the vm engine does not let it out of an expression. */
	const HOSTILE: IDataObject =
		expressionEngine() === 'legacy' ? { toString: 1, valueOf: 1 } : { a: 1 };

	/** A value of each field that can be used. */
	const USABLE: Record<string, unknown> = {
		'Add Tags': 'a',
		'Automatic Naming': true,
		Deadline: '2026-07-01',
		Name: 'Renamed',
		Priority: 'H',
		'Remove Tags': 'a',
		Tags: 'a',
	};
	const nameOf = (label: string) =>
		`${label.charAt(0).toLowerCase()}${label.slice(1).replaceAll(' ', '')}`;
	const labelOf = (field: string) =>
		Object.keys(USABLE).find((label) => nameOf(label) === field) ?? '';

	test.each(Object.entries(USABLE))(
		"'%s' that is nothing, empty or an object",
		async (label, good) => {
			const messageOn = async (value: unknown) => await refusal(given(nameOf(label)), good, value);
			expect(await messageOn(undefined)).toBe(`'${label}' has no value`);
			for (const value of [{}, { a: 1 }, HOSTILE]) {
				expect(await messageOn(value)).toContain(`'${label}'`);
			}
			const isCleared = ['Deadline', 'Name', 'Priority'].includes(label);
			if (!isCleared) expect(await messageOn(null)).toContain(`'${label}'`);
			if (label === 'Add Tags' || label === 'Remove Tags') return;
			for (const value of ['', ' \n']) expect(await messageOn(value)).toBe(`'${label}' is empty`);
		},
	);

	const bad = (field: string, values: unknown[]) =>
		values.map((value): [string, unknown] => [field, value]);

	test.each([
		...bad('name', [[], ['a']]),
		...bad('priority', ['low', 'HV', 'veryhigh', 'constructor', 1, true, ['H']]),
		...bad('automaticNaming', ['yes', 1, []]),
		...bad('tags', [[['a']], [{ name: 'a' }], '["a", null]', ', ,']),
		...bad('addTags', [[null]]),
		...bad('removeTags', ['[["a"]]']),
	])('%s: %j', async (field, value) => {
		const label = labelOf(field);
		expect(await refusal(given(field), USABLE[label], value)).toContain(`'${label}'`);
	});

	test.each(['x'.repeat(256), '😀'.repeat(256)])('a name that is too long: %j', async (name) => {
		expect(await refusal({ updateFields: { name } })).toBe("'Name' is 256 characters long");
	});

	test.each<[INodeParameters]>([
		[{ updateFields: {} }],
		[{ updateFields: {}, clearFields: [], process: locator('') }],
		[{ updateFields: { automaticNaming: false } }],
		[{ updateFields: {}, clearFields: '={{ [] }}' }],
	])('nothing chosen: %j', async (parameters) => {
		expect(await refusal(parameters)).toBe('Nothing to update was chosen');
	});

	const ROWS = filled([1204, 45]);
	test.each<[field: string, label: string, value: NodeParameterValueType, cleared: string]>([
		['name', 'Name', 'a', 'name'],
		['automaticNaming', 'Automatic Naming', true, 'name'],
		['deadline', 'Deadline', '2026-07-01', 'deadline'],
		['priority', 'Priority', 'regular', 'priority'],
		['tags', 'Tags', 'a', 'tags'],
		['addTags', 'Add Tags', 'a', 'tags'],
		['removeTags', 'Remove Tags', 'a', 'tags'],
		['stepAssignments', 'Step Assignments', ROWS, 'stepAssignments'],
		['addStepAssignments', 'Add Step Assignments', ROWS, 'stepAssignments'],
		['removeStepAssignments', 'Remove Step Assignments', ROWS, 'stepAssignments'],
	])('%s that is both set and cleared', async (field, label, value, cleared) => {
		const both = { updateFields: { [field]: value }, clearFields: [cleared] };
		expect(await refusal(both)).toBe(`'${label}' is both set and cleared`);
	});

	test.each<[INodeParameters, string[]]>([
		[{ name: 'a', automaticNaming: true }, ["'Name'", "'Automatic Naming'"]],
		[{ tags: 'a', addTags: 'b' }, ["'Tags'", "'Add Tags'"]],
		[{ removeTags: 'b', addTags: 'c', tags: 'a' }, ["'Tags'"]],
		[{ addStepAssignments: ROWS, stepAssignments: ROWS }, ["'Add Step Assignments'"]],
		[{ removeStepAssignments: ROWS, stepAssignments: ROWS }, ["'Remove Step Assignments'"]],
	])('%j together', async (updateFields, labels) => {
		const message = await refusal({ updateFields });
		expect(message).toMatch(/^'.+' and '.+' cannot be used together$/);
		for (const label of labels) expect(message).toContain(label);
	});

	test.each([
		['process'],
		null,
		undefined,
		[['name', 'id']],
		'__proto__',
		7,
		{},
		[[null]],
		HOSTILE,
	])('the fields to clear %j', async (value) => {
		const message = await refusal({ updateFields: {}, clearFields: VALUE }, ['name'], value);
		expect(message).toContain("'Fields to Clear'");
	});

	test.each([
		['https://other.example/api/instances/7/', 'is a link to an instance, not to a process'],
		['https://other.example/api/processes/11/edit/', 'is not a link to a process'],
	])('the process %s', async (link, words) => {
		const message = await refusal({ process: locator(VALUE, 'url') }, 11, link);
		expect(message).toBe(`"${link}" in 'Process' ${words}`);
	});

	test.each<[string, INodeParameters, unknown[]]>([
		['Other Fields', { unsetFields: VALUE }, ['merge', 1, true, 'constructor', [], {}, HOSTILE]],
		['Process', { unsetFields: 'reset' }, [1]],
		['Process', { process: locator(VALUE) }, ['x', 0, {}]],
		['Output', { output: VALUE }, ['x', -1, [HOSTILE], HOSTILE, true]],
		['Fields to Output', { output: 'selected', outputFields: VALUE }, ['x', 1.5, HOSTILE]],
		['Max Retries', { options: { maxRetries: VALUE } }, ['x', -1, 1.5, HOSTILE, true]],
		['Max Concurrent Requests', { options: { maxConcurrentRequests: VALUE } }, ['x', 1.5, 101]],
	])("a value of '%s' that does not exist", async (label, parameters, values) => {
		for (const value of values) expect(await refusal(parameters, value)).toContain(`'${label}'`);
	});

	describe.each([
		['stepAssignments', 'Step Assignments'],
		['addStepAssignments', 'Add Step Assignments'],
		['removeStepAssignments', 'Remove Step Assignments'],
	])('%s', (field, label) => {
		const assigning = (form: NodeParameterValueType) => ({ updateFields: { [field]: form } });

		test.each<[string, NodeParameterValueType]>([
			['as a form without rows', {}],
			['as a form that was emptied', { assignment: [], list: [] }],
			// n8n makes `{}` of it, so that taking that for an empty list would lose everything.
			['as one expression', VALUE],
		])('%s', async (_what, form) => {
			expect(await refusal(assigning(form), [row(1204, 45)])).toBe(`'${label}' is empty`);
		});

		test.each<[string, NodeParameterValueType]>([
			['a row that was not filled in', { assignment: [{}] }],
			['a row of empty texts', { assignment: [{ stepId: '', userId: '' }] }],
			['an empty row behind a filled one', { assignment: [{ stepId: 1, userId: 2 }, {}] }],
			['a step that an expression does not find', filled(['={{ $json.nothing }}', 45])],
			['a list without a step', listed('[{"user_id": 45}]')],
			...['[null]', '[[]]', '[7]', '[{"__proto__": {"step_id": 7, "user_id": 8}}]'].map(
				(list): [string, INodeParameters] => [`the list ${list}`, listed(list)],
			),
		])('with %s', async (_what, form) => {
			expect(await refusal(assigning(form))).toBe(`'Step ID' in '${label}' is empty`);
		});

		test.each([
			['abc', '"abc"'],
			['-1', '"-1"'],
			['1.5', '"1.5"'],
			['1e3', '"1e3"'],
			[0, '0'],
			[-1, '-1'],
			[1.5, '1.5'],
			[2 ** 53, '9007199254740992'],
			[true, 'true'],
			[[7], 'a list'],
			[{ a: 1 }, 'an object'],
		])('with the ID %j', async (value, words) => {
			for (const [part, form] of [
				['Step ID', filled([VALUE, 45])],
				['User ID', filled([7, VALUE])],
			] as const) {
				const message = await refusal(assigning(form), 7, value);
				expect(message).toBe(`${words} is not a valid '${part}' in '${label}'`);
			}
		});

		test.each([null, '', 'everyone', '[{"step_id": 7', 7, row(1, 2), undefined])(
			'with the list %j',
			async (value) => {
				const message = await refusal(assigning(listed()), [row(1, 2)], value);
				expect(message).toMatch(
					new RegExp(`'${label}' (is empty|is not a list|contains an object)`),
				);
			},
		);

		const NOBODY = [filled([1201, '={{ $json.nobody }}']), filled([1201, '={{ null }}'])];
		const OPEN = [filled([1201, '={{ "" }}']), listed('[{ "step_id": 1201, "user_id": null }]')];
		test.each([...NOBODY, ...OPEN, ...(field === 'removeStepAssignments' ? [] : [filled([1201])])])(
			'without a user: %j',
			async (form) => {
				expect(await refusal(assigning(form))).toBe(`'User ID' in '${label}' is empty`);
			},
		);
	});
});
