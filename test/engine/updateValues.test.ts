import type { INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { takeUnexpectedRequests, useNodeRunner } from '../harness';
import { bodies, give, settableOf, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

describe('Update takes', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;

	const runner = useNodeRunner({ parameters: {} });
	const update = async (
		parameters: INodeParameters,
		{ id = ID, value = null }: { id?: number; value?: unknown } = {},
	) =>
		await runner.run({
			parameters: { operation: 'update', instanceId: locator(id), ...parameters },
			items: [{ value: JSON.parse(JSON.stringify(value)) }],
			credentials: sandbox.credentials,
		});

	/** What the sandbox has after an update of one field, given by an expression, like an API's answer. */
	const storedAfter = async (field: string, value: unknown) => {
		const { error } = await update({ updateFields: { [field]: '={{ $json.value }}' } }, { value });
		expect(error).toBeUndefined();
		return settableOf(stored(sandbox, ID));
	};

	describe('Name', () => {
		test.each([
			['255 characters', 'x'.repeat(255)],
			['255 emoji, 510 UTF-16 units', '😀'.repeat(255)],
			['blanks around it', '  blanks  '],
			['commas alone', ',,'],
			['markup', '<b>"&amp;" \\u0041</b>\n\ttab'],
			['a word of JavaScript', '__proto__'],
			['the text null', 'null'],
		])('is stored as it is: %s', async (_, name) => {
			expect(await storedAfter('name', name)).toHaveProperty('name', name);
		});

		test.each([
			['x'.repeat(256), 256],
			['😀'.repeat(256), 256],
			['x'.repeat(100_000), 100_000],
		])('is refused when it is longer (%#)', async (name, length) => {
			const { error } = await update({ updateFields: { name } });
			expect(error?.message).toBe(`'Name' is ${length} characters long`);
			expect(error?.description).toContain('255');
			expect(sandbox.requests()).toEqual([]);
		});

		test.each([
			[118, '118'],
			[0, '0'],
			[false, 'false'],
		])('may be the number or switch %p', async (value, name) => {
			expect(await storedAfter('name', value)).toHaveProperty('name', name);
		});
	});

	describe('Automatic Naming', () => {
		const id = SEED.autoNamed;

		test('leaves the name out, so that the process names the instance', async () => {
			const before = settableOf(stored(sandbox, id));
			const updateFields = { automaticNaming: true, priority: 'V' };
			const { status } = await update({ updateFields }, { id });
			expect(status).toBe('success');
			const [body] = bodies(sandbox, 'PUT');
			expect(body).not.toHaveProperty('name');
			expect(settableOf(stored(sandbox, id))).toEqual({ ...before, priority: 'V' });
		});

		test('is suggested when the service refuses the kept name', async () => {
			const before = stored(sandbox, id);
			const { error } = await update({ updateFields: { priority: 'V' } }, { id });
			expect(error?.message).toContain('The workflow has automatic naming enabled');
			expect(error?.description).toContain("'Automatic Naming'");
			expect(error?.httpCode).toBe('400');
			expect(stored(sandbox, id)).toEqual(before);
		});

		test('is not suggested where it would not help', async () => {
			const named = await update({ updateFields: { name: 'Mine' } }, { id });
			expect(named.error?.message).toContain('automatic naming');
			expect(named.error?.description).not.toContain("'Automatic Naming'");
			const other = await update({ process: locator(77) });
			expect(other.error?.description).not.toContain("'Automatic Naming'");
		});

		test('that is off is as if it had not been added', async () => {
			const { error } = await update({ updateFields: { automaticNaming: false } });
			expect(error?.message).toBe('Nothing to update was chosen');
			await update({ updateFields: { automaticNaming: false, name: 'Mine' } });
			expect(stored(sandbox, ID).name).toBe('Mine');
		});

		test('clears nothing in reset either', async () => {
			const process = locator(SEED.processes.purchaseRequest);
			const updateFields = { automaticNaming: true };
			await update({ unsetFields: 'reset', process, updateFields }, { id });
			expect(Object.keys(bodies(sandbox, 'PUT')[0] ?? {})).toEqual(['process']);
		});
	});

	describe('Priority', () => {
		test.each([
			['H', 'H'],
			['V', 'V'],
			['h', 'H'],
			[' v ', 'V'],
			['High', 'H'],
			['HIGH', 'H'],
			[' high\n', 'H'],
			['Very High', 'V'],
			['very high', 'V'],
			['VERY HIGH', 'V'],
		])('%p is stored as %p', async (value, priority) => {
			await give(sandbox, ID, { priority: null });
			expect(await storedAfter('priority', value)).toHaveProperty('priority', priority);
		});

		test.each(['regular', 'Regular', ' REGULAR '])(
			'%p leaves the key out of the body',
			async (value) => {
				const before = settableOf(stored(sandbox, ID));
				expect(await storedAfter('priority', value)).toEqual({ ...before, priority: null });
				expect(bodies(sandbox, 'PUT')[0]).not.toHaveProperty('priority');
			},
		);
	});

	const LISTS: Array<[given: unknown, tags: string[]]> = [
		['a', ['a']],
		[' b ,a,, c\t,', ['b', 'a', 'c']],
		['b,a,b, a ', ['b', 'a']],
		['line 1\nline 2, x', ['line 1\nline 2', 'x']],
		[
			['z', ' a ', '', 'z', 'a, b'],
			['z', 'a', 'a, b'],
		],
		[
			[1, 1.5, true, '1'],
			['1', '1.5', 'true'],
		],
		['["x", " y ", "x, z"]', ['x', 'y', 'x, z']],
		[' [1, "1", 2] ', ['1', '2']],
		['[draft], [final', ['[draft]', '[final']],
		['__proto__, constructor, 😀', ['__proto__', 'constructor', '😀']],
		[7, ['7']],
		[true, ['true']],
	];

	describe('Tags', () => {
		test.each(LISTS)('%j is stored as %j', async (given, tags) => {
			expect(await storedAfter('tags', given)).toHaveProperty('tags', tags);
		});

		test.each([[[]], ['[]'], [['', ' ']], ['["", " "]']])(
			'%j, which is a list without tags, empties them',
			async (given) => {
				expect(await storedAfter('tags', given)).toHaveProperty('tags', []);
			},
		);

		test.each(LISTS)('%j can be added', async (given, tags) => {
			expect(await storedAfter('addTags', given)).toHaveProperty('tags', [
				...new Set(['finance', 'urgent', ...tags]),
			]);
		});

		test.each(LISTS)('%j can be removed', async (given, tags) => {
			await give(sandbox, ID, { tags: ['kept', ...tags, 'kept too'] });
			expect(await storedAfter('removeTags', given)).toHaveProperty('tags', ['kept', 'kept too']);
		});

		test('added and removed in one update keep their order', async () => {
			await give(sandbox, ID, { tags: ['c', 'a', 'b'] });
			const updateFields = { addTags: 'd, a, e', removeTags: 'b, e' };
			await update({ updateFields });
			expect(stored(sandbox, ID).tags).toEqual(['c', 'a', 'd']);
			expect(sandbox.requests()).toHaveLength(2);
		});

		test.each(['addTags', 'removeTags'])('together with %s are refused', async (other) => {
			const { error } = await update({ updateFields: { tags: 'a', [other]: 'b' } });
			expect(error?.message).toContain("'Tags'");
			expect(error?.message).toContain(other === 'addTags' ? "'Add Tags'" : "'Remove Tags'");
			expect(sandbox.requests()).toEqual([]);
		});
	});

	describe('Step Assignments', () => {
		const assigned = (entries: INodeParameters[]): INodeParameters => ({
			updateFields: { stepAssignments: { assignment: entries } },
		});

		test('come from the form, numbers or text', async () => {
			await update(
				assigned([
					{ stepId: 1203, userId: ' 7 ' },
					{ stepId: '1201', userId: 9 },
				]),
			);
			expect(stored(sandbox, ID).step_assignments).toEqual([
				{ step_id: 1203, user_id: 7 },
				{ step_id: 1201, user_id: 9 },
			]);
		});

		test('may have expressions in the form', async () => {
			const entry = { stepId: '={{ $json.value }}', userId: '={{ $json.value - 1193 }}' };
			await update(assigned([entry]), { value: 1201 });
			expect(stored(sandbox, ID).step_assignments).toEqual([{ step_id: 1201, user_id: 8 }]);
		});

		const ONE = [{ step_id: 1201, user_id: 7 }];
		const TWO = [...ONE, { step_id: 1202, user_id: 8 }];

		test.each<[unknown, unknown[]]>([
			[TWO, TWO],
			[JSON.stringify(TWO), TWO],
			[[{ stepId: 1201, userId: 7 }], ONE],
			[[{ step_id: '1201', user_id: ' 7 ' }], ONE],
			[[{ step_id: 1201, user_id: 7, id: 3, name: 'kept out' }], ONE],
			[[], []],
			['[]', []],
		])('come from an expression that gives %j', async (value, assignments) => {
			const stepAssignments = { list: [{ assignments: '={{ $json.value }}' }] };
			await update({ updateFields: { stepAssignments } }, { value });
			expect(stored(sandbox, ID).step_assignments).toEqual(assignments);
		});

		test('come from the form and from lists together', async () => {
			const stepAssignments = {
				list: [
					{ assignments: '={{ $json.value }}' },
					{ assignments: JSON.stringify(TWO.slice(1)) },
				],
				assignment: [{ stepId: 1203, userId: 9 }],
			};
			await update({ updateFields: { stepAssignments } }, { value: ONE });
			expect(stored(sandbox, ID).step_assignments).toEqual([{ step_id: 1203, user_id: 9 }, ...TWO]);
		});
	});

	describe('null', () => {
		test.each(['name', 'deadline', 'priority'] as const)('clears %s', async (field) => {
			const before = settableOf(stored(sandbox, ID));
			expect(await storedAfter(field, null)).toEqual({ ...before, [field]: null });
			expect(bodies(sandbox, 'PUT')[0]).toHaveProperty(field, null);
		});
	});

	describe('Process', () => {
		const uri = () => `${sandbox.credentials.baseUrl}/processes/${SEED.processes.onboarding}/`;

		test.each<[string, NodeParameterValueType]>([
			['an ID', locator(SEED.processes.onboarding)],
			['an ID as text with blanks', locator(' 11 ')],
			['an expression', locator('={{ 11 }}')],
			['a link', locator('https://other.example/tenant/api/processes/11/', 'url')],
			['a link without the slash', locator('http://other.example/processes/11', 'url')],
			['a link where an ID is expected', locator('https://other.example/api/processes/11/')],
			['an ID where a link is expected', locator(11, 'url')],
			['an expression for a link that gives an ID', locator('={{ "11" }}', 'url')],
		])('is taken from %s, and only its ID is used', async (_, process) => {
			await update({ process });
			expect(stored(sandbox, ID).process).toBe(uri());
			expect(sandbox.requests()).toEqual([
				`GET /api/instances/${ID}/`,
				`PUT /api/instances/${ID}/`,
			]);
			expect(takeUnexpectedRequests()).toEqual([]);
		});

		test.each([['='], ['={{ "" }}'], [null]])(
			'%p is as if it had not been chosen',
			async (value) => {
				const before = stored(sandbox, ID).process;
				await update({ process: { ...locator(''), value }, updateFields: { name: 'Named' } });
				expect(stored(sandbox, ID)).toMatchObject({ process: before, name: 'Named' });
			},
		);

		test.each([
			[
				'102',
				'https://other.example/api/instances/102/',
				'is a link to an instance, not to a process',
			],
			['11', 'https://other.example/api/processes/11/edit/', 'is not a link to a process'],
		])('is not %p when the link leads elsewhere', async (_, link, words) => {
			const { error } = await update(
				{ process: locator('={{ $json.value }}', 'url') },
				{ value: link },
			);
			expect(error?.message).toContain(`"${link}" in 'Process' ${words}`);
			expect(sandbox.requests()).toEqual([]);
		});
	});
});
