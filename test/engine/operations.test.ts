import { isDeepStrictEqual as isEqual } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { WorkflowInstanceService } from '../../nodes/WorkflowInstanceService/WorkflowInstanceService.node';
import { SEED } from '../../sandbox/service';
import { OPTIONS } from '../../scripts/parametersPage';
import { runAsTool } from '../harness';
import { PLAIN_WORDS } from './support/hostile';
import { itemsOf } from './support/instances';
import { OPERATIONS, parametersOf, parametersWith } from './support/operations';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';

const IDS = [SEED.running, SEED.fullyFilled, SEED.overdue];
const ITEMS = itemsOf(IDS);

/** Values that hardly any parameter accepts. */
const HOSTILE: IDataObject[string][] = [
	...[null, '', ' ', '1,234', '\u200b', '1/../x', '[', '{}', '[1', 'x'.repeat(300)],
	...[true, 0, -1, 1.5, 1e300, {}, [], [[1]], [null], { toString: 1 }, { constructor: 1 }],
];
const EMPTY_LIST = HOSTILE.findIndex((value) => Array.isArray(value) && value.length === 0);
const AN_OBJECT = HOSTILE.findIndex((value) => isEqual(value, {}));
/** Words that show that a value was not checked. */
const NOT_LOOKED_AT = /undefined|NaN|\[object|cannot read|not a function|circular/i;

const sandbox = useSandbox();

test('Each operation can be called by both entry points, and found in the node panel', () => {
	const { customOperations = {}, description: node } = new WorkflowInstanceService();
	expect(Object.keys(customOperations.instance ?? {}).sort()).toEqual([...OPERATIONS].sort());
	for (const { action, description } of OPTIONS) {
		expect([action, description].every(Boolean)).toBe(true);
	}
	expect(node.properties.find(({ name }) => name === 'resource')?.routing).toMatchObject({
		send: { paginate: true },
		operations: { pagination: expect.any(Function) },
	});
});

test.each<[string, INodeParameters]>([
	['get', { output: '={{ 7 }}' }],
	['update', { output: '={{ 7 }}' }],
	['update', { options: { maxWait: '={{ -1 }}' } }],
])('An error item of %s has the ID of its instance if %j is invalid', async (operation, values) => {
	const { outputs } = await sandbox.run({ ...parametersOf(operation), ...values }, ITEMS, CONTINUE);
	const listed = outputs[0]?.map(({ json }) => [json.id, typeof json.error]);
	expect(listed).toEqual(IDS.map((id) => [id, 'string']));
});

test.each(OPERATIONS)('Error items of %s have IDs if the key is invalid', async (operation) => {
	const credentials = { ...sandbox.credentials, apiKey: ' ' };
	const parameters = parametersOf(operation, "={{ $json.id ?? $('Nowhere').item.json.id }}");
	const url = `${sandbox.credentials.baseUrl}/instances/7/`;
	const items = [...ITEMS, { id: url }, { id: 'x' }, {}];
	const settings = { ...CONTINUE, credentials };
	const { outputs, hints } = await sandbox.run(parameters, items, settings);
	expect(outputs[0]?.map(({ json }) => json.id)).toEqual([...IDS, 7, undefined, undefined]);
	expect(hints).toEqual(['6 of 6 items failed. See the error field of each.']);
});

test('Under Continue, a hint says how many items failed, if any, in the last try', async () => {
	const hintsOn = async (items: IDataObject[], settings = {}) =>
		(await sandbox.run({ instanceId: ID_OF_ITEM }, items, { ...CONTINUE, ...settings })).hints;
	expect(await hintsOn(ITEMS)).toEqual([]);
	sandbox.fault(respond(400), { ids: IDS.slice(0, 1) });
	sandbox.fault(respond(400), { ids: IDS.slice(1), times: 0 });
	const hints = await hintsOn(ITEMS, { retryOnFail: true, maxTries: 2 });
	expect(hints).toEqual(['2 of 3 items failed. See the error field of each.']);
	const alone = await hintsOn(ITEMS.slice(1, 2));
	expect(alone).toEqual(['1 of 1 items failed. See the error field of each.']);
	// The editor first shows another branch.
	const branches = await hintsOn(ITEMS.slice(1, 2), { onError: 'continueErrorOutput' });
	const onLoop = 'If this node is in a loop, connect that branch back to the loop, too.';
	expect(branches).toEqual([`1 of 1 items failed. See the Error Branch. ${onLoop}`]);
	const partly = await hintsOn(ITEMS, { onError: 'continueErrorOutput' });
	expect(partly).toEqual(['2 of 3 items failed. See the Error Branch.']);
	// Nothing was accepted.
	const deletion = await sandbox.run(DELETE_IDS, ITEMS.slice(1), CONTINUE);
	expect(deletion.hints).toEqual(['2 of 2 items failed. See the error field of each.']);
});

test.each([
	['get', false],
	['update', false],
	['update', true],
])('A row ID is rejected by %s (dry run: %p)', async (operation, dryRun) => {
	const parameters = { ...parametersOf(operation), dryRun, instanceId: ID_OF_ITEM };
	const items = [{ id: SEED.running, instance_id: SEED.overdue }];
	const { error, outputs } = await sandbox.run(parameters, items);
	const message = "The expression in 'Instance' uses id, but the item also has 'instance_id'";
	const said = dryRun ? outputs[0]?.[0]?.json : { ...error?.context, message: error?.message };
	expect(said?.message).toMatch(message);
	// It isn't known which of them is the instance.
	expect(said?.id ?? null).toBeNull();
	expect(sandbox.requests()).toEqual([]);
});

test.each<[value: string, item: IDataObject, advice: string]>([
	[' ', {}, 'Enter the ID or the URL of an instance, or an expression that returns one.'],
	['={{ $json.number }}', { Id: 7 }, 'Check the name of the column.'],
])('If Instance is %j for %j, it says what to do: %s', async (value, item, advice) => {
	const { error } = await sandbox.run({ instanceId: locator(value) }, [item]);
	expect(error?.message).toBe("'Instance' is empty");
	expect(error?.description).toContain(advice);
});

const WITHIN_A_URL = '=http://127.0.0.1/api/instances/{{ $json.id }}/';
test.each<[value: string, isRejected: boolean]>([
	['={{ $json.id }}{{ $json.other }}', true],
	['={{ $json.id }} {{ $json.other }}', true],
	["={{ $('Items').item.json.id }}{{ $json['other'] }}", true],
	['={{ $json.id }}', false],
	[WITHIN_A_URL, false],
	['=http://127.0.0.1:80{{ $json.path }}{{ $json.id }}', false],
	[`${WITHIN_A_URL},\n{{ $json.other }}`, false],
])('Expressions that make up one ID are rejected: %j (%p)', async (value, isRejected) => {
	const items = [{ id: 11, other: 2, path: '/api/instances/' }];
	const deletion = { ...parametersOf('bulkDelete'), instanceIds: value };
	const operations = value.includes(',') ? [deletion] : [{ instanceId: locator(value) }, deletion];
	for (const parameters of operations) {
		const { outputs } = await sandbox.run(parameters, items, CONTINUE);
		expect(JSON.stringify(outputs).includes('joins several values into one ID')).toBe(isRejected);
	}
	expect(sandbox.requests()).toHaveLength(isRejected ? 0 : operations.length);
});

test('The name of a column with a hyphen needs brackets, as the advice says', async () => {
	const instanceId = locator('={{ $json.Instance-ID }}');
	const { error } = await sandbox.run({ instanceId }, [{ 'Instance-ID': 7 }]);
	expect(error?.message).toBe("NaN in 'Instance' is not the ID of an instance");
	expect(error?.description).toContain('use brackets, e.g. {{ $json["Instance-ID"] }}.');
});

test.each<[item: IDataObject, advice: string]>([
	[{ number: 7 }, 'Check the name of the column. You can also filter out items'],
])('If the IDs to delete are empty for %j, it says what to do: %s', async (item, advice) => {
	const { error } = await sandbox.run(DELETE_IDS, [item]);
	expect(error?.message).toBe("'Instance IDs' is empty");
	expect(error?.description).toContain(advice);
});

test.each(['get', 'update', 'bulkDelete'])('Error items are named by %s', async (operation) => {
	const ids = { instanceId: ID_OF_ITEM, instanceIds: DELETE_IDS.instanceIds };
	const preview = { id: null, dryRun: true, changes: null, message: 'Too slow' };
	for (const item of [{ error: 'Too slow' }, { error: { message: 'Too slow' } }, preview]) {
		const ended = await sandbox.run({ ...parametersOf(operation), ...ids }, [item]);
		const message = 'This item is an error item from an earlier node: Too slow';
		const key = item === preview ? 'message' : 'error';
		const description = expect.stringContaining(`filter out the items that have '${key}'.`);
		expect(ended.error).toMatchObject({ message, description });
	}
});

test.each([
	['operation', '__CUSTOM_API_CALL__'],
	['operation', 'list'],
	['resource', '__CUSTOM_API_CALL__'],
	['resource', null],
])('The %s %s is rejected', async (name, value) => {
	const { properties } = new WorkflowInstanceService().description;
	const options = properties.find((property) => property.name === name)?.options;
	// As n8n does at its start.
	options?.push({ name: 'Custom API Call', value: '__CUSTOM_API_CALL__' });
	const parameters = { ...parametersOf('bulkDelete'), [name]: value };
	const { error } = await sandbox.run(parameters, ITEMS).finally(() => options?.pop());
	const chosen = `"${name}":${JSON.stringify(value)}`;
	expect(error?.message).toMatch(/^'Resource' or 'Operation' is not one of its options: /);
	expect(error?.message).toContain(chosen);
	const operations = 'one of Get (get), Update (update), Bulk Delete (bulkDelete), not';
	expect(error?.description).toContain(operations);
	expect(error?.description).toContain('HTTP Request node');
	expect(sandbox.requests()).toEqual([]);
});

describe.each(OPERATIONS)('The operation %s', (operation) => {
	test('returns the instance of each item once, paired to it', async () => {
		const { outputs, error } = await sandbox.run(parametersOf(operation), ITEMS);
		expect(error).toBeUndefined();
		expect(outputs[0]?.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual(
			IDS.map((id, item) => [id, { item }]),
		);
	});

	test.each(['call', 'request'] as const)('does the same as a tool, by a %s', async (agent) => {
		const { credentials } = sandbox;
		const id = "={{ $fromAI('id', 'The instance', 'number') }}";
		const calls = ITEMS.slice(0, 2);
		const parameters = parametersOf(operation, id);
		const { responses } = await runAsTool({ parameters, calls, agent, items: ITEMS, credentials });
		const given = responses.map(({ response }) =>
			typeof response === 'string' ? JSON.parse(response) : response,
		);
		expect(given).toMatchObject(calls.map((call) => [call]));
	});

	const paths = parametersWith(operation, '={{ $json.value }}');
	test('has the option that limits how long it waits', () => {
		expect(paths.map(([path]) => path)).toContain('options.maxWait');
	});

	test.each(paths)('returns each item, whatever is in %s', async (path, parameters) => {
		const ids = sandbox.control.addInstances(HOSTILE.length);
		const items = HOSTILE.map((value, index) => ({ id: ids[index], value }));
		const { outputs } = await sandbox.run(parameters, items, CONTINUE);
		const paired = outputs[0]?.flatMap(({ pairedItem }) => [pairedItem].flat());
		const missing = items.flatMap((_, item) =>
			paired?.some((pair) => typeof pair === 'object' && pair.item === item) ? [] : [item],
		);
		// An empty list deletes nothing, so there is nothing to return.
		expect(missing).toEqual(path === 'instanceIds' ? [EMPTY_LIST] : []);
		for (const { json } of outputs[0] ?? []) {
			if (json.error === undefined) continue;
			expect(json.error).toMatch(PLAIN_WORDS);
			expect(json.error).not.toMatch(NOT_LOOKED_AT);
		}
		// An object is not valid for any parameter. Only the fields to output aren't read here.
		const ofObject = outputs[0]?.filter(({ pairedItem }) =>
			isEqual(pairedItem, { item: AN_OBJECT }),
		);
		const isRejected = ofObject?.some(({ json }) => json.error !== undefined);
		expect(isRejected).toBe(path !== 'outputFields');
		const bodies = sandbox.log().map(({ body }) => body);
		expect(bodies.filter((body) => NOT_LOOKED_AT.test(body))).toEqual([]);
		const wrong = sandbox.log().filter(({ status }) => Number(status) >= 400);
		expect(wrong.map(({ url }) => url)).toEqual([]);
	});

	test('sends nothing more once the key is rejected, and every item says so', async () => {
		const ids = sandbox.control.addInstances(50);
		sandbox.control.addFault({ times: 0, action: respond(401, { detail: 'No such key.' }) });
		const parameters = { ...parametersOf(operation), options: { batchSize: 5 } };
		const settings = { ...CONTINUE, retryOnFail: true, maxTries: 3 };
		const { outputs } = await sandbox.run(parameters, itemsOf(ids), settings);
		const listed = outputs[0]?.map(({ json, pairedItem }) => [json.id, json.error, pairedItem]);
		const words = "The service rejected the 'API Key' in the credential (401): No such key.";
		expect(listed).toEqual(ids.map((id, item) => [id, words, { item }]));
		// Only as many as are sent at once.
		expect(sandbox.requests().length).toBeLessThanOrEqual(10);
	});

	test('sends nothing when items have different credentials, and each item says so', async () => {
		const keyOf = (key: unknown) => ({ ...sandbox.credentials, apiKey: String(key) });
		const { apiKey } = sandbox.credentials;
		const items = ITEMS.map((item, at) => ({ ...item, key: at < 2 ? apiKey : 'another-key' }));
		const credentials = keyOf('={{ $json.key }}');
		const settings = { ...CONTINUE, credentials };
		const { outputs } = await sandbox.run(parametersOf(operation), items, settings);
		const error = expect.stringMatching(/^The credential has different values for different items/);
		const json = { error };
		expect(outputs[0]).toMatchObject(items.map((_, item) => ({ json, pairedItem: { item } })));
		expect(sandbox.requests()).toEqual([]);
		const same = await sandbox.run(parametersOf(operation), items.slice(0, 2), { credentials });
		expect(same.outputs[0]).toHaveLength(2);
		const inTwoSpellings = keyOf(`={{ $itemIndex === 1 ? " Api-Key ${apiKey}" : "${apiKey}" }}`);
		for (const credentials of [inTwoSpellings, keyOf(`={{ "${apiKey}" }}`)]) {
			const { outputs: all } = await sandbox.run(parametersOf(operation), ITEMS, { credentials });
			expect(all[0]).toHaveLength(3);
		}
	});

	test('notices other credentials of items in any expression, of many items by a sample', async () => {
		const { baseUrl } = sandbox.credentials;
		const other = 'https://other.example.com/api';
		const ids = sandbox.control.addInstances(100);
		const cases: Array<[expression: string, count: number]> = [
			[`$itemIndex === 1 ? '${other}' : '${baseUrl}'`, 3],
			[`$itemIndex === 8 ? '${other}' : '${baseUrl}'`, 10],
			[`$input.item?.json?.url ?? '${baseUrl}'`, 3],
			[`$items()[$itemIndex]?.json.url ?? '${baseUrl}'`, 100],
			[`$itemIndex === 99 ? '${other}' : '${baseUrl}'`, 100],
		];
		for (const [expression, count] of cases) {
			const url = (index: number) => (index % 7 === 1 ? { url: other } : {});
			const items = itemsOf(ids.slice(0, count)).map((item, index) => ({ ...item, ...url(index) }));
			const credentials = { ...sandbox.credentials, baseUrl: `={{ ${expression} }}` };
			const { error } = await sandbox.run(parametersOf(operation), items, { credentials });
			expect(error?.message).toMatch(/^The credential has different values for different items/);
		}
		expect(sandbox.requests()).toEqual([]);
	});

	test('ends when the execution is stopped, sends nothing more, and holds up no other', async () => {
		sandbox.control.addFault({ action: { type: 'hang' }, times: 0 });
		const stop = new AbortController();
		let isEnded = false;
		const running = sandbox
			.run(parametersOf(operation), ITEMS, { signal: stop.signal })
			.finally(() => (isEnded = true));
		while (sandbox.log().length === 0 && !isEnded) await new Promise(setImmediate);
		const sent = sandbox.requests();
		stop.abort();
		expect((await running).status).toBe('canceled');
		expect(sandbox.requests()).toEqual(sent);
		sandbox.control.clearFaults();
		expect((await sandbox.run(parametersOf(operation), ITEMS)).status).toBe('success');
	});
});
