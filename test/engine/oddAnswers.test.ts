import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type FaultAction, SEED } from '../../sandbox/service';
import { mockService, runAsTool, runNode, type RunNodeOptions } from '../harness';
import { bodies, settableOf, stored } from './support/instances';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';
import { skipPauses } from './support/time';

jest.setTimeout(60_000);

const ALWAYS = 0;
const ID = SEED.running;

const respond = (status: number, body: unknown): FaultAction => ({
	type: 'respond',
	status,
	body: typeof body === 'string' ? body : JSON.stringify(body),
	contentType: 'application/json',
});

describe('An answer that does not say what was asked', () => {
	const sandbox = useSandbox();
	afterEach(() => {
		jest.restoreAllMocks();
	});
	const run = async (
		parameters: INodeParameters,
		settings: Partial<RunNodeOptions> & { items?: IDataObject[] } = {},
	) => await runNode({ parameters, credentials: sandbox.credentials, ...settings });
	const always = (method: string, action: FaultAction, ids?: number[]) =>
		sandbox.control.addFault({ match: { method, ids }, action, times: ALWAYS });

	/** What the user is told, whichever way n8n calls the node. */
	const DOORS: Array<[door: string, told: (parameters: INodeParameters) => Promise<string>]> = [
		[
			'in a workflow',
			async (parameters) => {
				const { error, outputs } = await run(parameters);
				return JSON.stringify([error?.message, error?.description, outputs]);
			},
		],
		[
			'as a tool of an older agent',
			async (parameters) => {
				const { answers } = await runAsTool({
					parameters: { ...parameters, output: `={{ $fromAI('output', 'How', 'string') }}` },
					calls: [{ output: 'simplified' }],
					agent: 'call',
					credentials: sandbox.credentials,
				});
				return JSON.stringify(answers);
			},
		],
	];

	describe.each(DOORS)('%s', (_door, told) => {
		const GET = { operation: 'get', instanceId: locator(ID) };
		const UPDATE = {
			operation: 'update',
			instanceId: locator(ID),
			updateFields: { priority: 'V' },
		};
		const BULK_DELETE = { operation: 'bulkDelete', instanceIds: '101, 102' };

		test('to Get, about another instance, is not passed on', async () => {
			always('GET', respond(200, stored(sandbox, SEED.overdue)));
			const words = await told(GET);
			expect(words).toContain(`for instance ${ID} is about another instance`);
			expect(words).not.toContain(stored(sandbox, SEED.overdue).name);
		});

		test('to the read of an Update, about another instance, changes nothing', async () => {
			const before = settableOf(stored(sandbox, ID));
			always('GET', respond(200, stored(sandbox, SEED.overdue)));
			expect(await told(UPDATE)).toContain('is about another instance');
			expect(settableOf(stored(sandbox, ID))).toEqual(before);
			expect(bodies(sandbox, 'PUT')).toEqual([]);
		});

		test('to an Update, about another instance, is not passed on', async () => {
			always('PUT', respond(200, stored(sandbox, SEED.overdue)));
			const words = await told(UPDATE);
			expect(words).toContain('is about another instance');
			expect(words).not.toContain('updated');
		});

		test.each([
			{ error: 'database is locked' },
			{ detail: 'Not allowed' },
			{ status: 'queued' },
			{ id: ID, error: 'database is locked' },
			{ name: ['This field is too long.'] },
			{},
			[],
			null,
			'request dropped',
			'"ok"',
		])('to Get and Update, %j, is not taken for success', async (body) => {
			always('PUT', respond(200, body));
			const updated = await told(UPDATE);
			expect(updated).toContain(`The response for instance ${ID} is not what the service sends`);
			expect(updated).not.toContain('"updated"');
			always('GET', respond(200, body));
			expect(await told(GET)).toContain('is not what the service sends');
		});

		test('to Get, without an id but with the link of another instance, is refused', async () => {
			always('GET', respond(200, { ...stored(sandbox, SEED.overdue), id: undefined }));
			expect(await told(GET)).toContain('is about another instance');
		});

		test('to an Update, empty, is success', async () => {
			always('PUT', { type: 'respond', status: 200, body: ' \n' });
			const words = await told(UPDATE);
			expect(words.replaceAll('\\', '')).toContain(`{"id":${ID},"updated":true}`);
		});

		test.each([
			[207, { results: [{ id: 102, status: 404 }] }, 'results'],
			[200, { failed: [{ id: 102, reason: 'busy' }] }, 'busy'],
			[200, { errors: ['nothing deleted'] }, 'nothing deleted'],
			[200, { success: false }, 'success: false'],
			[200, { error: 'nothing deleted' }, 'nothing deleted'],
			[200, [{ id: 101 }, { id: 102, error: 'busy' }], 'busy'],
		])('to Bulk Delete, %d with %j, leaves the IDs open', async (status, body, words) => {
			always('POST', respond(status, body));
			const said = await told(BULK_DELETE);
			expect(said).toContain(words);
			expect(said).toContain('did not carry out the whole deletion of 2 instances');
			expect(said).not.toContain('"deleted');
		});

		test.each([
			[{ deleted: 2 }, 'deleted: 2'],
			['Two are gone.', 'Two are gone.'],
			[{ errors: [], message: 'Done' }, 'Done'],
			[{ errors: {}, failed: 0, success: true, message: 'Done' }, 'Done'],
		])('to Bulk Delete, %j, is success whose words are shown', async (body, words) => {
			always('POST', respond(200, body));
			const said = (await told(BULK_DELETE)).replaceAll('\\', '');
			expect(said).toContain('"id":101,"deleted":true,"service_message"');
			expect(said).toContain(words);
		});

		test.each(['', ' ', '{}', '[]', 'null'])('to Bulk Delete, %j, adds no words', async (body) => {
			always('POST', { type: 'respond', status: 200, body });
			const said = (await told(BULK_DELETE)).replaceAll('\\', '');
			expect(said).toContain('{"id":101,"deleted":true}');
		});
	});

	describe.each(['name', 'deadline', 'priority', 'tags', 'step_assignments', 'process'])(
		'to the read of an Update, without %s,',
		(key) => {
			const LABELS: Record<string, string> = {
				name: 'Name',
				deadline: 'Deadline',
				priority: 'Priority',
				tags: 'Tags',
				step_assignments: 'Step Assignments',
				process: 'process',
			};
			const FIELDS: Record<string, INodeParameters> = {
				name: { updateFields: { name: 'A' } },
				deadline: { updateFields: { deadline: '2026-07-01T10:00:00Z' } },
				priority: { updateFields: { priority: 'regular' } },
				tags: { updateFields: { tags: 'a' } },
				step_assignments: {
					updateFields: { stepAssignments: { assignment: [{ stepId: 1, userId: 2 }] } },
				},
				process: { process: locator(11) },
			};
			const CLEARED: Record<string, string> = {
				step_assignments: 'stepAssignments',
			};
			beforeEach(() => {
				always('GET', respond(200, { ...stored(sandbox, ID), [key]: undefined }));
			});
			const update = async (parameters: INodeParameters) =>
				await run({ operation: 'update', instanceId: locator(ID), ...parameters });

			test('keeps nothing that it did not say: the item is refused before the PUT', async () => {
				const [other] = ['name', 'priority'].filter((each) => each !== key);
				const { error } = await update(FIELDS[other ?? ''] ?? {});
				expect(error?.message).toContain(LABELS[key]);
				expect(error?.description).toContain('Nothing was changed.');
				expect(bodies(sandbox, 'PUT')).toEqual([]);
			});

			test('is enough when that field is set', async () => {
				const { error } = await update(FIELDS[key] ?? {});
				expect(error).toBeUndefined();
				expect(bodies(sandbox, 'PUT')).toHaveLength(1);
			});

			test('is enough when that field is cleared', async () => {
				if (key === 'process') return;
				const { error } = await update({ clearFields: [CLEARED[key] ?? key] });
				expect(error).toBeUndefined();
				expect(bodies(sandbox, 'PUT')[0]).toHaveProperty(key);
			});
		},
	);

	test.each(['addTags', 'removeTags'])('without tags does not do for %s', async (field) => {
		always('GET', respond(200, { ...stored(sandbox, ID), tags: undefined }));
		for (const unsetFields of ['keep', 'reset']) {
			const { error } = await run({
				operation: 'update',
				instanceId: locator(ID),
				unsetFields,
				process: locator(11),
				updateFields: { [field]: 'a' },
			});
			expect(error?.message).toContain("'Tags'");
		}
		expect(bodies(sandbox, 'PUT')).toEqual([]);
	});

	describe('that leaves open what was done', () => {
		const RETRY = { retryOnFail: true, maxTries: 2 };

		test('is remembered over the tries of a Bulk Delete', async () => {
			const ids = sandbox.control.addInstances(10);
			const [first, second] = [ids.slice(0, 5), ids.slice(5)];
			sandbox.control.addFault({
				match: { method: 'POST', ids: second },
				action: { type: 'applyThen', then: { type: 'respond', status: 500 } },
			});
			sandbox.control.addFault({
				match: { method: 'POST', ids: second },
				action: respond(403, { detail: 'No.' }),
			});
			const { error } = await run(
				{ operation: 'bulkDelete', idSource: 'inputField', options: { batchSize: 5 } },
				{ items: ids.map((id) => ({ id })), ...RETRY },
			);
			expect(error?.httpCode).toBe('403');
			expect(error?.context).toMatchObject({
				deletedIds: first,
				notDeletedIds: [],
				uncertainIds: second,
			});
			expect(error?.description).toContain(`Unknown: ${second.join(', ')}.`);
			expect(error?.description).not.toContain('Not deleted');
		});

		test.each(['PUT', 'GET'])(
			'is remembered over the tries of an Update, whose second %s is refused',
			async (method) => {
				sandbox.control.addFault({
					match: { method: 'PUT' },
					action: { type: 'applyThen', then: { type: 'respond', status: 500 } },
				});
				sandbox.control.addFault({
					match: method === 'PUT' ? { method } : { method, nth: 2 },
					action: respond(403, { detail: 'No.' }),
				});
				const { error } = await run(
					{ operation: 'update', instanceId: locator(ID), updateFields: { priority: 'V' } },
					RETRY,
				);
				expect(error?.httpCode).toBe('403');
				expect(error?.description).toContain('may have carried out an earlier try');
			},
		);

		test('is told for the IDs of a batch that was taken apart', async () => {
			skipPauses();
			const ids = [101, 102];
			sandbox.control.addFault({
				match: { method: 'POST' },
				action: { type: 'applyThen', then: { type: 'reset' } },
			});
			always('POST', respond(404, { detail: 'Not found.' }));
			const { outputs } = await run(
				{ operation: 'bulkDelete', instanceIds: ids.join() },
				{ onError: 'continueRegularOutput' },
			);
			expect(outputs[0]).toHaveLength(2);
			for (const { json } of outputs[0] ?? []) {
				expect(JSON.stringify(json)).toContain('may have carried out an earlier try');
				expect(json).not.toHaveProperty('deleted');
			}
		});
	});

	test('hanging in one run does not hold up an update by another run for longer than its own Timeout', async () => {
		always('GET', { type: 'hang' }, [ID]);
		const stop = new AbortController();
		const update = { operation: 'update', instanceId: ID_OF_ITEM, updateFields: { priority: 'V' } };
		const hanging = run(update, { items: [{ id: ID }], signal: stop.signal });
		while (sandbox.log().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
		const { outputs } = await run(
			{ ...update, requestOptions: { timeout: 300 } },
			{ items: [{ id: ID }, { id: SEED.overdue }], onError: 'continueRegularOutput' },
		);
		expect(outputs[0]?.[0]?.json.error).toContain(
			`Another update of instance ${ID} has been waiting for the service for more than 1 second`,
		);
		expect(outputs[0]?.[1]?.json.id).toBe(SEED.overdue);
		stop.abort();
		await hanging;
	});
});

describe('An answer in another charset', () => {
	const service = mockService();
	const INSTANCE = {
		id: 7,
		process: 'https://service.example/api/processes/3/',
		name: 'Größe',
		deadline: null,
		priority: null,
		tags: [],
		step_assignments: [],
	};
	const latin1 = Buffer.from(JSON.stringify(INSTANCE), 'latin1');
	const update = async (contentType: string) => {
		service.get('/instances/7/').reply(200, latin1, { 'content-type': contentType });
		return await runNode({
			parameters: {
				operation: 'update',
				instanceId: locator(7),
				updateFields: { priority: 'V' },
			},
		});
	};

	test('is read by it, and written back as it was', async () => {
		service.put('/instances/7/').reply(204);
		const { error } = await update('application/json; charset="ISO-8859-1"');
		expect(error).toBeUndefined();
		expect(service.requests.at(-1)?.body).toMatchObject({ name: 'Größe', priority: 'V' });
	});

	test.each([
		['whose bytes are not what it says', 'application/json'],
		['that nobody knows', 'application/json; charset=klingon'],
	])('%s is refused, and nothing is written', async (_what, contentType) => {
		const { error } = await update(contentType);
		expect(error?.message).toContain('its text cannot be read in its charset');
		expect(service.requests).toHaveLength(1);
	});

	test('that cannot be read still shows the words of a refusal', async () => {
		const body = Buffer.from('{"detail": "Zu groß."}', 'latin1');
		service.get('/instances/7/').reply(400, body, { 'content-type': 'application/json' });
		const { error } = await runNode({
			parameters: { operation: 'get', instanceId: locator(7) },
		});
		expect(error?.message).toContain('Zu gro');
	});
});
