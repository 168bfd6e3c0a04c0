import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { schedulers } from '../../nodes/WorkflowInstanceService/api/rateLimiting/scheduler';
import type { FaultAction } from '../../sandbox/service';
import { openList, useVirtualClock } from '../harness';
import { anInstance } from './support/instances';
import { leaks } from './support/leaks';
import { locator, respond, useSandbox } from './support/sandbox';

const FORM: INodeParameters = { operation: 'update', instanceId: locator(7) };
const SNAPSHOT = {
	id: 3,
	name: 'Invoice approval',
	steps: [
		{ id: 11, name: ' Record ', fields: [{ id: 1, label: 'Amount' }] },
		{ id: 12, title: 'Check', substeps: [{ id: 15, label: 'Check twice' }] },
		{ id: 13, name: 'Check' },
		{ id: 14, name: '' },
		{ id: '16', name: 'Text' },
		{ id: 1.5, name: 'Half' },
		null,
	],
	roles: [{ id: 17, name: 'Clerk' }],
};
const INSTANCE = {
	active_step_ids: [13],
	step_assignments: [
		{ step_id: 18, user_id: 42 },
		{ step_id: 13, user_id: 43 },
		{ step_id: 11, user_id: 42 },
		{ step_id: 'x', user_id: null },
	],
	process_snapshot: JSON.stringify(SNAPSHOT),
};

const sandbox = useSandbox();

describe('A list in the form', () => {
	const open = async (method: string, values: IDataObject, filter?: string) => {
		sandbox.control.addFault({ action: respond(200, anInstance(values)) });
		return await openList(method, FORM, sandbox.credentials, filter);
	};
	const names = async (method: string, values: IDataObject, filter?: string) => {
		const items = await open(method, values, filter);
		expect(schedulers.size).toBe(0);
		return items.map(({ name, value }) => `${String(value)} ${name.replace(/ · instance 7$/, '')}`);
	};

	const CHECKS = ['13 Check (13) (active)', '12 Check (12)', '15 Check twice'];
	const [ACTIVE = '', ...OTHERS] = CHECKS;
	test.each<[method: string, filter: string | undefined, shown: string[]]>([
		['searchSteps', undefined, [ACTIVE, '18 Step 18', '11 Record', ...OTHERS]],
		['searchSteps', ' CHECK', CHECKS],
		['searchSteps', '18', ['18 Step 18']],
		['searchUsers', '', ['42 User 42 (Step 18, Record)', '43 User 43 (Check (13))']],
		['searchUsers', 'record', ['42 User 42 (Step 18, Record)']],
		['searchProcesses', undefined, ['3 Invoice approval']],
	])('by %s shows, filtered by %j: %j', async (method, filter, shown) => {
		expect(await names(method, INSTANCE, filter)).toEqual(shown);
	});

	test.each<[method: string, name: string, shown: string]>([
		['searchSteps', 'Onboarding', 'Step 9 (active) · Onboarding'],
		['searchUsers', 'Onboarding', 'User 5 (Step 9) · Onboarding'],
		['searchSteps', 'x'.repeat(61), `Step 9 (active) · ${'x'.repeat(60)}…`],
		['searchUsers', ' ', 'User 5 (Step 9) · instance 7'],
	])('by %s shows the instance next to each name, as %j', async (method, name, shown) => {
		const step_assignments = [{ step_id: 9, user_id: 5 }];
		const [first] = await open(method, { name, active_step_ids: [9], step_assignments });
		expect(first?.name).toBe(shown);
	});

	const NAMED = [{ id: 1, name: 'A' }];
	const RENAMED = [...NAMED, { id: 1, title: 'T', name: 'B' }, { id: 2, name: ' ', title: 'C' }];
	const CUT = `${'x'.repeat(60)}…`;
	const LONG = [1, 2].map((id) => ({ id, name: 'x'.repeat(60) + String(id) }));
	const NUMBERED = { steps: [{ id: 1, name: 'Step 3' }] };
	const STEP_3 = '3 Step 3 (3) (active)';
	const ASSIGNED = [{ step_id: '9', user_id: '5' }, { user_id: 6 }, 7, null];
	test.each<[method: string, values: IDataObject, shown: string[]]>([
		['searchSteps', { process_snapshot: NAMED, active_step_ids: 5 }, ['5 Step 5 (active)']],
		['searchSteps', { process_snapshot: { a: { process_tasks: NAMED } } }, ['1 A']],
		['searchSteps', { process_snapshot: { a: { task_list: NAMED } } }, ['1 A']],
		['searchSteps', { process_snapshot: { steps: RENAMED } }, ['1 B', '2 C']],
		['searchSteps', { process_snapshot: { steps: LONG } }, [`1 ${CUT} (1)`, `2 ${CUT} (2)`]],
		['searchSteps', { process_snapshot: NUMBERED, active_step_ids: 3 }, [STEP_3, '1 Step 3']],
		['searchUsers', { step_assignments: ASSIGNED }, ['5 User 5 (Step 9)']],
		['searchProcesses', { process_snapshot: '{"id":4,"name":"Other"}' }, ['3 Process 3']],
	])('by %s shows what it finds in %j', async (method, values, shown) => {
		expect(await names(method, values)).toEqual(shown);
	});

	const DEEP = '{"steps":'.repeat(30) + '[]' + '}'.repeat(30);
	test.each<[method: string, values: IDataObject, words: string]>([
		['searchSteps', { process_snapshot: 'none', step_assignments: null }, 'No steps found'],
		['searchSteps', { process_snapshot: DEEP }, 'No steps found in instance 7'],
		['searchUsers', {}, 'No users are assigned to steps in instance 7'],
		['searchProcesses', { process: 'unknown' }, "didn't return the process of instance 7"],
	])('by %s says why it shows nothing of %j, and what to do', async (method, values, words) => {
		const message = expect.stringMatching(`${words}.*\\. To enter an ID, choose By ID\\.$`);
		await expect(open(method, values)).rejects.toMatchObject({ message, description: null });
	});

	test('shows as many steps of a user as there is room for', async () => {
		const steps = Array.from({ length: 20 }, (_, step) => ({ step_id: 100 + step, user_id: 5 }));
		const [user] = await names('searchUsers', { step_assignments: steps });
		expect(user).toMatch(/^5 User 5 \(Step 100, Step 101, .{30,50}…\)$/);
	});

	const refused = async (parameters: INodeParameters, error: object) => {
		const { credentials } = sandbox;
		const list = openList('searchSteps', { ...FORM, ...parameters }, credentials);
		const thrown: unknown = await list.catch((cause: unknown) => cause);
		expect(thrown).toMatchObject(error);
		// n8n sends all of this to the editor.
		expect(leaks(thrown, credentials.apiKey)).toEqual([]);
		expect(schedulers.size).toBe(0);
	};

	test.each<[instanceId: INodeParameters, words: string]>([
		[locator(''), "'Instance' is empty. Enter the instance to load this list, or choose By ID."],
		[locator('={{ $json.id }}'), "'Instance' has no value yet. Execute the previous nodes to load"],
		[locator('abc'), '"abc" in \'Instance\' is not the ID of an instance. Enter a whole number'],
		// An expression that returns nothing.
		[{ __rl: true, mode: 'id' }, "The expression in 'Instance' has no value yet."],
	])('sends no request while the instance is %j, but says why', async (instanceId, words) => {
		const message = expect.stringContaining(words);
		await refused({ instanceId }, { message, description: null });
		expect(sandbox.requests()).toEqual([]);
	});

	test('says why it cannot be read, in characters that n8n shows, without the API key', async () => {
		const detail = `Not a well-known key – ${sandbox.credentials.apiKey} — at all`;
		sandbox.control.addFault({ action: respond(401, { detail }) });
		const message = expect.stringMatching(
			/ \(401\): Not a well‑known key ‑ \W+ ‑ at all\. Open the credential/,
		);
		await refused({}, { message, httpCode: '401' });
	});
});

