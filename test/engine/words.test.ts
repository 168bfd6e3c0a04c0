import type { INodeParameters } from 'n8n-workflow';

import { mockService, runNode } from '../harness';
import { useDatesOfExpressions } from './support/realm';
import { locator } from './support/sandbox';

jest.setTimeout(60_000);

const OFF: INodeParameters = { name: 'A', automaticNaming: '={{ "false" }}' };
/** What an instance holds that clients can set. */
const KEPT = {
	process: 'https://service.example/api/processes/3/',
	name: null,
	deadline: null,
	priority: null,
	tags: [],
	step_assignments: [],
};

describe('A value that cannot be used is named', () => {
	const OPTION = 'one of its options';
	const isNone = (value: string) => `${value} in 'Output' is not ${OPTION}`;

	test.each<[value: unknown, words: string]>([
		[null, "'Output' is empty"],
		[' ', "'Output' is empty"],
		[[], `'Output' contains a list instead of ${OPTION}`],
		[{ a: 1 }, `'Output' contains an object instead of ${OPTION}`],
		[true, isNone('true')],
		[1.5, isNone('1.5')],
		[' 1e3\n', isNone('"1e3"')],
		['a "b"\nc', isNone('"a "b"\\nc"')],
		['a'.repeat(78), isNone(`"${'a'.repeat(78)}"`)],
		['a'.repeat(79), isNone(`"${'a'.repeat(79)}…`)],
	])('%j: %s', async (id, words) => {
		const parameters = { operation: 'get', instanceId: locator(7), output: '={{ $json.id }}' };
		const { error } = await runNode({ parameters, items: [{ ...Object({ id }) }] });
		expect(error?.message).toBe(words);
	});
});

describe('An entry of Instance IDs that is not an ID', () => {
	const VALID = 'a valid instance ID';
	const UNQUOTE = 'Enter IDs without quotation marks';
	const CHOOSE = 'name its place there, e.g. instance.id';
	const CORRECT = 'Correct or remove it: an ID is a whole number';
	const LIST = `The list in 'Instance IDs' contains`;

	test.each<[value: unknown, words: RegExp | string, advice: string]>([
		['12, "15"', `""15"" in 'Instance IDs' is not ${VALID}`, UNQUOTE],
		['"15"', `""15"" in 'Instance IDs' is not ${VALID}`, UNQUOTE],
		["12,  '15'", `"'15'" in 'Instance IDs' is not ${VALID}`, UNQUOTE],
		['15"', `"15"" in 'Instance IDs' is not ${VALID}`, CORRECT],
		[[1.5], `1.5 in 'Instance IDs' is not ${VALID}`, CORRECT],
		['[{ "id": 12 }]', `${LIST} an object instead of ${VALID}`, CHOOSE],
		[' [12, null]', `${LIST} an empty entry`, CORRECT],
		['see https://a.example/instances/12/', /^"see .* is not a valid instance ID$/, CORRECT],
		[[['https://a.example/instances/12']], `${LIST} a list instead of ${VALID}`, CORRECT],
	])('%j: %s', async (ids, words, advice) => {
		const parameters = { operation: 'bulkDelete', instanceIds: '={{ $json.ids }}' };
		const { error } = await runNode({ parameters, items: [{ ...Object({ ids }) }] });
		expect(error?.message).toMatch(words);
		expect(error?.description).toContain(advice);
	});
});

describe('What is sent and shown, to the letter', () => {
	useDatesOfExpressions();
	const service = mockService();
	const sentFor = async (updateFields: object, timezone = 'Asia/Tokyo'): Promise<unknown> => {
		service.get('/instances/7/').reply(200, { id: 7, ...KEPT });
		service.put('/instances/7/').reply(204);
		const parameters = {
			operation: 'update',
			instanceId: locator(7),
			updateFields: { ...updateFields },
		};
		const { error } = await runNode({ parameters, timezone });
		expect(error).toBeUndefined();
		return service.requests.at(-1)?.body;
	};

	test.each([
		[' \n', 'it is empty'],
		['a'.repeat(120), `"${'a'.repeat(120)}"`],
		['a'.repeat(121), `"${'a'.repeat(120)}…"`],
	])('what came instead of an instance: %j', async (body, words) => {
		service.get('/instances/7/').reply(200, body);
		const { error } = await runNode({ parameters: { operation: 'get', instanceId: locator(7) } });
		expect(error?.message).toBe(
			`The response for instance 7 is not what the service sends: ${words}`,
		);
	});

	const DUE = { deadline: '2026-07-01T10:00:00+02:00' };

	test.each<[string, INodeParameters, current: object, sent: object]>([
		['cleared and set fields together', { clearFields: ['deadline'] }, DUE, {}],
		['no field to clear', { clearFields: '={{ [] }}' }, DUE, DUE],
		['a switch that is off as text', { updateFields: OFF }, DUE, DUE],
	])('%s', async (_what, parameters, current, sent) => {
		service.get('/instances/7/').reply(200, { id: 7, ...KEPT, ...current });
		service.put('/instances/7/').reply(204);
		const update = { operation: 'update', instanceId: locator(7), updateFields: { name: 'A' } };
		const { error } = await runNode({ parameters: { ...update, ...parameters } });
		expect(error).toBeUndefined();
		expect(service.requests.at(-1)?.body).toEqual({ ...KEPT, name: 'A', ...sent });
	});

	test('headers', async () => {
		await sentFor({ name: 'A' });
		const headers = service.requests.map((request) => request.headers);
		expect(headers.map(({ accept }) => accept)).toEqual(['application/json', 'application/json']);
		expect(headers.map((sent) => sent['content-type'])).toEqual([undefined, 'application/json']);
	});

	test('an answer that offers several places is no instance', async () => {
		service.get('/instances/7/').reply(300, { id: 7, name: 'A' });
		const { error } = await runNode({ parameters: { operation: 'get', instanceId: locator(7) } });
		expect(error?.message).toBe('The service redirects elsewhere instead of responding (300)');
	});

	test('Retry On Fail is advised where the node stops, and not with Continue', async () => {
		service.get('/instances/7/').times(2).reply(500, '');
		const parameters = { operation: 'get', instanceId: locator(7) };
		const { error } = await runNode({ parameters });
		expect(error?.description).toContain("turn on 'Retry On Fail'");
		const { outputs } = await runNode({ parameters, onError: 'continueRegularOutput' });
		expect(outputs[0]?.[0]?.json.details).toEqual({
			description: expect.not.stringContaining('Retry On Fail'),
			item: 0,
			httpCode: '500',
		});
	});

	test('a redirect is not followed, not even on the same host', async () => {
		const Location = `${service.baseUrl}/instances/8/`;
		service.get('/instances/7/').reply(302, '', { Location });
		const { error } = await runNode({ parameters: { operation: 'get', instanceId: locator(7) } });
		expect(error?.message).toBe(`The service redirects to ${Location} instead of responding (302)`);
		expect(service.requests).toHaveLength(1);
	});

	test.each([
		['={{ 100000000000 }}', '1973-03-03T18:46:40+09:00'],
		['={{ 99999999999 }}', '5138-11-16T18:46:39+09:00'],
		['={{ 100000000 }}', '1973-03-03T18:46:40+09:00'],
		['={{ new Date(0) }}', '1970-01-01T09:00:00+09:00'],
	])('the deadline %s in the time zone of the workflow', async (deadline, text) => {
		expect(await sentFor({ deadline })).toEqual({ ...KEPT, deadline: text });
	});
});
