import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { runAsTool, type ToolRunOptions } from '../harness';
import { bodies, settableOf, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

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

describe.each(['call', 'request'] as const)('as a tool of an agent that makes a %s', (agent) => {
	const sandbox = useSandbox();
	const run = async (
		parameters: INodeParameters,
		calls: IDataObject[],
		settings: Partial<ToolRunOptions> = {},
	) =>
		await runAsTool({
			parameters,
			calls,
			agent,
			items: OF_THE_AGENT,
			credentials: sandbox.credentials,
			...settings,
		});
	/** The items of each call, which the older agents get as text. */
	const responses = ({ answers }: Awaited<ReturnType<typeof run>>): unknown[] =>
		answers.map(({ response }) => (typeof response === 'string' ? JSON.parse(response) : response));

	test('Get reads what each call asks for, and nothing else', async () => {
		const ids = [SEED.running, SEED.fullyFilled];
		const result = await run(
			GET,
			ids.map((id) => ({ id })),
		);
		expect(result.status).toBe('success');
		expect(responses(result)).toEqual(ids.map((id) => [expect.objectContaining({ id })]));
		expect(sandbox.requests().sort()).toEqual(ids.map((id) => `GET /api/instances/${id}/`));
	});

	test('Update changes what each call asks for, and nothing else', async () => {
		const before = SEED.all.map((id) => settableOf(stored(sandbox, id)));
		const result = await run(UPDATE, [
			{ id: SEED.running, name: 'First', tags: 'a' },
			{ id: SEED.fullyFilled, name: 'Second', tags: 'b, c' },
		]);
		expect(responses(result)).toEqual([
			[expect.objectContaining({ id: SEED.running, name: 'First' })],
			[expect.objectContaining({ id: SEED.fullyFilled, name: 'Second' })],
		]);
		const changed: Record<number, object> = {
			[SEED.running]: { name: 'First', tags: [...stored(sandbox, SEED.running).tags] },
			[SEED.fullyFilled]: { name: 'Second', tags: ['finance', 'urgent', 'b', 'c'] },
		};
		expect(stored(sandbox, SEED.running).tags).toContain('a');
		expect(SEED.all.map((id) => settableOf(stored(sandbox, id)))).toEqual(
			before.map((instance, index) => ({ ...instance, ...changed[SEED.all[index] ?? 0] })),
		);
		expect(sandbox.requests().sort()).toEqual([
			`GET /api/instances/${SEED.running}/`,
			`GET /api/instances/${SEED.fullyFilled}/`,
			`PUT /api/instances/${SEED.running}/`,
			`PUT /api/instances/${SEED.fullyFilled}/`,
		]);
	});

	test('Update by two calls at once on one instance loses neither', async () => {
		sandbox.control.setLatency(10);
		await run({ ...UPDATE, updateFields: { addTags: ai('tags') } }, [
			{ id: SEED.fullyFilled, tags: 'a' },
			{ id: SEED.fullyFilled, tags: 'b' },
		]);
		// Which of the two comes first is n8n's to decide.
		const { tags } = stored(sandbox, SEED.fullyFilled);
		expect(tags).toHaveLength(4);
		expect(tags).toEqual(expect.arrayContaining(['finance', 'urgent', 'a', 'b']));
	});

	test('Bulk Delete deletes what each call asks for, and nothing else', async () => {
		const calls = [{ ids: '101, 102' }, { ids: '[104]' }];
		const result = await run(BULK_DELETE, calls);
		expect(responses(result)).toEqual([
			[
				{ id: 101, deleted: true },
				{ id: 102, deleted: true },
			],
			[{ id: 104, deleted: true }],
		]);
		expect(bodies(sandbox, 'POST').map(({ ids }) => ids)).toEqual(
			expect.arrayContaining([[101, 102], [104]]),
		);
		expect(sandbox.requests()).toHaveLength(2);
		expect(sandbox.control.ids()).toEqual(SEED.all.filter((id) => ![101, 102, 104].includes(id)));
	});

	test('Bulk Delete needs nothing from the model when the IDs are fixed', async () => {
		const result = await run({ operation: 'bulkDelete', instanceIds: '101' }, [{}]);
		expect(responses(result)).toEqual([[{ id: 101, deleted: true }]]);
		expect(bodies(sandbox, 'POST')).toEqual([{ ids: [101] }]);
	});

	test.each([
		['', 'id', { id: 101 }],
		[' and its name', ai('id'), { id: 'number', number: 101 }],
	])('Bulk Delete takes the field%s from what the model gave', async (_what, idField, call) => {
		const parameters = { operation: 'bulkDelete', idSource: 'inputField', idField };
		// Named somewhere, so that the model is asked for it.
		const asked = Object.keys(call).at(-1) ?? '';
		const options = { maxRetries: ai(asked, 'number').replace('}}', '&& 1 }}') };
		await run({ ...parameters, options }, [call]);
		expect(sandbox.control.ids()).toEqual(SEED.all.filter((id) => id !== 101));
	});

	test('Bulk Delete keeps to a dry run that the model chose', async () => {
		const options = { dryRun: ai('dryRun', 'boolean') };
		const result = await run({ ...BULK_DELETE, options }, [{ ids: '101', dryRun: true }]);
		expect(responses(result)).toEqual([[{ id: 101, deleted: false, dryRun: true }]]);
		expect(sandbox.requests()).toEqual([]);
	});

	test.each<[string, INodeParameters, IDataObject, string]>([
		['Get', GET, { id: -1 }, "'Instance'"],
		['Update', UPDATE, { id: 101, name: 'x'.repeat(256), tags: 'a' }, "'Name'"],
		['Bulk Delete', BULK_DELETE, { ids: '101, everything' }, "'Instance IDs'"],
	])('%s tells the model what it cannot use, and sends nothing', async (...row) => {
		const [, parameters, call, label] = row;
		const { answers, error, tasks } = await run(parameters, [call]);
		expect(JSON.stringify([answers, error?.message])).toContain(label);
		expect(tasks).toHaveLength(1);
		expect(sandbox.requests()).toEqual([]);
	});

	test('one call that is refused does not touch the other', async () => {
		await run(BULK_DELETE, [{ ids: 'everything' }, { ids: '101' }], {
			onError: 'continueRegularOutput',
		});
		expect(sandbox.control.instance(101)).toBeUndefined();
		expect(sandbox.requests()).toHaveLength(1);
	});

	test('Retry On Fail tries a call again', async () => {
		sandbox.control.addFault({
			match: { method: 'POST' },
			action: { type: 'respond', status: 500 },
		});
		await run(BULK_DELETE, [{ ids: '101' }], { retryOnFail: true, maxTries: 2 });
		expect(sandbox.control.instance(101)).toBeUndefined();
		expect(sandbox.requests()).toHaveLength(2);
	});
});
