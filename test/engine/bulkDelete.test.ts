import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { asObject } from '../../nodes/WorkflowInstanceService/values/json';
import { SEED } from '../../sandbox/service';
import { bodies } from './support/instances';
import { CONTINUE, respond, useSandbox } from './support/sandbox';

const POST = 'POST /api/instances/bulk/delete';
const FROM_LIST: INodeParameters = { instanceIds: '={{ $json.id }}' };
const FROM_FIELD: INodeParameters = { idSource: 'inputField', idField: 'id' };
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
	test('sends one request for all IDs, and says what "deleted" means', async () => {
		const { outputs, tasks } = await bulkDelete({ instanceIds: '101, 105' });
		expect(outputs).toEqual([[deleted(101, { item: 0 }), deleted(105, { item: 0 })]]);
		expect(gone()).toEqual([101, 105]);
		expect(sandbox.requests()).toEqual([POST]);
		expect(sandbox.log()[0]?.body).toBe('{"ids":[101,105]}');
		const message = expect.stringMatching(/^If deleted is true, the service accepted /);
		expect(tasks[0]?.hints).toEqual([{ message, type: 'info', location: 'outputPane' }]);
	});

	test.each([
		[undefined, [100, 50]],
		['={{ $json.nothing }}', [100, 50]],
		['={{ 60 }}', [60, 60, 30]],
		['={{ "60" }}', [60, 60, 30]],
	])('sends batches for the size %p', async (batchSize, sizes) => {
		const ids = sandbox.control.addInstances(150);
		await bulkDelete({ instanceIds: ids.join(), options: { batchSize } });
		expect(idsSent().map((each) => [each].flat().length)).toEqual(sizes);
		expect(idsSent().flat()).toEqual(ids);
	});

	test.each<[string, IDataObject[], number[]]>([
		['instance.id', [{ 'instance.id': 101, instance: { id: 102 } }], [101]],
		[' a.b.c.d ', [{ a: { b: { c: { d: '[101]' } } } }], [101]],
		['={{ $json.id }}', [{ '{{ $json.id }}': 101 }], [101]],
	])('deletes the IDs in the field %s of %j', async (idField, items, ids) => {
		const { error, evaluations } = await bulkDelete({ ...FROM_FIELD, idField }, items);
		expect(error).toBeUndefined();
		expect(idsSent()).toEqual([ids]);
		expect(evaluations).toBe(0);
	});
});

describe('Bulk Delete deletes nothing and names the item where', () => {
	const refusal = async (parameters: INodeParameters, items: IDataObject[], item: number) => {
		const { error, outputs } = await bulkDelete(parameters, items);
		const { message = '', description = '' } = error ?? {};
		expect(outputs).toEqual([]);
		expect(error?.itemIndex).toBe(item);
		expect(`${message} ${description}`).not.toMatch(/undefined/);
		expect(sandbox.requests()).toEqual([]);
		return { message, description };
	};

	const PROCESS_URL = 'https://other.example/x/processes/11/';
	// More values are in get.test.ts and properties.test.ts.
	test.each<[value: unknown, begin: string, end: string, advice: string]>([
		[[102, 1.5], '1.5', 'is not a valid instance ID', 'Correct or remove it. An ID is a whole'],
		['15"', '"15""', 'is not a valid instance ID', 'Correct or remove it. An ID is a whole'],
		["12,  '15'", `"'15'"`, 'is not a valid instance ID', 'Enter IDs without quotation marks'],
		...['108; 110', '108 110'].map((text): [string, string, string, string] => [
			text,
			`"${text}"`,
			'is not a valid instance ID',
			'Separate IDs with commas',
		]),
		['1,234', '"1,234"', 'may be one number or several IDs', 'separated by a comma and a blank'],
		[[101, ' '], 'The list', 'contains an empty entry', 'Correct or remove it'],
		[PROCESS_URL, `"${PROCESS_URL}"`, 'is the URL of a process, not of an instance', '/instances/'],
		['[101] 102', '"[101] 102"', 'is not a complete list', 'a complete list, e.g. [12, 15]'],
	])('an ID list is %j, as "%s … %s"', async (value, begin, end, advice) => {
		const items = itemsOf([101, value, 103]);
		const ofList = await refusal(FROM_LIST, items, 1);
		expect(ofList.message).toBe(`${begin} in 'Instance IDs' ${end}`);
		expect(ofList.description).toContain(advice);
		const { message } = await refusal(FROM_FIELD, items, 1);
		expect(message).toBe(`${begin} in the field "id" ('ID Field') ${end}`);
	});

	const MANY = Object.fromEntries(range(200).map((field) => [`f${field}`, 1]));
	test.each<[idField: string, first: IDataObject[], bad: IDataObject, said: RegExp]>([
		['id', [{ id: 101 }], MANY, /^This item has no .* fields: f0, f1, [f\d, ]{280,292}…\. Enter/],
		['id', [{ id: 101 }], { id: null }, /^The field "id" \('ID Field'\) is empty in this item/],
		['a.b', [{ 'a.b': 101 }], { a: 7 }, /^This item has no field "a\.b" \('ID Field'\) It has/],
		[' ', [], { id: 7 }, /^'ID Field' is empty Enter the name of the field that contains/],
		['toString', [{ toString: 101 }], { id: 7 }, /^This item has no /],
		['constructor.name', [], { id: 7 }, /^This item has no /],
		['id.length', [], { id: [1] }, /^This item has no /],
	])('the field "%s", found in %j, is not in %j', async (idField, first, bad, said) => {
		const parameters = { ...FROM_FIELD, idField };
		const { message, description } = await refusal(parameters, [...first, bad], first.length);
		expect(`${message} ${description}`).toMatch(said);
	});
});

