import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { asObject } from '../../nodes/WorkflowInstanceService/values/json';
import { SEED } from '../../sandbox/service';
import { bodies } from './support/instances';
import { CONTINUE, respond, useSandbox } from './support/sandbox';

const POST = 'POST /api/instances/bulk/delete';
const BY_PATH: INodeParameters = { instanceIds: '={{ $json.id }}' };
const BRANCH = {
	onError: 'continueErrorOutput',
	downstream: '={{ $("Items").item.json.id }}',
} as const;

const sandbox = useSandbox();
type Settings = Parameters<typeof sandbox.run>[2];
const bulkDelete = async (parameters: INodeParameters, items?: IDataObject[], more?: Settings) =>
	await sandbox.run({ operation: 'bulkDelete', ...parameters }, items, more);
const gone = () => SEED.all.filter((id) => sandbox.control.instance(id) === undefined);
const idsSent = () => bodies(sandbox, 'POST').map(({ ids }) => ids);
const itemsOf = (values: unknown[]): IDataObject[] =>
	JSON.parse(JSON.stringify(values.map((id) => ({ id }))));
const deleted = (id: number, pairedItem: object) => ({ json: { id, deleted: true }, pairedItem });
const range = (length: number) => [...Array(length).keys()];
const pairsOf = (items: INodeExecutionData[] = []) => items.map(({ pairedItem }) => pairedItem);
const FIRST_100 = range(100).map((item) => ({ item }));

describe('Bulk Delete', () => {
	test('sends one request for all typed IDs, and says what "deleted" means', async () => {
		const { outputs, tasks } = await bulkDelete({ instanceIds: '101,105' });
		expect(outputs).toEqual([[deleted(101, { item: 0 }), deleted(105, { item: 0 })]]);
		expect(gone()).toEqual([101, 105]);
		expect(sandbox.requests()).toEqual([POST]);
		expect(sandbox.log()[0]?.body).toBe('{"ids":[101,105]}');
		const message = expect.stringMatching(/^If deleted is true, the service accepted /);
		expect(tasks[0]?.hints).toEqual([{ message, type: 'info', location: 'outputPane' }]);
	});

	test.each([
		[undefined, [100, 50]],
		['={{ 60 }}', [60, 60, 30]],
		['={{ "60" }}', [60, 60, 30]],
	])('sends batches for the size %p', async (batchSize, sizes) => {
		const ids = sandbox.control.addInstances(150);
		await bulkDelete({ instanceIds: ids.join(), options: { batchSize } });
		expect(idsSent().map((each) => [each].flat().length)).toEqual(sizes);
		expect(idsSent().flat()).toEqual(ids);
	});

	test.each<[string, IDataObject, number[]]>([
		['{{ $json["instance.id"] }}', { 'instance.id': 101, instance: { id: 102 } }, [101]],
		['{{ $json.a.b.c.d }}', { a: { b: { c: { d: '[101]' } } } }, [101]],
		['{{ $json.id }}', { id: '\u200b102\ufeff' }, [102]],
		['{{ $json.id }}', { id: '101; 102\t104\r\n105' }, [101, 102, 104, 105]],
		['{{ $json.id }}', { id: '101, 102' }, [101, 102]],
		['{{ $json.id }}', { id: [] }, []],
		['{{ $json.id }}', { id: '[]' }, []],
	])('deletes the IDs in %s of %j, without an evaluation', async (path, item, ids) => {
		const { error, outputs, evaluations } = await bulkDelete({ instanceIds: `=${path}` }, [item]);
		expect(error).toBeUndefined();
		expect(gone()).toEqual(ids);
		expect(outputs[0]).toHaveLength(ids.length);
		expect(evaluations).toBe(0);
	});
});

