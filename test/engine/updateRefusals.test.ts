import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { createNodeRunner, expressionEngine, type NodeRunner } from '../harness';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

describe('Update refuses', () => {
	const sandbox = useSandbox();
	const VALUE = '={{ $json.value }}';
	const GOOD: INodeParameters = {
		operation: 'update',
		instanceId: locator(SEED.running),
		updateFields: { name: 'Renamed' },
	};

	let runner: NodeRunner;
	beforeAll(async () => {
		runner = await createNodeRunner({ parameters: GOOD });
	});
	afterAll(async () => {
		await runner.close();
	});

	/** Runs good items and a bad one behind them, which must keep all of them back. */
	async function refusal(
		parameters: INodeParameters,
		items: IDataObject[] = [{}],
	): Promise<{ message: string; description: string }> {
		const { error, outputs } = await runner.run({
			parameters: { ...GOOD, ...parameters },
			items,
			credentials: sandbox.credentials,
		});
		const { message = '', description = '' } = error ?? {};
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(items.length - 1);
		expect(description).toMatch(new RegExp(`\\S.* \\(item ${items.length - 1}\\)$`));
		expect(`${message} ${description}`).not.toMatch(/error|problem|failure|mistake|undefined/i);
		expect(sandbox.requests()).toEqual([]);
		return { message, description };
	}

	/** The label of each field, with a value that can be used. */
	const FIELDS: Record<string, [label: string, good: unknown]> = {
		addTags: ["'Add Tags'", 'a'],
		automaticNaming: ["'Automatic Naming'", true],
		deadline: ["'Deadline'", '2026-07-01'],
		name: ["'Name'", 'Renamed'],
		priority: ["'Priority'", 'H'],
		removeTags: ["'Remove Tags'", 'a'],
		tags: ["'Tags'", 'a'],
	};

	const given = (field: string): INodeParameters => ({ updateFields: { [field]: VALUE } });
	const each = Object.entries(FIELDS).map(([field, [label, good]]) => ({ field, label, good }));
	/** An object that cannot be made text of; the vm engine does not let it out of an expression. */
	const HOSTILE: IDataObject =
		expressionEngine() === 'legacy' ? { toString: 1, valueOf: 1 } : { a: 1 };

	describe('a field of an item', () => {
		test.each(each)('$field: an expression that finds nothing', async ({ field, label, good }) => {
			const { message } = await refusal(given(field), [{ value: `${good}` }, { other: 1 }]);
			expect(message).toBe(`${label} has no value`);
		});

		test.each(each.filter(({ field }) => !['deadline', 'name', 'priority'].includes(field)))(
			'$field: null, which has no meaning there',
			async ({ field, label, good }) => {
				const { message } = await refusal(given(field), [{ value: `${good}` }, { value: null }]);
				expect(message).toContain(label);
			},
		);

		test.each(each.filter(({ field }) => !['addTags', 'removeTags'].includes(field)))(
			'$field: empty text',
			async ({ field, label, good }) => {
				for (const value of ['', '  ', '\n']) {
					const { message, description } = await refusal(given(field), [
						{ value: `${good}` },
						{ value },
					]);
					expect(message).toBe(`${label} is empty`);
					expect(description).toContain("'Fields to Clear'");
				}
			},
		);

		test.each(each)('$field: an object', async ({ field, label, good }) => {
			for (const value of [{}, { a: 1 }, HOSTILE]) {
				const { message } = await refusal(given(field), [{ value: `${good}` }, { value }]);
				expect(message).toContain(label);
			}
		});

		test.each([
			['name', []],
			['name', ['a']],
			['priority', 'low'],
			['priority', 'HV'],
			['priority', 'veryhigh'],
			['priority', 'High, Very High'],
			['priority', 'constructor'],
			['priority', 1],
			['priority', true],
			['priority', ['H']],
			['automaticNaming', 'yes'],
			['automaticNaming', 1],
			['automaticNaming', []],
			['tags', [['a']]],
			['tags', [{ name: 'a' }]],
			['tags', '["a", null]'],
			['tags', ', ,'],
			['addTags', [null]],
			['removeTags', '[["a"]]'],
		])('%s: %j', async (field, value) => {
			const { message } = await refusal(given(field), [
				{ value: `${FIELDS[field]?.[1]}` },
				{ value },
			]);
			expect(message).toContain(FIELDS[field]?.[0]);
		});
	});

	const NOT_IDS = [
		'',
		'abc',
		'1.5',
		'1e3',
		'-1',
		0,
		-1,
		1.5,
		2 ** 53,
		true,
		null,
		[7],
		{},
		HOSTILE,
	];

	const isEmpty = (value: unknown) => value === '' || value === null;
	/** The pattern of the words for a value. */
	const quoted = (value: unknown): string => {
		if (Array.isArray(value)) return 'a list';
		return typeof value === 'object' ? 'an object' : JSON.stringify(value).replaceAll('.', '\\.');
	};

	const notAnId = (value: unknown, label: string) => {
		const id = `a valid ${label.toLowerCase()} ID`;
		const words = `${quoted(value)} in '${label}' is not ${id}`;
		const isScalar = typeof value !== 'object';
		const pattern = isScalar ? words : `'${label}' contains ${quoted(value)} instead of ${id}`;
		return expect.stringMatching(new RegExp(`^${pattern}$`));
	};

	describe('an ID', () => {
		const assignment = (entry: INodeParameters): INodeParameters => ({
			updateFields: { stepAssignments: { assignment: [{ stepId: 7, userId: 8 }, entry] } },
		});

		test.each(NOT_IDS)('of a step or user: %j', async (value) => {
			const items = [{ value: 7 }, { value }];
			const words = (part: string) =>
				isEmpty(value)
					? `'${part}' in 'Step Assignments' is empty`
					: expect.stringMatching(
							new RegExp(`^${quoted(value)} is not a valid '${part}' in 'Step`),
						);
			const step = await refusal(assignment({ stepId: VALUE, userId: 8 }), items);
			expect(step.message).toEqual(words('Step ID'));
			const user = await refusal(assignment({ stepId: 7, userId: VALUE }), items);
			expect(user.message).toEqual(words('User ID'));
			expect(user.description).toContain('remove the row');
		});

		test('of a step or user that an expression does not find, or that is not filled in', async () => {
			const items = [{ value: 7 }, {}];
			const step = await refusal(assignment({ stepId: VALUE, userId: 8 }), items);
			expect(step.message).toBe("'Step ID' in 'Step Assignments' is empty");
			const user = await refusal(assignment({ stepId: 7 }));
			expect(user.message).toBe("'User ID' in 'Step Assignments' is empty");
		});

		test.each([
			'',
			'7',
			'[{"step_id": 7',
			null,
			7,
			{},
			{ step_id: 7, user_id: 8 },
			[7],
			[[]],
			[null],
			[{}],
			[{ step_id: 7 }],
			[{ user_id: 8 }],
			[
				{ step_id: 7, user_id: 8 },
				{ step_id: 7, user_id: 'eight' },
			],
			'[{"__proto__": {"step_id": 7, "user_id": 8}}]',
		])('in a list of step assignments: %j', async (value) => {
			const updateFields = { stepAssignments: { list: [{ assignments: VALUE }] } };
			const { message } = await refusal({ updateFields }, [{ value: [] }, { value }]);
			expect(message).toContain("'Step Assignments'");
		});

		test('in a list of step assignments that an expression does not find', async () => {
			const updateFields = { stepAssignments: { list: [{ assignments: VALUE }] } };
			const { message } = await refusal({ updateFields }, [{ value: [] }, {}]);
			expect(message).toBe("'Step Assignments' is empty");
		});

		describe.each(['id', 'url'] as const)('by %s', (mode) => {
			test.each(NOT_IDS.filter((value) => value !== ''))('of a process: %j', async (value) => {
				const items = [{ value: 7 }, { value: 'https://x.example/api/processes/7/' }, { value }];
				const { message } = await refusal({ process: locator(VALUE, mode) }, items);
				expect(message).toEqual(isEmpty(value) ? "'Process' is empty" : notAnId(value, 'Process'));
			});

			test.each([
				['https://x.example/api/instances/7/', 'is a link to an instance, not to a process'],
				['https://x.example/processes/7/steps/', 'is not a link to a process'],
				['http://x.example', 'is not a link to a process'],
			])('of a process, in the link %s', async (value, found) => {
				const items = [{ value: 'https://x.example/api/processes/7/' }, { value }];
				const { message, description } = await refusal({ process: locator(VALUE, mode) }, items);
				expect(message).toBe(`"${value}" in 'Process' ${found}`);
				expect(description).toContain('/processes/123/');
			});

			test('of a process that no expression finds', async () => {
				const items = [{ value: '7' }, {}];
				const { message } = await refusal({ process: locator(VALUE, mode) }, items);
				expect(message).toBe("'Process' is empty");
			});

			test.each(NOT_IDS)('of the instance: %j', async (value) => {
				const items = [{ value: SEED.running }, { value }];
				const { message } = await refusal({ instanceId: locator(VALUE, mode) }, items);
				expect(message).toEqual(
					isEmpty(value) ? "'Instance' is empty" : notAnId(value, 'Instance'),
				);
			});
		});
	});

	test('an expression of a later item that cannot be evaluated keeps all back', async () => {
		const { error } = await runner.run({
			parameters: {
				...GOOD,
				updateFields: { name: '={{ $itemIndex === 2 ? $("Nowhere").item.json.a : "Renamed" }}' },
			},
			items: [{}, {}, {}],
			credentials: sandbox.credentials,
		});
		expect(error?.itemIndex).toBe(2);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(sandbox.requests()).toEqual([]);
	});

	describe('choices', () => {
		test.each<[INodeParameters]>([
			[{ updateFields: {} }],
			[{ updateFields: {}, clearFields: [], process: locator('') }],
			[{ updateFields: { automaticNaming: false } }],
			[{ updateFields: {}, clearFields: '={{ [] }}' }],
		])('nothing chosen: %j', async (parameters) => {
			const { message, description } = await refusal(parameters);
			expect(message).toBe('Nothing to update was chosen');
			expect(description).toContain("'Fields to Update'");
		});

		test.each<[string, unknown, string]>([
			['name', 'a', 'name'],
			['deadline', '2026-07-01', 'deadline'],
			['priority', 'H', 'priority'],
			['priority', 'regular', 'priority'],
			['tags', 'a', 'tags'],
			['addTags', 'a', 'tags'],
			['removeTags', 'a', 'tags'],
			['automaticNaming', true, 'name'],
		])('%s set to %j and %s cleared', async (field, value, cleared) => {
			const { message } = await refusal(
				{ ...given(field), clearFields: ['priority', cleared, 'deadline'].slice(1, 2) },
				[{ value: `${value}` }],
			);
			expect(message).toBe(`${FIELDS[field]?.[0]} is both set and cleared`);
		});

		test('step assignments set and cleared', async () => {
			const stepAssignments = { assignment: [{ stepId: 7, userId: 8 }] };
			const { message } = await refusal({
				updateFields: { stepAssignments },
				clearFields: ['stepAssignments'],
			});
			expect(message).toBe("'Step Assignments' is both set and cleared");
		});

		test.each<[INodeParameters, string[]]>([
			[{ name: 'a', automaticNaming: true }, ["'Name'", "'Automatic Naming'"]],
			[{ tags: 'a', addTags: 'b' }, ["'Tags'", "'Add Tags'"]],
			[{ tags: 'a', removeTags: 'b', addTags: 'c' }, ["'Tags'"]],
		])('%j', async (updateFields, labels) => {
			const { message } = await refusal({ updateFields });
			for (const label of labels) expect(message).toContain(label);
		});

		test.each<[unknown]>([
			['process'],
			[['name', 'id']],
			['__proto__'],
			[7],
			[{}],
			[[null]],
			[HOSTILE],
		])('fields to clear: %j', async (value) => {
			const items = [{ value: ['name'] }, { value: JSON.parse(JSON.stringify({ value })).value }];
			const { message } = await refusal({ updateFields: {}, clearFields: VALUE }, items);
			expect(message).toContain("'Fields to Clear'");
		});

		test.each(['merge', 1, true, 'constructor', [], {}, HOSTILE])(
			'other fields: %j',
			async (value) => {
				const { message } = await refusal({ unsetFields: VALUE }, [{ value: 'keep' }, { value }]);
				expect(message).toContain("'Other Fields'");
			},
		);

		test.each(['', '={{ "" }}'])('reset without a process (%j)', async (process) => {
			const { message } = await refusal({ unsetFields: 'reset', process: locator(process) });
			expect(message).toBe("'Process' is empty");
		});

		test.each<[string, INodeParameters]>([
			["'Output'", { output: VALUE }],
			["'Fields to Output'", { output: 'selected', outputFields: VALUE }],
			["'Max Retries'", { options: { maxRetries: VALUE } }],
			["'Max Concurrent Requests'", { options: { maxConcurrentRequests: VALUE } }],
		])('%s that does not exist', async (label, parameters) => {
			for (const value of ['x', -1, 1.5, [HOSTILE], HOSTILE, true]) {
				const { message } = await refusal(parameters, [{ value }]);
				expect(message).toContain(label);
			}
		});
	});
});