describe('Bulk Delete without any IDs', () => {
	const NONE = /^There are no IDs to delete in '(Instance IDs|ID Field)'$/;
	test.each<[string, INodeParameters, IDataObject[]]>([
		['empty lists', FROM_LIST, [{}, ...itemsOf([[], '', '[]', null])]],
		['blanks and commas', { instanceIds: ' ,\n, ' }, [{ a: 1 }]],
		['empty items, from a field', FROM_FIELD, [{}]],
		['empty lists, from a field', FROM_FIELD, itemsOf([[], '[]'])],
	])(
		'stops, does nothing, or makes an error item of each, as chosen (%s)',
		async (_what, parameters, items) => {
			const { error } = await bulkDelete(parameters, items);
			expect(error?.message).toMatch(NONE);
			expect(error?.itemIndex).toBe(0);
			expect(error?.description).toContain("'If There Are No IDs'");
			const chosen = await bulkDelete({ ...parameters, options: { onEmpty: 'nothing' } }, items);
			expect([chosen.error, chosen.outputs]).toEqual([undefined, [[]]]);
			const { outputs } = await bulkDelete(parameters, items, CONTINUE);
			expect(pairsOf(outputs[0])).toEqual(items.map((_item, item) => ({ item })));
			expect(outputs[0]?.[0]?.json.error).toBe(error?.message);
			expect(sandbox.requests()).toEqual([]);
		},
	);
});

