import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import * as limiter from '../../nodes/WorkflowInstanceService/api/concurrencyLimiter';
import { runNode, type RunNodeOptions } from '../harness';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

/** Throws in n8n's expressions where the text is no date. */
const THROWS = '$json.date.toDateTime().toISO()';

const ITEMS = [
	{ id: 101, date: '2026-07-01' },
	{ id: 102, date: '2026-07-02' },
	{ id: 104, date: 'no date at all' },
	{ id: 105, date: '2026-07-04' },
];
const BAD = 2;
const GOOD = [0, 1, 3];

const OPERATIONS: Array<[operation: string, label: string, parameters: INodeParameters]> = [
	['Get', 'Instance', { instanceId: locator(`={{ ${THROWS} && $json.id }}`) }],
	[
		'Update',
		'Fields to Update',
		{
			operation: 'update',
			instanceId: locator('={{ $json.id }}'),
			updateFields: { deadline: `={{ ${THROWS} }}` },
		},
	],
	[
		'Bulk Delete',
		'Instance IDs',
		{ operation: 'bulkDelete', instanceIds: `={{ ${THROWS} && $json.id }}` },
	],
	[
		'Get, in an option',
		'Options',
		{
			instanceId: locator('={{ $json.id }}'),
			options: { injectValues: `={{ ${THROWS} !== '' }}` },
		},
	],
];

describe('An expression that throws in one item', () => {
	const sandbox = useSandbox();
	afterEach(() => {
		jest.restoreAllMocks();
	});
	const run = async (
		parameters: INodeParameters,
		settings: Partial<RunNodeOptions> & { items?: IDataObject[] } = {},
	) => await runNode({ parameters, items: ITEMS, credentials: sandbox.credentials, ...settings });

	describe.each(OPERATIONS)('of %s', (_operation, label, parameters) => {
		test('stops the run with the label and the item, and nothing is changed', async () => {
			const { error } = await run(parameters);
			expect(error?.message).toMatch(
				new RegExp(`^The expression in '${label}' cannot be evaluated: .+`),
			);
			expect(error?.itemIndex).toBe(BAD);
			expect(sandbox.log().filter(({ method }) => method !== 'GET')).toEqual([]);
		});

		test('comes out with Continue as one paired item in its place, and the others go on', async () => {
			const { outputs } = await run(parameters, { onError: 'continueRegularOutput' });
			expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
				ITEMS.map((_, item) => ({ item })),
			);
			const isRefused = outputs[0]?.map(({ json }) => json.error !== undefined);
			expect(isRefused).toEqual(ITEMS.map((_, item) => item === BAD));
			expect(stored(sandbox, 104).deadline).not.toBe(ITEMS[BAD]?.date);
		});

		test('goes with its input fields to the error output', async () => {
			const { outputs, downstream } = await run(parameters, {
				onError: 'continueErrorOutput',
				downstream: true,
			});
			expect(outputs[1]).toHaveLength(1);
			expect(outputs[1]?.[0]).toMatchObject({
				json: { ...ITEMS[BAD], error: expect.stringContaining(`'${label}'`) },
				pairedItem: { item: BAD },
			});
			expect(downstream.success).toEqual(GOOD.map((item) => ({ value: ITEMS[item] })));
			expect(downstream.error).toEqual([{ value: ITEMS[BAD] }]);
		});
	});

	test('of an option of Bulk Delete, which the first item decides, deletes nothing and makes an item of each', async () => {
		const { outputs } = await run(
			{
				operation: 'bulkDelete',
				instanceIds: '={{ $json.id }}',
				options: { batchSize: `={{ ${THROWS} && 5 }}` },
			},
			{ items: [...ITEMS].reverse().slice(1), onError: 'continueRegularOutput' },
		);
		expect(outputs[0]).toHaveLength(3);
		for (const { json } of outputs[0] ?? []) expect(json.error).toContain("'Options'");
		expect(sandbox.requests()).toEqual([]);
	});

	test("of 'Fields to Clear' that finds nothing is refused, beside another field too", async () => {
		for (const updateFields of [{}, { name: 'New' }]) {
			const { error } = await run({
				operation: 'update',
				instanceId: locator('={{ $json.id }}'),
				clearFields: '={{ $json.nothing }}',
				updateFields,
			});
			expect(error?.message).toBe("'Fields to Clear' has no value");
		}
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('With Continue, what nobody expected', () => {
	const sandbox = useSandbox();
	afterEach(() => {
		jest.restoreAllMocks();
	});
	const settings = { items: ITEMS, onError: 'continueErrorOutput', downstream: true } as const;

	test.each(OPERATIONS)('makes a paired item of each input item of %s', async (...row) => {
		const [, , parameters] = row;
		const logged = jest.spyOn(Container.get(Logger), 'error');
		jest.spyOn(limiter, 'joinLimiter').mockImplementation(() => {
			throw new TypeError('A slip of ours');
		});
		const { outputs, downstream } = await runNode({
			...settings,
			parameters: { ...parameters, options: {} },
			items: [ITEMS[0] ?? {}, ITEMS[1] ?? {}],
			credentials: sandbox.credentials,
		});
		expect(outputs[0]).toEqual([]);
		expect(downstream.error).toEqual([{ value: ITEMS[0] }, { value: ITEMS[1] }]);
		for (const { json } of outputs[1] ?? []) {
			expect(json.error).toContain('This node could not finish its work: A slip of ours');
		}
		// With the stack, for whoever mends it.
		expect(logged).toHaveBeenCalledWith(
			expect.stringMatching(/A slip of ours\n\s+at /),
			expect.objectContaining({ node: 'Service' }),
		);
	});

	test('is told in its own words if it is no more than words', async () => {
		const logged = jest.spyOn(Container.get(Logger), 'error');
		jest.spyOn(limiter, 'joinLimiter').mockImplementation(() => {
			const slip: unknown = 'A slip in words';
			throw slip;
		});
		const { error } = await runNode({
			parameters: { instanceId: locator(101) },
			credentials: sandbox.credentials,
		});
		expect(error?.message).toBe('This node could not finish its work: A slip in words');
		expect(logged).toHaveBeenCalledWith(
			'Workflow Instance Service did not expect this: A slip in words',
			expect.anything(),
		);
	});

	test.each(OPERATIONS)(
		'of a missing credential makes a paired item of each of %s',
		async (...row) => {
			const [, , parameters] = row;
			const { outputs, downstream } = await runNode({
				...settings,
				parameters: { ...parameters, options: {} },
				items: [ITEMS[0] ?? {}, ITEMS[1] ?? {}],
				credentials: { baseUrl: 'nowhere', apiKey: 'key-of-a-test' },
			});
			expect(outputs[0]).toEqual([]);
			expect(downstream.error).toEqual([{ value: ITEMS[0] }, { value: ITEMS[1] }]);
		},
	);
});
