import { type INodeParameters, sleep } from 'n8n-workflow';

import { limiterCount } from '../../nodes/WorkflowInstanceService/api/concurrencyLimiter';
import { SEED } from '../../sandbox/service';
import type { RunNodeOptions } from '../harness';
import { ID_OF_ITEM, locator, useSandbox } from './support/sandbox';
import { skipPauses } from './support/time';

jest.setTimeout(120_000);

const COUNT = 50;
const GET: INodeParameters = { operation: 'get', instanceId: ID_OF_ITEM };
const UPDATE: INodeParameters = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags: 'checked' },
};
const BULK_DELETE: INodeParameters = {
	operation: 'bulkDelete',
	idSource: 'inputField',
	options: { batchSize: 5 },
};

describe('a run at the pace of the service', () => {
	const sandbox = useSandbox();
	afterEach(() => {
		jest.restoreAllMocks();
		expect(limiterCount()).toBe(0);
	});
	const run = async (
		parameters: INodeParameters,
		ids: number[],
		settings: Partial<RunNodeOptions> = {},
	) =>
		await sandbox.run(
			parameters,
			ids.map((id) => ({ id })),
			settings,
		);
	/** Instances whose process does not name them: their names may be sent back. */
	const instances = (count: number) =>
		sandbox.control
			.addInstances(2 * count)
			.filter(
				(id) =>
					!sandbox.control.instance(id)?.process.includes(`/${SEED.processes.purchaseRequest}/`),
			)
			.slice(0, count);

	describe.each([1, 2, 5, 10])('against a limit of %d requests a second', (perSecond) => {
		describe.each(['seconds', 'zero', 'pastDate', 'none'] as const)(
			'that names the wait as %s',
			(retryAfter) => {
				test.each<[string, INodeParameters, number]>([
					['Get', GET, COUNT],
					['Update, other fields kept', UPDATE, 2 * COUNT],
					['Bulk Delete in batches of five', BULK_DELETE, COUNT / 5],
				])(
					'%s of 50 items ends well, with at most three requests for each that it needs',
					async (_operation, parameters, needed) => {
						skipPauses();
						const ids = instances(COUNT);
						sandbox.control.setRateLimit({ requests: perSecond, retryAfter });
						const { outputs, error } = await run(parameters, ids);
						expect(error).toBeUndefined();
						expect(outputs[0]?.map(({ json }) => json.id)).toEqual(ids);
						const { requests, byStatus } = sandbox.control.stats();
						expect(byStatus[200] ?? byStatus[204]).toBe(needed);
						expect(requests).toBeLessThanOrEqual(3 * needed);
					},
				);
			},
		);
	});

	test('aborts what is in flight when the execution is stopped, and the next run starts at once', async () => {
		const ids = instances(20);
		sandbox.control.addFault({
			match: { ids: ids.slice(0, 5) },
			action: { type: 'hang' },
			times: 5,
		});
		sandbox.control.addFault({
			match: { ids: ids.slice(5, 10) },
			times: 5,
			action: { type: 'respond', status: 429, headers: { 'Retry-After': '200' } },
		});
		const stop = new AbortController();
		const running = run(GET, ids, { signal: stop.signal });
		await sleep(400);
		const sent = sandbox.control.stats().requests;
		stop.abort();
		await running;
		await sleep(300);
		expect(sandbox.control.stats().inFlight).toBe(0);
		expect(sandbox.control.stats().requests).toBe(sent);
		const startedAt = Date.now();
		const { outputs } = await run(GET, ids);
		expect(outputs[0]).toHaveLength(20);
		// The stopped run was told to wait for 200 seconds.
		expect(Date.now() - startedAt).toBeLessThan(100_000);
	});

	test('lets twenty runs through one limit without losing an item of any', async () => {
		skipPauses();
		const ids = instances(10);
		sandbox.control.setRateLimit({ requests: 25, retryAfter: 'seconds' });
		const running = Array.from({ length: 20 }, async () => await run(GET, ids));
		while (sandbox.log().length === 0) await sleep(1);
		expect(limiterCount()).toBe(1);
		const runs = await Promise.all(running);
		expect(runs.map(({ outputs }) => outputs[0]?.length)).toEqual(Array(20).fill(10));
		expect(sandbox.control.stats().byStatus[200]).toBe(200);
	});

	test('does not share its pace with runs that have another key', async () => {
		sandbox.control.addFault({
			match: { ids: [101] },
			times: 0,
			action: { type: 'respond', status: 429, headers: { 'Retry-After': '290' } },
		});
		const stop = new AbortController();
		const held = run(GET, [101], { signal: stop.signal });
		while (sandbox.control.stats().byStatus[429] === undefined) await sleep(1);
		await sleep(50);
		const other = { ...sandbox.credentials, apiKey: 'another-key-of-a-test' };
		const { error } = await run(GET, [102], { credentials: other });
		expect(error?.httpCode).toBe('401');
		stop.abort();
		await held;
	});

	test('evaluates each expression once for each item, and nothing else', async () => {
		const ids = instances(7);
		const { evaluations } = await run(GET, ids);
		expect(evaluations).toBe(0);
		const constant = await run({ instanceId: locator(SEED.running) }, ids);
		expect(constant.evaluations).toBe(0);
		const update = await run(
			{ ...UPDATE, updateFields: { name: '={{ "N" + $json.id }}', priority: 'H' } },
			ids,
		);
		expect(update.evaluations).toBe(7);
	});

	test.each([
		['={{ $("Items").first().json.id }}', 1],
		["={{ $('Items').all().map((item) => item.json.id)[0] }}", 1],
		['={{ $input.last().json.id }}', 1],
		['={{ $input.first().json.id }}', 1],
		['={{ $input.all().length && 101 }}', 1],
		["={{ $('Items').last().json.id }}", 1],
		['={{ $("Items").all().at(-1).json.id - $input.last().json.id + 101 }}', 1],
		['={{ 100 + 1 }}', 1],
		["={{ $('Items').all().map(({ json }) => [json.id])[0].join() }}", 1],
		['={{$json["id"]}}', 0],
		['={{ $json?.id }}', 7],
		['={{ \\u0024json.id }}', 7],
		['={{ 101 + 0 * Math["ran" + "dom"]() }}', 7],
		['={{ $input.all()[$itemIndex].json.id }}', 7],
		['={{ $("Items").item.json.id }}', 7],
		['={{ $input.first().json.id + 0 * $itemIndex }}', 7],
		['={{ $input.all().length ? $json.id : 0 }}', 7],
		['={{ $input.item.json.id }}', 7],
		['={{ 101 + 0 * DateTime.now().toMillis() }}', 7],
		['={{ $("Items").first().json.id + 0 * new Date().getTime() }}', 7],
		['={{ $("Items").first().json.id + 0 * Math.random() }}', 7],
	])('evaluates %s %d times for seven items', async (value, evaluations) => {
		const { outputs, ...counted } = await run({ instanceId: locator(value) }, instances(7));
		expect(outputs[0]).toHaveLength(7);
		expect(counted.evaluations).toBe(evaluations);
	});
});