describe('A dry run', () => {
	const OPTIONS = { dryRun: true };
	const list = async (parameters: INodeParameters, items: IDataObject[]) => {
		const { outputs, tasks, error } = await bulkDelete({ ...parameters, options: OPTIONS }, items);
		expect(error).toBeUndefined();
		expect(sandbox.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
		return { items: outputs[0] ?? [], hints: tasks[0]?.hints };
	};
	// The keys are there, since n8n's table shows missing ones as a red "undefined".
	const ABSENT = { found: false, name: null, stage: null };
	const ofId = (id: number, seen: object = {}) => ({ id, deleted: false, dryRun: true, ...seen });

	test('deletes nothing, and shows what each instance is, or why that is not known', async () => {
		const returns = (id: number, status: number, body: unknown) =>
			sandbox.control.addFault({ match: { ids: [id] }, action: respond(status, body) });
		returns(102, 410, '');
		returns(103, 403, { detail: 'Not yours.' });
		returns(104, 200, { id: 105, process: 'p' });
		const { items, hints } = await list(FROM_LIST, itemsOf(['101, 102', 101, [103, 104, 999999]]));
		const { name, stage } = sandbox.control.instance(101) ?? {};
		expect(items).toEqual([
			{ json: ofId(101, { found: true, name, stage }), pairedItem: [{ item: 0 }, { item: 1 }] },
			{ json: ofId(102, ABSENT), pairedItem: { item: 0 } },
			...[
				ofId(103, { message: expect.stringMatching(/ instance 103 \(403\): Not yours\.$/) }),
				ofId(104, { message: expect.stringMatching(/ contains another instance, with ID 105$/) }),
				ofId(999_999, ABSENT),
			].map((json) => ({ json, pairedItem: { item: 2 } })),
		]);
		expect(hints).toEqual([]);
	});

	test('reads the first 100 instances, several at a time, and lists the others by ID', async () => {
		const ids = sandbox.control.addInstances(150);
		sandbox.control.setLatency(5);
		const { items, hints } = await list(FROM_FIELD, itemsOf(ids));
		const found = items.filter(({ json }) => json.found === true);
		expect(found.map(({ json }) => json.id)).toEqual(ids.slice(0, 100));
		expect(items.slice(100).map(({ json }) => json)).toEqual(ids.slice(100).map((id) => ofId(id)));
		expect(hints?.map(({ message }) => message)).toEqual([expect.stringMatching(/first 100 /)]);
		expect(sandbox.control.stats().maxInFlight).toBeGreaterThan(1);
		expect((await list(FROM_FIELD, itemsOf(ids.slice(50)))).hints).toEqual([]);
	});

	test('ends when the execution is stopped', async () => {
		sandbox.control.addFault({ action: { type: 'hang' } });
		const stop = new AbortController();
		const { signal } = stop;
		const running = bulkDelete({ instanceIds: '101', options: OPTIONS }, [{}], { signal });
		while (sandbox.log().length === 0) await new Promise(setImmediate);
		stop.abort();
		expect((await running).status).toBe('canceled');
	});

	test('lists the IDs with a credential that cannot be used, too', async () => {
		const credentials = { ...sandbox.credentials, baseUrl: 'no URL' };
		const parameters = { instanceIds: '101', options: OPTIONS };
		const { outputs } = await bulkDelete(parameters, [{}], { credentials });
		const message = expect.stringContaining("'Base URL'");
		expect(outputs[0]?.map(({ json }) => json)).toEqual([ofId(101, { message })]);
	});
});

describe('Bulk Delete of many items', () => {
	test.each(['list', 'field'])(
		'pairs the first 100 of those with the same %s of IDs, and suggests Execute Once',
		async (from) => {
			const ids = sandbox.control.addInstances(150);
			const items = range(150).map(() => ({ id: [...ids] }));
			const list = { instanceIds: ids.join() };
			const { outputs, tasks } = await bulkDelete(from === 'field' ? FROM_FIELD : list, items);
			expect(sandbox.left(ids)).toEqual([]);
			expect(tasks[0]?.hints?.[0]?.message).toContain("turn on 'Execute Once'");
			expect(tasks[0]?.hints).toHaveLength(2);
			expect(sandbox.requests()).toHaveLength(2);
			expect(outputs[0]).toHaveLength(150);
			// One list for all of them, which n8n saves once.
			const pairings = new Set(outputs[0]?.map(({ pairedItem }) => pairedItem));
			expect([...pairings]).toEqual([FIRST_100]);
		},
	);

	test.each([
		['100 items have one list', 100, () => [101, 102]],
		['all items have one ID', 101, () => [101]],
		['there are two lists', 101, (item: number) => (item % 2 === 0 ? [101, 102] : [102, 101])],
	])('does not suggest Execute Once where %s', async (_what, count, idsOf) => {
		const { tasks } = await bulkDelete(FROM_FIELD, itemsOf(range(count).map(idsOf)));
		expect(tasks[0]?.hints).toHaveLength(1);
	});

	test('pairs an ID that is in several lists with the first 100 items', async () => {
		const lists = range(120).map((item) => (item % 2 === 0 ? [101, 102] : [102, 103]));
		const { outputs } = await bulkDelete(FROM_FIELD, itemsOf(lists));
		expect(outputs[0]?.[1]).toEqual(deleted(102, FIRST_100));
	});

	test('lists the first 500 IDs in words, and all of them in the details, when it stops', async () => {
		const ids = sandbox.control.addInstances(700);
		sandbox.control.addFault({ match: { nth: 2 }, action: respond(400) });
		const { error } = await bulkDelete({ instanceIds: ids.join(',') });
		const [deletedIds, notDeletedIds] = [ids.slice(0, 100), ids.slice(100)];
		const shown = notDeletedIds.slice(0, 500).join(', ');
		expect(error?.description).toContain(`Not deleted: ${shown} and 100 more.`);
		expect(error?.context).toMatchObject({ deletedIds, notDeletedIds });
	});
});

describe('With Continue, Bulk Delete', () => {
	const BAD = [{ id: 101 }, { id: 'x' }, { id: 102 }, { id: 1.5, note: 'n' }, { id: [103, 101] }];

	test.each([FROM_FIELD, FROM_LIST])(
		'sends items that cannot be used to the error output, paired (%j)',
		async (parameters) => {
			const { outputs, downstream } = await bulkDelete(parameters, BAD, BRANCH);
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
		},
	);

	test('leaves out the items without IDs among others when that is fine', async () => {
		const items = itemsOf([[101], [], '']).concat({}, { id: 102 });
		const options = { onEmpty: 'nothing' };
		const { outputs } = await bulkDelete({ ...FROM_LIST, options }, items, CONTINUE);
		expect(pairsOf(outputs[0])).toEqual([{ item: 0 }, { item: 4 }]);
	});
});

describe('Where the service rejects a batch,', () => {
	const refuse = (ids: number[] | undefined, status: number) =>
		sandbox.control.addFault({
			match: { method: 'POST', ids },
			times: 0,
			action: respond(status, { detail: 'Not these.' }),
		});

	describe('with three IDs of 250 rejected,', () => {
		let ids: number[];
		let bad: number[];
		beforeEach(() => {
			ids = sandbox.control.addInstances(250);
			bad = [100, 157, 199].flatMap((place) => ids[place] ?? []);
			refuse(bad, 400);
		});

		test('the run stops, says what was deleted, and that Continue finds them', async () => {
			const { error, outputs } = await bulkDelete(FROM_FIELD, itemsOf(ids));
			const [deletedIds, notDeletedIds] = [ids.slice(0, 100), ids.slice(100)];
			expect(outputs).toEqual([]);
			expect(error?.message).toMatch(/^Batch 2 of 3: .* one or more of 100 instances /);
			expect(error?.itemIndex).toBe(100);
			expect(error?.context).toMatchObject({ deletedIds, notDeletedIds, uncertainIds: [] });
			const outcome = `Deleted: ${deletedIds.join(', ')}. Not deleted: ${notDeletedIds.join(', ')}.`;
			expect(error?.description).toContain(`${outcome} To delete the rest`);
			expect(error?.description).toMatch(/set 'On Error' .* to Continue/);
			expect(sandbox.left(ids)).toEqual(notDeletedIds);
			expect(sandbox.requests()).toHaveLength(2);
		});

		test('Continue finds them with few requests, all items paired', async () => {
			const { outputs } = await bulkDelete(FROM_FIELD, itemsOf(ids), CONTINUE);
			expect(outputs).toHaveLength(1);
			expect(pairsOf(outputs[0])).toEqual([...ids.keys()].map((item) => ({ item })));
			const failed = (outputs[0] ?? []).filter(({ json }) => json.error !== undefined);
			const places = failed.map(({ json }) => [json.id, asObject(json.details).item]);
			expect(places).toEqual(bad.map((id) => [id, ids.indexOf(id)]));
			for (const { json } of failed) expect(json.error).toMatch(/ instance \d+ .*: Not these\.$/);
			expect(JSON.stringify(failed)).not.toMatch(/one or more of|'On Error'/);
			expect(sandbox.left(ids)).toEqual(bad);
			// Two more for each of the seven halvings that lead to an ID.
			expect(sandbox.requests().length).toBeLessThanOrEqual(3 + 3 * 2 * 7);
			expect(sandbox.control.stats().maxInFlight).toBe(1);
		});
	});

	test.each([
		...[400, 403, 404, 409, 422].map((status) => ({ status, requests: 1 + 2 * 3, refused: 1 })),
		...[401, 500].map((status) => ({ status, requests: 1, refused: 8 })),
	])(
		'one ID of eight rejected with $status makes $requests requests, and $refused of them stay',
		async ({ status, requests, refused }) => {
			const ids = sandbox.control.addInstances(8);
			refuse(ids.slice(3, 4), status);
			const parameters = FROM_FIELD;
			const { outputs } = await bulkDelete(parameters, itemsOf(ids), CONTINUE);
			expect(outputs[0]?.filter(({ json }) => json.error !== undefined)).toHaveLength(refused);
			expect(sandbox.left(ids)).toHaveLength(refused);
			expect(sandbox.requests()).toHaveLength(requests);
		},
	);

	test('half of 400 IDs cost at most 200 extra requests, and the rest is reported with its batch', async () => {
		const ids = sandbox.control.addInstances(400);
		const bad = ids.filter((_id, index) => index % 2 === 1);
		refuse(bad, 400);
		const { outputs } = await bulkDelete(FROM_FIELD, itemsOf(ids), CONTINUE);
		expect(sandbox.requests().length).toBeGreaterThanOrEqual(4 + 199);
		expect(sandbox.requests().length).toBeLessThanOrEqual(4 + 200);
		const told = (outputs[0] ?? []).map(({ json }) => json);
		expect(told).toHaveLength(400);
		expect(told[1]?.error).toContain(`deletion of instance ${ids[1]} (400): Not these.`);
		const words = /^The batch that contains this ID was rejected\. .* of 100 instances \(400/;
		const advice = /^Other IDs in the batch .* 200 extra requests\. Run this node again/;
		expect(told[399]?.error).toMatch(words);
		expect(asObject(told[399]?.details).description).toMatch(advice);
		expect(told[399]?.id).toBe(ids[399]);
		expect(sandbox.left(ids)).toEqual(ids.filter((_id, index) => told[index]?.deleted !== true));
	});

	const NOBODY = '{"detail":"You may not delete instances."}';
	test.each<[number, string, extra: number, words: RegExp]>([
		[403, '<!doctype html><title>Sign in</title>', 0, /one or more of 100 instances/],
		[404, '404 page not found', 0, /no Workflow Instance Service/],
		[403, NOBODY, 200, /^The API key does not have access to instance \d/],
		[404, '', 200, /^The service did not find instance \d/],
	])('%d with %j for all of 1,000 IDs makes %d extra requests', async (...row) => {
		const [status, body, extra, words] = row;
		const ids = sandbox.control.addInstances(1_000);
		const match = { method: 'POST' };
		sandbox.control.addFault({ match, times: 0, action: respond(status, body) });
		const { outputs } = await bulkDelete(FROM_FIELD, itemsOf(ids), CONTINUE);
		expect(sandbox.requests()).toHaveLength(10 + extra);
		expect(outputs[0]).toHaveLength(1_000);
		expect(outputs[0]?.[0]?.json.error).toMatch(words);
		expect(sandbox.left(ids)).toEqual(ids);
	});

	test('404 about some of several IDs calls none of them not deleted', async () => {
		const ids = [101, 102, 104];
		const parameters = { instanceIds: ids.join() };
		sandbox.control.addFault({ action: respond(404, { detail: 'Not found.' }), times: 0 });
		const { error } = await bulkDelete(parameters);
		expect(error?.description).toContain('Unknown: 101, 102, 104.');
		const { outputs } = await bulkDelete(parameters, [{}], CONTINUE);
		const told = (outputs[0] ?? []).map(({ json }) => asObject(json.details).description);
		expect(told).toEqual(ids.map(() => expect.stringContaining('processed an earlier attempt')));
	});

	test('403 in words about the key is not looked for in halves', async () => {
		const detail = 'Authentication credentials were not provided.';
		sandbox.control.addFault({ action: respond(403, { detail }), times: 0 });
		const { outputs } = await bulkDelete({ instanceIds: '101, 102, 104' }, [{}], CONTINUE);
		expect(outputs[0]?.[0]?.json.error).toMatch(/^The service rejected the 'API Key' .* \(403\)/);
		expect(sandbox.requests()).toHaveLength(1);
	});

	test('the message of a single request does not count batches', async () => {
		refuse(undefined, 403);
		const { error } = await bulkDelete(FROM_FIELD, itemsOf([101]));
		const words = 'The API key does not have access to instance 101 (403): Not these.';
		expect(error?.message).toBe(words);
		expect(error?.description).toContain('Not deleted: 101.');
		expect(error?.itemIndex).toBe(0);
	});
});
