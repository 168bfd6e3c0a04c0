import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { outputItem } from '../../nodes/WorkflowInstanceService/n8n/entryPoints';
import { UserFacingError } from '../../nodes/WorkflowInstanceService/values/userFacingError';
import { SEED } from '../../sandbox/service';
import { itemsOf, pairings, stored } from './support/instances';
import { ID_OF_ITEM, locator, respond, useSandbox } from './support/sandbox';

const sandbox = useSandbox();
const { requests } = sandbox;
const GET = `GET /api/instances/${SEED.running}/`;

describe('Get', () => {
	const get = async (parameters: INodeParameters, items?: IDataObject[]) =>
		await sandbox.run({ instanceId: locator(SEED.running), ...parameters }, items);
	const fieldsOf = async (parameters: INodeParameters) => {
		const { outputs } = await get({ instanceId: locator(SEED.fullyFilled), ...parameters });
		return Object.keys(outputs[0]?.[0]?.json ?? {});
	};

	test('reads the credential as often for 400 items as for 40', async () => {
		const apiKey = `={{ "${sandbox.credentials.apiKey}" }}`;
		const credentials = { ...sandbox.credentials, apiKey };
		const evaluations = async (count: number) => {
			const items = Array.from({ length: count }, (): IDataObject => ({}));
			const parameters = { instanceId: locator(SEED.running) };
			return (await sandbox.run(parameters, items, { credentials })).evaluations;
		};
		// Once for the requests, once beyond the last item, and for a sample of ten.
		expect(await evaluations(40)).toBe(12);
		expect(await evaluations(400)).toBe(12);
		expect(requests()).toHaveLength(440);
	});

	const URL = `http://127.0.0.1/api/instances/${SEED.running}/`;
	test.each([
		...[` ${URL} `, URL.slice(0, -1), `${URL}?view=all`, ` ${SEED.running} `],
		// The scheme and the port don't matter, nor does the path of a page.
		`HTTPS://127.0.0.1:8443/tenant/instances/${SEED.running}/`,
		...[`\u200b${SEED.running}\u2060`, `\ufeff${URL}\u200e`],
	])('reads the instance of %j from the service of the credential', async (id) => {
		const { outputs } = await get({ instanceId: ID_OF_ITEM }, [{ id }]);
		expect(outputs[0]?.[0]?.json.id).toBe(SEED.running);
		expect(requests()).toEqual([GET]);
	});

	test('reads the instance of a URL without what a gateway puts before its path', async () => {
		const baseUrl = sandbox.credentials.baseUrl.replace(/api$/, 'tenant/api');
		const credentials = { ...sandbox.credentials, baseUrl };
		await sandbox.run({ instanceId: locator(URL, 'url') }, [{}], { credentials });
		expect(sandbox.log()).toMatchObject([{ url: `/tenant/api/instances/${SEED.running}/` }]);
	});

	test('reads nothing by a URL on a subdomain of the service', async () => {
		const credentials = { baseUrl: 'https://example.com/api', apiKey: 'key-of-a-test' };
		const instanceId = locator('https://staging.example.com/api/instances/7/', 'url');
		const { error } = await sandbox.run({ instanceId }, [{}], { credentials });
		expect(error?.message).toContain('is on staging.example.com');
	});

	test.each<[words: string, values: unknown[]]>([
		['is not the ID of an instance', ['1e3', 'a7', '007', `x ${URL}`, 0, 1.5, 2 ** 53, true]],
		['is not the URL of an instance', ['HTTPS://x.example/abc/', `${URL}edit/`]],
		['is not the URL of an instance', [URL.replace('101', '0'), 'https://x/?/instances/1']],
		['is the URL of a process, not of an instance', ['http://127.0.0.1/api/processes/11/']],
		['on x.example, but the credential is for 127.0.0.1', [URL.replace('127.0.0.1', 'x.example')]],
	])('reads nothing if the second item %s: %j', async (words, values) => {
		for (const id of values) {
			const { error } = await get({ instanceId: ID_OF_ITEM }, itemsOf([SEED.running, id]));
			expect(error?.message).toMatch(new RegExp(`'Instance' .*${words}`));
			expect(error?.itemIndex).toBe(1);
		}
		expect(requests()).toEqual([]);
	});

	test.each(['get', 'update'])('returns all or only chosen fields after %s', async (operation) => {
		const chosen = async (output: INodeParameters) =>
			await fieldsOf({ operation, updateFields: { name: 'New' }, ...output });
		const whole = Object.keys(stored(sandbox, SEED.fullyFilled));
		expect(await chosen({ output: 'raw' })).toEqual(whole);
		expect(await chosen({})).not.toContain('process_snapshot');
		for (const outputFields of ['tags, stage', ['tags', ' stage\u200b ']]) {
			expect(await chosen({ output: 'selected', outputFields })).toEqual(['id', 'tags', 'stage']);
		}
		const byLabel = { output: 'selected', outputFields: ['Step Assignments'] };
		expect(await chosen(byLabel)).toEqual(['id', 'step_assignments']);
	});

	test.each(['injectValues', 'stepsTimeFrame'])('with %s returns the snapshot', async (option) => {
		const selected = async (outputFields: string[], isOn: boolean) =>
			await fieldsOf({ output: 'selected', outputFields, options: { [option]: isOn } });
		expect(await selected(['stage'], true)).toEqual(['id', 'stage', 'process_snapshot']);
		expect(await selected(['process_snapshot'], true)).toEqual(['id', 'process_snapshot']);
		expect(await selected(['stage'], false)).toEqual(['id', 'stage']);
		const simplified = await fieldsOf({ options: { [option]: true } });
		expect(simplified).toEqual([...(await fieldsOf({})), 'process_snapshot']);
	});

	test('sends the two flags only when they are on', async () => {
		await get({ options: { injectValues: true, stepsTimeFrame: true } });
		await get({ options: { injectValues: false, stepsTimeFrame: false } });
		expect(requests()).toEqual([`${GET}?inject_values=true&steps_time_frame=true`, GET]);
	});

	const SNAPSHOT = { process_snapshot: '{"steps":[]}', step_deadlines: '[1]' };
	const PARSED = { process_snapshot: { steps: [] }, step_deadlines: [1] };
	const INEXACT = { process_snapshot: '{"a": [-1E400]}', step_deadlines: '[9007199254740993]' };
	const LARGEST = { process_snapshot: '[-9007199254740991, 1.5e3]', step_deadlines: '["1e400"]' };
	const EXACT = { process_snapshot: [-(2 ** 53) + 1, 1.5e3], step_deadlines: ['1e400'] };
	const EMPTY = { process_snapshot: 'null', step_deadlines: '""' };
	const TEXT = { process_snapshot: '{"steps":[', step_deadlines: '' };
	test.each<[came: IDataObject, output: string, returned: IDataObject]>([
		[SNAPSHOT, 'selected', PARSED],
		[SNAPSHOT, 'simplified', { process_snapshot: PARSED.process_snapshot }],
		[SNAPSHOT, 'raw', SNAPSHOT],
		[PARSED, 'selected', PARSED],
		[TEXT, 'selected', TEXT],
		[INEXACT, 'selected', INEXACT],
		[LARGEST, 'selected', EXACT],
		[EMPTY, 'selected', { process_snapshot: null, step_deadlines: '' }],
	])('of %j returns, with the output %s: %j', async (came, output, returned) => {
		sandbox.fault(respond(200, { ...stored(sandbox, SEED.running), ...came }));
		const outputFields = ['process_snapshot', 'step_deadlines'];
		const { outputs } = await get({ output, outputFields, options: { injectValues: true } });
		const { process_snapshot, step_deadlines } = outputs[0]?.[0]?.json ?? {};
		expect({ process_snapshot, step_deadlines }).toEqual(returned);
	});

	test.each([
		['simplified', { id: SEED.running, name: 'A' }],
		['selected', { id: SEED.running, name: 'A' }],
		['raw', { name: 'A', process: 'p' }],
	])('%s, of an instance without an ID, returns %j', async (output, json) => {
		sandbox.fault(respond(200, { name: 'A', process: 'p' }));
		const { outputs } = await get({ output, outputFields: ['name', 'stage'] });
		expect(outputs[0]?.[0]?.json).toStrictEqual(json);
	});

	const isNone = (value: string) => `${value} in 'Output' is not one of its options`;
	const VALUE = '={{ $json.value }}';
	test.each<[words: string, INodeParameters, value?: unknown]>([
		["'Output' is empty", { output: VALUE }, null],
		[isNone('"1e3"'), { output: VALUE }, ' 1e3\n'],
		[isNone('"a "b"\\nc"'), { output: VALUE }, 'a "b"\nc'],
		[isNone(`"${'a'.repeat(79)}…`), { output: VALUE }, 'a'.repeat(79)],
		['"secret" in \'Fields to Output\' is not one', { outputFields: ['tags', 'secret'] }],
		["7 in 'Fields to Output' is not one of its options", { outputFields: VALUE }, 7],
		["'Fields to Output' is empty", { outputFields: VALUE }, ''],
		["'Include Entered Values'", { options: { injectValues: VALUE } }, 'true'],
		["'Max Wait (Seconds)'", { options: { maxWait: 0 } }],
		[
			"86401 in 'Max Wait (Seconds)' is not a whole number from 1 to",
			{ options: { maxWait: 86_401 } },
		],
		["'Max Wait (Seconds)' is empty", { options: { maxWait: null } }],
	])('rejects unsent: %s in %j, %j', async (words, parameters, value = undefined) => {
		const selected = { output: 'selected', outputFields: 'id', ...parameters };
		expect((await get(selected, itemsOf([value], 'value'))).error?.message).toContain(words);
		expect(requests()).toEqual([]);
	});
});

test('An item that does not exist goes to the error output, paired, with what the service says', async () => {
	const items = [{ id: SEED.running }, { id: 9_000_003, label: 'b' }, { id: SEED.overdue }];
	const settings = { onError: 'continueErrorOutput' } as const;
	const { outputs } = await sandbox.run({ instanceId: ID_OF_ITEM }, items, settings);
	const error = 'The service did not find instance 9000003 (404): Not found.';
	const details = { description: expect.any(String), item: 1, httpCode: '404', id: 9_000_003 };
	expect(outputs[1]).toEqual([{ json: { ...items[1], error, details }, pairedItem: { item: 1 } }]);
	expect(pairings(outputs)).toEqual([[0, 2], [1]]);
	// n8n before 2.36 only moves an item if it finds this in it.
	const result = { itemIndexes: [1], error: new UserFacingError('No.', 'Why.') };
	const marked = outputItem(result, (each) => each, settings);
	expect(Reflect.get(marked, 'error')).toEqual({ message: 'No.' });
	expect(marked.json).toStrictEqual({ error: 'No.', details: { description: 'Why.', item: 1 } });
});
