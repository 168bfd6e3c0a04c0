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

	test('with Continue', async () => {
		const { success, behind } = await get('continueRegularOutput');
		expect(success.map(({ json }) => json.error !== undefined)).toEqual(
			twenty.map((_, index) => MISSING.includes(index)),
		);
		expect(behind.success).toEqual(twenty);
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

test.each(['', 1.5, 'abc', '1/../../users', '1?x=2', -3, '1e3', null, [7], { id: 7 }])(
	'the id %p is refused before anything is sent',
	async (id) => {
		const { execution } = await stack().run({ operation: 'get', instanceId: ID }, [{ id }]);
		expect(execution.data.resultData.error?.message).toContain("'Instance'");
		expect(stack().sandbox.control.log()).toEqual([]);
	},
);

test('a link without an id is refused before anything is sent', async () => {
	const link = { __rl: true, mode: 'url', value: '={{ $json.link }}' } as const;
	const items = [{ link: 'https://example.com/api/instances/' }];
	const { execution } = await stack().run({ operation: 'get', instanceId: link }, items);
	expect(execution.data.resultData.error?.message).toContain("'Instance'");
	expect(stack().sandbox.control.log()).toEqual([]);
});

test('500 items are never more than the ceiling in flight', async () => {
	const { control } = stack().sandbox;
	control.setLatency(20);
	const items = Array.from({ length: 500 }, () => ({ id: SEED.running }));
	const options = { maxConcurrentRequests: 7 };
	const { success } = await stack().run({ operation: 'get', instanceId: ID, options }, items);
	expect(success).toHaveLength(500);
	expect(control.stats()).toMatchObject({ maxInFlight: 7, requests: 500 });
});

test('500 items of which the first does not exist: no more than were in flight are sent', async () => {
	const { control } = stack().sandbox;
	control.setLatency(20);
	const items = Array.from({ length: 500 }, () => ({ id: SEED.running }));
	await stack().run({ operation: 'get', instanceId: ID }, [{ id: 9_000_000 }, ...items]);
	expect(control.stats().requests).toBeLessThanOrEqual(10);
});

describe('Update', () => {
	const FULL = SEED.fullyFilled;
	const update = async (parameters: object) =>
		await stack().run(
			{ operation: 'update', instanceId: { ...ID, value: String(FULL) }, ...parameters },
			[{ text: 'New name', tags: ['x', 'y'], people: [{ step_id: 2, user_id: 9 }] }],
		);
	/** What clients can set, as the service has it stored. */
	const present = () => {
		const stored = stack().sandbox.control.instance(FULL);
		if (stored === undefined) throw new Error('The instance is gone.');
		const { process, name, deadline, priority, tags, step_assignments } = stored;
		return { process, name, deadline, priority, tags, step_assignments };
	};

	test.each([
		['name', { name: '={{ $json.text }}' }, { name: 'New name' }],
		[
			'deadline',
			{ deadline: '2027-03-31T17:00:00+02:00' },
			{ deadline: '2027-03-31T17:00:00+02:00' },
		],
		['priority', { priority: 'H' }, { priority: 'H' }],
		['tags', { tags: '={{ $json.tags }}' }, { tags: ['x', 'y'] }],
		[
			'step assignments',
			{ stepAssignments: { list: [{ assignments: '={{ $json.people }}' }] } },
			{ step_assignments: [{ step_id: 2, user_id: 9 }] },
		],
	])('of the %s keeps the other fields', async (_, updateFields, changed) => {
		const before = present();
		const { execution } = await update({ updateFields });
		expect(execution.status).toBe('success');
		expect(present()).toEqual({ ...before, ...changed });
	});

	test('of the process keeps the other fields', async () => {
		const before = present();
		const { baseUrl } = stack().sandbox;
		await update({ process: { __rl: true, mode: 'id', value: String(SEED.processes.onboarding) } });
		const process = `${baseUrl}/processes/${SEED.processes.onboarding}/`;
		expect(present()).toEqual({ ...before, process });
	});

	test.each([
		['name', null],
		['deadline', null],
		['priority', null],
		['tags', []],
		['stepAssignments', []],
	])('clears %s alone', async (field, empty) => {
		const before = present();
		await update({ clearFields: [field] });
		const key = field === 'stepAssignments' ? 'step_assignments' : field;
		expect(present()).toEqual({ ...before, [key]: empty });
	});

	test('with Reset leaves only what was given', async () => {
		const process = { __rl: true, mode: 'id', value: String(SEED.processes.onboarding) };
		await update({ unsetFields: 'reset', process, updateFields: { name: 'Only this' } });
		expect(present()).toEqual({
			process: expect.any(String),
			name: 'Only this',
			deadline: null,
			priority: null,
			tags: [],
			step_assignments: [],
		});
	});
});

describe('Bulk Delete of 10,000 items', () => {
	const remove = { operation: 'bulkDelete', idSource: 'inputField', idField: 'id' };

	test('takes 100 requests and gives 10,000 items', async () => {
		const { control } = stack().sandbox;
		const ids = control.addInstances(10_000);
		const { success } = await stack().run(
			remove,
			ids.map((id) => ({ id })),
		);
		expect(control.stats()).toMatchObject({ requests: 100 });
		const left = new Set(control.ids());
		expect(ids.filter((id) => left.has(id))).toEqual([]);
		expect(success.map(({ json }) => json)).toEqual(ids.map((id) => ({ id, deleted: true })));
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
	});

	test('sends nothing when one ID among them is bad', async () => {
		const { control } = stack().sandbox;
		const items = control.addInstances(10_000).map((id): { id: number | string } => ({ id }));
		items[7_777] = { id: '12x' };
		const { execution } = await stack().run(remove, items);
		expect(control.log()).toEqual([]);
		expect(execution.data.resultData.error).toMatchObject({
			message: expect.stringContaining('"12x"'),
			description: expect.stringContaining('(item 7777)'),
		});
	});
});
