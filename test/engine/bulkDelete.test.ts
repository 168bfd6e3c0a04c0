import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { useNodeRunner } from '../harness';
import { bodies } from './support/instances';
import { useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const POST = 'POST /api/instances/bulk/delete';
const VALUE = '={{ $json.value }}';

describe('Bulk Delete', () => {
	const sandbox = useSandbox();
	const stopping = useNodeRunner({ parameters: {}, downstream: true });
	const continuing = useNodeRunner({ parameters: {}, onError: 'continueRegularOutput' });
	const bulkDelete = async (
		parameters: INodeParameters,
		items: IDataObject[] = [{}],
		runner = stopping,
	) =>
		await runner.run({
			parameters: { operation: 'bulkDelete', ...parameters },
			items,
			credentials: sandbox.credentials,
		});
	const gone = () => SEED.all.filter((id) => sandbox.control.instance(id) === undefined);
	const idsSent = () => bodies(sandbox, 'POST').map(({ ids }) => ids);

	test('sends one request as the interface describes it', async () => {
		const { outputs } = await bulkDelete({ instanceIds: '101, 105' });
		expect(outputs).toEqual([
			[
				{ json: { id: 101, deleted: true }, pairedItem: { item: 0 } },
				{ json: { id: 105, deleted: true }, pairedItem: { item: 0 } },
			],
		]);
		expect(gone()).toEqual([101, 105]);
		expect(sandbox.requests()).toEqual([POST]);
		expect(sandbox.log()[0]?.body).toBe('{"ids":[101,105]}');
	});

	test('says beside the output what "deleted" means', async () => {
		const { tasks } = await bulkDelete({ instanceIds: '101' });
		expect(tasks[0]?.hints).toEqual([
			{
				message: expect.stringMatching(/^"deleted": true means that the service accepted /),
				type: 'info',
				location: 'outputPane',
			},
		]);
	});

	test('takes a number that was saved as one, for every item', async () => {
		const { outputs } = await bulkDelete({ instanceIds: 103 }, [{}, {}]);
		expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([[{ item: 0 }, { item: 1 }]]);
	});

	describe('ids from a list', () => {
		test.each<[unknown, number[]]>([
			[103, [103]],
			['103', [103]],
			[' 103 ,, 101\n105,\r\n', [103, 101, 105]],
			[
				[103, '101', ' 105 '],
				[103, 101, 105],
			],
			['[103, "101"]', [103, 101]],
			['https://other.example/api/instances/104/', [104]],
			[
				'101, http://other.example/x/instances/104\nhttps://other.example/instances/105/',
				[101, 104, 105],
			],
			[
				['https://other.example/api/instances/104/', 101],
				[104, 101],
			],
			['[103, 103, "103"]', [103]],
		])('%j', async (value, ids) => {
			for (const instanceIds of [VALUE, ...(typeof value === 'string' ? [value] : [])]) {
				sandbox.control.reset();
				const items = [{ value: JSON.parse(JSON.stringify(value)) }];
				const { error } = await bulkDelete({ instanceIds }, items);
				expect(error).toBeUndefined();
				expect(idsSent()).toEqual([ids]);
				expect(gone()).toEqual([...ids].sort());
			}
		});

		test('are merged over all items, repeats dropped, in the order first seen', async () => {
			const items = [
				{ value: '105, 101' },
				{ value: [] },
				{ value: [101, 102, 105] },
				{ value: 101 },
				{ value: '' },
				{ value: 120 },
			];
			const { outputs, downstream } = await bulkDelete({ instanceIds: VALUE }, items);
			expect(idsSent()).toEqual([[105, 101, 102, 120]]);
			expect(outputs).toEqual([
				[
					{ json: { id: 105, deleted: true }, pairedItem: [{ item: 0 }, { item: 2 }] },
					{
						json: { id: 101, deleted: true },
						pairedItem: [{ item: 0 }, { item: 2 }, { item: 3 }],
					},
					{ json: { id: 102, deleted: true }, pairedItem: { item: 2 } },
					{ json: { id: 120, deleted: true }, pairedItem: { item: 5 } },
				],
			]);
			// n8n refuses to choose among several items; where there is one, it is the right one.
			expect(downstream.success).toEqual([
				{ unresolved: expect.any(String) },
				{ unresolved: expect.any(String) },
				{ value: items[2] },
				{ value: items[5] },
			]);
		});

		test('of lists that are alike are told apart', async () => {
			const items = [[101, 102], [101, 104], [105, 104], [105]].map((value) => ({ value }));
			await bulkDelete({ instanceIds: VALUE }, items);
			expect(idsSent()).toEqual([[101, 102, 104, 105]]);
		});

		test('of one fixed list are sent once, however many items there are', async () => {
			const items = [{ a: 1 }, { a: 2 }, { a: 3 }];
			const { outputs } = await bulkDelete({ instanceIds: '101, 102' }, items);
			expect(idsSent()).toEqual([[101, 102]]);
			expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
				[{ item: 0 }, { item: 1 }, { item: 2 }],
				[{ item: 0 }, { item: 1 }, { item: 2 }],
			]);
		});

		test.each([
			[1, [[101], [102], [103], [104], [105]]],
			[2, [[101, 102], [103, 104], [105]]],
			[5, [[101, 102, 103, 104, 105]]],
			['={{ 4 }}', [[101, 102, 103, 104], [105]]],
			['={{ $json.nothing }}', [[101, 102, 103, 104, 105]]],
			[undefined, [[101, 102, 103, 104, 105]]],
		])('in batches of %p', async (batchSize, batches) => {
			const options = batchSize === undefined ? {} : { batchSize };
			const { outputs } = await bulkDelete({ instanceIds: '101,102,103,104,105', options });
			expect(idsSent()).toEqual(batches);
			expect(gone()).toEqual([101, 102, 103, 104, 105]);
			expect(outputs[0]).toHaveLength(5);
			expect(sandbox.control.stats().maxInFlight).toBe(1);
		});
	});

	describe('ids from a field of the input items', () => {
		test.each<[string, IDataObject[], number[]]>([
			['id', [{ id: 101 }, { id: '102' }], [101, 102]],
			['instance.id', [{ instance: { id: 101 } }, { instance: { id: 102 } }], [101, 102]],
			[' record.id ', [{ record: { id: 101 } }], [101]],
			['instance.id', [{ 'instance.id': 101, instance: { id: 102 } }], [101]],
			['ids', [{ ids: [101, '102'] }, { ids: '103, 104' }, { ids: [] }], [101, 102, 103, 104]],
			['a.b.c.d', [{ a: { b: { c: { d: '[101]' } } } }], [101]],
			['url', [{ url: 'https://other.example/api/instances/101/' }], [101]],
			['0', [{ 0: 101 }], [101]],
			['={{ $json.id }}', [{ '{{ $json.id }}': 101 }], [101]],
		])('%s', async (idField, items, ids) => {
			const { error, evaluations } = await bulkDelete({ idSource: 'inputField', idField }, items);
			expect(error).toBeUndefined();
			expect(idsSent()).toEqual([ids]);
			expect(evaluations).toBe(0);
		});
	});

	describe('refuses, and deletes nothing,', () => {
		const BAD = [1.5, 'abc', '1/../x', '1e3', -1, 0, 2 ** 53, true, {}, [[101]], '101 102', '007'];
		const refusal = async (parameters: INodeParameters, items: IDataObject[], item: number) => {
			const { error, outputs } = await bulkDelete(parameters, items);
			expect(outputs).toEqual([]);
			expect(error?.itemIndex).toBe(item);
			expect(error?.description).toContain(`(item ${item})`);
			expect(`${error?.message} ${error?.description}`).not.toMatch(
				/error|problem|failure|mistake|undefined/i,
			);
			expect(sandbox.requests()).toEqual([]);
			return error?.message;
		};

		test.each(BAD.filter((value) => typeof value !== 'object'))(
			'%j among the IDs',
			async (value) => {
				const items = [{ value: 101 }, { value: [102, value] }, { value: 103 }];
				expect(await refusal({ instanceIds: VALUE }, items, 1)).toMatch(
					/^("[^"]+"|[-\d.]+|true) in 'Instance IDs' is not a valid instance ID$/,
				);
			},
		);

		test('one that is no ID in the field', async () => {
			const items = [{ id: 101 }, { id: 102 }, { id: 'abc' }];
			expect(await refusal({ idSource: 'inputField' }, items, 2)).toContain("'ID Field'");
		});

		test.each(['[101, 102', '[101] 102', '[101,]'])('%j, an incomplete list', async (value) => {
			expect(await refusal({ instanceIds: VALUE }, [{ value: 101 }, { value }], 1)).toBe(
				`"${value}" in 'Instance IDs' is not a complete list`,
			);
		});

		test.each<[words: string, entry: IDataObject[string]]>([
			['contains an object instead of a valid instance ID', {}],
			['contains a list instead of a valid instance ID', [101]],
			['contains an empty entry', null],
			['contains an empty entry', ' '],
		])('a list that %s: %j', async (words, entry) => {
			const list = { instanceIds: VALUE };
			const said = await refusal(list, [{ value: 101 }, { value: [102, entry] }], 1);
			expect(said).toBe(`The list in 'Instance IDs' ${words}`);
			const field = { idSource: 'inputField' };
			const saidOfField = await refusal(field, [{ id: 101 }, { id: [102, entry] }], 1);
			expect(saidOfField).toBe(`The list in the field "id" ('ID Field') ${words}`);
		});

		test('an object in the field', async () => {
			const items = [{ id: 101 }, { id: { number: 102 } }];
			expect(await refusal({ idSource: 'inputField' }, items, 1)).toBe(
				'The field "id" (\'ID Field\') contains an object instead of a valid instance ID',
			);
		});

		test.each([
			['https://x.example/api/processes/7/', 'is a link to a process, not to an instance'],
			['https://x.example/public/AbC-123/', 'is not a link to an instance'],
		])('the link %s, which %s', async (value, words) => {
			expect(await refusal({ instanceIds: VALUE }, [{ value: 101 }, { value }], 1)).toBe(
				`"${value}" in 'Instance IDs' ${words}`,
			);
		});

		test.each(['"102", "103"', "'102'", ' "102" '])('quotation marks: %s', async (value) => {
			const items = [{ value: 101 }, { value }];
			expect(await refusal({ instanceIds: VALUE }, items, 1)).toMatch(
				/^"["']102["']" in 'Instance IDs' is not a valid instance ID$/,
			);
		});

		test('an expression that finds nothing', async () => {
			const items = [{ value: 101 }, { other: 102 }];
			expect(await refusal({ instanceIds: VALUE }, items, 1)).toBe("'Instance IDs' has no value");
		});

		test.each<[string, IDataObject]>([
			['id', { other: 1 }],
			['id', { id: null }],
			['id', { id: '' }],
			['a.b', { a: 7 }],
			['a.b', { a: { c: 7 } }],
			['toString', { id: 7 }],
			['constructor.name', { id: 7 }],
			['__proto__.id', { id: 7 }],
			['id.length', { id: [1] }],
			['', { id: 7 }],
		])('the field %s of %j', async (idField, item) => {
			const items = [idField === 'id' ? { id: 101 } : { [idField]: 101 }, item];
			const parameters = { idSource: 'inputField', idField };
			expect(
				await refusal(
					parameters,
					idField === '' ? [item] : items,
					items.length - (idField === '' ? 2 : 1),
				),
			).toMatch(/^'ID Field' names .+, which is (missing from|empty in) this item$/);
		});

		test.each<[string, INodeParameters]>([
			["'Batch Size'", { batchSize: 0 }],
			["'Batch Size'", { batchSize: 1.5 }],
			["'Batch Size'", { batchSize: -1 }],
			["'Batch Size'", { batchSize: '={{ "many" }}' }],
			["'Max Retries'", { maxRetries: 11 }],
			["'Dry Run'", { dryRun: '={{ $json.nothing }}' }],
			["'Dry Run'", { dryRun: '={{ true }}' }],
			["'Dry Run'", { dryRun: 'false' }],
			["'If There Are No IDs'", { onEmpty: '={{ "skip" }}' }],
		])('%s as in %j', async (label, options) => {
			expect(await refusal({ instanceIds: '101', options }, [{}, {}], 0)).toContain(label);
		});

		test.each(['={{ "all" }}', '={{ $json.nothing ?? 7 }}', '={{ [] }}'])(
			'the ID source %s',
			async (idSource) => {
				const parameters = { idSource, instanceIds: '101' };
				expect(await refusal(parameters, [{ id: 101 }], 0)).toContain("'ID Source'");
			},
		);
	});

	describe('without any IDs', () => {
		const EMPTY: Array<[string, INodeParameters, IDataObject[]]> = [
			['empty items', { instanceIds: VALUE }, [{}, {}]],
			['empty lists', { instanceIds: VALUE }, [{ value: [] }, { value: '' }, { value: '[]' }]],
			['blanks and commas', { instanceIds: ' ,\n, ' }, [{ value: 1 }]],
			['null', { instanceIds: VALUE }, [{ value: null }]],
			['an empty field of the node', { instanceIds: '' }, [{ value: 1 }]],
			['empty items, from a field', { idSource: 'inputField' }, [{}]],
			['empty lists, from a field', { idSource: 'inputField' }, [{ id: [] }, { id: '[]' }]],
		];

		test.each(EMPTY)('%s stop the run by default', async (_, parameters, items) => {
			const { error } = await bulkDelete(parameters, items);
			expect(error?.message).toBe('There are no IDs to delete');
			expect(error?.itemIndex).toBe(0);
			expect(error?.description).toContain("'If There Are No IDs'");
			expect(sandbox.requests()).toEqual([]);
		});

		test.each(EMPTY)('%s do nothing when that was chosen', async (_, parameters, items) => {
			const options = { onEmpty: 'nothing' };
			const { error, outputs } = await bulkDelete({ ...parameters, options }, items);
			expect(error).toBeUndefined();
			expect(outputs).toEqual([[]]);
			expect(sandbox.requests()).toEqual([]);
		});

		test.each(EMPTY)('%s make one paired item with Continue', async (_, parameters, items) => {
			const { outputs } = await bulkDelete(parameters, items, continuing);
			expect(outputs[0]).toHaveLength(1);
			expect(outputs[0]?.[0]?.json.error).toContain('There are no IDs to delete');
			expect(sandbox.requests()).toEqual([]);
		});

		test('since no item can be used, say so with Continue only for the items', async () => {
			const { outputs } = await bulkDelete({ instanceIds: VALUE }, [{ value: 'x' }], continuing);
			expect(outputs[0]?.map(({ json }) => json.error)).toEqual([
				expect.stringContaining('is not a valid instance ID'),
			]);
		});

		test('in some items only, the others are deleted', async () => {
			await bulkDelete({ instanceIds: VALUE }, [{ value: [] }, { value: 101 }, {}]);
			expect(gone()).toEqual([101]);
		});
	});

	describe('a dry run', () => {
		const options = { dryRun: true };

		test('lists what would be deleted, and sends nothing', async () => {
			const items = [{ value: '101, 102' }, { value: 101 }];
			const { outputs, tasks } = await bulkDelete({ instanceIds: VALUE, options }, items);
			expect(tasks[0]?.hints).toEqual([]);
			expect(outputs).toEqual([
				[
					{
						json: { id: 101, deleted: false, dryRun: true },
						pairedItem: [{ item: 0 }, { item: 1 }],
					},
					{ json: { id: 102, deleted: false, dryRun: true }, pairedItem: { item: 0 } },
				],
			]);
			expect(sandbox.requests()).toEqual([]);
			expect(gone()).toEqual([]);
		});

		test.each([{ dryRun: false }, {}])('that is off, as in %j, deletes', async (off) => {
			await bulkDelete({ instanceIds: '101', options: off });
			expect(gone()).toEqual([101]);
		});
	});
});
