import { deflateSync, gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { INSTANCE_FIELDS } from '../../nodes/WorkflowInstanceService/instance/output';
import { name, version } from '../../package.json';
import type { FaultAction } from '../../sandbox/service';
import type { FaultMatch } from '../../sandbox/service/faults';
import { useVirtualClock } from '../harness';
import { aBody, anInstance, bodies, itemsOf, SETTABLE } from './support/instances';
import { WHOLE_UPDATE } from './support/operations';
import { CONTINUE, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';

const GET: INodeParameters = { operation: 'get', instanceId: locator(7) };
const NEW_NAME: INodeParameters = { updateFields: { name: 'New' } };
const MAY_BE_DONE = 'may already have been';
const OF_EACH_REQUEST = { accept: 'application/json', 'user-agent': `${name}/${version}` };
const RETRY = { retryOnFail: true, maxTries: 2 };
const CUT_OFF: FaultAction = { type: 'applyThen', then: { type: 'reset' } };
const DONE_DESPITE_500: FaultAction = { type: 'applyThen', then: respond(500) };
const NO = respond(403, { detail: 'No.' });

const sandbox = useSandbox();
const { run, fault } = sandbox;
const get = async (parameters: INodeParameters = {}) => await run({ ...GET, ...parameters });
const update = async (parameters = NEW_NAME) =>
	await run({ operation: 'update', instanceId: locator(7), ...parameters });
const deletion = (ids: number[]) => ({ operation: 'bulkDelete', instanceIds: ids.join() });
const read = (body: string | object, status = 200) =>
	fault(respond(status, body), { method: 'GET' });
const written = (status = 204, body?: string | object) =>
	fault(respond(status, body), { method: 'PUT' });
const deleted = (body: unknown, status = 200, headers = {}) =>
	fault(respond(status, body, headers), { method: 'POST', times: 0 });
const sent = () => bodies(sandbox, 'PUT');

describe('The response to an update', () => {
	const OWN = { status: 'failed', message: 'Error.', meta: { success: false }, errors: [] };
	test.each([
		[200, ' \n', { updated: true }],
		[202, anInstance({ name: 'New', ...OWN }), { name: 'New' }],
		[200, { id: 7, success: true, errors: [] }, {}],
		[200, anInstance({ id: null }), {}],
		[200, anInstance({ unlocked: true }), {}],
	])('of %d with %j confirms it', async (status, body, json) => {
		read(anInstance());
		written(status, body);
		const { outputs, error } = await update();
		expect(error).toBeUndefined();
		expect(outputs).toMatchObject([[{ json: { id: 7, ...json }, pairedItem: { item: 0 } }]]);
	});

	test.each<[body: IDataObject | string, words: string, status?: number]>([
		[anInstance({ success: false, message: 'Locked.' }), ': success: false; Locked.'],
		[anInstance({ locked: true }), ': locked: true'],
		[anInstance(), '', 207],
		['Locked.', ': Locked.', 207],
		[{ id: 7, status: 'failed', reason: 'Locked.' }, ': status: failed; Locked.'],
		[{ id: 7, result: { success: false } }, ': result.success: false'],
		[{ id: 7, updated: false }, ': updated: false'],
		[{ id: 7, errors: ['No.'] }, ': No.'],
		[{ success: false, message: 'Locked.' }, ': success: false; Locked.'],
	])('of %j leaves it open', async (body, words, status = 200) => {
		read(anInstance());
		written(status, body);
		const { error } = await update();
		const message = `The response for instance 7 does not confirm the update (${status})${words}`;
		expect(error).toMatchObject({ message, description: expect.stringContaining(MAY_BE_DONE) });
		expect(error?.context).toMatchObject({ updatedIds: [], unknownIds: [7] });
	});
});

test('An update is confirmed even if the instance itself has such a key', async () => {
	const own = { lock_version: 5, failed_steps: [2], error: null };
	read(anInstance(own));
	written(200, anInstance({ ...own, lock_version: 6 }));
	expect((await update()).error).toBeUndefined();
	read(anInstance(own));
	written(200, anInstance({ ...own, error: 'Locked.' }));
	const { error } = await update();
	expect(error?.message).toMatch(/ does not confirm the update \(200\): Locked\.$/);
});

test.each([
	...['{"id":7,"message":"Locked."}', '{"url":"/login"}', 'null', 'OK', '[{"id":7}]'],
	...['a'.repeat(120), 'a'.repeat(121)],
])('Get and Update do not take %j for an instance', async (body) => {
	const quote = body.length > 120 ? `${body.slice(0, 120)}…` : body;
	const message = `The response for instance 7 is not valid: "${quote}"`;
	read(anInstance());
	written(200, body);
	const description = expect.stringContaining(MAY_BE_DONE);
	expect((await update()).error).toMatchObject({ message, httpCode: '200', description });
	read(body);
	const { error } = await get();
	expect(error?.message).toBe(message);
	expect(error?.description).not.toContain(MAY_BE_DONE);
});

const OTHER_URL = { id: undefined, url: 'https://x.example/api/instances/8/' };
test.each<[body: string | object, words: RegExp]>([
	['{"process":"x","success":false}', / is not valid: "\{"process":"x","success":false\}"$/],
	['{"id":7,"errors":["No."]}', / is not valid: "\{"id":7,"errors":\["No\."\]\}"$/],
	['{"id":7,"failed":1}', / is not valid: "\{"id":7,"failed":1\}"$/],
	[' \n', /^The response for instance 7 is empty$/],
	[anInstance(OTHER_URL), /another inst/],
])('Get rejects %j', async (body, words) => {
	read(body);
	const message = expect.stringMatching(words);
	expect((await get()).error).toMatchObject({ message, httpCode: '200' });
});

test('JSON that is nested 2,000 deep is output as it is, and confirms changes', async () => {
	const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
	const instance = `${JSON.stringify(anInstance()).slice(0, -1)},"more":${deep}}`;
	read(instance);
	const { outputs } = await get({ output: 'raw' });
	expect(JSON.stringify(outputs[0]?.[0]?.json)).toBe(instance);
	read(instance);
	written(200, instance);
	expect((await update()).outputs[0]?.[0]?.json.id).toBe(7);
	deleted(deep);
	expect((await run(deletion([101, 102]))).outputs[0]).toHaveLength(2);
	read(deep, 400);
	expect((await get()).error?.message).toMatch(/ instance 7 \(400\)$/);
});

test('A field named error is output under another name', async () => {
	read(anInstance({ error: 'Overdue' }));
	const { outputs } = await get({ output: 'raw' });
	expect(outputs[0]?.[0]?.json).toEqual(anInstance({ serviceError: 'Overdue' }));
	read(anInstance({ error: false }));
	expect((await get({ output: 'raw' })).outputs[0]?.[0]?.json).toEqual(
		anInstance({ error: false }),
	);
	read(anInstance({ error: 'Overdue', serviceError: 'Mine' }));
	const own = await get({ output: 'raw' });
	expect(own.outputs[0]?.[0]?.json).toEqual(anInstance({ serviceError: 'Mine' }));
});

describe('What was read', () => {
	const MORE = { owner: 5, step_assignments: [{ step_id: 1, user_id: 2, url: 'u' }] };
	test.each<[current: IDataObject, given: INodeParameters, sent: IDataObject]>([
		[MORE, NEW_NAME, { name: 'New', step_assignments: [{ step_id: 1, user_id: 2 }] }],
		[{ tags: null, step_assignments: null }, NEW_NAME, { name: 'New' }],
		[{ tags: null }, { updateFields: { addTags: 'a' } }, { tags: ['a'] }],
		[{ tags: [' urgent ', 'a'] }, { updateFields: { removeTags: ' urgent ' } }, { tags: ['a'] }],
		// The same letters in two encodings.
		[{ tags: ['re\u0301'] }, { updateFields: { addTags: 'ré' } }, { tags: ['re\u0301'] }],
		[{ tags: ['ré'] }, { updateFields: { addTags: 're\u0301' } }, { tags: ['ré'] }],
		[{ tags: ['re\u0301', 'a'] }, { updateFields: { removeTags: 'ré' } }, { tags: ['a'] }],
		[{ tags: ['ré', 'a'] }, { updateFields: { removeTags: 're\u0301' } }, { tags: ['a'] }],
		[{ priority: 'H' }, { ...NEW_NAME, clearFields: '={{ [] }}' }, { name: 'New', priority: 'H' }],
	])('as %j and changed by %j is sent as %j', async (current, given, body) => {
		read(anInstance(current));
		written();
		expect((await update(given)).error).toBeUndefined();
		expect(sent()).toEqual([JSON.parse(JSON.stringify(aBody(body)))]);
		const [ofRead, ofWrite] = sandbox.log();
		expect(ofRead).toMatchObject({ headers: OF_EACH_REQUEST, body: '' });
		expect(ofRead?.headers).not.toHaveProperty('content-type');
		expect(ofWrite?.headers).toMatchObject({
			...OF_EACH_REQUEST,
			'content-type': 'application/json',
		});
	});

	const SET_LIST = { updateFields: { stepAssignments: '[{ "step_id": 1, "user_id": 2 }]' } };
	const TOO_LARGE = { step_id: 1201, user_id: 2 ** 53 };
	const SET_TAGS = { updateFields: { tags: 'a' } };
	const CLEAR_TAGS = { clearFields: ['tags'] };
	const TO_3 = { updateFields: { process: locator(3) } };
	const REGULAR = { updateFields: { priority: 'regular' } };
	const NO_PRIORITY = { clearFields: ['priority'] };
	test.each<[current: IDataObject, words: string, instead: INodeParameters[]]>([
		[{ tags: 'a, b' }, "returned 'Tags' in a format", [CLEAR_TAGS]],
		[{ tags: undefined }, "did not return the 'Tags'", [SET_TAGS, CLEAR_TAGS]],
		[{ step_assignments: [TOO_LARGE] }, "returned 'Step Assignments'", [SET_LIST]],
		[{ process: null }, "did not return the 'Process'", [TO_3]],
		[{ tags: [null] }, "'Tags' in a format that can't be sent back: [null]", [SET_TAGS]],
		[{ priority: undefined }, "did not return the 'Priority'", [REGULAR, NO_PRIORITY]],
	])('as %j is not sent: the service %s, unless %j replaces it', async (...row) => {
		const [current, words, instead] = row;
		read(anInstance(current));
		const { error } = await update({ updateFields: { name: 'New', addTags: 'b' } });
		expect(error?.message).toMatch(/^The service (returned|did not return) /);
		expect(error?.message).toContain(words);
		expect(error?.description).toMatch(/^To replace it, set '/);
		expect(sent()).toEqual([]);
		for (const parameters of instead) {
			read(anInstance(current));
			written();
			expect((await update(parameters)).error).toBeUndefined();
		}
	});
});

describe('The advice on a rejection', () => {
	const labelOf = (key: string) => INSTANCE_FIELDS.find(({ value }) => value === key)?.name;
	const LEAVE_OUT = { options: { leaveOutRejectedNames: true, emptyValues: 'clear' } };
	const OF_NAME = 'If the process generates instance names, remove';
	test.each<[object, words: string | undefined, INodeParameters?]>([
		...SETTABLE.filter((key) => key !== 'name').map((key): [object, words: string] => [
			{ [key]: ['No.'] },
			`Update sent the current '${labelOf(key)}' (`,
		]),
		// Going by the key, whatever the words are.
		[{ deadline: ['Must be after now.'] }, "rejected it. Set 'Deadline' under 'Fields to Update'."],
		[{ tags: [{}, { value: ['No.'] }] }, "sent the current 'Tags'"],
		[{ tags: ['Locked.'] }, `Tags' (["${'a'.repeat(78)}…) back unchanged, and`],
		[{ tags: ['Locked.'] }, "Set 'Replace Tags' under 'Fields to Update', or clear it with"],
		[{ priority: ['No.'] }, "back unchanged, and the service rejected it. Set 'Priority' under"],
		[{ name: ['No.'] }, `${OF_NAME} 'Name' from this node`],
		[{ tags: ['No.'], name: ['No.'] }, `${OF_NAME} 'Name'`],
		[{ name: ['No.'] }, `${OF_NAME} 'Name'`, { clearFields: ['name'], ...LEAVE_OUT }],
		[
			{ name: ['No.'] },
			`${OF_NAME} 'Name'`,
			{ updateFields: { name: '={{ null }}' }, ...LEAVE_OUT },
		],
		// Not blamed on kept values: words, empty lists, and what is just repeated.
		[{ detail: 'These tags are locked.' }, undefined],
		[{ deadline: [], detail: 'No.' }, undefined],
		[{ detail: 'No.', request: { tags: ['a'], deadline: 'soon' } }, undefined],
		[{ priority: ['No.'] }, undefined, { updateFields: { priority: 'regular' } }],
		[{ tags: ['No.'] }, undefined, { updateFields: { removeTags: 'a' } }],
	])('by %j says: %s', async (body, words, parameters = NEW_NAME) => {
		read(anInstance({ name: 'Old', priority: 'H', tags: ['a'.repeat(200)] }));
		written(400, body);
		const { error } = await update(parameters);
		expect(error?.description).toContain(words ?? '');
		const isOfKept = words !== undefined && !words.startsWith(OF_NAME);
		expect(/back unchanged/.test(String(error?.description))).toBe(isOfKept);
	});

	test('on empty text that was kept says what clears it', async () => {
		read(anInstance({ deadline: '' }));
		written(400, { deadline: ['No.'] });
		const { error } = await update(NEW_NAME);
		const words = `'Deadline' ("") back unchanged, and the service rejected it. Set 'Deadline' under 'Fields to Update', or clear it with 'Fields to Clear'.`;
		expect(error?.description).toContain(words);
	});
});

test.each([
	['utf8', 'Größe'],
	['latin1', undefined],
] as const)('A response in %s is read as UTF-8 or rejected', async (encoding, name) => {
	const bytes = Buffer.from(JSON.stringify(anInstance({ name: 'Größe' })), encoding);
	const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
	fault(respond(200, bytes, headers), { method: 'GET' });
	if (name !== undefined) written();
	const { error } = await update({ updateFields: { priority: 'V' } });
	expect(sent()).toEqual(name === undefined ? [] : [aBody({ name, priority: 'V' })]);
	if (name === undefined) expect(error?.message).toContain('is not in UTF-8: "');
});

test('A rejection that is not in UTF-8 still shows its words', async () => {
	fault(respond(400, Buffer.from('{"detail": "Zu groß."}', 'latin1')));
	expect((await get()).error?.message).toContain('Zu gro');
});

test.each<[encoding: string, bytes: Buffer]>([
	['gzip', gzipSync('{"failed":[7]}').subarray(0, 10)],
	['deflate', deflateSync('{"failed":[7]}').subarray(0, 2)],
	['br', Buffer.from([0x0b])],
	// n8n doesn't decompress these.
	['gzip, gzip', gzipSync(gzipSync('{"failed":[7]}'))],
])('A response in %s that cannot be read confirms no change: %j', async (...row) => {
	const [encoding, bytes] = row;
	const headers = { 'content-encoding': encoding, 'content-type': 'text/plain' };
	read(anInstance());
	fault(respond(200, bytes, headers), { times: 0 });
	const message = expect.stringMatching(/^The response for instance 7 is (empty$|not in UTF-8: )/);
	const description = expect.stringContaining(MAY_BE_DONE);
	expect((await update()).error).toMatchObject({ message, description });
	const { error } = await run(deletion([7]));
	expect(error).toMatchObject({ message, context: { deletedIds: [], unknownIds: [7] } });
	const requested = sandbox.log().map((entry) => entry.headers['accept-encoding']);
	expect(requested).toEqual([expect.stringContaining('gzip'), 'identity', 'identity']);
});

describe('The response to a deletion', () => {
	useVirtualClock();
	const ALL = [101, 102, 104];
	const REFUSALS = [
		// Flags.
		'{"isSuccess":false} {"succeeded":false} {"success":"false"} {"data":{"ok":0}} false',
		'{"deleted":false} {"hasErrors":true} [{"id":101,"is-locked":true}] {"status":"partial"} {"statusCode":400} {"http_code":404}',
		'{"results":[{"state":"Denied"}]} {"status":403} {"code":400}',
		'{"status":"failed"} {"state":"error"} {"result":"rejected"} {"status":"fail"} {"state":"forbidden"}',
		'{"result":false} {"accepted":false}',
		'{"status":"not_deleted"} {"state":"locked"} {"results":{"101":"skipped","102":"ok"}}',
		'{"status":"completed_with_errors"} {"result":"partial-success"}',
		// Figures.
		'{"totalFailures":1} {"failed_count":"2"} {"deleted":2} {"removed_count":0} {"removed":"false"} {"missing":1}',
		'{"deletedInstances":["a","b"]} {"ids_not_deleted":1} {"notDeleted":[7]} {"deleted":{"count":1}}',
		'{"rowsDeleted":1} {"deletedCnt":1} {"successfullyDeleted":0} {"removeCount":1} {"deletion_count":1}',
		'{"deleted":{"count":1,"total":3}}',
		'{"deleted":{"101":true,"102":false,"103":true}} {"101":204,"102":404} {"104":"failed"}',
		// Any value under a key that reports a failure.
		'{"skipped":[{"id":3,"reason":"locked"}]} {"rejected":[3]} {"not_found":1,"denied":"x"}',
		'{"invalid":"n/a"} {"a":[{"refusedIds":{"1":1}}]} {"forbidden":["-"]} {"error":"No."} {"docLocked":2}',
		// Some of the IDs, but not all.
		'[101,102] {"ids":["101",{"id":104}]} {"data":[{"deleted":[101,5,null,"a"]}]}',
		'{"detail":{"102":["Locked."]}} {"101":"deleted"} {"results":[{"instance_id":104}]}',
		// Inside an ID's entry, and next to the ID of something else.
		'{"failed":{"101":""}} {"errors":{"101":{},"102":{},"104":{}}} {"not_found":{"102":null},"missing":{"102":0}}',
		'{"id":101,"deleted":1} {"job":{"id":102,"deleted":1}} {"id":101,"stage":{"failed":2}}',
		// Cut off.
		'{"deleted":[101,102,1',
	].flatMap((line) => line.split(' '));
	const WITHOUT_WORDS = ['{}', '{"failed":{"101":""}}', '{"errors":{"101":{},"102":{},"104":{}}}'];
	test.each<[body: string, status: number]>([
		...REFUSALS.map((body): [string, number] => [body, 200]),
		['<!doctype html><title>Sign in</title>', 200],
		['<?xml version="1.0"?><!DOCTYPE html><html><title>Sign in</title></html>', 200],
		['{}', 207],
	])('leaves all IDs unknown if it is %s (%d)', async (body, status) => {
		const page = body.startsWith('<?xml') ? 'application/xhtml+xml' : 'text/html';
		deleted(body, status, body.startsWith('<') ? { 'content-type': page } : {});
		const { error } = await run(deletion(ALL));
		const hasWords = !WITHOUT_WORDS.includes(body);
		expect(error?.message).toMatch(/^The response for 3 instances /);
		const words = body.startsWith('<') ? / is a web page, "Sign in"$/ : /: .+$/;
		expect(error?.message).toMatch(hasWords ? words : /\(\d+\)$/);
		expect(error?.httpCode).toBe(`${status}`);
		expect(error?.context).toMatchObject({ deletedIds: [], rejectedIds: [], unknownIds: ALL });
	});

	test.each([
		['blanks', `{"error":"${' '.repeat(100_000)}"}`],
		['lists', `{"errors":${'['.repeat(8_000)}${']'.repeat(8_000)}}`],
	])('confirms it if it has thousands of %s under a key for failures', async (_what, body) => {
		deleted(body);
		expect((await run(deletion([101]))).error).toBeUndefined();
	});

	test('is read in one pass if it has as many errors as IDs', async () => {
		const ids = Array.from({ length: 150_000 }, (_, index) => index + 1);
		deleted(ids.map(() => ({ error: 'No.' })));
		const { error } = await run({ ...deletion(ids), options: { batchSize: ids.length } });
		expect(error?.message).toContain('The response for 150000 instances does not confirm');
	});

	const TEXT = { 'content-type': 'text/plain', 'content-encoding': 'identity' };
	test.each<[json: unknown, words: string, headers?: IDataObject]>([
		// Words are shown, but never interpreted.
		['Two are gone.', 'Two are gone.', TEXT],
		['ERROR: denied', 'ERROR: denied', TEXT],
		['"ERROR: denied"', 'ERROR: denied'],
		[{ message: 'Failed: 2' }, 'Failed: 2'],
		[{ detail: 'Locked.', deleted: 2, removed: null, missing: null }, 'Locked; deleted: 2'],
		// Other lists, and keys that mean something else.
		[{ deleted: [5, 101, 'https://x.example/api/instances/102/', 450] }, 'deleted: 5'],
		[{ results: { 101: 204, 102: 'ok' } }, 'results.101: 204'],
		[Array(102).fill(450), '450'],
		[{ clock: 9, permissions: 'all', dismissed: true, deleted_by: 1 }, 'clock: 9'],
		[{ deleted: { ids: [101, 102], failed: 0 } }, 'deleted.ids: 101'],
		[{ serverClock: 9, deleted: { 'app.Instance': 2, 'app.Tag': 1 } }, 'serverClock: 9'],
		[{ unlocked: true }, 'unlocked: true'],
		[{ status: 'Done, no errors.' }, 'status: Done, no errors'],
		[{ state: 'unlocked', code: 'NO_ERROR' }, 'state: unlocked'],
		[{ unLocked: 2, can: { delete: false } }, 'unLocked: 2'],
		[{ deleted: 2, updated: 0, result: 0 }, 'deleted: 2'],
		[{ deleted: true }, 'deleted: true'],
		[{ statusCode: 200 }, 'statusCode: 200'],
		[{ deleted: 102 }, 'deleted: 102'],
		[{ errors: {}, failed_count: 0, isSuccess: true, errorMessage: null, message: 'Done' }, 'Done'],
		[{ deleted: [102, 101], status: 'ok', code: 200, failed: ' ' }, 'deleted: 102'],
		[[101, { id: 102, status: 204, deleted: true }], '101'],
		[{ other: { ids: [7, 8], count: 1 } }, 'other.ids: 7'],
		[{ status: { toString: 'Done' } }, 'status.toString: Done'],
		[{ deleted: { count: 2 }, failed: { count: 0, ids: [] } }, 'deleted.count: 2'],
		[{ errors: [null, [], ''], error: { code: 0, message: '' } }, 'code: 0'],
		[{ deleted: '102, 101' }, 'deleted: 102, 101'],
		// One of the instances may have the ID of a step.
		[[{ id: 101, active_step_ids: [102], tags: ['101'] }, { id: 102 }], 'id: 101'],
		['', ''],
		['[]', ''],
	])('confirms it if it is %j, and its words are shown: %j', async (json, words, headers = {}) => {
		deleted(json, 200, headers);
		const { outputs, hints } = await run(deletion([101, 102]));
		const shown = words === '' ? {} : { serviceMessage: expect.stringContaining(words) };
		const listed = outputs[0]?.map((item) => item.json);
		expect(listed).toEqual([101, 102].map((id) => ({ id, deleted: true, ...shown })));
		const [accepted, ...others] = hints;
		expect(accepted).toMatch(/^If deleted is true, the service accepted /);
		expect(others).toHaveLength(words === '' ? 0 : 1);
	});

	test('is shown with each deleted item in few words', async () => {
		const ids = sandbox.control.addInstances(50);
		deleted({ deleted: ids, note: 'x'.repeat(300), detail: 'Two were locked.' });
		const { outputs } = await run(deletion(ids));
		const pattern = `^Two were locked; deleted: ${ids[0]}; .*; 40 more; .*x…$`;
		const words = expect.stringMatching(new RegExp(pattern));
		expect(outputs[0]?.map(({ json }) => json.serviceMessage)).toEqual(ids.map(() => words));
		expect(String(outputs[0]?.[0]?.json.serviceMessage)).toHaveLength(201);
	});

	test('is shown beside the output as text: n8n takes a hint for HTML', async () => {
		fault(respond(200, { message: '3 < 5 & <a href="https://example.com">Log in</a>' }));
		const { hints } = await run(deletion([101]));
		const words = '3 &lt; 5 &amp; &lt;a href="https://example.com"&gt;Log in&lt;/a&gt;';
		expect(hints).toContain(`The service responded: ${words}`);
	});

	test('of an earlier try is still shown beside the output', async () => {
		fault(respond(200, { message: 'Hello.' }));
		fault(respond(500));
		const parameters = { ...deletion([101, 102]), options: { batchSize: 1 } };
		const { hints } = await run(parameters, [{}], RETRY);
		expect(hints).toEqual([expect.any(String), 'The service responded: Hello.']);
	});

	test('is quoted if the rest of a rejected batch is refused later', async () => {
		fault(respond(410, { detail: 'One is gone' }));
		deleted('', 429);
		const { outputs } = await run(deletion([101, 102]), [{}], CONTINUE);
		const description = expect.stringMatching(/ An earlier attempt failed: .*: One is gone\. /);
		const error = expect.stringMatching(/^The node (did not send|gave up on) the request for /);
		const json = { error, details: { description } };
		expect(outputs).toMatchObject([[101, 102].map((id) => ({ json: { id, ...json } }))]);
	});

	test('is quoted once if Retry On Fail sends nothing more with a rejected key', async () => {
		fault(respond(401, { detail: 'Unknown key' }));
		const { error } = await run(deletion([101]), [{}], RETRY);
		expect(error?.message).toMatch(/ \(401\): Unknown key$/);
		expect(error?.description).toMatch(
			/ > API keys\. Nothing was deleted in this run of the node\.$/,
		);
	});
});

describe('The outcome of an update', () => {
	useVirtualClock();
	const ID = 101;
	const RUSH = { operation: 'update', instanceId: ID_OF_ITEM, updateFields: { priority: 'V' } };
	const updateAll = async (ids: number[], settings = {}) => await run(RUSH, itemsOf(ids), settings);

	test.each([
		[{ method: 'PUT' }, NO],
		[{ method: 'GET', nth: 2 }, NO],
		[{ method: 'PUT' }, DONE_DESPITE_500],
	])('is unknown, which is said once, after a later try, too: %j, %j', async (match, action) => {
		fault(DONE_DESPITE_500, { method: 'PUT' });
		fault(action, match);
		const { error } = await updateAll([ID], RETRY);
		expect(error?.description?.match(/may already have been made/g)).toHaveLength(1);
	});

	test('is unknown although the service then asks for too long a wait', async () => {
		fault(CUT_OFF, { method: 'PUT' });
		fault(respond(429, '', { 'retry-after': '3600' }), { method: 'PUT', times: 0 });
		const { error } = await updateAll([ID]);
		expect(error?.message).toContain(`The node gave up on the request for instance ${ID}, because`);
		expect(error?.description).toMatch(/raise 'Max Wait.* may already have been made/);
	});

	test('is known for those that were on their way when the first one was not sent', async () => {
		const credentials = { ...sandbox.credentials, baseUrl: 'http://127.0.0.1:9/api' };
		const { error } = await run({ ...RUSH, ...WHOLE_UPDATE }, itemsOf([1, 2, 3]), { credentials });
		expect(error?.message).toContain('(ECONNREFUSED)');
		expect(error?.context).toMatchObject({ unknownIds: [], notSentIds: [1, 2, 3] });
	});

	test.each<[failing: number, first: IDataObject, second: IDataObject, outcome: object]>([
		[102, { id: ID, priority: 'V' }, { id: 102 }, { updatedIds: [ID], rejectedIds: [] }],
		[102, { id: ID }, { id: 102, priority: 'V' }, { updatedIds: [], rejectedIds: [102] }],
	])('does not list an item that changes nothing if %d of %j and %j fails: %j', async (...row) => {
		const [failing, first, second, outcome] = row;
		const updateFields = { priority: '={{ $json.priority }}' };
		fault(NO, { ids: [failing], method: second.priority ? 'PUT' : 'GET' });
		const keeping = { ...RUSH, updateFields, options: { emptyValues: 'keep' } };
		expect((await run(keeping, [first, second])).error?.context).toMatchObject(outcome);
	});

	test.each<[FaultAction, FaultMatch, words: string]>([
		[NO, { method: 'PUT', nth: 2 }, 'Updated (1 of 1): 101. Rejected: 101.'],
		[NO, { method: 'PUT' }, 'this run of the node. Rejected: 101. Not sent: 101.'],
		[respond(500), { method: 'GET' }, 'Nothing was updated in this run of the node.'],
	])('is reported of two to one instance, after %j to %j: %s', async (action, match, words) => {
		fault(action, match);
		const { error } = await updateAll([ID, ID]);
		expect(error?.description).toContain(words);
		expect(error?.description).not.toContain(MAY_BE_DONE);
	});
});
