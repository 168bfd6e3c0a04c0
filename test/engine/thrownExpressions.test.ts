import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';

import * as limiter from '../../nodes/WorkflowInstanceService/api/concurrencyLimiter';
import type { RunNodeOptions } from '../harness';
import { stored } from './support/instances';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';

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
			instanceId: ID_OF_ITEM,
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
			instanceId: ID_OF_ITEM,
			options: { injectValues: `={{ ${THROWS} !== '' }}` },
		},
	],
];

describe('An expression that throws in one item', () => {
	const sandbox = useSandbox();
	afterEach(() => {
		jest.restoreAllMocks();
	});
	const run = async (parameters: INodeParameters, settings: Partial<RunNodeOptions> = {}) =>
		await sandbox.run(parameters, ITEMS, settings);

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

	test.each([
		['only what to do', '$("Nowhere").first().json.id', / this item\. \(item 0\)$/],
		['what n8n adds', '$("Items").itemMatching(99).json.id', / this item\. [A-Z].+ \(item 0\)$/],
	])('says %s: {{ %s }}', async (_, expression, words) => {
		const { error } = await run({ instanceId: locator(`={{ ${expression} }}`) });
		expect(error?.description).toMatch(/^Correct the expression, or the data that it gets from/);
		expect(error?.description).toMatch(words);
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
});

describe('With Continue, what nobody expected', () => {
	const sandbox = useSandbox();
	const slip = (thrown: unknown) => {
		jest.spyOn(limiter, 'joinLimiter').mockImplementation(() => {
			throw thrown;
		});
		return jest.spyOn(Container.get(Logger), 'error');
	};
	afterEach(() => {
		jest.restoreAllMocks();
	});

	test.each(OPERATIONS)(
		'makes a paired item of each input item of %s, a missing credential as well',
		async (...row) => {
			const [, , parameters] = row;
			const items = ITEMS.slice(0, 2);
			const run = async (more: Partial<RunNodeOptions> = {}) => {
				const settings = { onError: 'continueErrorOutput', downstream: true, ...more } as const;
				const result = await sandbox.run({ ...parameters, options: {} }, items, settings);
				expect(result.outputs[0]).toEqual([]);
				expect(result.downstream.error).toEqual(items.map((value) => ({ value })));
				return result.outputs[1]?.map(({ json }) => json.error);
			};
			const logged = jest.spyOn(Container.get(Logger), 'error');
			await run({ credentials: { baseUrl: 'nowhere', apiKey: 'key-of-a-test' } });
			// The item tells it.
			expect(logged).not.toHaveBeenCalled();
			slip(new TypeError('A slip of ours'));
			const words = 'This node could not finish its work: A slip of ours';
			expect(await run()).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
			// With the stack, for whoever mends it.
			expect(logged).toHaveBeenCalledWith(
				expect.stringMatching(/A slip of ours\n\s+at /),
				expect.objectContaining({ node: 'Service' }),
			);
		},
	);

	test('is told in its own words if it is no more than words', async () => {
		const logged = slip('A slip in words');
		const { error } = await sandbox.run({ instanceId: locator(101) });
		expect(error?.message).toBe('This node could not finish its work: A slip in words');
		expect(logged).toHaveBeenCalledWith(
			'Workflow Instance Service did not expect this: A slip in words',
			expect.anything(),
		);
	});
});
