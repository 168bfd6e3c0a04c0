import { deflateSync, gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { INSTANCE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/fields';
import { name, version } from '../../package.json';
import { type FaultAction, SEED } from '../../sandbox/service';
import { useVirtualClock } from '../harness';
import { aBody, anInstance, bodies, SETTABLE, stored } from './support/instances';
import { CONTINUE, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';

const GET: INodeParameters = { operation: 'get', instanceId: locator(7) };
const MAY_BE_DONE = 'may already have been';

const OF_EACH_REQUEST = { accept: 'application/json', 'user-agent': `${name}/${version}` };

const sandbox = useSandbox();
const { run } = sandbox;
const respondTo = (method: string, action: FaultAction, times = 1) =>
	sandbox.control.addFault({ match: { method }, action, times });

describe('Responses', () => {
	const NEW_NAME: INodeParameters = { updateFields: { name: 'New' } };
	const update = async (parameters = NEW_NAME) =>
		await run({ operation: 'update', instanceId: locator(7), ...parameters });
	const read = (body: string | object, status = 200) => respondTo('GET', respond(status, body));
	const written = (status = 204, body?: string | object) => respondTo('PUT', respond(status, body));
	const sent = () => bodies(sandbox, 'PUT');

	test.each([
		[200, ' \n', { updated: true }],
		[204, undefined, { updated: true }],
		[202, anInstance({ name: 'New' }), { name: 'New' }],
		[200, { id: 7, success: true, errors: [] }, {}],
	])('An update whose response is %d with %j was made', async (status, body, json) => {
		read(anInstance());
		written(status, body);
		const { outputs, error } = await update();
		expect(error).toBeUndefined();
		expect(outputs).toMatchObject([[{ json: { id: 7, ...json }, pairedItem: { item: 0 } }]]);
	});

	test.each([
		...['{"id":7,"message":"Locked."}', '{"process":"x","success":false}', '{"url":"/login"}'],
		...['null', 'OK', '[{"id":7}]', '{"id":7,"errors":["No."]}', '{"id":7,"failed":1}'],
		...['a'.repeat(120), 'a'.repeat(121)],
	])('Get and Update do not take %j for an instance', async (body) => {
		const quote = body.length > 120 ? `${body.slice(0, 120)}…` : body;
		const message = `The response for instance 7 is not valid: "${quote}"`;
		read(anInstance());
		written(200, body);
		const description = expect.stringContaining(MAY_BE_DONE);
		expect((await update()).error).toMatchObject({ message, httpCode: '200', description });
		read(body);
		const { error } = await run(GET);
		expect(error?.message).toBe(message);
		expect(error?.description).not.toContain(MAY_BE_DONE);
	});

	test.each<[more: IDataObject, words: string, status?: number]>([
		[{ success: false, message: 'Locked.' }, 'success: false; Locked.'],
		[{ locked: true }, 'locked: true'],
		[{ statusCode: 500 }, 'statusCode: 500'],
		[{ errors: ['No.'] }, 'No.'],
		[{}, '', 207],
	])(
		'An instance with %j in the response leaves an update open',
		async (more, words, status = 200) => {
			read(anInstance());
			written(status, anInstance(more));
			const { error } = await update();
			const message = `The response for instance 7 does not confirm the update (${status}): ${words}`;
			expect(error).toMatchObject({ message, description: expect.stringContaining(MAY_BE_DONE) });
			expect(error?.context).toMatchObject({ updatedIds: [], unknownIds: [7] });
		},
	);

	test('An instance may have a status of its own, and messages', async () => {
		const more = { status: 'failed', message: 'Error.', meta: { success: false }, errors: [] };
		read(anInstance());
		written(200, anInstance(more));
		expect((await update()).error).toBeUndefined();
	});

	test('Get calls a response of blanks empty', async () => {
		read(' \n');
		expect((await run(GET)).error?.message).toMatch(/ is not valid: it is empty$/);
	});

	const DEEP = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
	const INSTANCE = `${JSON.stringify(anInstance()).slice(0, -1)},"more":${DEEP}}`;

	test('JSON that is nested 2,000 deep is output as it is, updated, and a rejection without words', async () => {
		read(INSTANCE);
		const { outputs } = await run({ ...GET, output: 'raw' });
		expect(JSON.stringify(outputs[0]?.[0]?.json)).toBe(INSTANCE);
		read(INSTANCE);
		written(200, INSTANCE);
		expect((await update()).outputs[0]?.[0]?.json.id).toBe(7);
		read(DEEP, 400);
		expect((await run(GET)).error?.message).toMatch(/ instance 7 \(400\)$/);
	});

	test('A field named error is output under another name', async () => {
		read(anInstance({ error: 'Overdue' }));
		const { outputs } = await run({ ...GET, output: 'raw' });
		expect(outputs[0]?.[0]?.json).toEqual(anInstance({ serviceError: 'Overdue' }));
	});

	const NAMED = { updateFields: { name: 'A' } };
	const DUE = { deadline: '2026-07-01T10:00:00+02:00' };
	const MORE = { owner: 5, step_assignments: [{ step_id: 1, user_id: 2, url: 'u' }] };

	test.each<[current: IDataObject, given: INodeParameters, sent: IDataObject]>([
		[{ tags: null, priority: 'H' }, NAMED, { name: 'A', priority: 'H', tags: [] }],
		[{ tags: null }, { updateFields: { addTags: 'a', removeTags: 'b' } }, { tags: ['a'] }],
		[MORE, NAMED, { name: 'A', step_assignments: [{ step_id: 1, user_id: 2 }] }],
		[{ tags: [' urgent ', 'a'] }, { updateFields: { removeTags: ' urgent ' } }, { tags: ['a'] }],
		[DUE, { ...NAMED, clearFields: ['deadline'] }, { name: 'A' }],
		[DUE, { ...NAMED, clearFields: '={{ [] }}' }, { name: 'A', ...DUE }],
	])('Update reads %j and, given %j, sends %j', async (current, given, body) => {
		read(anInstance(current));
		written();
		expect((await update(given)).error).toBeUndefined();
		expect(sent()).toEqual([JSON.parse(JSON.stringify(aBody(body)))]);
		const [ofRead, ofWrite] = sandbox.log().map(({ headers }) => headers);
		expect(ofRead).toMatchObject(OF_EACH_REQUEST);
		expect(ofRead).not.toHaveProperty('content-type');
		expect(ofWrite).toMatchObject({ ...OF_EACH_REQUEST, 'content-type': 'application/json' });
	});

	const SET_LIST = { updateFields: { stepAssignments: '[{ "step_id": 1, "user_id": 2 }]' } };
	const TOO_LARGE = { step_id: 1201, user_id: 2 ** 53 };
	const TO_3 = { updateFields: { process: locator(3) } };
	const REGULAR = { updateFields: { priority: 'regular' } };
	const NO_PRIORITY = { clearFields: ['priority'] };
	test.each<[current: IDataObject, words: string, instead: INodeParameters[]]>([
		[{ tags: 'a, b' }, "returned 'Tags' in a format", [{ clearFields: ['tags'] }]],
		[{ tags: [1] }, "returned 'Tags' in a format", [{ updateFields: { tags: 'a' } }]],
		[{ step_assignments: [{ step: 1, user: 2 }] }, "returned 'Step Assignments'", [SET_LIST]],
		[{ step_assignments: [TOO_LARGE] }, "returned 'Step Assignments'", [SET_LIST]],
		[{ process: { id: 3 } }, "returned 'Process' in a format", [TO_3]],
		[{ process: null }, "did not return the 'Process'", [TO_3]],
		[{ priority: undefined }, "did not return the 'Priority'", [REGULAR, NO_PRIORITY]],
	])('Update does not send %j back: the service %s, unless %j replaces it', async (...row) => {
		const [current, words, instead] = row;
		read(anInstance(current));
		const { error } = await update();
		expect(error?.message).toContain(`The service ${words}`);
		expect(error?.description).toMatch(/^To replace it, set '/);
		expect(sent()).toEqual([]);
		for (const parameters of instead) {
			read(anInstance(current));
			written();
			expect((await update(parameters)).error).toBeUndefined();
		}
	});

	test('Of an instance, Update needs what it keeps or edits, and no more', async () => {
		const clearFields = ['name', 'deadline', 'priority', 'stepAssignments'];
		const parameters = { updateFields: { ...TO_3.updateFields, addTags: 'b' }, clearFields };
		read({ id: 7, tags: ['a'] });
		written();
		expect((await update(parameters)).error).toBeUndefined();
		const process = `${sandbox.credentials.baseUrl}/processes/3/`;
		expect(sent()).toEqual([aBody({ process, tags: ['a', 'b'] })]);
		read(anInstance({ tags: undefined }));
		const { error } = await update(parameters);
		expect(error?.message).toContain("The service did not return the 'Tags' of");
		expect(error?.description).toMatch(
			/^To replace it, set 'Replace Tags' or clear 'Tags' in this node\./,
		);
		expect(sent()).toHaveLength(1);
	});

	const tags = ['a'.repeat(200)];
	const rejected = async (body: object, parameters: INodeParameters) => {
		read(anInstance({ name: 'Old', priority: 'H', tags }));
		written(400, body);
		return (await update(parameters)).error?.description;
	};

	test.each<[object, words: string, INodeParameters?]>([
		...SETTABLE.filter((key) => key !== 'name').map((key): [object, words: string] => [
			{ [key]: ['No.'] },
			`Update sent the current '${INSTANCE_FIELDS.find(({ value }) => value === key)?.name}' (`,
		]),
		// By the key, whatever the words are.
		[
			{ deadline: ['Must be after the process was started.'] },
			"the current 'Deadline' (null) back",
		],
		[{ tags: ['Locked.'] }, `Tags' (["${'a'.repeat(78)}…) back unchanged, and`],
		[{ tags: ['Locked.'] }, "Set 'Replace Tags' under 'Fields to Update', or clear it with"],
		[{ priority: ['No.'] }, "back unchanged, and the service rejected it. Set 'Priority' under"],
		[{ name: ['No.'] }, "If the process generates instance names, remove 'Name' from", NEW_NAME],
		[{ tags: ['No.'], name: ['No.'] }, "If the process generates instance names, remove 'Name'"],
	])('The advice on a rejection by %j says: %s', async (body, words, parameters = NEW_NAME) => {
		expect(await rejected(body, parameters)).toContain(words);
	});

	test.each<[object, INodeParameters?]>([
		[{ detail: 'No.' }],
		// Words, empty lists, and what is repeated.
		[{ detail: 'These tags are locked.' }],
		[{ deadline: [], detail: 'No.' }],
		[{ detail: 'No.', request: { tags: ['a'], deadline: 'soon' } }],
		[{ priority: ['No.'] }, { updateFields: { priority: 'regular' } }],
		[{ tags: ['No.'] }, { updateFields: { removeTags: 'a' } }],
	])('A rejection by %j is not blamed on what was kept', async (body, parameters = NEW_NAME) => {
		expect(await rejected(body, parameters)).not.toContain('back unchanged');
	});

	test.each([
		['application/json; charset=iso-8859-1', 'utf8', 'Größe'],
		['application/json; charset=iso-8859-1', 'latin1', undefined],
	] as const)('A response of %s in %s is read as UTF-8 or rejected', async (...row) => {
		const [type, encoding, name] = row;
		const bytes = Buffer.from(JSON.stringify(anInstance({ name: 'Größe' })), encoding);
		respondTo('GET', respond(200, bytes, { 'content-type': type }));
		if (name !== undefined) written();
		const { error } = await update({ updateFields: { priority: 'V' } });
		expect(sent()).toEqual(name === undefined ? [] : [aBody({ name, priority: 'V' })]);
		if (name === undefined) expect(error?.message).toContain('is not in UTF-8: "');
	});

	test.each<[encoding: string, bytes: Buffer]>([
		['gzip', gzipSync('{"failed":[7]}').subarray(0, 10)],
		['deflate', deflateSync('{"failed":[7]}').subarray(0, 2)],
		['br', Buffer.from([0x0b])],
		// n8n does not decompress these.
		['gzip, gzip', gzipSync(gzipSync('{"failed":[7]}'))],
	])(
		'A compressed response of which nothing can be read confirms no change: %s, %j',
		async (...row) => {
			const [encoding, bytes] = row;
			const action = respond(200, bytes, {
				'content-encoding': encoding,
				'content-type': 'text/plain',
			});
			read(anInstance());
			for (const method of ['PUT', 'POST']) respondTo(method, action);
			const message = expect.stringMatching(/^The response for instance 7 is not valid: /);
			const description = expect.stringContaining(MAY_BE_DONE);
			expect((await update()).error).toMatchObject({ message, description });
			const { error } = await run({ operation: 'bulkDelete', instanceIds: '7' });
			expect(error).toMatchObject({ message, context: { deletedIds: [], unknownIds: [7] } });
			const requested = sandbox.log().map(({ headers }) => headers['accept-encoding']);
			expect(requested).toEqual([expect.stringContaining('gzip'), 'identity', 'identity']);
		},
	);

	test('A rejection that is not in UTF-8 still shows its words', async () => {
		respondTo('GET', respond(400, Buffer.from('{"detail": "Zu groß."}', 'latin1')));
		expect((await run(GET)).error?.message).toContain('Zu gro');
	});
});

describe('Responses of the sandbox', () => {
	const ID = SEED.running;
	useVirtualClock();
	const always = (method: string, action: FaultAction) => respondTo(method, action, 0);
	const deletion = (ids: number[]) => ({ operation: 'bulkDelete', instanceIds: ids.join() });

	test('Get rejects a response that has the URL of another instance and no ID', async () => {
		always('GET', respond(200, { ...stored(sandbox, SEED.overdue), id: undefined }));
		const { error } = await run({ instanceId: locator(ID) });
		expect(error?.message).toContain('contains another instance');
		expect(error?.httpCode).toBe('200');
	});

	const ALL = [101, 102, 104];
	const REFUSALS: unknown[] = [
		// Flags.
		...[
			{ isSuccess: false },
			{ succeeded: false },
			{ success: 'false' },
			{ data: { ok: 0 } },
			false,
			{ deleted: false },
		],
		...[{ hasErrors: true }, [{ id: 101, 'is-locked': true }]],
		...[{ status: 'partial' }, { results: [{ state: 'Denied' }] }, { status: 403 }, { code: 400 }],
		// Figures.
		...[{ totalFailures: 1 }, { failed_count: '2' }, { deleted: 2 }, { removed_count: 0 }],
		...[{ deletedInstances: ['a', 'b'] }, { missing: 1 }, { ids_not_deleted: 1 }],
		...[{ deleted: { count: 1 } }, { deleted: { 101: true, 102: false, 103: true } }],
		// What has a value under a key that says failure.
		...[
			{ skipped: [{ id: 3, reason: 'locked' }] },
			{ rejected: [3] },
			{ not_found: 1, denied: 'x' },
		],
		...[
			{ invalid: 'n/a' },
			{ a: [{ refusedIds: { 1: 1 } }] },
			{ forbidden: [''] },
			{ error: 'No.' },
		],
		// Some of the IDs, but not all.
		...[[101, 102], { ids: ['101', { id: 104 }] }, { data: [{ deleted: [101, 5, null, 'a'] }] }],
		// Cut off.
		...['{"deleted": [101, 102, 1', '<!doctype html><title>Sign in</title>'],
	];
	test.each<[json: unknown, status: number]>([
		...REFUSALS.map((json): [unknown, number] => [json, 200]),
		[{}, 207],
	])('Bulk Delete calls all IDs unknown when the response is %j (%d)', async (json, status) => {
		always('POST', respond(status, json));
		const { error } = await run(deletion(ALL));
		expect(error?.message).toMatch(/^The response for 3 instances .*: /);
		expect(error?.httpCode).toBe(`${status}`);
		expect(error?.context).toMatchObject({ deletedIds: [], rejectedIds: [], unknownIds: ALL });
		const { outputs } = await run(deletion(ALL), [{}], CONTINUE);
		expect(outputs[0]?.map(({ json: { id } }) => id)).toEqual(ALL);
		expect(outputs[0]?.filter((item) => item.json.deleted === true)).toEqual([]);
	});

	test('A response that is nested 2,000 deep still confirms a deletion', async () => {
		always('POST', respond(200, `${'{"data":'.repeat(2_000)}1${'}'.repeat(2_000)}`));
		const { error, outputs } = await run(deletion(ALL));
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(3);
	});

	test('A response with as many errors as IDs is read in one pass', async () => {
		const ids = Array.from({ length: 150_000 }, (_, index) => index + 1);
		const errors = ids.map(() => ({ error: 'No.' }));
		always('POST', respond(200, errors));
		const { error } = await run({ ...deletion(ids), options: { batchSize: ids.length } });
		expect(error?.message).toContain(
			'The response for 150000 instances does not confirm the deletion',
		);
	});

	test.each<[json: unknown, words: string, headers?: IDataObject]>([
		// Words are shown and never interpreted.
		['Two are gone.', 'Two are gone.', { 'Content-Type': 'text/plain' }],
		['ERROR: denied', 'ERROR: denied', { 'Content-Type': 'text/plain' }],
		['"ERROR: denied"', 'ERROR: denied'],
		[{ message: 'Failed: 2' }, 'Failed: 2'],
		[{ detail: 'Locked.', deleted: 2, missing: null }, 'Locked; deleted: 2'],
		// Other lists, and keys that mean something else.
		[{ deleted: [5, 101, 'https://x.example/api/instances/102/', 450] }, 'deleted: 5'],
		[{ clock: 9, permissions: 'all', dismissed: true, deleted_by: 1 }, 'clock: 9'],
		[{ errors: {}, failed_count: 0, isSuccess: true, errorMessage: null, message: 'Done' }, 'Done'],
		[{ deleted: [102, 101], status: 'ok', code: 200, failed: ' ' }, 'deleted: 102'],
		[[101, { id: 102, status: 204, deleted: true }], '101'],
		[{ other: { ids: [7, 8], count: 1 } }, 'other.ids: 7'],
		[{ status: { toString: 'Done' } }, 'status.toString: Done'],
		...['', '[]'].map((body): [string, string] => [body, '']),
	])('Bulk Delete succeeds when the response is %j, and shows its words', async (...row) => {
		const [json, words, headers = {}] = row;
		always('POST', respond(200, json, headers));
		const { outputs, tasks } = await run(deletion([101, 102]));
		const shown = words === '' ? {} : { serviceMessage: expect.stringContaining(words) };
		const listed = outputs[0]?.map((item) => item.json);
		expect(listed).toEqual([101, 102].map((id) => ({ id, deleted: true, ...shown })));
		const hints = tasks[0]?.hints?.filter(({ message }) =>
			message.startsWith('The service responded: '),
		);
		expect(hints).toHaveLength(words === '' ? 0 : 1);
	});

	test('Each deleted item shows a long response in few words', async () => {
		const ids = sandbox.control.addInstances(50);
		always('POST', respond(200, { deleted: ids, note: 'x'.repeat(300) }));
		const { outputs } = await run(deletion(ids));
		const words = expect.stringMatching(new RegExp(`^deleted: ${ids[0]}; .*; 40 more; .*x…$`));
		expect(outputs[0]?.map(({ json }) => json.serviceMessage)).toEqual(ids.map(() => words));
		expect(String(outputs[0]?.[0]?.json.serviceMessage)).toHaveLength(201);
	});

	const RETRY = { retryOnFail: true, maxTries: 2 };

	test('A later try still shows the words of an earlier one beside the output', async () => {
		respondTo('POST', respond(200, { message: 'Hello.' }));
		respondTo('POST', respond(500));
		const options = { batchSize: 1 };
		const { tasks } = await run({ ...deletion([101, 102]), options }, [{}], RETRY);
		const hints = tasks[0]?.hints?.map(({ message }) => message);
		expect(hints).toEqual([expect.any(String), 'The service responded: Hello.']);
	});

	test('What remains of a rejected batch is refused with the words of the rejection', async () => {
		respondTo('POST', respond(410, { detail: 'One is gone.' }));
		always('POST', respond(429));
		const { outputs } = await run(deletion([101, 102]), [{}], CONTINUE);
		const description = expect.stringMatching(/ Before that: .*: One is gone\. /);
		const json = {
			error: expect.stringMatching(/ was not (sent|retried), /),
			details: { description },
		};
		expect(outputs).toMatchObject([
			[{ json: { id: 101, ...json } }, { json: { id: 102, ...json } }],
		]);
	});

	const UPDATE = { operation: 'update', updateFields: { priority: 'V' } };
	const CUT_OFF: FaultAction = { type: 'applyThen', then: { type: 'reset' } };
	const DONE_DESPITE_500: FaultAction = { type: 'applyThen', then: respond(500) };
	const NO = respond(403, { detail: 'No.' });

	test('The attempts of a Bulk Delete remember which IDs may have been deleted', async () => {
		const ids = sandbox.control.addInstances(10);
		const [deletedIds, unknownIds] = [ids.slice(0, 5), ids.slice(5)];
		const match = { method: 'POST', ids: unknownIds };
		for (const action of [DONE_DESPITE_500, NO]) sandbox.control.addFault({ match, action });
		const { error } = await run({ ...deletion(ids), options: { batchSize: 5 } }, [{}], RETRY);
		expect(error?.httpCode).toBe('403');
		expect(error?.context).toMatchObject({ deletedIds, rejectedIds: [], unknownIds });
		expect(error?.description).toContain(`Unknown: ${unknownIds.join(', ')}.`);
		expect(error?.description).not.toContain('Rejected');
	});

	test.each([
		[{ method: 'PUT' }, NO],
		[{ method: 'GET', nth: 2 }, NO],
		[{ method: 'PUT' }, DONE_DESPITE_500],
	])('Later attempts of Update say once that it may be done: %j, %j', async (match, action) => {
		sandbox.control.addFault({ match: { method: 'PUT' }, action: DONE_DESPITE_500 });
		sandbox.control.addFault({ match, action });
		const { error } = await run({ ...UPDATE, instanceId: locator(ID) }, [{}], RETRY);
		expect(error?.description?.match(/may already have been made/g)).toHaveLength(1);
	});

	test.each([
		[CUT_OFF, true],
		[respond(429, {}), false],
	])('After %j an update that another item stops may be done: %p', async (action, isTold) => {
		const [first, second] = [SEED.running, SEED.fullyFilled];
		const { addFault } = sandbox.control;
		addFault({ match: { method: 'PUT', ids: [first] }, action });
		addFault({ match: { method: 'PUT', ids: [second] }, action: NO });
		addFault({ match: { method: 'GET', ids: [first], nth: 2 }, action: NO });
		const items = [{ id: first }, { id: second }];
		const { error } = await run({ ...UPDATE, instanceId: ID_OF_ITEM }, items, RETRY);
		expect(error?.description?.includes(MAY_BE_DONE)).toBe(isTold);
	});

	test('An update may have been processed, although the service then asks for too long a wait', async () => {
		respondTo('PUT', CUT_OFF);
		always('PUT', respond(429, '', { 'retry-after': '3600' }));
		const { error } = await run({ ...UPDATE, instanceId: locator(ID) });
		expect(error?.message).toContain(`instance ${ID} was not retried, because`);
		expect(error?.description).toMatch(/raise 'Max Wait.* may already have been made/);
	});

	test('A change that was made leaves no unknown outcome for the next change of the instance', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', nth: 2 }, action: NO });
		const items = [{ id: ID }, { id: ID }];
		const { error } = await run({ ...UPDATE, instanceId: ID_OF_ITEM }, items);
		expect(error?.itemIndex).toBe(1);
		expect(error?.description).not.toContain(MAY_BE_DONE);
	});

	test('Of two updates of one instance, the second rejected, the first is said to be made', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', nth: 2 }, action: NO });
		const { error } = await run({ ...UPDATE, instanceId: ID_OF_ITEM }, [{ id: ID }, { id: ID }]);
		expect(error?.description).toContain(`Updated (1 of 1): ${ID}. Rejected: ${ID}.`);
		expect(error?.context).toMatchObject({ updatedIds: [ID], rejectedIds: [ID], notSentIds: [] });
	});

	test('The update that follows a rejected one of the same instance is not sent', async () => {
		sandbox.control.addFault({ match: { method: 'PUT', nth: 1 }, action: NO });
		const { error } = await run({ ...UPDATE, instanceId: ID_OF_ITEM }, [{ id: ID }, { id: ID }]);
		expect(sandbox.requests()).toHaveLength(2);
		expect(error?.description).toContain(`Nothing was updated. Rejected: ${ID}. Not sent: ${ID}.`);
	});

	test('An update whose read failed was not made', async () => {
		respondTo('GET', respond(500));
		const { error } = await run({ ...UPDATE, instanceId: locator(ID) });
		expect(error?.description).toContain('Run the workflow again later.');
		expect(error?.description).not.toContain(MAY_BE_DONE);
	});

	test('A batch that was cut off and then rejected leaves its IDs unknown', async () => {
		const meetWith = async (settings = {}) => {
			sandbox.control.clearFaults();
			sandbox.control.addFault({ match: { method: 'POST' }, action: CUT_OFF });
			always('POST', NO);
			return await run(deletion([101, 102]), [{}], settings);
		};
		const description = expect.stringContaining(MAY_BE_DONE);
		const context = { rejectedIds: [], unknownIds: [101, 102] };
		expect((await meetWith()).error).toMatchObject({ description, context });
		const { outputs } = await meetWith(CONTINUE);
		const json = { error: expect.any(String), details: expect.objectContaining({ description }) };
		const listed = outputs[0]?.map((item) => item.json);
		expect(listed).toEqual([101, 102].map((id) => ({ id, ...json })));
	});
});
