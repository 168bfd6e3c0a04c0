import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asObject } from '../../nodes/WorkflowInstanceService/values/json';
import { TRIGGER_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { bodies, itemsOf } from './support/instances';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

const sandbox = useSandbox();
type Settings = Parameters<typeof sandbox.run>[2];
const bulkDelete = async (parameters: INodeParameters, items?: IDataObject[], more?: Settings) =>
	await sandbox.run({ ...DELETE_IDS, ...parameters }, items, more);
const gone = () => SEED.all.filter((id) => sandbox.control.instance(id) === undefined);
const FIRST_100 = [...Array(100).keys()].map((item) => ({ item }));

test.each([
	[undefined, [100, 50]],
	['={{ "\u200b60" }}', [60, 60, 30]],
])('Bulk Delete sends batches for the size %p', async (batchSize, sizes) => {
	const ids = sandbox.control.addInstances(150);
	await bulkDelete({ instanceIds: ids.join(), options: { batchSize } });
	const sent = bodies(sandbox, 'POST').map((body) => [body.ids].flat());
	expect(sent.map(({ length }) => length)).toEqual(sizes);
	expect(sent.flat()).toEqual(ids);
	expect(sandbox.requests()).toEqual(sizes.map(() => 'POST /api/instances/bulk/delete'));
});

test.each<[path: string, item: IDataObject, ids: number[]]>([
	['{{ $json["instance.id"] }}', { 'instance.id': 101, instance: { id: 102 } }, [101]],
	['{{ $json.a.b.c.d }}', { a: { b: { c: { d: '[101]' } } } }, [101]],
	['{{ $json.id }}', { id: '[101, 102,103, 104]' }, [101, 102, 103, 104]],
	['{{ $json.id }}', { id: '\u200b101; 102\t104\r\n105, 106\ufeff' }, [101, 102, 104, 105, 106]],
	['{{ $json.id }}', { id: '[]' }, []],
])('Bulk Delete by %s of %j deletes %j, without an evaluation', async (path, item, ids) => {
	const { error, outputs, evaluations } = await bulkDelete({ instanceIds: `=${path}` }, [item]);
	expect(error).toBeUndefined();
	expect(gone()).toEqual(ids);
	expect(outputs[0]?.map(({ json }) => json)).toEqual(ids.map((id) => ({ id, deleted: true })));
	expect(evaluations).toBe(0);
});

const PROCESS_URL = 'https://other.example/x/processes/11/';
const OTHER_HOST = 'https://other.example/api/instances/102/';
const NUMBERS = [
	...['19,99', '3,5', ' 3,5 ', '19,99\n20,5', '7;19,99', '7\t19,99', `${OTHER_HOST}?x=1,2`],
	...['1,234', ' 1,234,567 ,', '12,34,567', '12, 1,234', '1,\u200b234'],
];
/** Text that nobody means as IDs, but that a public form may send. */
const LONG = ['?'.repeat(100_000), `${'é'.repeat(100_000)}1, 2`];
const HEADINGS = ['ID\n12\n15', 'Instance ID; 12', 'instance_id,12', ['id', 12]];

const NO_MARKS = 'separated by commas, without leading zeros or quotation marks';
const EACH_ID = 'in a field that takes a list, {{ $json.column.map((each) => each.id) }}.';
const FILTER =
	'filter out items without IDs. If there is nothing to process, have the expression return';

// More values are in get.test.ts.
test.each<[words: string, advice: string, values: unknown[]]>([
	["1.5 in 'Instance IDs' is not the ID of", 'Correct or remove it. Enter whole', [[102, 1.5]]],
	['"x" in \'Instance IDs\' is not the ID', 'Correct or remove it', ['x']],
	[`"'15'" in`, NO_MARKS, ["12,  '15'"]],
	['110" in', NO_MARKS, ['108 110', '7, 108  110']],
	['"12" in', 'Remove the quotation marks around the value. Correct or', ['"12", "15"']],
	["\" in 'Instance IDs' is not the ID of an instance", 'Correct or remove it', HEADINGS],
	["in 'Instance IDs' is not the ID of an", 'Correct or remove it', LONG],
	['may be one ID or several', 'Separate IDs by a comma and a space', NUMBERS],
	['may be one ID or several', "345. In an expression, use {{ typeof $json['", ['19,99', '107,0']],
	["0\" in 'Instance IDs' is not the ID", 'e.g. {{ /^\\d+(\\.0+)?$/.test(', ['107.0', '0110']],
	['may be one ID or several', 'e.g. 12, 345. In a URL, remove', [`${OTHER_HOST}?a=1,2`]],
	["The list in 'Instance IDs' contains an empty entry", 'Correct or remove it', [[101, ' ']]],
	[`"${PROCESS_URL}" in 'Instance IDs' is the URL of a process`, '/instances/', [PROCESS_URL]],
	['is on other.example, but the credential is for 127.0.0.1', 'Use an ID or', [OTHER_HOST]],
	["in 'Instance IDs' is not the ID of an instance", 'separated by commas', ['[101] 102']],
	['"A-7" in', 'If you use an expression, check what it returns.', ['A-7']],
	["'Instance IDs' contains an object", 'enter e.g. {{ $json.column.id }}', [{ id: 101 }]],
	['contains an object instead of the ID of an instance', EACH_ID, [[{ name: 'A', id: 101 }]]],
	['"{{ $json.id }}" in', 'switch the field to Expression', ['{{ $json.id }}']],
	["in 'Instance IDs' is not the ID", 'To use the URL in a text', [`See ${OTHER_HOST} there`]],
	["'Instance IDs' is empty", FILTER, [null, undefined, '', ' ,\n, ', [null, '']]],
])('Bulk Delete deletes nothing where %s (%s): %j', async (words, advice, values) => {
	for (const value of values) {
		const { error, outputs } = await bulkDelete({}, itemsOf([101, value, 103]));
		expect(outputs).toEqual([]);
		expect([value, error?.itemIndex]).toEqual([value, 1]);
		expect(error?.message).toContain(words);
		expect(error?.description).toContain(advice);
		expect(error?.description).toMatch(/ Nothing was deleted in this run of the node\.$/);
		expect(error?.context).toMatchObject({ notSentIds: [] });
	}
	expect(sandbox.requests()).toEqual([]);
});

test('Bulk Delete deletes no instance of a sample from a test of the trigger', async () => {
	const sample = { sample: true, eventId: '101-completed-sample', instance: { id: 101 } };
	const items = [sample, { sample: true, eventId: 'lab-7-sample', instance: { id: 102 } }];
	const deletion = { instanceIds: '={{ $json.instance.id }}' };
	const { outputs } = await bulkDelete(deletion, items, CONTINUE);
	const error = expect.stringContaining('This item is a sample from a test of the trigger');
	expect(outputs[0]).toMatchObject([{ json: { error } }, { json: { id: 102, deleted: true } }]);
	const preview = await bulkDelete({ ...deletion, dryRun: true }, [sample]);
	expect(preview.outputs[0]).toMatchObject([{ json: { id: 101, dryRun: true } }]);
});

test.each([true, false])('Bulk Delete knows a sample after another node (%p)', async (sample) => {
	const items = [{ ...(sample && { sample }), event: 'completed', instance: { id: 101 } }];
	const between = '={{ ({ id: $json.instance.id }) }}';
	const { error } = await bulkDelete({}, items, { source: TRIGGER_TYPE, between });
	expect(error?.message ?? '').toContain(sample ? 'This item is a sample from a test' : '');
	expect(sandbox.remaining([101])).toEqual(sample ? [101] : []);
});

const ERROR_ITEM = expect.stringContaining(
	'This item is an error item from an earlier node: The service',
);

test('Bulk Delete rejects error items and what a dry run could not read, but takes an error output', async () => {
	const ids = sandbox.control.addInstances(2);
	sandbox.fault(respond(500), { ids: ids.slice(0, 1), times: 0 });
	const jsonsOf = async (running: ReturnType<typeof bulkDelete>) =>
		(await running).outputs.flat().map(({ json }) => json);
	const get = async (onError: 'continueRegularOutput' | 'continueErrorOutput') =>
		await jsonsOf(sandbox.run({ instanceId: ID_OF_ITEM }, itemsOf(ids), { onError }));
	const [error] = await get('continueRegularOutput');
	const [, failed] = await get('continueErrorOutput');
	const [unread = {}, read = {}] = await jsonsOf(bulkDelete({ dryRun: true }, itemsOf(ids)));
	sandbox.control.clearFaults();
	const rejected = [{ ...error }, unread, { ...error, checked: true }];
	const item = { id: ids[0], error: ERROR_ITEM };
	expect(await jsonsOf(bulkDelete({}, rejected, CONTINUE))).toMatchObject([item, item, item]);
	expect(sandbox.remaining(ids)).toEqual(ids);
	await bulkDelete({}, [{ ...failed, id: ids[0] }]);
	expect(sandbox.remaining(ids)).toEqual(ids.slice(1));
	await bulkDelete({}, [read]);
	expect(sandbox.remaining(ids)).toEqual([]);
});

test.each<[item: IDataObject, instanceIds: string, id: number | undefined]>([
	// As n8n's own nodes return failed items, with the ID from a previous node.
	[{ error: { message: 'The service' } }, '={{ 101 }}', 101],
	[{ error: 'The service' }, '={{ 101 }}', 101],
	[{ error: { message: 'The service' } }, '101', 101],
	[
		{ error: { code: 'E' }, message: 'The service', item: { id: 101 } },
		'={{ $json.item.id }}',
		101,
	],
	// Where it isn't known which instance failed.
	[{ error: 'The service' }, '={{ [101, 102] }}', undefined],
	[{ error: 'The service', details: { item: 0 } }, '={{ [101, 102] }}', undefined],
])('Bulk Delete rejects the error item %j with %s', async (item, instanceIds, id) => {
	const { outputs } = await bulkDelete({ instanceIds }, [item], CONTINUE);
	const listed = outputs.flat().map(({ json }) => [json.id, json.error]);
	expect(listed).toEqual([[id, ERROR_ITEM]]);
	expect(sandbox.requests()).toEqual([]);
});

test.each<[item: IDataObject, instanceIds: string, deleted: number[]]>([
	[{ id: 101, error: 'Payment failed' }, '={{ $json.id }}', [101]],
	[{ id: 101, error: 'Payment failed', details: { code: 1 } }, '={{ $json.id }}', [101]],
	[{ error: 'Not deleted', details: { item: 0, id: 101 } }, '={{ $json.details.id }}', [101]],
	[{ error: 'Not deleted' }, '={{ $json.error ? [] : $json.id }}', []],
	[{ error: false, message: 'OK', item: 101 }, '={{ $json.item }}', [101]],
	[
		{ data: [{ id: 101, error: 'No.', details: { item: 0 } }, { id: 102 }] },
		'={{ $json.data.filter((each) => each.error).map((each) => each.id) }}',
		[101],
	],
	// On an error output, a row whose value is not valid has no ID in its details.
	[{ error: 'No', details: { item: 0 }, instance_id: 'x', own: 101 }, '={{ $json.own }}', [101]],
	[{ 'Notes;more': 'None', ids: '101, 102' }, '={{ $json.ids }}', [101, 102]],
	[{ 'ID;Name': '101;A' }, "={{ $json['ID;Name'].split(';')[0] }}", [101]],
])('Bulk Delete deletes what %j means with %s: %j', async (item, instanceIds, deleted) => {
	const { error, outputs } = await bulkDelete({ instanceIds }, [item]);
	expect(error).toBeUndefined();
	expect(outputs.flat().map(({ json }) => json.id)).toEqual(deleted);
});

test('Bulk Delete deletes nothing by a file that was read with another delimiter', async () => {
	const instanceIds = '={{ $json["Instance;Customer"] }}';
	const items = [{ 'Instance;Customer': '101;102' }];
	const { error } = await bulkDelete({ instanceIds }, items);
	expect(error?.message).toMatch(/^'Instance;Customer' contains several columns/);
	expect(sandbox.requests()).toEqual([]);
	const ofForm = { instanceIds: '={{ $json["IDs (separated by ;)"] }}', dryRun: true };
	const { outputs } = await bulkDelete(ofForm, [{ 'IDs (separated by ;)': '101;102' }]);
	expect(outputs[0]).toMatchObject([{ json: { id: 101 } }, { json: { id: 102 } }]);
});

test.each([false, true])('Bulk Delete without any ID says so (dry run: %p)', async (dryRun) => {
	const { outputs, hints } = await bulkDelete({ dryRun }, itemsOf([[], '[]']));
	expect(outputs.flat()).toEqual([]);
	const expected = expect.stringMatching(/^There were no instance IDs, .* 'Always Output Data'/);
	expect(hints).toEqual([expected]);
});

describe('A dry run of Bulk Delete', () => {
	const list = async (
		given: IDataObject[],
		parameters: INodeParameters = {},
		settings: Settings = {},
	) => {
		const dryRun = await bulkDelete({ ...parameters, dryRun: true }, given, settings);
		const { outputs, hints, error } = dryRun;
		expect(error).toBeUndefined();
		expect(sandbox.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
		const items = outputs[0] ?? [];
		return { items, hints, ids: items.map(({ json }) => json.id) };
	};
	const ON = expect.stringMatching(/^Dry Run is on, so nothing was deleted\. /);
	const UNFINISHED = expect.stringContaining('neither completed nor aborted');
	const NOT_DELETED = { deleted: false, dryRun: true };
	const ofId = (id: number | null, seen: object = {}) => ({ id, ...NOT_DELETED, ...seen });
	const telling = (words: RegExp) => ({ message: expect.stringMatching(words) });

	test('deletes nothing, and shows what each instance is, or what is wrong with an item', async () => {
		sandbox.fault(respond(410), { ids: [102] });
		sandbox.fault(respond(403, { detail: 'Not yours.' }), { ids: [103] });
		sandbox.fault(respond(200, { id: 105, process: 'p' }), { ids: [104] });
		const given = itemsOf(['101, 102, 101', 101, [103, 104, 999_999], 'x']);
		const { items, hints } = await list(given);
		const { name, stage } = sandbox.control.instance(101) ?? {};
		// The keys are there, since n8n's table shows missing ones as a red "undefined".
		const absent = { found: false, name: null, stage: null };
		const noAccess = telling(/ instance 103 \(403\): Not yours\. Test the credential\./);
		expect(items.map(({ json, pairedItem }) => [pairedItem, json])).toEqual([
			[[{ item: 0 }, { item: 1 }], ofId(101, { found: true, name, stage })],
			[{ item: 0 }, ofId(102, absent)],
			[{ item: 2 }, ofId(103, noAccess)],
			[{ item: 2 }, ofId(104, telling(/ contains another instance, with ID 105\. /))],
			[{ item: 2 }, ofId(999_999, absent)],
			[{ item: 3 }, ofId(null, telling(/^"x" in 'Instance IDs' is not the ID/))],
		]);
		expect(hints).toEqual([
			ON,
			UNFINISHED,
			"Items that can't be processed: 3. See the message field of each.",
		]);
		expect((await list(itemsOf(['x']), { options: { dryRun: true } })).hints[0]).toEqual(ON);
	});

	test.each<[instanceIds: string, item: IDataObject, key: string | undefined]>([
		['={{ $json.id }}', { id: 1, instance_id: 101 }, 'instance_id'],
		["={{ $json['id'] }}", { id: 1, instanceId: 'x' }, 'instanceId'],
		["={{ $('Items').item.json.ID }}", { ID: 1, 'Instance ID': 101 }, 'Instance ID'],
		['={{ $("Items").item.json["id"] }}', { id: 1, instance_id: 101 }, 'instance_id'],
		['={{ $json.body.id }}', { body: { id: 1, instance_id: 101 } }, 'instance_id'],
		['={{ $json.data[0].id }}\n', { data: [{ id: 1, instance_id: 101 }] }, 'instance_id'],
		['={{ $json.id }}', { id: [1, 101], instance_id: [101, 102] }, 'instance_id'],
		['={{ $json.id }}', { ID: 'A-7', id: 1, instance_id: 101 }, 'instance_id'],
		['={{ $json.id }}', { id: 1, 'Instance URL ': `${PROCESS_URL}101/` }, 'Instance URL '],
		['={{ $json.id }}', { id: 1, 'Instanz-ID': 101 }, 'Instanz-ID'],
		['={{ $json.id }}', { id: 1, workflow_instance_id: 101 }, 'workflow_instance_id'],
		['={{ $json.id }}', { id: 1, instance_ids: '101,102' }, 'instance_ids'],
		['={{ $json.id }}', { id: 1, instance_id: [101] }, 'instance_id'],
		['={{ $json.id }}', { id: 1, 'Instance (ID)': 101 }, 'Instance (ID)'],
		['={{ $json.id }}', { id: 1, 'Process instance': 101 }, 'Process instance'],
		['={{ $json.id }}', { id: 1, Instance: 101 }, 'Instance'],
		['={{ $json.id }}', { id: 1, url: 'https://x.example/api/instances/101/' }, 'url'],
		['={{ $json.row_number }}', { row_number: 103, instance_id: 101 }, 'instance_id'],
		['={{ $json.id }}', { id: 101, instance_id: null }, 'instance_id'],
		['={{ $json.id }}', { id: 101, instance_id: '' }, 'instance_id'],
		// The column may be about something else, or contains the same ID.
		['={{ $json.id }}', { id: 1, parent_instance_id: 101 }, undefined],
		['={{ $json.id }}', { id: 101, Instance: 'Invoice 118' }, undefined],
		['={{ $json.id }}', { id: 101, Instance: '12 34' }, undefined],
		['={{ $json.id }}', { id: 101, Instance: '' }, undefined],
		['={{ $json.id }}', { id: 101, 'Instance No.': 3 }, undefined],
		['={{ $json.id }}', { id: 1, instances: 'all' }, undefined],
		['={{ $json.id }}', { id: 101, url: 'https://x.example/sheet' }, undefined],
		['={{ $json.id }}', { id: 101, instance_id: '101' }, undefined],
		['={{ $json.id }}', { id: 101, instance_ids: [100, '101'] }, undefined],
		['={{ $json.id }}', { id: [101, 102], instance_ids: '102, 101' }, undefined],
		['={{ $json.id }}', { id: 101, instance: 2, instance_id: 101 }, undefined],
		['={{ $json.id }}', { id: 101, instance_url: 'https://x.example/instances/101/' }, undefined],
		['={{ $json.order.id }}', { row_number: 1, order: { id: 1 }, instance_id: 2 }, undefined],
		['={{ $json.ids }}', { id: 1, ids: 1, instance_id: 101 }, undefined],
		// Code may choose between columns.
		['={{ $json.instance_id ?? $json.id }}', { id: 1, instance_id: 101 }, undefined],
	])('by %s of %j says that the item also has %s', async (instanceIds, item, key) => {
		const { items } = await list([{ ...item }, { ...item }], { instanceIds });
		const inBrackets = `\\((empty|\\d+(, \\d+)*|"[^"]+"), not \\d+(, \\d+)*\\)`;
		const name = String(key).replace(/[()]/g, '.');
		const message = expect.stringMatching(
			`, but the item( of 'Items')? also has '${name}' ${inBrackets}. If it's the ID of a table's row, clear the field, then use only '${name}'.`,
		);
		const said = items.filter(({ json }) => / also has /.test(String(json.message)));
		expect(said).toMatchObject(key === undefined ? [] : Array(2).fill({ json: { message } }));
		// Deleted instances can't be restored.
		const { outputs } = await bulkDelete({ instanceIds }, [item], CONTINUE);
		const { error = '' } = outputs[0]?.[0]?.json ?? {};
		expect(error).toContain(key === undefined ? '' : ` also has '${key}'`);
		expect(sandbox.requests().some((request) => request.startsWith('POST'))).toBe(!key);
	});

	test.each<[instanceIds: string, id: number | null]>([
		["={{ $('Items').item.json.id }}", null],
		["={{ $('Items').item.json.instance_id }}", 101],
	])('compares the item of another node: %s', async (instanceIds, id) => {
		const between = '={{ ({ id: $json.instance_id }) }}';
		const { items } = await list([{ id: 103, instance_id: 101 }], { instanceIds }, { between });
		const rejected = telling(
			/uses id, but the item of 'Items' also has 'instance_id' \(101, not 103\)/,
		);
		expect(items).toMatchObject([{ json: id === null ? rejected : { id } }]);
	});

	test('compares thousands of IDs in one item in one pass', async () => {
		const ids = Array.from({ length: 10_000 }, (_, index) => index + 1);
		const { items } = await list([{ id: ids, instance_ids: ids }]);
		expect(items).toHaveLength(ids.length);
	});

	test('rejects only the item with an ID of another kind', async () => {
		const invalid = { id: { toString: 1 }, instance_id: 5 };
		const { items } = await list([{ id: 101, instance_id: 101 }, invalid]);
		const json = telling(/contains an object instead of the ID of an instance/);
		expect(items).toMatchObject([{ json: { id: 101, found: true } }, { json }]);
	});

	test('reads the first 100 instances, several at a time, and lists the others by ID', async () => {
		const ids = sandbox.control.addInstances(150);
		sandbox.control.setLatency(5);
		const { items, hints } = await list(itemsOf(ids));
		const found = items.filter(({ json }) => json.found === true);
		expect(found.map(({ json }) => json.id)).toEqual(ids.slice(0, 100));
		expect(items.slice(100).map(({ json }) => json)).toEqual(ids.slice(100).map((id) => ofId(id)));
		expect(hints).toEqual([ON, expect.stringMatching(/first 100 /), UNFINISHED]);
		expect(sandbox.control.stats().maxInFlight).toBeGreaterThan(1);
		expect((await list(itemsOf(ids.slice(50)))).hints).toEqual([ON, UNFINISHED]);
	});

	test('of finished instances has no hint about others', async () => {
		expect((await list(itemsOf([SEED.completed, SEED.aborted]))).hints).toEqual([ON]);
	});
});

test.each([true, false])('Bulk Delete pairs IDs with 100 items (typed in: %p)', async (isTyped) => {
	const ids = sandbox.control.addInstances(150);
	const items = ids.map(() => ({ id: [...ids] }));
	const { outputs } = await bulkDelete(isTyped ? { instanceIds: ids.join() } : {}, items);
	expect(sandbox.remaining(ids)).toEqual([]);
	expect(sandbox.requests()).toHaveLength(2);
	expect(outputs[0]).toHaveLength(150);
	// One list for all of them, which n8n saves only once.
	const pairings = new Set(outputs[0]?.map(({ pairedItem }) => pairedItem));
	expect([...pairings]).toEqual([FIRST_100]);
});

test('Bulk Delete pairs an ID that 150 different lists contain with the first 100 of them', async () => {
	const [shared = 0, ...others] = sandbox.control.addInstances(151);
	const { outputs } = await bulkDelete({}, itemsOf(others.map((id) => [id, shared])));
	const item = outputs[0]?.find(({ json }) => json.id === shared);
	expect(item?.pairedItem).toEqual(FIRST_100);
});

/** What the histories in test/model/writes don't show: words, figures, and the number of requests. */
describe('When the service rejects a batch,', () => {
	const reject = (ids: number[]) =>
		sandbox.fault(respond(400, { detail: 'Not these.' }), { ids, method: 'POST', times: 0 });

	test('the run stops, lists what was deleted, up to 500 IDs in words, and says that Continue finds them', async () => {
		const ids = sandbox.control.addInstances(710);
		reject(ids.slice(157, 158));
		const { error, outputs } = await bulkDelete({}, itemsOf(ids));
		const [deletedIds, rejectedIds] = [ids.slice(0, 100), ids.slice(100, 200)];
		const notSentIds = ids.slice(200);
		expect(outputs).toEqual([]);
		expect(error?.message).toMatch(/ one or more of 100 instances /);
		expect(error?.itemIndex).toBe(100);
		// It's about its whole batch.
		expect(error?.context).not.toHaveProperty('id');
		expect(error?.context).toMatchObject({ deletedIds, rejectedIds, unknownIds: [], notSentIds });
		const done = `Deleted (100 of 710): ${deletedIds.join(', ')}. Rejected: ${rejectedIds.join(', ')}.`;
		const rest = `Not sent: ${notSentIds.slice(0, 500).join(', ')} and 10 more.`;
		expect(error?.description).toContain(`${done} ${rest}`);
		expect(error?.description).toMatch(/set 'On Error' .* to Continue/);
		expect(sandbox.remaining(ids)).toEqual(ids.slice(100));
		expect(sandbox.requests()).toHaveLength(2);
	});

	test('Continue finds three IDs of 250 with few requests, one after another', async () => {
		const ids = sandbox.control.addInstances(250);
		const bad = [100, 157, 199].flatMap((place) => ids[place] ?? []);
		reject(bad);
		const { outputs } = await bulkDelete({}, itemsOf(ids), CONTINUE);
		const failed = (outputs[0] ?? []).filter(({ json }) => json.error !== undefined);
		const places = failed.map(({ json }) => [json.id, asObject(json.details).item]);
		expect(places).toEqual(bad.map((id) => [id, ids.indexOf(id)]));
		for (const { json } of failed) expect(json.error).toMatch(/ instance \d+ .*: Not these\.$/);
		expect(JSON.stringify(failed)).not.toMatch(/one or more of|'On Error'|item \d/);
		expect(sandbox.remaining(ids)).toEqual(bad);
		// Two more requests for each of the seven halvings that lead to an ID.
		expect(sandbox.requests().length).toBeLessThanOrEqual(3 + 3 * 2 * 7);
		expect(sandbox.control.stats().maxInFlight).toBe(1);
	});

	test('half of 400 IDs cost at most 200 extra requests, and the rest is reported with its batch', async () => {
		const ids = sandbox.control.addInstances(400);
		reject(ids.filter((_id, index) => index % 2 === 1));
		const { outputs } = await bulkDelete({}, itemsOf(ids), CONTINUE);
		expect([4 + 199, 4 + 200]).toContain(sandbox.requests().length);
		const { error, details } = outputs[0]?.[399]?.json ?? {};
		expect(error).toMatch(/^The batch that contains this ID was rejected\. .* 100 instances \(400/);
		expect(asObject(details).description).toBe(
			"Other IDs in the batch may be the reason. The node stopped looking for the rejected IDs after 200 extra requests. Run this node again with the remaining IDs. Correct what the service reports. If the service limits how many IDs a request may contain, lower 'Batch Size' in the options.",
		);
	});

	test('and reports that it deleted nothing, no outcome is unknown', async () => {
		const ids = sandbox.control.addInstances(2);
		sandbox.fault(respond(400, { deleted: 0, detail: 'Locked.' }), { times: 0 });
		const { error } = await bulkDelete({}, itemsOf(ids));
		expect(error?.context).toMatchObject({ rejectedIds: ids, unknownIds: [] });
	});

	test.each([400, 403, 404, 409, 422])('with a %d, Continue finds the ID', async (status) => {
		const ids = sandbox.control.addInstances(4);
		const bad = ids.slice(1, 2);
		sandbox.fault(respond(status, { detail: 'Not this.' }), { ids: bad, times: 0 });
		const { outputs } = await bulkDelete({}, itemsOf(ids), CONTINUE);
		expect(outputs[0]?.map(({ json }) => 'error' in json)).toEqual([false, true, false, false]);
		expect(sandbox.remaining(ids)).toEqual(bad);
	});

	/** A service may have deleted some of several before it found one that is gone or locked. */
	test.each([
		[404, {}],
		[409, {}],
		[404, 'Not found'],
	])('with a %d and %j, one ID is listed as rejected, but two as unknown', async (status, body) => {
		const ids = sandbox.control.addInstances(2);
		sandbox.fault(respond(status, body), { ids: ids.slice(1), times: 0 });
		const together = await bulkDelete({}, itemsOf(ids));
		expect(together.error?.context).toMatchObject({ deletedIds: [], unknownIds: ids });
		const alone = await bulkDelete({ options: { batchSize: 1 } }, itemsOf(ids));
		const [deletedIds, rejectedIds] = [ids.slice(0, 1), ids.slice(1)];
		expect(alone.error?.context).toMatchObject({ deletedIds, rejectedIds, unknownIds: [] });
	});

	test.each([
		{ deleted: [1], failed: [2] },
		{ detail: 'Locked.', data: { results: [{ deleted: 1 }] } },
		{ detail: 'Locked.', deletedCount: '1' },
		{ results: [{ id: 7, was_deleted: true, detail: 'Some' }] },
		{ results: [{ id: 7, success: true }, { error: 'Locked.' }] },
		{ success: 2, failed: 1 },
		{ succeeded: [7], failed: [8] },
		{ results: [{ id: 7, status: 204 }, { status: 409 }] },
	])('but also reports deletions, as in %j, all are unknown, even just one', async (body) => {
		const ids = sandbox.control.addInstances(2);
		sandbox.fault(respond(422, body), { ids: ids.slice(1), times: 0 });
		const { error } = await bulkDelete({}, itemsOf(ids));
		expect(error?.context).toMatchObject({ rejectedIds: [], unknownIds: ids });
		const { outputs } = await bulkDelete({}, itemsOf(ids.slice(1)), CONTINUE);
		const description = expect.stringContaining('may already have been deleted');
		expect(outputs).toMatchObject([[{ json: { details: { description } } }]]);
	});

	test.each([true, 204])('but says %j about one ID, all are unknown', async (result) => {
		const ids = sandbox.control.addInstances(2);
		sandbox.fault(respond(422, { [`${ids[0]}`]: result, detail: 'Locked.' }));
		const { error } = await bulkDelete({}, itemsOf(ids));
		expect(error?.context).toMatchObject({ rejectedIds: [], unknownIds: ids });
	});

	test('with a wait that is too long, it does not list what was not sent', async () => {
		const ids = sandbox.control.addInstances(200);
		sandbox.fault(respond(429, {}, { 'retry-after': '3600' }), { times: 0 });
		const { error } = await bulkDelete({}, itemsOf(ids));
		expect(error?.description).toMatch(/ Nothing was deleted in this run of the node\.$/);
		expect(error?.context).toMatchObject({ notSentIds: ids });
	});

	test("with a 413 and a gateway's web page, it sends smaller batches, or says so", async () => {
		const ids = sandbox.control.addInstances(2);
		sandbox.fault(respond(413, '<html><h1>413 Request Entity Too Large</h1>'), { times: 2 });
		const { error } = await bulkDelete({}, itemsOf(ids));
		expect(error?.description).toMatch(/^Lower 'Batch Size' in the options\. The response is a /);
		const { outputs } = await bulkDelete({}, itemsOf(ids), CONTINUE);
		expect(outputs).toMatchObject([ids.map((id) => ({ json: { id, deleted: true } }))]);
		expect(sandbox.requests()).toHaveLength(4);
	});

	test("with a 404 and a gateway's text, it makes no extra request", async () => {
		const ids = sandbox.control.addInstances(200);
		sandbox.fault(respond(404, '404 page not found'), { times: 0 });
		const { outputs } = await bulkDelete({}, itemsOf(ids), CONTINUE);
		expect(sandbox.requests()).toHaveLength(2);
		expect(outputs[0]?.[0]?.json.error).toMatch(
			/not seem to come from a Workflow Instance Service/,
		);
		expect(sandbox.remaining(ids)).toEqual(ids);
	});
});
