import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { runAsTool } from '../harness';
import { bodies, settableOf, stored } from './support/instances';
import { CONTINUE, locator, useSandbox } from './support/sandbox';

/** What the model fills in. */
const ai = (name: string, type = 'string') => `={{ $fromAI('${name}', 'What it is', '${type}') }}`;

/** Input items of the agent itself, which are none of the tool's business. */
const OF_THE_AGENT = [
	{ id: SEED.aborted, ids: [SEED.aborted], name: 'of the agent' },
	{ id: SEED.completed },
	{ id: SEED.bare, chatInput: 'Hello' },
];

const GET: INodeParameters = { operation: 'get', instanceId: locator(ai('id', 'number')) };
const UPDATE: INodeParameters = {
	operation: 'update',
	instanceId: locator(ai('id', 'number')),
	updateFields: { name: ai('name'), addTags: ai('tags') },
};
const BULK_DELETE: INodeParameters = { operation: 'bulkDelete', instanceIds: ai('ids') };

describe.each(['call', 'request'] as const)('As a tool of an agent that makes a %s', (agent) => {
	const sandbox = useSandbox();
	const run = async (parameters: INodeParameters, calls: IDataObject[], settings = {}) => {
		const { credentials } = sandbox;
		const items = OF_THE_AGENT;
		return await runAsTool({ parameters, calls, agent, items, credentials, ...settings });
	};
	const ID = SEED.fullyFilled;
	const present = (id = ID) => settableOf(stored(sandbox, id));
	/** The items of each call, which the older agents get as text. */
	const responses = ({ answers }: Awaited<ReturnType<typeof run>>): unknown[] =>
		answers.map(({ response }) => (typeof response === 'string' ? JSON.parse(response) : response));

	const rowOf = (stepId: INodeParameters[string], userId: INodeParameters[string]) => ({
		change: [{ stepId, userId }],
	});
	test.each<[string, IDataObject[string] | undefined]>([
		['leaves out', undefined],
		['has null for', null],
		['has no text for', ' '],
	])('Update leaves alone what the model %s', async (_, given) => {
		const before = present();
		const updateFields = {
			name: ai('name'),
			deadline: "={{ $fromAI('deadline', 'What it is', 'string', null) }}",
			priority: ai('priority'),
			process: locator(ai('process')),
			changeSteps: rowOf(ai('step'), { ...locator(ai('user')), cachedResultName: 'A' }),
			addTags: ai('tags'),
		};
		const names = ['name', 'deadline', 'priority', 'step', 'user', 'process'];
		const left = given === undefined ? [] : names.map((name) => [name, given]);
		const call = { id: ID, tags: 'asked', ...Object.fromEntries(left) };
		const options = { emptyValues: 'clear' };
		expect((await run({ ...UPDATE, updateFields, options }, [call])).status).toBe('success');
		// Older agents themselves reject a call that lacks a value or has null for text.
		const isCalled = agent === 'request' || given === ' ';
		const tags = [...before.tags, ...(isCalled ? ['asked'] : [])];
		expect(present()).toEqual({ ...before, tags });
	});

	test.each(['null', 'undefined', 'None', 'N/A', '[]'])(
		'Update leaves alone what the model calls %s, and clears nothing',
		async (given) => {
			const before = present();
			const updateFields = {
				...{ name: ai('name'), tags: ai('tags'), deadline: ai('deadline'), addTags: ai('added') },
				stepAssignments: '={{ [] }}',
			};
			const parameters = { ...UPDATE, updateFields, clearFields: ai('clear') };
			const words =
				given === '[]' ? { name: 'null', deadline: '' } : { name: given, deadline: given };
			const tags = given === '[]' ? '={{ [] }}' : ai('tags');
			const call = { id: ID, ...words, tags: given, added: given, clear: given };
			await run({ ...parameters, updateFields: { ...updateFields, tags } }, [call]);
			expect(present()).toEqual(before);
		},
	);

	test('Update changes what each call asks for, and reassigns the step that the model chose', async () => {
		const step = { ...locator(ai('step', 'number')), cachedResultName: 'Approve' };
		const changeSteps = rowOf(step, locator(ai('user', 'number')));
		const [first, second] = present().step_assignments;
		const call = { id: ID, name: 'A', step: first?.step_id, user: 7 };
		const calls = [call, { ...call, id: SEED.running, name: 'B' }];
		await run({ ...UPDATE, updateFields: { name: ai('name'), changeSteps } }, calls);
		const step_assignments = [{ ...first, user_id: 7 }, second];
		expect(present()).toMatchObject({ name: 'A', step_assignments });
		expect(present(SEED.running).name).toBe('B');
	});

	test('Get reads what each call asks for, and nothing else', async () => {
		const ids = [SEED.running, SEED.fullyFilled];
		const calls = ids.map((id) => ({ id }));
		expect(responses(await run(GET, calls))).toMatchObject(calls.map((call) => [call]));
		expect(sandbox.requests().sort()).toEqual(ids.map((id) => `GET /api/instances/${id}/`));
	});

	test('Bulk Delete deletes what each call asks for, and nothing else', async () => {
		const calls = ['101, 102', '[104]'].map((ids) => ({ ids }));
		expect(responses(await run(BULK_DELETE, calls))).toMatchObject([
			[101, 102].map((id) => ({ id, deleted: true })),
			[{ id: 104, deleted: true }],
		]);
		expect(bodies(sandbox, 'POST')).toEqual([{ ids: [101, 102] }, { ids: [104] }]);
	});

	test.each<[string, INodeParameters, IDataObject, object]>([
		[
			'Update',
			{ ...UPDATE, options: { dryRun: true } },
			{ id: ID, name: 'New', tags: '' },
			{ id: ID, dryRun: true, changes: { name: { to: 'New' } } },
		],
		[
			'Bulk Delete',
			{ ...BULK_DELETE, dryRun: true },
			{ ids: '[101]' },
			{ id: 101, deleted: false, dryRun: true, found: true },
		],
	])('%s with Dry Run tells the model what would change', async (_, parameters, call, told) => {
		expect(responses(await run(parameters, [call]))).toMatchObject([[told]]);
		expect(sandbox.log().map(({ method }) => method)).toEqual(['GET']);
	});

	test.each<[string, INodeParameters, IDataObject, string]>([
		['Get', GET, { id: -1 }, "'Instance'"],
		['Update', UPDATE, { id: 101, name: 'x'.repeat(256), tags: 'a' }, "'Name'"],
		['Bulk Delete', BULK_DELETE, { ids: '101, everything' }, "'Instance IDs'"],
		['Bulk Delete', BULK_DELETE, { ids: '1,234' }, 'may be one number or several IDs'],
	])('%s says what it cannot use, and sends nothing', async (_, parameters, call, words) => {
		const { answers, error, tasks } = await run(parameters, [call]);
		expect(JSON.stringify([answers, error?.message])).toContain(words);
		expect(tasks).toHaveLength(1);
		expect(sandbox.requests()).toEqual([]);
	});

	test('Bulk Delete does what one call asks for, although another is rejected', async () => {
		await run(BULK_DELETE, [{ ids: 'everything' }, { ids: '101' }], CONTINUE);
		expect(bodies(sandbox, 'POST')).toEqual([{ ids: [101] }]);
	});
});
