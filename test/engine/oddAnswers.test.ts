import { type FaultAction, SEED } from '../../sandbox/service';
import { mockService, runNode } from '../harness';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';
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
	const { run } = sandbox;
	afterEach(() => {
		jest.restoreAllMocks();
	});
	const always = (method: string, action: FaultAction) =>
		sandbox.control.addFault({ match: { method }, action, times: ALWAYS });

	test('to Get, without an id but with the link of another instance, is refused', async () => {
		always('GET', respond(200, { ...stored(sandbox, SEED.overdue), id: undefined }));
		const { error } = await run({ instanceId: locator(ID) });
		expect(error?.message).toContain('is about another instance');
		expect(error?.httpCode).toBe('200');
	});

	describe('to Bulk Delete,', () => {
		const bulkDelete = async () => await run({ operation: 'bulkDelete', instanceIds: '101, 102' });

		test.each([
			[207, { results: [{ id: 102, status: 404 }] }, 'results'],
			[200, { failed: [{ id: 102, reason: 'busy' }] }, 'busy'],
			[200, { errors: ['nothing deleted'] }, 'nothing deleted'],
			[200, { failed: 2 }, 'failed: 2'],
			[200, { errors: { 102: ['busy'] } }, 'busy'],
			[200, { success: false }, 'success: false'],
			[200, { ok: false }, 'ok: false'],
			[200, { error: 'nothing deleted' }, 'nothing deleted'],
			[200, [{ id: 101 }, { id: 102, error: 'busy' }], 'busy'],
		])('%d with %j, leaves the IDs open', async (status, body, words) => {
			always('POST', respond(status, body));
			const { error, outputs } = await bulkDelete();
			expect(outputs).toEqual([]);
			expect(error?.message).toMatch(/did not carry out the whole deletion of 2 instances \(20/);
			expect(error?.message).toContain(words);
			expect(error?.context).toMatchObject({ deletedIds: [], uncertainIds: [101, 102] });
		});

		test.each([
			[{ deleted: 2 }, 'deleted: 2'],
			['Two are gone.', 'Two are gone.'],
			[{ errors: [], message: 'Done' }, 'Done'],
			[{ errors: {}, failed: 0, success: true, message: 'Done' }, 'Done'],
		])('%j, is success whose words are shown', async (body, words) => {
			always('POST', respond(200, body));
			const { outputs } = await bulkDelete();
			expect(outputs[0]?.map(({ json }) => json)).toEqual(
				[101, 102].map((id) => ({
					id,
					deleted: true,
					service_message: expect.stringContaining(words),
				})),
			);
		});

		test('a web page, is not taken for success', async () => {
			const body = '<!doctype html><title>Sign in</title>';
			always('POST', { type: 'respond', status: 200, body });
			const { error } = await bulkDelete();
			expect(error?.message).toContain('The response for 2 instances is not what');
			expect(error?.context).toMatchObject({ deletedIds: [], uncertainIds: [101, 102] });
		});

		test.each(['', ' ', '{}', '[]', 'null'])('%j, adds no words', async (body) => {
			always('POST', { type: 'respond', status: 200, body });
			const { outputs } = await bulkDelete();
			expect(outputs[0]?.[0]?.json).toEqual({ id: 101, deleted: true });
		});
	});

	describe('that leaves open what was done', () => {
		const RETRY = { retryOnFail: true, maxTries: 2 };

		test('is remembered over the tries of a Bulk Delete', async () => {
			const ids = sandbox.control.addInstances(10);
			const [first, second] = [ids.slice(0, 5), ids.slice(5)];
			const match = { method: 'POST', ids: second };
			const then = { type: 'respond', status: 500 } as const;
			sandbox.control.addFault({ match, action: { type: 'applyThen', then } });
			sandbox.control.addFault({ match, action: respond(403, { detail: 'No.' }) });
			const { error } = await run(
				{ operation: 'bulkDelete', idSource: 'inputField', options: { batchSize: 5 } },
				ids.map((id) => ({ id })),
				RETRY,
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
				const update = { operation: 'update', instanceId: locator(ID) };
				const { error } = await run({ ...update, updateFields: { priority: 'V' } }, [{}], RETRY);
				expect(error?.httpCode).toBe('403');
				expect(error?.description).toContain('may have carried out an earlier try');
			},
		);

		test('is told once, whatever the last try of an Update meets', async () => {
			always('PUT', { type: 'applyThen', then: { type: 'respond', status: 500 } });
			const update = { operation: 'update', instanceId: locator(ID) };
			const { error } = await run({ ...update, updateFields: { priority: 'V' } }, [{}], RETRY);
			expect(error?.description?.match(/may have carried out/g)).toHaveLength(1);
		});

		test('is not told of what was only read', async () => {
			skipPauses();
			sandbox.control.addFault({ match: { method: 'GET' }, action: { type: 'reset' } });
			always('GET', respond(404, { detail: 'Not found.' }));
			const { error } = await run({ instanceId: locator(ID) });
			expect(sandbox.log()).toHaveLength(2);
			expect(error?.description).not.toContain('may have carried out');
		});

		test('is told for the IDs of a batch that was cut off and then refused', async () => {
			for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
				sandbox.control.reset();
				skipPauses();
				sandbox.control.addFault({
					match: { method: 'POST' },
					action: { type: 'applyThen', then: { type: 'reset' } },
				});
				always('POST', respond(404, { detail: 'Not found.' }));
				const parameters = { operation: 'bulkDelete', instanceIds: '101, 102' };
				const { outputs, error } = await run(parameters, [{}], { onError });
				jest.restoreAllMocks();
				const said = error === undefined ? (outputs[0] ?? []) : [error.description];
				expect(said).toHaveLength(error === undefined ? 2 : 1);
				for (const each of said) {
					expect(JSON.stringify(each)).toContain('may have carried out an earlier try');
					expect(each).not.toHaveProperty('json.deleted');
				}
				const unknown = { notDeletedIds: [], uncertainIds: [101, 102] };
				if (error !== undefined) expect(error.context).toMatchObject(unknown);
			}
		});
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

	test.each(['application/json; charset="ISO-8859-1"', 'application/json; charset = latin1'])(
		'is read by it, and written back as it was (%s)',
		async (contentType) => {
			service.put('/instances/7/').reply(204);
			const { error } = await update(contentType);
			expect(error).toBeUndefined();
			expect(service.requests.at(-1)?.body).toMatchObject({ name: 'Größe', priority: 'V' });
		},
	);

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
