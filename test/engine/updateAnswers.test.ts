import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { mockService, runNode } from '../harness';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const PROCESS = 'https://service.example/api/processes/3/';
const SETTABLE = {
	process: PROCESS,
	name: 'Old',
	deadline: null,
	priority: 'H',
	tags: ['a'],
	step_assignments: [],
};
const CURRENT = { id: 7, ...SETTABLE, stage: 'Review' };

/** What the service says of the instance when it leaves a key out. */
function without(key: string): IDataObject {
	return Object.fromEntries(Object.entries(CURRENT).filter(([name]) => name !== key));
}

describe('answers', () => {
	const service = mockService();
	const update = async (parameters: INodeParameters = { updateFields: { name: 'New' } }) =>
		await runNode({ parameters: { operation: 'update', instanceId: locator(7), ...parameters } });
	const sent = () => service.requests.filter(({ method }) => method === 'PUT');

	test.each([200, 201, 202, 204])('%d without a body says that it was updated', async (status) => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(status);
		const { outputs, error } = await update();
		expect(error).toBeUndefined();
		expect(outputs).toEqual([[{ json: { id: 7, updated: true }, pairedItem: { item: 0 } }]]);
	});

	test.each([200, 201, 202])('%d with the instance gives the instance', async (status) => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(status, { ...CURRENT, name: 'New' });
		const { outputs } = await update();
		expect(outputs[0]?.[0]?.json).toMatchObject({ id: 7, name: 'New' });
	});

	test.each(['', ' \n'])('200 with the body %j says that it was updated', async (body) => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(200, body);
		const { outputs } = await update();
		expect(outputs[0]?.[0]?.json).toEqual({ id: 7, updated: true });
	});

	test.each([
		'null',
		'{}',
		'[]',
		'"ok"',
		'{"status":"ok"}',
		'OK',
		'[{"id":7}]',
		'{"id":7,"errors":["No."]}',
		'{"id":7,"success":false}',
	])('200 with the body %j is not taken for success', async (body) => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(200, body);
		const { outputs, error } = await update();
		expect(outputs).toEqual([]);
		expect(error?.message).toBe(
			`The response for instance 7 is not what the service sends: "${body}"`,
		);
		expect(error?.httpCode).toBe('200');
	});

	test('200 with a web page is not taken for success', async () => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(200, '<!doctype html><title>Sign in</title>');
		const { error } = await update();
		expect(error?.message).toContain('Sign in');
		expect(error?.description).toContain("'Base URL'");
	});

	test('what the service sends beside the interface is not sent back', async () => {
		const beside = { owner: 5, constructor: 'x', url: 'u', error: 'e', step_ids: [1] };
		service.get('/instances/7/').reply(200, {
			...CURRENT,
			...beside,
			step_assignments: [{ step_id: 1, user_id: 2, url: 'u' }],
		});
		service.put('/instances/7/').reply(204);
		await update();
		expect(sent().map(({ body }) => body)).toEqual([
			{ ...SETTABLE, name: 'New', step_assignments: [{ step_id: 1, user_id: 2 }] },
		]);
	});

	test('null for a value that is to stay is sent as null', async () => {
		service.get('/instances/7/').reply(200, { ...CURRENT, name: null, priority: null });
		service.put('/instances/7/').reply(204);
		await update({ updateFields: { tags: 'b' } });
		expect(sent()[0]?.body).toMatchObject({ name: null, priority: null, tags: ['b'] });
	});

	test('a refusal names the instance', async () => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(403);
		const { error } = await update();
		expect(error?.message).toBe('The API key does not have access to instance 7 (403)');
	});

	test('null for a list that is to stay is sent as no list, which the interface allows', async () => {
		const current = { ...CURRENT, tags: null, step_assignments: null };
		service.get('/instances/7/').reply(200, current);
		service.put('/instances/7/').reply(204);
		await update();
		expect(sent()[0]?.body).toEqual({
			process: PROCESS,
			name: 'New',
			deadline: null,
			priority: 'H',
		});
	});

	test.each([
		['tags', 'a, b', "'Tags'"],
		['tags', [1], "'Tags'"],
		['deadline', 1_782_900_000, "'Deadline'"],
		['priority', { code: 'H' }, "'Priority'"],
		['step_assignments', [7], "'Step Assignments'"],
		['process', { id: 3 }, "'Process'"],
	])('%s read as %j is not sent back changed', async (key, value, label) => {
		service.get('/instances/7/').reply(200, { ...CURRENT, [key]: value });
		const { error } = await update();
		expect(error?.message).toContain(label);
		expect(error?.description).toContain('Nothing was changed.');
		expect(sent()).toEqual([]);
	});

	test.each([undefined, null])('a process read as %p has to be chosen', async (process) => {
		service.get('/instances/7/').reply(200, { ...CURRENT, process });
		const { error } = await update();
		expect(error?.message).toContain('did not say which process the instance belongs to');
		expect(error?.description).toContain("Choose it under 'Process'. Nothing was changed.");
		expect(sent()).toEqual([]);
	});

	test.each([
		['name', "'Name'", { priority: 'V' }],
		['deadline', "'Deadline'", { name: 'New' }],
		['priority', "'Priority'", { name: 'New' }],
		['tags', "'Tags'", { name: 'New' }],
		['step_assignments', "'Step Assignments'", { name: 'New' }],
	])('%s that the read does not say cannot be kept', async (key, label, updateFields) => {
		service.get('/instances/7/').reply(200, without(key));
		const { error, outputs } = await update({ updateFields });
		expect(outputs).toEqual([]);
		expect(error?.message).toBe(
			`The service did not return the ${label} of the instance, so it cannot be kept`,
		);
		expect(error?.description).toContain(`Set or clear ${label} in this node`);
		expect(error?.description).toContain('Nothing was changed.');
		expect(sent()).toEqual([]);
	});

	test('automatic naming needs no current name', async () => {
		service.get('/instances/7/').reply(200, without('name'));
		service.put('/instances/7/').reply(204);
		expect((await update({ updateFields: { automaticNaming: true } })).error).toBeUndefined();
		expect(sent()[0]?.body).not.toHaveProperty('name');
	});

	test('reset needs no more of it than the tags that are amended', async () => {
		service.get('/instances/7/').reply(200, { id: 7, tags: ['a'] });
		service.put('/instances/7/').reply(204);
		const reset = { unsetFields: 'reset', process: locator(3), updateFields: { addTags: 'b' } };
		expect((await update(reset)).error).toBeUndefined();
		expect(sent()[0]?.body).toEqual({
			process: `${service.baseUrl}/processes/3/`,
			tags: ['a', 'b'],
		});
	});

	describe('refusals of a value that was kept', () => {
		const refused = async (body: object, parameters?: INodeParameters) => {
			service.get('/instances/7/').reply(200, CURRENT);
			service.put('/instances/7/').reply(400, body);
			const { error } = await update(parameters);
			return error?.description;
		};

		test.each([
			[
				{ priority: ['No.'] },
				'\'Priority\' was not entered in this node: "H" is its current value',
			],
			[{ detail: 'These tags are locked.' }, '\'Tags\' was not entered in this node: ["a"] is its'],
			[{ step_id: ['No.'] }, "'Step Assignments' was not entered in this node: [] is its current"],
			[
				{ deadline: ['Enter one.'] },
				"'Deadline' was not entered in this node: null is its current",
			],
		])('%j name its field, its current value and where to change it', async (body, words) => {
			const description = await refused(body);
			expect(description).toContain(words);
			expect(description).toContain(
				"Set it in 'Fields to Update', or clear it in 'Fields to Clear'",
			);
		});

		test('of the process advise to choose another one', async () => {
			const description = await refused({ process: ['Archived.'] });
			expect(description).toContain(
				`'Process' was not entered in this node: "${PROCESS}" is its current value, which was kept.`,
			);
			expect(description).toContain("Choose another one under 'Process'.");
		});

		test('of the name advise automatic naming', async () => {
			const description = await refused({ name: ['No.'] }, { updateFields: { priority: 'V' } });
			expect(description).toContain('\'Name\' was not entered in this node: "Old" is its current');
			expect(description).toContain("'Automatic Naming'");
		});

		test.each<[object, INodeParameters]>([
			[{ name: ['No.'] }, { updateFields: { name: 'New' } }],
			[{ tags: ['No.'] }, { clearFields: ['tags'] }],
			[{ tags: ['No.'] }, { updateFields: { addTags: 'b' } }],
			[{ tags: ['No.'] }, { updateFields: { removeTags: 'a' } }],
			[{ detail: 'No.' }, { updateFields: { name: 'New' } }],
		])('%j are not meant where the user said %j', async (body, parameters) => {
			expect(await refused(body, parameters)).not.toContain('was not entered');
		});
	});

	test('an answer to the read that is no instance changes nothing', async () => {
		service.get('/instances/7/').reply(200, { results: [CURRENT] });
		const { error } = await update();
		expect(error?.message).toContain('instance 7');
		expect(sent()).toEqual([]);
	});
});