describe('A list of a service that makes it wait', () => {
	const clock = useVirtualClock();
	const open = async (action: FaultAction, times = 1) => {
		sandbox.control.addFault({ action, times });
		const form = { ...FORM, instanceId: locator(101), requestOptions: { timeout: 300_000 } };
		return await openList('searchProcesses', form, sandbox.credentials);
	};
	const busy = (seconds: string) => respond(503, '', { 'retry-after': seconds });

	test.each<[what: string, FaultAction, words: string, requests: number, seconds: number]>([
		['for too long', busy('11'), 'says to retry in 11 seconds', 1, 0],
		['without a response', { type: 'hang' }, 'did not respond in time to the request', 1, 10],
		['again and again', busy('3'), 'says to retry in 3 seconds', 3, 10],
	])('%s, says so and what to do', async (_what, action, words, requests, seconds) => {
		const start = clock().now();
		await expect(open(action, 0)).rejects.toMatchObject({
			message: expect.stringMatching(`${words}.*\\. Open the list again later\\.$`),
		});
		expect(sandbox.requests()).toHaveLength(requests);
		expect(clock().now() - start).toBe(seconds * 1000);
		expect(schedulers.size).toBe(0);
	});

	test('a little, and then does not respond, ends after ten seconds', async () => {
		const start = clock().now();
		sandbox.control.addFault({ action: busy('6'), times: 1 });
		await expect(open({ type: 'hang' }, 0)).rejects.toThrow('says to retry in 6 seconds');
		expect(clock().now() - start).toBe(10_000);
	});

	test('a little, waits for it', async () => {
		expect(await open(busy('2'))).toEqual([{ name: 'Employee onboarding', value: '11' }]);
	});
});
