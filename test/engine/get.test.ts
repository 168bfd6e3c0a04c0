import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { takeUnexpectedRequests } from '../harness';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

describe('Get from the sandbox', () => {
	const sandbox = useSandbox();
	const get = async (parameters: INodeParameters, items?: IDataObject[]) =>
		await sandbox.run({ operation: 'get', ...parameters }, items);

	test('reads each item, simplified by default, paired to it', async () => {
		const items = [{ id: SEED.running }, { id: String(SEED.fullyFilled) }];
		const { outputs } = await get({ instanceId: ID_OF_ITEM }, items);
		const [success = []] = outputs;
		expect(success.map(({ json }) => json.id)).toEqual([SEED.running, SEED.fullyFilled]);
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		for (const { json } of success) expect(Object.keys(json).length).toBeLessThanOrEqual(10);
		expect(sandbox.requests()).toEqual([
			`GET /api/instances/${SEED.running}/`,
			`GET /api/instances/${SEED.fullyFilled}/`,
		]);
		expect(sandbox.log().every(({ authorized }) => authorized)).toBe(true);
	});

	test('reads the credential once for all items', async () => {
		const { apiKey } = sandbox.credentials;
		const evaluations = async (items: IDataObject[]) => {
			const credentials = { ...sandbox.credentials, apiKey: `={{ "${apiKey}" }}` };
			const run = await sandbox.run({ instanceId: locator(SEED.running) }, items, { credentials });
			expect(run.outputs[0]).toHaveLength(items.length);
			return run.evaluations;
		};
		const ofOne = await evaluations([{}]);
		expect(ofOne).toBeGreaterThan(0);
		expect(await evaluations([{}, {}, {}, {}])).toBe(ofOne);
	});

	/** What is no ID, with the words for it where these are not its JSON. */
	const NOT_IDS: Array<[value: unknown, words?: string]> = [
		['abc'],
		['/api/instances/1/'],
		['x.example/api/instances/1/'],
		['ftp://x.example/1'],
		['1/../../users'],
		['1?x=2'],
		['1e3'],
		['007'],
		['٣'],
		[0],
		[-3],
		[1.5],
		[2 ** 53],
		[true],
		[[7], 'a list'],
		[{ id: 7 }, 'an object'],
	];

	describe.each(['id', 'url'] as const)('by %s', (mode) => {
		const LINK = `https://other.example/api/instances/${SEED.running}/`;

		test.each([
			LINK,
			` ${LINK} `,
			LINK.replace(/\/$/, ''),
			LINK.replace('https', 'http'),
			SEED.running,
			` ${SEED.running} `,
		])('takes %j, and sends nothing to the host of a link', async (value) => {
			const items = [{ id: value }];
			const { outputs } = await get({ instanceId: locator('={{ $json.id }}', mode) }, items);
			expect(outputs[0]?.[0]?.json.id).toBe(SEED.running);
			expect(sandbox.requests()).toEqual([`GET /api/instances/${SEED.running}/`]);
			expect(takeUnexpectedRequests()).toEqual([]);
		});

		test.each([
			['https://x.example/public/AbC-123/', 'is not a link to an instance'],
			['HTTPS://x.example/', 'is not a link to an instance'],
			['https://x.example/api/instances/', 'is not a link to an instance'],
			['https://x.example/api/instances/abc/', 'is not a link to an instance'],
			['https://x.example/api/instances/1/edit/', 'is not a link to an instance'],
			['https://x.example/api/instances/1/?a=b', 'is not a link to an instance'],
			['https://x.example/api/instances/0/', 'is not a link to an instance'],
			['https://x.example/api/processes/1/', 'is a link to a process, not to an instance'],
		])('says of %j that it %s', async (id, found) => {
			const { error } = await get({ instanceId: locator('={{ $json.id }}', mode) }, [{ id }]);
			expect(error?.message).toBe(`${JSON.stringify(id)} in 'Instance' ${found}`);
			expect(error?.description).toContain('/instances/123/');
			expect(error?.description).toContain("'public_url'");
			expect(sandbox.requests()).toEqual([]);
		});

		test.each(NOT_IDS)('says of %j that it is no ID', async (id, words = JSON.stringify(id)) => {
			const items = [{ ...Object({ id }) }];
			const { error } = await get({ instanceId: locator('={{ $json.id }}', mode) }, items);
			expect(error?.message).toBe(
				typeof id === 'object'
					? `'Instance' contains ${words} instead of a valid instance ID`
					: `${words} in 'Instance' is not a valid instance ID`,
			);
			expect(sandbox.requests()).toEqual([]);
		});

		test.each([{ id: '' }, { id: null }, {}])(
			'says that it is empty when %j has none',
			async (item) => {
				const { error } = await get({ instanceId: locator('={{ $json.id }}', mode) }, [item]);
				expect(error?.message).toBe("'Instance' is empty");
				expect(error?.description).toContain('check what it returns for this item');
				expect(sandbox.requests()).toEqual([]);
			},
		);
	});

	test('raw gives the instance as the service sent it', async () => {
		const { outputs } = await get({ instanceId: locator(SEED.fullyFilled), output: 'raw' });
		expect(outputs[0]?.[0]?.json).toEqual(sandbox.control.instance(SEED.fullyFilled));
	});

	test('selected gives the chosen fields and always the id', async () => {
		const { outputs } = await get({
			instanceId: locator(SEED.fullyFilled),
			output: 'selected',
			outputFields: ['tags', 'stage'],
		});
		expect(Object.keys(outputs[0]?.[0]?.json ?? {})).toEqual(['id', 'tags', 'stage']);
	});

	test.each(['injectValues', 'stepsTimeFrame', 'parseSnapshot'])(
		'selected gives the process snapshot as well when %s is on, once',
		async (option) => {
			const selected = async (outputFields: string[], isOn: boolean) => {
				const { outputs } = await get({
					instanceId: locator(SEED.fullyFilled),
					output: 'selected',
					outputFields,
					options: { [option]: isOn },
				});
				return Object.keys(outputs[0]?.[0]?.json ?? {});
			};
			expect(await selected(['stage'], true)).toEqual(['id', 'stage', 'process_snapshot']);
			expect(await selected(['process_snapshot'], true)).toEqual(['id', 'process_snapshot']);
			expect(await selected(['stage'], false)).toEqual(['id', 'stage']);
		},
	);

	test('sends the two flags only when they are on', async () => {
		await get({
			instanceId: locator(SEED.running),
			options: { injectValues: true, stepsTimeFrame: true },
		});
		await get({
			instanceId: locator(SEED.running),
			options: { injectValues: false, stepsTimeFrame: false },
		});
		expect(sandbox.requests()).toEqual([
			`GET /api/instances/${SEED.running}/?inject_values=true&steps_time_frame=true`,
			`GET /api/instances/${SEED.running}/`,
		]);
	});

	test.each(['text', 'object', 'array'] as const)(
		'parses snapshots that arrive as %s',
		async (shape) => {
			sandbox.control.setSnapshotShape(shape);
			const { outputs } = await get({
				instanceId: locator(SEED.running),
				output: 'raw',
				options: { parseSnapshot: true },
			});
			const { process_snapshot: snapshot, step_deadlines: deadlines } = outputs[0]?.[0]?.json ?? {};
			expect(typeof snapshot).toBe('object');
			expect(typeof deadlines).toBe('object');
		},
	);

	test('shows the snapshot in the simplified output when it was asked for', async () => {
		const { outputs } = await get({
			instanceId: locator(SEED.running),
			options: { injectValues: true },
		});
		expect(outputs[0]?.[0]?.json).toHaveProperty('process_snapshot');
		expect(Object.keys(outputs[0]?.[0]?.json ?? {}).length).toBeLessThanOrEqual(10);
	});

	test.each(['tags, stage', ['tags', ' stage '], '={{ ["tags", "stage"] }}'])(
		'gives the fields %j as well as the ID',
		async (outputFields) => {
			const parameters = { instanceId: locator(SEED.running), output: 'selected', outputFields };
			const { outputs } = await get(parameters);
			expect(Object.keys(outputs[0]?.[0]?.json ?? {}).sort()).toEqual(['id', 'stage', 'tags']);
		},
	);

	test('names the field that does not exist, and those that do', async () => {
		const outputFields = ['tags', 'secret'];
		const parameters = { instanceId: locator(SEED.running), output: 'selected', outputFields };
		const { error } = await get(parameters);
		expect(error?.message).toBe('"secret" in \'Fields to Output\' is not a field of an instance');
		expect(error?.description).toContain('name, ');
	});

	test.each([
		[{ output: 'everything' }, "'Output'"],
		[{ options: { injectValues: '={{ "true" }}' } }, "'Include Entered Values'"],
		[{ options: { stepsTimeFrame: '={{ 1 }}' } }, "'Include Step Times'"],
		[{ options: { parseSnapshot: '={{ null }}' } }, "'Parse Snapshot'"],
		[{ options: { maxRetries: 11 } }, "'Max Retries'"],
		[{ options: { maxRetries: '' } }, "'Max Retries'"],
		[{ options: { maxRetries: '={{ "  " }}' } }, "'Max Retries'"],
		[{ options: { maxConcurrentRequests: '={{ 0 }}' } }, "'Max Concurrent Requests'"],
		[{ options: { maxConcurrentRequests: '={{ "many" }}' } }, "'Max Concurrent Requests'"],
	])('refuses %j before anything is sent', async (parameters, label) => {
		const { error } = await get({ instanceId: locator(SEED.running), ...parameters });
		expect(error?.message).toContain(label);
		expect(sandbox.requests()).toEqual([]);
	});
});