describe('against the sandbox', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;
	const update = async (parameters: INodeParameters) =>
		await runNode({
			parameters: {
				operation: 'update',
				instanceId: locator(ID),
				updateFields: { name: 'New' },
				...parameters,
			},
			credentials: sandbox.credentials,
		});

	test('the output is simplified by default', async () => {
		const { outputs } = await update({});
		const [{ json = {} } = {}] = outputs[0] ?? [];
		expect(json).toMatchObject({ id: ID, name: 'New', priority: 'H' });
		expect(Object.keys(json).length).toBeLessThanOrEqual(10);
		expect(json).not.toHaveProperty('process_snapshot');
	});

	test('the output is everything when raw', async () => {
		const { outputs } = await update({ output: 'raw' });
		expect(outputs[0]?.[0]?.json).toEqual(stored(sandbox, ID));
	});

	test('the output is what was selected', async () => {
		const { outputs } = await update({ output: 'selected', outputFields: ['stage', 'url'] });
		expect(Object.keys(outputs[0]?.[0]?.json ?? {})).toEqual(['id', 'stage', 'url']);
	});

	test('an instance that was deleted meanwhile is told from one that was updated', async () => {
		sandbox.control.addFault({
			match: { method: 'PUT' },
			action: { type: 'respond', status: 404, body: '{"detail":"Gone for good."}' },
		});
		const { error } = await update({});
		expect(error?.message).toContain('Gone for good.');
		expect(error?.httpCode).toBe('404');
	});
});

