import type { IDataObject, INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { useNodeRunner } from '../harness';
import { bodies, give, settableOf, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const ID = SEED.fullyFilled;
const READ = `GET /api/instances/${ID}/`;
const WRITE = `PUT /api/instances/${ID}/`;
const VALUE = '={{ $json.value }}';

const row = (step_id: number, user_id: number) => ({ step_id, user_id });
/** What the instance has before each update: two users of one step, and one user of two steps. */
const CURRENT = [row(1201, 42), row(1202, 43), row(1201, 44), row(1203, 42)];

const filled = (...rows: Array<[step: unknown, user?: unknown]>): INodeParameters => ({
	assignment: rows.map(([stepId, userId]) => ({
		stepId: String(stepId),
		...(userId !== undefined && { userId: String(userId) }),
	})),
});
const listed = (assignments: string): INodeParameters => ({ list: [{ assignments }] });

describe('Update of some step assignments', () => {
	const sandbox = useSandbox();
	const runner = useNodeRunner({ parameters: {} });
	beforeEach(async () => {
		await give(sandbox, ID, { step_assignments: CURRENT });
	});

	const update = async (parameters: INodeParameters, items: IDataObject[] = [{}]) =>
		await runner.run({
			parameters: { operation: 'update', instanceId: locator(ID), ...parameters },
			items,
			credentials: sandbox.credentials,
		});
	/** What the sandbox has after an update of these fields, all else as before. */
	const storedAfter = async (updateFields: INodeParameters, value?: unknown) => {
		const before = settableOf(stored(sandbox, ID));
		const items: IDataObject[] = [{ value: JSON.parse(JSON.stringify(value ?? null)) }];
		const { error } = await update({ updateFields }, items);
		expect(error).toBeUndefined();
		expect(sandbox.requests()).toEqual([READ, WRITE]);
		const { step_assignments, ...rest } = settableOf(stored(sandbox, ID));
		expect({ ...rest, step_assignments: CURRENT }).toEqual(before);
		return step_assignments;
	};
	const refusal = async (parameters: INodeParameters, items?: IDataObject[]) => {
		const { error, outputs } = await update(parameters, items);
		expect(outputs).toEqual([]);
		expect(sandbox.requests()).toEqual([]);
		return { message: error?.message, description: error?.description ?? '' };
	};

	describe('adds', () => {
		test.each<[string, NodeParameterValueType, unknown, unknown[]]>([
			['a row', filled([1204, 45]), null, [row(1204, 45)]],
			['rows in their order', filled([1204, 46], [1203, 45]), null, [row(1204, 46), row(1203, 45)]],
			['another user to a step', filled([1202, 45]), null, [row(1202, 45)]],
			['a row twice only once', filled([1204, 45], [' 1204 ', '45']), null, [row(1204, 45)]],
			['no row that is there already', filled([1201, 42], [1203, 42]), null, []],
			['the new one beside one that is there', filled([1201, 44], [1204, 1]), null, [row(1204, 1)]],
			['a row by expression', filled([VALUE, 45]), 1204, [row(1204, 45)]],
			['a list by expression', listed(VALUE), [row(1204, 45), row(1202, 43)], [row(1204, 45)]],
			['a list as text', listed(VALUE), '[{"stepId": "1204", "userId": 45}]', [row(1204, 45)]],
			['a list of which it takes two keys', listed(VALUE), [{ ...row(7, 8), id: 3 }], [row(7, 8)]],
			['nothing for an empty list', listed(VALUE), [], []],
			[
				'a form and a list together',
				{ ...filled([1204, 45]), ...listed(VALUE) },
				[row(1205, 46)],
				[row(1204, 45), row(1205, 46)],
			],
		])('%s', async (_what, addStepAssignments, value, added) => {
			expect(await storedAfter({ addStepAssignments }, value)).toEqual([...CURRENT, ...added]);
		});

		test('to an instance that has none, or null', async () => {
			await give(sandbox, ID, { step_assignments: [] });
			await update({ updateFields: { addStepAssignments: filled([1204, 45]) } });
			expect(stored(sandbox, ID).step_assignments).toEqual([row(1204, 45)]);
			sandbox.control.addFault({
				match: { method: 'GET' },
				action: {
					type: 'respond',
					status: 200,
					body: JSON.stringify({ ...stored(sandbox, ID), step_assignments: null }),
				},
			});
			await update({ updateFields: { addStepAssignments: filled([1205, 46]) } });
			expect(stored(sandbox, ID).step_assignments).toEqual([row(1205, 46)]);
		});
	});

	describe('removes', () => {
		test.each<[string, NodeParameterValueType, unknown, number[]]>([
			['a step and its user', filled([1201, 42]), null, [1, 2, 3]],
			['a step, whoever the user is', filled([1201]), null, [1, 3]],
			['a step whose user was left empty', filled([1201, '']), null, [1, 3]],
			['several', filled([1201, 44], [1203]), null, [0, 1]],
			['all', filled([1201], [1202], [1203]), null, []],
			['nothing that is not there', filled([1202, 42], [1299], [42, 1201]), null, [0, 1, 2, 3]],
			['a row by expression', filled([VALUE, 44]), '1201', [0, 1, 3]],
			['a list by expression', listed(VALUE), [row(1201, 42), { step_id: 1202 }], [2, 3]],
			['a list as text', listed(VALUE), '[{"stepId": 1201}]', [1, 3]],
			['nothing for an empty list', listed(VALUE), [], [0, 1, 2, 3]],
		])('%s', async (_what, removeStepAssignments, value, left) => {
			expect(await storedAfter({ removeStepAssignments }, value)).toEqual(
				left.map((place) => CURRENT[place]),
			);
		});

		test('and adds in one update', async () => {
			const updateFields = {
				addStepAssignments: filled([1204, 45], [1202, 43]),
				removeStepAssignments: filled([1201]),
			};
			expect(await storedAfter(updateFields)).toEqual([
				row(1202, 43),
				row(1203, 42),
				row(1204, 45),
			]);
		});
	});

	test('gives a step to somebody else: removed whoever has it, added for the new one', async () => {
		const updateFields = {
			removeStepAssignments: filled([1201]),
			addStepAssignments: filled([1201, 7]),
		};
		expect(await storedAfter(updateFields)).toEqual([row(1202, 43), row(1203, 42), row(1201, 7)]);
	});

	test.each<[string, INodeParameters, IDataObject]>([
		['undefined', filled([1201, '={{ $json.nobody }}']), {}],
		['null', filled([1201, '={{ $json.user }}']), { user: null }],
		['empty text', filled([1201, '={{ $json.user }}']), { user: '' }],
		['null in a list', listed('={{ [{ step_id: 1201, user_id: null }] }}'), {}],
	])(
		'removes nobody when the expression for the user finds nothing: %s',
		async (_what, removeStepAssignments, item) => {
			const { message } = await refusal({ updateFields: { removeStepAssignments } }, [item]);
			expect(message).toBe("'User ID' in 'Remove Step Assignments' is empty");
		},
	);

	test('does so for each item with the assignments that its instance has', async () => {
		await give(sandbox, SEED.running, { step_assignments: [row(1, 2)] });
		await give(sandbox, SEED.overdue, { step_assignments: [] });
		const { error } = await update(
			{
				instanceId: locator('={{ $json.id }}'),
				updateFields: { addStepAssignments: filled(['={{ $json.step }}', 9]) },
			},
			[
				{ id: SEED.running, step: 1 },
				{ id: SEED.overdue, step: 2 },
			],
		);
		expect(error).toBeUndefined();
		expect(stored(sandbox, SEED.running).step_assignments).toEqual([row(1, 2), row(1, 9)]);
		expect(stored(sandbox, SEED.overdue).step_assignments).toEqual([row(2, 9)]);
	});

	test.each<[string, INodeParameters, unknown[]]>([
		['adds', { addStepAssignments: filled([1204, 45]) }, [...CURRENT, row(1204, 45)]],
		['removes', { removeStepAssignments: filled([1201]) }, [row(1202, 43), row(1203, 42)]],
		['adds none', { addStepAssignments: listed('={{ [] }}') }, CURRENT],
	])('reads the current ones with Reset too, and %s', async (_what, updateFields, assignments) => {
		const process = locator(SEED.processes.invoiceApproval);
		const { error } = await update({ unsetFields: 'reset', process, updateFields });
		expect(error).toBeUndefined();
		expect(sandbox.requests()).toEqual([READ, WRITE]);
		expect(bodies(sandbox, 'PUT')).toEqual([
			{
				process: `${sandbox.credentials.baseUrl}/processes/${SEED.processes.invoiceApproval}/`,
				step_assignments: assignments,
			},
		]);
	});

	test.each([
		['addStepAssignments', 'Add Step Assignments'],
		['removeStepAssignments', 'Remove Step Assignments'],
	])('%s together with Step Assignments is refused', async (field, label) => {
		const rows = filled([1204, 45]);
		const { message, description } = await refusal({
			updateFields: { [field]: rows, stepAssignments: rows },
		});
		expect(message).toBe(`'${label}' and 'Step Assignments' cannot be used together`);
		expect(description).toContain("'Fields to Update'");
	});

	describe.each([
		['stepAssignments', 'Step Assignments'],
		['addStepAssignments', 'Add Step Assignments'],
		['removeStepAssignments', 'Remove Step Assignments'],
	])('%s is refused, and nothing is sent,', (field, label) => {
		test('when the step assignments are cleared', async () => {
			const { message } = await refusal({
				updateFields: { [field]: filled([1204, 45]) },
				clearFields: ['stepAssignments'],
			});
			expect(message).toBe(`'${label}' is both set and cleared`);
		});

		test.each<[string, NodeParameterValueType]>([
			['as a form without rows', {}],
			['as a form that was emptied', { assignment: [], list: [] }],
			// n8n makes `{}` of it, so that taking that for an empty list would lose everything.
			['as one expression', VALUE],
		])('%s', async (_what, value) => {
			const { message } = await refusal({ updateFields: { [field]: value } }, [
				{ value: [row(1204, 45)] },
			]);
			expect(message).toBe(`'${label}' is empty`);
		});

		test.each<[string, NodeParameterValueType]>([
			['a row that was not filled in', { assignment: [{}] }],
			['a row of empty texts', { assignment: [{ stepId: '', userId: '' }] }],
			['a user without a step', { assignment: [{ userId: 45 }] }],
			['an empty row behind a filled one', { assignment: [{ stepId: 1, userId: 2 }, {}] }],
			['a list without a step', listed('[{"user_id": 45}]')],
			['a list of nothing', listed('[null]')],
			['a list of a list', listed('[[]]')],
			['a list of a number', listed('[7]')],
			['a list that hides it', listed('[{"__proto__": {"step_id": 7, "user_id": 8}}]')],
			['a step that an expression does not find', filled(['={{ $json.nothing }}', 45])],
		])('with %s', async (_what, value) => {
			const { message, description } = await refusal({ updateFields: { [field]: value } });
			expect(message).toBe(`'Step ID' in '${label}' is empty`);
			expect(description).toContain('remove the row');
		});

		test.each([
			['abc', '"abc"'],
			[0, '0'],
			[-1, '-1'],
			['-1', '"-1"'],
			[1.5, '1.5'],
			['1.5', '"1.5"'],
			['1e3', '"1e3"'],
			[2 ** 53, String(2 ** 53)],
			[true, 'true'],
			[[7], 'a list'],
			[{ a: 1 }, 'an object'],
		])('with the ID %j', async (value, words) => {
			const items = [{ value: 7 }, { ...Object({ value }) }];
			const step = { updateFields: { [field]: filled([VALUE, 45]) } };
			expect((await refusal(step, items)).message).toBe(
				`${words} is not a valid 'Step ID' in '${label}'`,
			);
			const user = { updateFields: { [field]: filled([7, VALUE]) } };
			expect((await refusal(user, items)).message).toBe(
				`${words} is not a valid 'User ID' in '${label}'`,
			);
		});

		test.each([null, '', 'everyone', '[{"step_id": 7', 7, row(1, 2), undefined])(
			'with the list %j',
			async (value) => {
				const items = [{ value: [row(1, 2)] }, { ...Object({ value }) }];
				const { message } = await refusal({ updateFields: { [field]: listed(VALUE) } }, items);
				expect(message).toMatch(
					new RegExp(`'${label}' (is empty|is not a list|contains an object)`),
				);
			},
		);
	});

	test.each([
		['stepAssignments', 'Step Assignments'],
		['addStepAssignments', 'Add Step Assignments'],
	])('%s without a user is refused', async (field, label) => {
		for (const rows of [filled([1204]), filled([1204, '={{ $json.nothing }}'])]) {
			const { message } = await refusal({ updateFields: { [field]: rows } });
			expect(message).toBe(`'User ID' in '${label}' is empty`);
		}
	});
});