describe('Bulk Delete deletes nothing and names the item where', () => {
	const PROCESS_URL = 'https://other.example/x/processes/11/';
	const OTHER_HOST = 'https://other.example/api/instances/102/';
	const NO_ID = "'Instance IDs' is empty";
	const NO_VALUE = 'filter out items without IDs. If there is nothing to process, have it return';
	// More values are in get.test.ts and test/model/cells.test.ts.
	test.each<[value: unknown, message: string, advice: string]>([
		[[102, 1.5], "1.5 in 'Instance IDs' is not the ID of an", 'Correct or remove it. An ID is'],
		["12,  '15'", `"'15'" in`, 'Separate IDs with commas, without quotation marks'],
		['"12", "15"', `"12" in 'Instance IDs' is not the ID`, 'without quotation marks'],
		...['108 110', '7, 108  110', 'ID 108 110'].map((value): [string, string, string] => {
			return [value, '110" in', 'Separate IDs with commas, e.g. 12, 15.'];
		}),
		...['ID\n12\n15', 'Instance ID; 12', 'instance_id,12', ['id', 12]].map(
			(value): [unknown, string, string] => [value, 'looks like a column heading', 'Remove it'],
		),
		['x', '"x" in \'Instance IDs\' is not the ID', 'Correct or remove it'],
		...['19,99', '3,5', ' 3,5 ', '19,99\n20,5', '7;19,99', '7\t19,99'].map(
			(value): [string, string, string] => [
				value,
				'may be one ID or several',
				'a comma and a space',
			],
		),
		['1,234', '"1,234" in', 'separated by a comma and a space'],
		[' 1,234,567 ,', '"1,234,567 ," in', 'separated by a comma and a space'],
		['12, 1,234', '"12, 1,234" in', 'separated by a comma and a space'],
		[`${OTHER_HOST}?x=1,2`, 'may be one ID or several', 'separated by a comma and a space'],
		['1,\u200b234', '"1,\u200b234" in', 'separated by a comma and a space'],
		[[101, ' '], "The list in 'Instance IDs' contains an empty entry", 'Correct or remove it'],
		// With a hole.
		[Object.assign([101], { 2: 102 }), 'contains an empty entry', 'Correct or remove it'],
		[PROCESS_URL, `"${PROCESS_URL}" in 'Instance IDs' is the URL of a process`, '/instances/'],
		[OTHER_HOST, 'is on other.example, but the credential is for 127.0.0.1', 'Use a URL or an ID'],
		['[101] 102', `"[101] 102" in 'Instance IDs' is not the ID of an instance`, 'e.g. [12, 15]'],
		[{ id: 101 }, '', 'Use the ID inside the object'],
		[null, NO_ID, NO_VALUE],
		[undefined, NO_ID, NO_VALUE],
		['', NO_ID, NO_VALUE],
		[' ,\n, ', NO_ID, NO_VALUE],
		[[null, ''], NO_ID, NO_VALUE],
	])('the IDs of an item are %j', async (value, message, advice) => {
		const { error, outputs } = await bulkDelete(BY_PATH, itemsOf([101, value, 103]));
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(1);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(advice);
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('A dry run', () => {
	const list = async (parameters: INodeParameters, items: IDataObject[]) => {
		const { outputs, tasks, error } = await bulkDelete({ ...parameters, dryRun: true }, items);
		expect(error).toBeUndefined();
		expect(sandbox.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
		return { items: outputs[0] ?? [], hints: tasks[0]?.hints?.map(({ message }) => message) };
	};
	const ON = expect.stringMatching(/^Dry Run is on, so nothing was deleted\. /);
	// The keys are there, since n8n's table shows missing ones as a red "undefined".
	const ABSENT = { found: false, name: null, stage: null };
	const ofId = (id: number, seen: object = {}) => ({ id, deleted: false, dryRun: true, ...seen });

	test('deletes nothing, and shows what each instance is, or why it cannot say', async () => {
		const returns = (id: number, status: number, body: unknown) =>
			sandbox.control.addFault({ match: { ids: [id] }, action: respond(status, body) });
		returns(102, 410, '');
		returns(103, 403, { detail: 'Not yours.' });
		returns(104, 200, { id: 105, process: 'p' });
		const { items, hints } = await list(BY_PATH, itemsOf(['101, 102', 101, [103, 104, 999999]]));
		const { name, stage } = sandbox.control.instance(101) ?? {};
		expect(items).toEqual([
			{ json: ofId(101, { found: true, name, stage }), pairedItem: [{ item: 0 }, { item: 1 }] },
			{ json: ofId(102, ABSENT), pairedItem: { item: 0 } },
			...[
				ofId(103, {
					message: expect.stringMatching(
						/ instance 103 \(403\): Not yours\. Test the credential\./,
					),
				}),
				ofId(104, { message: expect.stringMatching(/ contains another instance, with ID 105\. /) }),
				ofId(999_999, ABSENT),
			].map((json) => ({ json, pairedItem: { item: 2 } })),
		]);
		expect(hints).toEqual([ON, 'Items with a problem: 2. See message.']);
	});

	test('lists an item without IDs, and what is wrong with it', async () => {
		const { items, hints } = await list(BY_PATH, itemsOf(['x', 999_999]));
		const message = expect.stringContaining('"x" in \'Instance IDs\' is not the ID');
		expect(items).toEqual([
			{ json: { id: null, deleted: false, dryRun: true, message }, pairedItem: { item: 0 } },
			{ json: ofId(999_999, ABSENT), pairedItem: { item: 1 } },
		]);
		const problem = 'Items with a problem: 1. See message.';
		expect(hints).toEqual([ON, expect.stringContaining('IDs of its rows'), problem]);
	});

	test.each<[instanceIds: string, item: IDataObject, key: string | undefined]>([
		['={{ $json.id }}', { id: 1, instance_id: 101 }, 'instance_id'],
		["={{ $json['id'] }}", { id: 1, instanceId: 'x' }, 'instanceId'],
		['={{ [$json . id] }}', { id: 1, instance_id: null, instanceId: 101 }, 'instanceId'],
		['={{ $json.id }}', { id: 101, instance_id: null }, undefined],
		['={{ $json.ids }}', { ids: 1, instance_id: 101 }, undefined],
		['={{ $json.instance_id ?? $json.id }}', { id: 1, instance_id: 101 }, undefined],
	])('with %s of %j says that the input also has %s', async (instanceIds, item, key) => {
		const { hints = [] } = await list({ instanceIds }, [{ ...item }, { ...item }]);
		const said = hints.filter((hint) => hint.includes('but the input also has'));
		const words = `reads id, but the input also has ${key}. If id is the ID of a table's row, use ${key}.`;
		expect(said).toEqual(key === undefined ? [] : [expect.stringContaining(words)]);
	});

	test('that finds no instance says that they may be the IDs of table rows', async () => {
		const { hints } = await list({ instanceIds: '999998, 999999' }, [{}]);
		expect(hints).toEqual([ON, expect.stringContaining('IDs of its rows')]);
	});

	test('reads the first 100 instances, several at a time, and lists the others by ID', async () => {
		const ids = sandbox.control.addInstances(150);
		sandbox.control.setLatency(5);
		const { items, hints } = await list(BY_PATH, itemsOf(ids));
		const found = items.filter(({ json }) => json.found === true);
		expect(found.map(({ json }) => json.id)).toEqual(ids.slice(0, 100));
		expect(items.slice(100).map(({ json }) => json)).toEqual(ids.slice(100).map((id) => ofId(id)));
		expect(hints).toEqual([ON, expect.stringMatching(/first 100 /)]);
		expect(sandbox.control.stats().maxInFlight).toBeGreaterThan(1);
		expect((await list(BY_PATH, itemsOf(ids.slice(50)))).hints).toEqual([ON]);
	});

	test('ends when the execution is stopped', async () => {
		sandbox.control.addFault({ action: { type: 'hang' } });
		const stop = new AbortController();
		const { signal } = stop;
		const running = bulkDelete({ instanceIds: '101', dryRun: true }, [{}], { signal });
		while (sandbox.log().length === 0) await new Promise(setImmediate);
		stop.abort();
		expect((await running).status).toBe('canceled');
	});
});

describe('Bulk Delete of many items', () => {
	test.each(['typed list', 'column'])(
		'pairs the first 100 of those with the same %s of IDs',
		async (from) => {
			const ids = sandbox.control.addInstances(150);
			const items = range(150).map(() => ({ id: [...ids] }));
			const { outputs } = await bulkDelete(
				from === 'column' ? BY_PATH : { instanceIds: ids.join() },
				items,
			);
			expect(sandbox.remaining(ids)).toEqual([]);
			expect(sandbox.requests()).toHaveLength(2);
			expect(outputs[0]).toHaveLength(150);
			// One list for all of them, which n8n saves once.
			const pairings = new Set(outputs[0]?.map(({ pairedItem }) => pairedItem));
			expect([...pairings]).toEqual([FIRST_100]);
		},
	);

	test('pairs an ID that is in several lists with the first 100 items', async () => {
		const lists = range(120).map((item) => (item % 2 === 0 ? [101, 102] : [102, 103]));
		const { outputs } = await bulkDelete(BY_PATH, itemsOf(lists));
		expect(outputs[0]?.[1]).toEqual(deleted(102, FIRST_100));
	});
});

describe('With Continue, Bulk Delete', () => {
	const BAD = [{ id: 101 }, { id: 'x' }, { id: 102 }, { id: 1.5, note: 'n' }, { id: [103, 101] }];

	test('sends items that cannot be used to the error output, paired', async () => {
		const { outputs, downstream } = await bulkDelete(BY_PATH, BAD, BRANCH);
		const [success = [], errors = []] = outputs;
		expect(success).toEqual([
			deleted(101, [{ item: 0 }, { item: 4 }]),
			deleted(102, { item: 2 }),
			deleted(103, { item: 4 }),
		]);
		expect(errors.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 3 }]);
		expect(errors[1]?.json).toMatchObject({ id: 1.5, note: 'n' });
		expect(downstream.error).toEqual([{ value: 'x' }, { value: 1.5 }]);
		// n8n refuses to choose among several items; where there is one, it is the right one.
		const unresolved = { unresolved: expect.any(String) };
		expect(downstream.success).toEqual([unresolved, { value: 102 }, { value: [103, 101] }]);
		expect(idsSent()).toEqual([[101, 102, 103]]);
	});
});

describe('Where the service rejects a batch,', () => {
	const refuse = (ids: number[] | undefined, status: number) =>
		sandbox.control.addFault({
			match: { method: 'POST', ids },
			times: 0,
			action: respond(status, { detail: 'Not these.' }),
		});

	test('the run stops, lists what was deleted, up to 500 IDs in words, and says that Continue finds them', async () => {
		const ids = sandbox.control.addInstances(710);
		refuse(ids.slice(157, 158), 400);
		const { error, outputs } = await bulkDelete(BY_PATH, itemsOf(ids));
		const [deletedIds, rejectedIds] = [ids.slice(0, 100), ids.slice(100, 200)];
		const notSentIds = ids.slice(200);
		expect(outputs).toEqual([]);
		expect(error?.message).toMatch(/ one or more of 100 instances /);
		expect(error?.itemIndex).toBe(100);
		expect(error?.context).toMatchObject({ deletedIds, rejectedIds, unknownIds: [], notSentIds });
		const done = `Deleted (100 of 710): ${deletedIds.join(', ')}. Rejected: ${rejectedIds.join(', ')}.`;
		const rest = `Not sent: ${notSentIds.slice(0, 500).join(', ')} and 10 more.`;
		expect(error?.description).toContain(`${done} ${rest}`);
		expect(error?.description).toMatch(/set 'On Error' .* to Continue/);
		expect(sandbox.remaining(ids)).toEqual(ids.slice(100));
		expect(sandbox.requests()).toHaveLength(2);
	});

	test('Continue finds three IDs of 250 with few requests, all items paired', async () => {
		const ids = sandbox.control.addInstances(250);
		const bad = [100, 157, 199].flatMap((place) => ids[place] ?? []);
		refuse(bad, 400);
		const { outputs } = await bulkDelete(BY_PATH, itemsOf(ids), CONTINUE);
		expect(outputs).toHaveLength(1);
		expect(pairsOf(outputs[0])).toEqual([...ids.keys()].map((item) => ({ item })));
		const failed = (outputs[0] ?? []).filter(({ json }) => json.error !== undefined);
		const places = failed.map(({ json }) => [json.id, asObject(json.details).item]);
		expect(places).toEqual(bad.map((id) => [id, ids.indexOf(id)]));
		for (const { json } of failed) expect(json.error).toMatch(/ instance \d+ .*: Not these\.$/);
		expect(JSON.stringify(failed)).not.toMatch(/one or more of|'On Error'|item \d/);
		expect(sandbox.remaining(ids)).toEqual(bad);
		// Two more for each of the seven halvings that lead to an ID.
		expect(sandbox.requests().length).toBeLessThanOrEqual(3 + 3 * 2 * 7);
		expect(sandbox.control.stats().maxInFlight).toBe(1);
	});

	test.each([
		...[400, 403, 404, 409, 422].map((status) => ({ status, requests: 1 + 2 * 3, refused: 1 })),
		...[401, 500].map((status) => ({ status, requests: 1, refused: 8 })),
	])('one of eight IDs rejected with $status makes $refused stay', async (row) => {
		const { status, requests, refused } = row;
		const ids = sandbox.control.addInstances(8);
		refuse(ids.slice(3, 4), status);
		const { outputs } = await bulkDelete(BY_PATH, itemsOf(ids), CONTINUE);
		expect(outputs[0]?.filter(({ json }) => json.error !== undefined)).toHaveLength(refused);
		expect(sandbox.remaining(ids)).toHaveLength(refused);
		expect(sandbox.requests()).toHaveLength(requests);
	});

	test('half of 400 IDs cost at most 200 extra requests, and the rest is reported with its batch', async () => {
		const ids = sandbox.control.addInstances(400);
		const bad = ids.filter((_id, index) => index % 2 === 1);
		refuse(bad, 400);
		const { outputs } = await bulkDelete(BY_PATH, itemsOf(ids), CONTINUE);
		expect(sandbox.requests().length).toBeGreaterThanOrEqual(4 + 199);
		expect(sandbox.requests().length).toBeLessThanOrEqual(4 + 200);
		const items = (outputs[0] ?? []).map(({ json }) => json);
		expect(items).toHaveLength(400);
		expect(items[1]?.error).toContain(`deletion of instance ${ids[1]} (400): Not these.`);
		const words = /^The batch that contains this ID was rejected\. .* of 100 instances \(400/;
		const advice =
			'Other IDs in the batch may be the reason. The node stopped looking for the rejected IDs after 200 extra requests. Run this node again with the remaining IDs. Correct the values that the service reports.';
		expect(items[399]?.error).toMatch(words);
		expect(asObject(items[399]?.details).description).toBe(advice);
		expect(items[399]?.id).toBe(ids[399]);
		expect(sandbox.remaining(ids)).toEqual(
			ids.filter((_id, index) => items[index]?.deleted !== true),
		);
	});

	test.each<[number, string, words: RegExp]>([
		[403, '<!doctype html><title>Sign in</title>', /one or more of 100 instances/],
		[404, '404 page not found', /no Workflow Instance Service/],
	])('%d with %j for all of 200 IDs makes no extra request', async (status, body, words) => {
		const ids = sandbox.control.addInstances(200);
		sandbox.control.addFault({ times: 0, action: respond(status, body) });
		const { outputs } = await bulkDelete(BY_PATH, itemsOf(ids), CONTINUE);
		expect(sandbox.requests()).toHaveLength(2);
		expect(outputs[0]).toHaveLength(200);
		expect(outputs[0]?.[0]?.json.error).toMatch(words);
		expect(sandbox.remaining(ids)).toEqual(ids);
	});

	test('what halves have deleted stays deleted over the attempts of Retry On Fail', async () => {
		sandbox.control.setUnknownIds('rejected');
		const [a, b, c] = sandbox.control.addInstances(3);
		const ids = [999_999, a, b, c];
		const settings = { ...CONTINUE, retryOnFail: true, maxTries: 2 };
		const { outputs } = await bulkDelete({ instanceIds: ids.join() }, [{}], settings);
		expect(idsSent()).toEqual([ids, [999_999, a], [999_999], [a], [b, c], [999_999]]);
		const items = (outputs[0] ?? []).map(({ json }) => [json.id, json.deleted]);
		expect(items).toEqual([[999_999, undefined], ...[a, b, c].map((id) => [id, true])]);
	});

	test('a 409 for several IDs leaves them unknown', async () => {
		refuse([102], 409);
		const { error } = await bulkDelete({ instanceIds: '101, 102' });
		expect(error?.context).toMatchObject({ rejectedIds: [], unknownIds: [101, 102] });
	});

	test('before anything was deleted, the message says so', async () => {
		expect((await bulkDelete({ instanceIds: 'x' })).error?.description).toMatch(
			/ Nothing was deleted\.$/,
		);
	});

	test('404 about some of several IDs calls none of them not deleted', async () => {
		const ids = [101, 102, 104];
		const parameters = { instanceIds: ids.join() };
		sandbox.control.addFault({ action: respond(404, { detail: 'Not found.' }), times: 0 });
		const { error } = await bulkDelete(parameters);
		expect(error?.description).toContain('Unknown: 101, 102, 104.');
		const { outputs } = await bulkDelete(parameters, [{}], CONTINUE);
		const items = (outputs[0] ?? []).map(({ json }) => asObject(json.details).description);
		expect(items).toEqual(ids.map(() => expect.stringContaining('may already have been deleted')));
	});

	test('of a single ID, the message says what became of it', async () => {
		refuse(undefined, 403);
		const { error } = await bulkDelete(BY_PATH, itemsOf([101]));
		expect(error?.message).toBe(
			'The API key is not valid or does not have access to instance 101 (403): Not these.',
		);
		expect(error?.description).not.toContain('Rejected: 101');
		expect(error?.itemIndex).toBe(0);
	});
});
