import { SEED } from '../../sandbox/service';
import { type OnError, useStack } from './support/stack';

const stack = useStack();
const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' } as const;
const MISSING = [3, 9, 16];
const twenty = Array.from({ length: 20 }, (_, index) => ({
	id: MISSING.includes(index) ? 9_000_000 + index : 101 + index,
	label: `item ${index}`,
}));
const good = twenty.filter((_, index) => !MISSING.includes(index));
const bad = twenty.filter((_, index) => MISSING.includes(index));

test('the package holds dist, README, LICENSE and package.json only', () => {
	const foreign = stack().packageFiles.filter(
		(file) => !/^(dist\/.+\.(js|json|svg)|README\.md|LICENSE|package\.json)$/.test(file),
	);
	expect(foreign).toEqual([]);
	expect(stack().packageFiles).toContain('README.md');
});

describe('Get of 20 items of which 3 do not exist', () => {
	const get = async (onError: OnError) =>
		await stack().run({ operation: 'get', instanceId: ID }, twenty, onError);

	test('with the error output', async () => {
		const { success, errors, behind } = await get('continueErrorOutput');
		expect(success.map(({ json }) => json.id)).toEqual(good.map(({ id }) => id));
		expect(errors.map(({ json }) => json.id)).toEqual(bad.map(({ id }) => id));
		expect(behind).toEqual({ success: good, errors: bad });
		for (const [index, { json }] of errors.entries()) {
			expect(json.error).toContain('Not found.');
			expect(json.error).toContain(`[item ${MISSING[index]}]`);
		}
	});

	test('with Stop', async () => {
		const { execution } = await get('stopWorkflow');
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error).toMatchObject({
			message: 'The service did not find instance 9000003 (404): Not found.',
			description: expect.stringContaining('(item 3)'),
		});
	});
});

test('Update changes the fields that expressions give, and keeps the others', async () => {
	const { control } = stack().sandbox;
	const before = control.instance(SEED.fullyFilled);
	const { execution } = await stack().run(
		{
			operation: 'update',
			instanceId: { ...ID, value: String(SEED.fullyFilled) },
			updateFields: {
				name: '={{ $json.text }}',
				tags: '={{ $json.tags }}',
				stepAssignments: { list: [{ assignments: '={{ $json.people }}' }] },
			},
		},
		[{ text: 'New name', tags: ['x', 'y'], people: [{ step_id: 2, user_id: 9 }] }],
	);
	expect(execution.status).toBe('success');
	expect(control.instance(SEED.fullyFilled)).toEqual({
		...before,
		name: 'New name',
		tags: ['x', 'y'],
		step_assignments: [{ step_id: 2, user_id: 9 }],
		// It holds the assignments as well.
		process_snapshot: expect.any(String),
		last_updated_time: expect.any(String),
	});
});

test('Bulk Delete of 10,000 items takes 100 requests and gives 10,000 items', async () => {
	const { control } = stack().sandbox;
	const ids = control.addInstances(10_000);
	const { success } = await stack().run(
		{ operation: 'bulkDelete', idSource: 'inputField', idField: 'id' },
		ids.map((id) => ({ id })),
	);
	expect(control.stats()).toMatchObject({ requests: 100 });
	const left = new Set(control.ids());
	expect(ids.filter((id) => left.has(id))).toEqual([]);
	expect(success.map(({ json }) => json)).toEqual(ids.map((id) => ({ id, deleted: true })));
	expect(success.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
});
