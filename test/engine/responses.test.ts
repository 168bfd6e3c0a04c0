import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { name, version } from '../../package.json';
import { type FaultAction, SEED } from '../../sandbox/service';
import { mockService, runNode, useNodeRunner, useVirtualClock } from '../harness';
import { aBody, anInstance, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

const GET: INodeParameters = { operation: 'get', instanceId: locator(7) };
const MAY_BE_DONE = 'The service may have carried out the request all the same';

/** An instance as the service sends it when it leaves a key out. */
const without = (key: string) =>
	Object.fromEntries(Object.entries(anInstance()).filter(([name]) => name !== key));

const OF_EACH_REQUEST = { accept: 'application/json', 'user-agent': `${name}/${version}` };

describe('The response', () => {
	const service = mockService();
	const runner = useNodeRunner({ parameters: {} });
	const continuing = useNodeRunner({ parameters: {}, onError: 'continueRegularOutput' });
	const run = async (parameters: INodeParameters) => await runner.run({ parameters });
	const update = async (parameters: INodeParameters = { updateFields: { name: 'New' } }) =>
		await run({ operation: 'update', instanceId: locator(7), ...parameters });
	const read = (body: string | object, status = 200) =>
		service.get('/instances/7/').reply(status, body);
	const written = (status = 204, body?: string | object) =>
		service.put('/instances/7/').reply(status, body);
	const sent = () =>
		service.requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);

	describe('to an update', () => {
		test.each([
			[200, ''],
			[200, ' \n'],
			[201, undefined],
			[204, undefined],
		])('of %d with %j says that it was done', async (status, body) => {
			read(anInstance());
			written(status, body);
			const { outputs, error } = await update();
			expect(error).toBeUndefined();
			expect(outputs).toEqual([[{ json: { id: 7, updated: true }, pairedItem: { item: 0 } }]]);
		});

		test.each([200, 202])('of %d with the instance gives the instance', async (status) => {
			read(anInstance());
			written(status, anInstance({ name: 'New' }));
			const { outputs } = await update();
			expect(outputs[0]?.[0]?.json).toMatchObject({ id: 7, name: 'New' });
		});

		test('of 500 leaves open whether it was done', async () => {
			read(anInstance());
			written(500, '');
			const { error } = await update();
			expect(error?.message).toBe('The service could not handle the request for instance 7 (500)');
			expect(error?.description).toContain('The service may have carried out the request');
		});
	});

	test.each([
		...['null', '{}', '[]', '"ok"', 'OK', '[{"id":7}]'],
		...['{"status":"ok"}', '{"name":["Too long."]}'],
		...['{"id":7,"error":"Locked."}', '{"id":7,"errors":["No."]}', '{"id":7,"success":false}'],
	])('%j is not taken for an instance, by Get and Update', async (body) => {
		const message = `The response for instance 7 is not what the service sends: "${body}"`;
		read(anInstance());
		written(200, body);
		const { outputs, error } = await update();
		expect(outputs).toEqual([]);
		expect(error).toMatchObject({ message, httpCode: '200' });
		expect(error?.description).toContain(MAY_BE_DONE);
		read(body);
		const got = await run(GET);
		expect(got.error?.message).toBe(message);
		expect(got.error?.description).not.toContain(MAY_BE_DONE);
	});

	test.each([
		[' \n', 'it is empty'],
		['a'.repeat(120), `"${'a'.repeat(120)}"`],
		['a'.repeat(121), `"${'a'.repeat(120)}…"`],
	])('%j is quoted as far as people read', async (body, words) => {
		read(body);
		expect((await run(GET)).error?.message).toBe(
			`The response for instance 7 is not what the service sends: ${words}`,
		);
	});

	const ELSEWHERE = `${service.baseUrl}/instances/8/`;
	test.each([
		[300, {}, 'elsewhere'],
		[302, { Location: ELSEWHERE }, `to ${ELSEWHERE}`],
	])('%d is not followed', async (status, headers, where) => {
		service.get('/instances/7/').reply(status, JSON.stringify(anInstance()), headers);
		expect((await run(GET)).error?.message).toBe(
			`The service redirects ${where} instead of responding (${status})`,
		);
		expect(service.requests).toHaveLength(1);
	});

	test('500 advises Retry On Fail where the node stops, and not with Continue', async () => {
		read('', 500);
		expect((await run(GET)).error?.description).toContain("turn on 'Retry On Fail'");
		read('', 500);
		const { outputs } = await continuing.run({ parameters: GET });
		expect(outputs[0]?.[0]?.json.details).toEqual({
			description: expect.not.stringContaining('Retry On Fail'),
			item: 0,
			httpCode: '500',
		});
	});

	test('with a field named error comes out with that under another name', async () => {
		read(anInstance({ error: 'Overdue' }));
		const { outputs, error } = await run({ ...GET, output: 'raw' });
		expect(error).toBeUndefined();
		expect(outputs[0]?.[0]?.json).toEqual(anInstance({ serviceError: 'Overdue' }));
	});

	describe('to the read of an update', () => {
		const DUE = { deadline: '2026-07-01T10:00:00+02:00' };

		test.each<[string, current: IDataObject, given: INodeParameters, sent: IDataObject]>([
			[
				'null',
				{ name: null, tags: ['a'] },
				{ updateFields: { priority: 'V' } },
				{ priority: 'V', tags: ['a'] },
			],
			[
				'null for lists, which the interface does not take',
				{ tags: null, step_assignments: null, priority: 'H' },
				{ updateFields: { name: 'A' } },
				{ name: 'A', priority: 'H', tags: undefined, step_assignments: undefined },
			],
			[
				'null for tags that are changed',
				{ tags: null },
				{ updateFields: { addTags: 'a', removeTags: 'b' } },
				{ tags: ['a'] },
			],
			[
				'more than clients can set, which is not sent back',
				{
					owner: 5,
					constructor: 'x',
					url: 'u',
					error: 'e',
					step_assignments: [{ step_id: 1, user_id: 2, url: 'u' }],
				},
				{ updateFields: { name: 'A' } },
				{ name: 'A', step_assignments: [{ step_id: 1, user_id: 2 }] },
			],
			[
				'a value that is cleared',
				DUE,
				{ updateFields: { name: 'A' }, clearFields: ['deadline'] },
				{ name: 'A' },
			],
			[
				'a value, with no field to clear',
				DUE,
				{ updateFields: { name: 'A' }, clearFields: '={{ [] }}' },
				{ name: 'A', ...DUE },
			],
		])('may be %s', async (_what, current, given, body) => {
			read(anInstance(current));
			written();
			expect((await update(given)).error).toBeUndefined();
			expect(sent()).toEqual([JSON.parse(JSON.stringify(aBody(body)))]);
			const [ofRead, ofWrite] = service.requests.map(({ headers }) => headers);
			for (const headers of [ofRead, ofWrite]) expect(headers).toMatchObject(OF_EACH_REQUEST);
			expect([ofRead?.['content-type'], ofWrite?.['content-type']]).toEqual([
				undefined,
				'application/json',
			]);
		});

		test.each([
			['tags', 'a, b', "'Tags'"],
			['tags', [1], "'Tags'"],
			['deadline', 1_782_900_000, "'Deadline'"],
			['priority', { code: 'H' }, "'Priority'"],
			['step_assignments', [7], "'Step Assignments'"],
			['process', { id: 3 }, "'Process'"],
		])('of %s as %j is not sent back changed', async (key, value, label) => {
			read(anInstance({ [key]: value }));
			const { error } = await update();
			expect(error?.message).toContain(label);
			expect(error?.description).toContain(
				`${key === 'process' ? 'Choose' : 'Set or clear'} ${label}`,
			);
			expect(error?.description).toContain('Nothing was changed.');
			expect(sent()).toEqual([]);
		});

		test.each([undefined, null])(
			'without a process (%p) needs one that is chosen',
			async (process) => {
				read(anInstance({ process }));
				const { error } = await update();
				expect(error?.message).toContain('did not say which process the instance belongs to');
				expect(error?.description).toContain("Choose it under 'Process'. Nothing was changed.");
				expect(sent()).toEqual([]);
				read(anInstance({ process }));
				written();
				expect((await update({ process: locator(3) })).error).toBeUndefined();
			},
		);

		const ROWS = { assignment: [{ stepId: 1, userId: 2 }] };

		test.each<[key: string, label: string, clear: string, fields: INodeParameters]>([
			['name', "'Name'", 'name', { name: 'A' }],
			['name', "'Name'", 'name', { automaticNaming: true }],
			['deadline', "'Deadline'", 'deadline', { deadline: '2026-07-01T10:00:00Z' }],
			['priority', "'Priority'", 'priority', { priority: 'regular' }],
			['tags', "'Tags'", 'tags', { tags: 'a' }],
			['step_assignments', "'Step Assignments'", 'stepAssignments', { stepAssignments: ROWS }],
		])('without %s cannot keep it, but lets %s be cleared (%s) or set: %j', async (...row) => {
			const [key, label, cleared, updateFields] = row;
			read(without(key));
			const other = key === 'name' ? { priority: 'V' } : { name: 'New' };
			const { error, outputs } = await update({ updateFields: other });
			expect(outputs).toEqual([]);
			expect(error?.message).toBe(
				`The service did not return the ${label} of the instance, so it cannot be kept`,
			);
			expect(error?.description).toContain(`Set or clear ${label} in this node`);
			expect(error?.description).toContain('Nothing was changed.');
			expect(sent()).toEqual([]);
			for (const parameters of [{ updateFields }, { clearFields: [cleared] }]) {
				read(without(key));
				written();
				expect((await update(parameters)).error).toBeUndefined();
			}
			expect(sent()[1]).toHaveProperty(key);
		});

		test.each([
			['tags', { addTags: 'a' }],
			['tags', { removeTags: 'a' }],
			['step_assignments', { addStepAssignments: ROWS }],
		])('without %s refuses %j, with Reset as well', async (key, updateFields) => {
			for (const unsetFields of ['keep', 'reset']) {
				read(without(key));
				const { error } = await update({ unsetFields, process: locator(3), updateFields });
				expect(error?.message).toMatch(
					/^The service did not return the '(Tags|Step Assignments)' of/,
				);
			}
			expect(sent()).toEqual([]);
		});

		test('needs no more than the tags that Reset amends', async () => {
			read({ id: 7, tags: ['a'] });
			written();
			const updateFields = { addTags: 'b' };
			const reset = { unsetFields: 'reset', process: locator(3), updateFields };
			expect((await update(reset)).error).toBeUndefined();
			expect(sent()).toEqual([{ process: `${service.baseUrl}/processes/3/`, tags: ['a', 'b'] }]);
		});
	});

	describe('that refuses a value which was kept', () => {
		const CURRENT = { name: 'Old', priority: 'H', tags: ['a'] };
		const refused = async (body: object, parameters?: INodeParameters, current = {}) => {
			read(anInstance({ ...CURRENT, ...current }));
			written(400, body);
			return (await update(parameters)).error?.description;
		};

		const NAMED: INodeParameters = { updateFields: { name: 'New' } };
		test.each<[object, words: string, INodeParameters]>([
			[{ priority: ['No.'] }, '\'Priority\' was not entered in this node: "H" is its', NAMED],
			[{ detail: 'These tags are locked.' }, '\'Tags\' was not entered in this node: ["a"]', NAMED],
			[{ step_id: ['No.'] }, "'Step Assignments' was not entered in this node: [] is", NAMED],
			[{ deadline: ['No.'] }, "'Deadline' was not entered in this node: null is its", NAMED],
			[{ deadline: ['No.'] }, "Set it in 'Fields to Update', or clear it in 'Fields", NAMED],
			[{ process: ['No.'] }, '/processes/3/" is its current value, which was kept.', NAMED],
			[{ process: ['No.'] }, "Choose another one under 'Process'.", NAMED],
			[
				{ name: ['No.'] },
				'\'Name\' was not entered in this node: "Old"',
				{ clearFields: ['tags'] },
			],
			[{ name: ['No.'] }, "'Automatic Naming'", { updateFields: { addTags: 'b' } }],
		])('by %j is told so: %s', async (body, words, parameters) => {
			expect(await refused(body, parameters)).toContain(words);
		});

		test('quotes the beginning of a long one', async () => {
			const description = await refused({ tags: ['No.'] }, undefined, { tags: ['a'.repeat(200)] });
			expect(description).toMatch(/: \["a{78}… is its current value/);
		});

		test.each<[object, INodeParameters]>([
			[{ name: ['No.'] }, NAMED],
			[{ tags: ['No.'] }, { clearFields: ['tags'] }],
			[{ tags: ['No.'] }, { updateFields: { addTags: 'b' } }],
			[{ tags: ['No.'] }, { updateFields: { removeTags: 'a' } }],
			[{ tags: ['No.'], name: ['No.'] }, NAMED],
			[{ detail: 'No.' }, NAMED],
		])('is not meant by %j where the user said %j', async (body, parameters) => {
			expect(await refused(body, parameters)).not.toContain('was not entered');
		});
	});

	describe('in another charset', () => {
		const latin1 = Buffer.from(JSON.stringify(anInstance({ name: 'Größe' })), 'latin1');
		const updateFrom = async (contentType: string) => {
			service.get('/instances/7/').reply(200, latin1, { 'content-type': contentType });
			return await update({ updateFields: { priority: 'V' } });
		};

		test.each(['application/json; charset="ISO-8859-1"', "application/json; charset = 'latin1',"])(
			'is read by it, and written back as it was (%s)',
			async (contentType) => {
				written();
				expect((await updateFrom(contentType)).error).toBeUndefined();
				expect(sent()).toEqual([aBody({ name: 'Größe', priority: 'V' })]);
			},
		);

		test.each(['utf8mb4', "'utf-8'", 'utf-8, application/json', '"UTF-8"', '"klingon"'])(
			'is read as UTF-8 where it is that and nobody knows its name (%s)',
			async (charset) => {
				const type = { 'content-type': `application/json; charset=${charset}` };
				service
					.get('/instances/7/')
					.reply(200, JSON.stringify(anInstance({ name: 'Größe' })), type);
				expect((await run(GET)).outputs[0]?.[0]?.json.name).toBe('Größe');
			},
		);

		test.each(['application/json', 'application/json; charset=klingon'])(
			'than it says, or one that nobody knows, is refused (%s)',
			async (contentType) => {
				const { error } = await updateFrom(contentType);
				expect(error?.message).toContain('its text cannot be read in its charset');
				expect(sent()).toEqual([]);
			},
		);

		test('that cannot be read still shows the words of a refusal', async () => {
			const body = Buffer.from('{"detail": "Zu groß."}', 'latin1');
			service.get('/instances/7/').reply(400, body, { 'content-type': 'application/json' });
			expect((await run(GET)).error?.message).toContain('Zu gro');
		});
	});
});

describe('A response that does not say what was asked', () => {
	const sandbox = useSandbox();
	const { run } = sandbox;
	const ID = SEED.running;
	useVirtualClock();
	const respond = (status: number, body: unknown): FaultAction => ({
		type: 'respond',
		status,
		body: typeof body === 'string' ? body : JSON.stringify(body),
		contentType:
			typeof body === 'string' && body.startsWith('<') ? 'text/html' : 'application/json',
	});
	const always = (method: string, action: FaultAction) =>
		sandbox.control.addFault({ match: { method }, action, times: 0 });
	const CONTINUE = { onError: 'continueRegularOutput' } as const;
	const DELETION = { operation: 'bulkDelete', instanceIds: '101, 102' };

	test('to Get, without an id but with the link of another instance, is refused', async () => {
		always('GET', respond(200, { ...stored(sandbox, SEED.overdue), id: undefined }));
		const { error } = await run({ instanceId: locator(ID) });
		expect(error?.message).toContain('is about another instance');
		expect(error?.httpCode).toBe('200');
	});

	const ALL = [101, 102, 104];
	test.each<[number, unknown, open?: number[]]>([
		[207, { results: [{ id: 102, status: 404 }] }],
		[200, { results: [{ id: 102, status: 'error' }] }, [102]],
		[
			200,
			{
				results: [
					{ id: 101, status: 'ok' },
					{ id: 102, status: 'FAILED' },
				],
			},
		],
		[200, { results: { 101: 'ok', 102: 'error', 104: { ok: true } } }, [102]],
		[200, { data: { failed: [102] } }, [102]],
		[200, { failed: [{ id: 102, reason: 'busy' }, '104'] }, [102, 104]],
		[200, { failed: [102, 999] }],
		[200, { failed: 2 }],
		[200, { not_found: ['Instance 102.'] }],
		[200, { errors: { 102: ['busy'] } }, [102]],
		[200, { errors: ['nothing deleted'] }],
		[200, { error: 'nothing deleted' }],
		[200, { status: 'error' }],
		[200, { result: 'failure' }],
		[200, { code: 404 }],
		[200, { success: false }],
		[200, { success: 'false' }],
		[200, { data: [{ ok: 'No' }] }],
		[200, { deleted: [101, 104] }, [102]],
		[200, { deleted_ids: ['101', { id: 104 }] }, [102]],
		[200, { deleted: { 101: true, 102: false } }, [102, 104]],
		[200, { deleted: [] }],
		[200, { deleted: 1 }],
		[200, [101, 104]],
		[
			200,
			[{ instance_id: 101 }, { id: 102, error: 'busy' }, { url: 'http://x/instances/104/' }],
			[102],
		],
		[200, { meta: { items: [{ id: 102, details: { success: false } }] } }],
	])('to Bulk Delete, %d with %j, leaves IDs open', async (status, body, open = ALL) => {
		always('POST', respond(status, body));
		const { error, outputs } = await run({ ...DELETION, instanceIds: ALL.join() });
		expect(outputs).toEqual([]);
		const what = open.length === 1 ? `instance ${open[0]}` : `${open.length} instances`;
		expect(error?.message).toContain(`did not confirm the deletion of ${what} (${status}): `);
		expect(error?.description).toMatch(/^The response doesn't say what was deleted/);
		const deletedIds = ALL.filter((id) => !open.includes(id));
		expect(error?.context).toMatchObject({ deletedIds, notDeletedIds: [], uncertainIds: open });
		const continued = await run({ ...DELETION, instanceIds: ALL.join() }, [{}], CONTINUE);
		const told = continued.outputs[0]?.filter(({ json }) => json.deleted === true);
		expect(told?.map(({ json }) => json.id)).toEqual(deletedIds);
	});

	test('to Bulk Delete, 200 with a web page, leaves all IDs open', async () => {
		always('POST', respond(200, '<!doctype html><title>Sign in</title>'));
		const { error } = await run(DELETION);
		expect(error?.message).toContain('The response for 2 instances is not what');
		expect(error?.context).toMatchObject({ deletedIds: [], uncertainIds: [101, 102] });
	});

	test.each<[unknown, words: string]>([
		[{ deleted: 2 }, 'deleted: 2'],
		['Two are gone.', 'Two are gone.'],
		[{ errors: [], message: 'Done' }, 'Done'],
		[{ errors: {}, failed: 0, success: true, error: null, message: 'Done' }, 'Done'],
		[{ deleted: [102, 101], status: 'ok', code: 200, failed: 'none' }, 'deleted: 102'],
		[
			{
				results: [
					{ id: 101, deleted: 1 },
					{ id: 102, status: 204 },
				],
			},
			'results.id: 101',
		],
		[{ other: { ids: [7, 8], count: 1 } }, 'other.ids: 7'],
		...['', ' ', '{}', '[]', 'null'].map((body): [string, string] => [body, '']),
	])('to Bulk Delete, %j, is success, and its words are shown', async (body, words) => {
		always('POST', respond(200, body));
		const { outputs } = await run(DELETION);
		const shown = words === '' ? {} : { serviceMessage: expect.stringContaining(words) };
		expect(outputs[0]?.map(({ json }) => json)).toEqual(
			[101, 102].map((id) => ({ id, deleted: true, ...shown })),
		);
	});

	test('to Bulk Delete, with a long list, is told on each item in few words', async () => {
		const ids = sandbox.control.addInstances(50);
		always('POST', respond(200, { deleted: ids, note: 'x'.repeat(300) }));
		const { outputs } = await run({ ...DELETION, instanceIds: ids.join() });
		const [first] = ids;
		expect(outputs[0]?.map(({ json }) => json.serviceMessage)).toEqual(
			ids.map(() => expect.stringMatching(new RegExp(`^deleted: ${first}; .*; 40 more; .*x…$`))),
		);
		expect(String(outputs[0]?.[0]?.json.serviceMessage)).toHaveLength(201);
	});

	describe('but leaves open what was done', () => {
		const RETRY = { retryOnFail: true, maxTries: 2 };
		const UPDATE = {
			operation: 'update',
			instanceId: locator(ID),
			updateFields: { priority: 'V' },
		};
		const DONE_ALL_THE_SAME: FaultAction = {
			type: 'applyThen',
			then: { type: 'respond', status: 500 },
		};
		const NO = respond(403, { detail: 'No.' });

		test('is remembered over the tries of a Bulk Delete', async () => {
			const ids = sandbox.control.addInstances(10);
			const [first, second] = [ids.slice(0, 5), ids.slice(5)];
			const match = { method: 'POST', ids: second };
			for (const action of [DONE_ALL_THE_SAME, NO]) sandbox.control.addFault({ match, action });
			const options = { batchSize: 5 };
			const { error } = await run({ ...DELETION, instanceIds: ids.join(), options }, [{}], RETRY);
			expect(error?.httpCode).toBe('403');
			expect(error?.context).toMatchObject({
				deletedIds: first,
				notDeletedIds: [],
				uncertainIds: second,
			});
			expect(error?.description).toContain(`Unknown: ${second.join(', ')}.`);
			expect(error?.description).not.toContain('Not deleted');
		});

		test.each([{ method: 'PUT' }, { method: 'GET', nth: 2 }])(
			'is remembered over the tries of an Update, of which %j is refused',
			async (match) => {
				sandbox.control.addFault({ match: { method: 'PUT' }, action: DONE_ALL_THE_SAME });
				sandbox.control.addFault({ match, action: NO });
				const { error } = await run(UPDATE, [{}], RETRY);
				expect(error?.httpCode).toBe('403');
				expect(error?.description).toContain('may have carried out an earlier try');
			},
		);

		test('is told once, whatever the last try of an Update meets', async () => {
			always('PUT', DONE_ALL_THE_SAME);
			const { error } = await run(UPDATE, [{}], RETRY);
			expect(error?.description?.match(/may have carried out/g)).toHaveLength(1);
		});

		test('is not told of what was only read', async () => {
			sandbox.control.addFault({ match: { method: 'GET' }, action: { type: 'reset' } });
			always('GET', respond(404, { detail: 'Not found.' }));
			const { error } = await run({ instanceId: locator(ID) });
			expect(sandbox.log()).toHaveLength(2);
			expect(error?.description).not.toContain('may have carried out');
		});

		test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
			'is told for the IDs of a batch that was cut off and then refused (%s)',
			async (onError) => {
				const then: FaultAction = { type: 'reset' };
				sandbox.control.addFault({
					match: { method: 'POST' },
					action: { type: 'applyThen', then },
				});
				always('POST', respond(404, { detail: 'Not found.' }));
				const { outputs, error } = await run(DELETION, [{}], { onError });
				const told = error === undefined ? (outputs[0] ?? []) : [error.description];
				expect(told).toHaveLength(onError === 'stopWorkflow' ? 1 : 2);
				for (const each of told) {
					expect(JSON.stringify(each)).toContain('may have carried out an earlier try');
					expect(each).not.toHaveProperty('json.deleted');
				}
				if (error === undefined) return;
				expect(error.context).toMatchObject({ notDeletedIds: [], uncertainIds: [101, 102] });
			},
		);
	});
});

describe('A number that JavaScript cannot hold exactly', () => {
	const service = mockService();
	const LONG = '9007199254740993';
	const body = (...pairs: string[]) =>
		`{"id": 7, "process": "https://service.example/api/processes/3/", "name": "A", ${pairs.join(', ')}}`;
	const asText = (json: string) => JSON.stringify(json);
	const RAW = { output: 'raw' };
	const get = async (text: string, parameters: INodeParameters = RAW) => {
		service.get('/instances/7/').reply(200, text);
		return await runNode({ parameters: { instanceId: locator(7), ...parameters } });
	};
	const ASSIGNED = `"step_assignments": [{"step_id": 1, "user_id": ${LONG}}]`;
	const PARSED = { output: 'selected', outputFields: ['stage'], options: { parseSnapshot: true } };

	test.each<[string, string, string, INodeParameters]>([
		[ASSIGNED, 'Step Assignments', LONG, RAW],
		[
			'"active_step_ids": [1, -12345678901234567890]',
			'Active Step IDs',
			'-12345678901234567890',
			RAW,
		],
		['"x": {"a": [1e400]}', 'x', '1e400', RAW],
		['"constructor": -1E+999', 'constructor', '-1E+999', RAW],
		[`"stage": ${LONG}, "__proto__": {}`, 'Stage', LONG, {}],
		[`"process_snapshot": ${asText(`{"a": ${LONG}}`)}`, 'Process Snapshot', LONG, PARSED],
	])('in %s refuses the item, with the label of the field', async (pair, label, number, chosen) => {
		const { error, outputs } = await get(body('"tags": ["\\\\", "\\""]', pair), chosen);
		expect(outputs).toEqual([]);
		expect(error?.message).toBe(
			`'${label}' contains ${number}, a number that n8n can't hold exactly`,
		);
		expect(error?.description).toMatch(/^To get the other fields, set 'Output' to Selected Fields/);
	});

	test('does no harm in a field that is not shown, nor do others that are like it', async () => {
		const fine = `"x": [9007199254740992, -9007199254740991, 0.12345678901234567, 1e300, 1e21]`;
		const text = `"name": ${asText(`\\"${LONG}: ${LONG}`)}`;
		const raw = await get(body(fine, text));
		expect(raw.outputs[0]?.[0]?.json).toMatchObject({
			x: [2 ** 53, 1 - 2 ** 53, Number('0.12345678901234567'), 1e300, 1e21],
			name: `\\"${LONG}: ${LONG}`,
		});
		const simplified = await get(body(`"active_step_ids": [${LONG}]`), {});
		expect(simplified.outputs[0]?.[0]?.json).toEqual({ id: 7, name: 'A' });
	});

	test('is no ID: that of a response is another one, and that of a list is refused as it is', async () => {
		const { error } = await get(body(`"id": ${LONG}`));
		expect(error?.message).toContain(`is about another instance: its ID is ${LONG}`);
		const parameters = { operation: 'bulkDelete', instanceIds: `[1, ${LONG}]` };
		const list = await runNode({ parameters });
		expect(list.error?.message).toBe(`${LONG} in 'Instance IDs' is not a valid instance ID`);
	});

	test('is never sent back, and an update whose response has one is told as done', async () => {
		const rest = '"deadline": null, "priority": null, "tags": []';
		const update = async (current: string, put?: string) => {
			service.get('/instances/7/').reply(200, body(rest, current));
			if (put !== undefined) service.put('/instances/7/').reply(200, put);
			const updateFields = { priority: 'V' };
			return await runNode({
				parameters: { operation: 'update', instanceId: locator(7), updateFields, output: 'raw' },
			});
		};
		const kept = await update(ASSIGNED);
		expect(kept.error?.message).toContain(`'Step Assignments' contains ${LONG}, a number`);
		expect(kept.error?.description).toContain("Set or clear 'Step Assignments' in this node");
		const shown = await update('"step_assignments": []', body(ASSIGNED));
		expect(shown.error?.message).toContain(`'Step Assignments' contains ${LONG}, a number`);
		expect(shown.error?.description).toContain('leave this one out. The instance was updated.');
	});
});