describe('Request Options of n8n', () => {
	const sandbox = useSandbox();
	const ids = [SEED.running, SEED.fullyFilled, SEED.overdue, SEED.aborted];
	const update = async (requestOptions: INodeParameters, onError?: 'continueRegularOutput') =>
		await runNode({
			parameters: {
				operation: 'update',
				instanceId: locator('={{ $json.id }}'),
				updateFields: { name: 'New' },
				requestOptions,
			},
			items: ids.map((id) => ({ id })),
			onError,
			credentials: sandbox.credentials,
		});
	const batching = { batch: { batchSize: 2, batchInterval: 60 } };
	const names = () => ids.map((id) => stored(sandbox, id).name === 'New');

	test.each(['GET', 'PUT'])('Timeout holds for the %s of an update', async (method) => {
		sandbox.control.addFault({ match: { method }, action: { type: 'hang' } });
		const { error } = await update({ timeout: 100 });
		expect(error?.message).toContain('did not respond in time');
		expect(error?.itemIndex).toBe(0);
	});

	test('Batching starts the items in turn, with both of their requests', async () => {
		const { outputs } = await update({ batching: { batch: { batchSize: 2, batchInterval: 500 } } });
		expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
		expect(names()).toEqual([true, true, true, true]);
		const methods = sandbox.log().map(({ method }) => method);
		expect(methods.slice(0, 4).sort()).toEqual(['GET', 'GET', 'PUT', 'PUT']);
		expect(methods.slice(4).sort()).toEqual(['GET', 'GET', 'PUT', 'PUT']);
	});

	test('Batching and all others together', async () => {
		const { outputs } = await update({ batching, timeout: 5_000, allowUnauthorizedCerts: true });
		expect(outputs[0]).toHaveLength(4);
		expect(sandbox.control.stats().requests).toBe(8);
	});

	test.each(['GET', 'PUT'])(
		'Batching with a first item that stops at its %s ends, and sends nothing behind',
		async (method) => {
			const unhandled: unknown[] = [];
			const note = (reason: unknown) => unhandled.push(reason);
			process.on('unhandledRejection', note);
			sandbox.control.addFault({
				match: { method, ids: [ids[0] ?? 0] },
				times: 0,
				action: { type: 'respond', status: 403, body: '{"detail":"Not yours."}' },
			});
			const { error, outputs } = await update({
				batching: { batch: { batchSize: 1, batchInterval: 500 } },
			});
			await new Promise((resolve) => setTimeout(resolve, 50));
			process.off('unhandledRejection', note);
			expect(unhandled).toEqual([]);
			expect(error?.message).toContain('Not yours.');
			expect(error?.itemIndex).toBe(0);
			expect(outputs).toEqual([]);
			expect(names()).toEqual([false, false, false, false]);
			for (const { url } of sandbox.log()) expect(url).toContain(`/${ids[0]}/`);
		},
	);

	test('Batching with a first item that is refused sends nothing', async () => {
		const { error } = await runNode({
			parameters: {
				operation: 'update',
				instanceId: locator('={{ $json.id }}'),
				updateFields: { name: 'New' },
				requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 30 } } },
			},
			items: [{ id: 'x' }, ...ids.map((id) => ({ id }))],
			credentials: sandbox.credentials,
		});
		expect(error?.itemIndex).toBe(0);
		expect(sandbox.requests()).toEqual([]);
	});

	test('Batching with Continue updates what can be', async () => {
		sandbox.control.addFault({
			match: { method: 'PUT', ids: [ids[0] ?? 0] },
			action: { type: 'respond', status: 403 },
		});
		const { outputs } = await update({ batching }, 'continueRegularOutput');
		expect(names()).toEqual([false, true, true, true]);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
			ids.map((_, item) => ({ item })),
		);
		expect(outputs[0]?.[0]?.json).toHaveProperty('error');
	});
});
