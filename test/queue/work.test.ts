import { setTimeout as sleep } from 'node:timers/promises';

import { outputItems } from '../../sandbox/n8n/executions';
import { addNamedInstances } from '../e2e/support/instances';
import {
	DELETE,
	executionsOf,
	GET,
	ID_OF_ITEM,
	itemsOf,
	report,
	SERVICE,
	stopAll,
	useQueue,
} from './support/queue';

const queue = useQueue();
beforeEach(() => queue().sandbox.control.reset());

const requestsByMethod = () => {
	const counts: Record<string, number> = {};
	for (const { method } of queue().sandbox.control.log()) {
		counts[method] = (counts[method] ?? 0) + 1;
	}
	return counts;
};

describe('the three operations in queue mode', () => {
	const COUNT = 30;

	test('wait while there is no worker, and then run on workers only', async () => {
		const { sandbox, store, start, end, addWorkers, cluster } = queue();
		const ids = addNamedInstances(sandbox.control, COUNT);
		const gone = sandbox.control.addInstances(COUNT);
		const executions = [
			await start(await store(GET, itemsOf(ids))),
			await start(
				await store(
					{ operation: 'update', instanceId: ID_OF_ITEM, updateFields: { addTags: 'moved' } },
					itemsOf(ids),
				),
			),
			await start(await store(DELETE, itemsOf(gone))),
		];
		await sleep(3_000);
		expect(sandbox.control.stats().requests).toBe(0);

		const workers = await addWorkers(2);
		for (const id of executions) expect((await end(id)).status).toBe('success');
		// Get reads each, Update reads and writes each, and Bulk Delete names all in one request.
		expect(requestsByMethod()).toEqual({ GET: 2 * COUNT, PUT: COUNT, POST: 1 });
		expect(ids.every((id) => sandbox.control.instance(id)?.tags.includes('moved'))).toBe(true);
		expect(gone.filter((id) => sandbox.control.instance(id))).toEqual([]);
		expect(workers.flatMap(executionsOf).sort()).toEqual(executions.sort());
		for (const id of executions) expect(cluster.main.logs()).toContain(`Enqueued execution ${id} `);
		await stopAll(workers);
	});
});

describe('40 executions of 50 Gets at once on two workers', () => {
	const RUNS = 40;
	const ITEMS = 50;
	const PER_SECOND = 50;

	test('go through a limit of 50 requests a second without one refused item', async () => {
		const { sandbox, store, start, end, addWorkers } = queue();
		const workers = await addWorkers(2, { concurrency: RUNS / 2 });
		const ids = sandbox.control.addInstances(ITEMS);
		const workflow = await store(GET, itemsOf(ids));
		sandbox.control.setRateLimit({ requests: PER_SECOND });
		const started = await Promise.all(Array.from({ length: RUNS }, () => start(workflow)));
		const executions = await Promise.all(started.map(end));

		expect(executions.map(({ status }) => status)).toEqual(Array(RUNS).fill('success'));
		for (const execution of executions) {
			expect(outputItems(execution, SERVICE).map(({ json }) => json.id)).toEqual(ids);
		}
		const { byStatus } = sandbox.control.stats();
		expect(byStatus[200]).toBe(RUNS * ITEMS);
		const shares = workers.map((worker) => executionsOf(worker).length);
		expect(shares.reduce((sum, share) => sum + share)).toBe(RUNS);
		expect(Math.min(...shares)).toBeGreaterThan(0);
		const times = sandbox.control.log().map(({ receivedAt }) => receivedAt);
		const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
		report(
			`${RUNS * ITEMS} Gets of ${shares.join(' and ')} executions took ${seconds.toFixed(1)} s, where ` +
				`${PER_SECOND} a second allow ${(RUNS * ITEMS) / PER_SECOND} s; ${byStatus[429] ?? 0} requests ` +
				'were pushed back and sent again',
		);
		await stopAll(workers);
	});
});

describe("n8n's own limit of executions at once", () => {
	const LIMIT = 3;
	const WORKERS = 2;
	const RUNS = 20;

	test('holds on each worker, whatever the pace of the node', async () => {
		const { sandbox, store, start, end, addWorkers } = queue();
		const env = { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(LIMIT) };
		// The variable goes before the flag.
		const workers = await addWorkers(WORKERS, { concurrency: 10, env });
		const workflow = await store(GET, itemsOf(sandbox.control.addInstances(1)));
		// One request an execution, long enough for all that may run to be under way together.
		sandbox.control.setLatency(1_000);
		const started = await Promise.all(Array.from({ length: RUNS }, () => start(workflow)));
		const executions = await Promise.all(started.map(end));
		expect(executions.map(({ status }) => status)).toEqual(Array(RUNS).fill('success'));
		expect(sandbox.control.stats()).toMatchObject({
			requests: RUNS,
			maxInFlight: LIMIT * WORKERS,
		});
		await stopAll(workers);
	});
});

describe('two workers that update the same 200 instances', () => {
	const COUNT = 200;

	test('each do all of theirs; what one undoes of the other is measured', async () => {
		const { sandbox, store, start, end, addWorkers } = queue();
		const workers = await addWorkers(2, { concurrency: 1 });
		const ids = addNamedInstances(sandbox.control, COUNT);
		const adding = async (tag: string) =>
			await store(
				{ operation: 'update', instanceId: ID_OF_ITEM, updateFields: { addTags: tag } },
				itemsOf(ids),
			);
		const workflows = [await adding('one'), await adding('other')];
		sandbox.control.setLatency(200);
		const executions = await Promise.all(
			(await Promise.all(workflows.map(start))).map(async (id) => await end(id)),
		);
		expect(workers.map((worker) => executionsOf(worker).length)).toEqual([1, 1]);
		expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
		expect(requestsByMethod()).toEqual({ GET: 2 * COUNT, PUT: 2 * COUNT });
		const tagsOf = (id: number) => sandbox.control.instance(id)?.tags ?? [];
		const without = (tag: string) => ids.filter((id) => !tagsOf(id).includes(tag)).length;
		const lost = without('one') + without('other');
		// Whichever of the two wrote last has its tag there: at most one of them can be lost.
		expect(lost).toBeLessThanOrEqual(COUNT);
		report(
			`Two workers added a tag each to the same ${COUNT} instances at the same time: ${lost} of ` +
				`${2 * COUNT} tags were undone by the other worker's update`,
		);

		sandbox.control.clearLog();
		for (const workflow of workflows) {
			expect((await end(await start(workflow))).status).toBe('success');
		}
		expect(without('one') + without('other')).toBe(0);
		await stopAll(workers);
	});
});

describe('a Bulk Delete on a worker that is stopped from the editor', () => {
	const COUNT = 5_000;

	test('sends nothing more, tells in the log of the worker what was deleted, and frees the worker', async () => {
		const { sandbox, store, start, end, endStatus, addWorkers, cluster } = queue();
		const workers = await addWorkers(1);
		const ids = sandbox.control.addInstances(COUNT);
		sandbox.control.setLatency(100);
		const execution = await start(await store(DELETE, itemsOf(ids)));
		while (sandbox.control.stats().requests < 5) await sleep(20);
		await cluster.main.rest.call('POST', `/executions/${execution}/stop`, {});
		expect(await endStatus(execution)).toBe('canceled');
		await sleep(1_000);
		const { requests } = sandbox.control.stats();
		const left = ids.filter((id) => sandbox.control.instance(id)).length;
		await sleep(1_000);
		expect(sandbox.control.stats().requests).toBe(requests);
		expect(left).toBeGreaterThan(0);
		const [worker] = workers;
		expect(worker?.output()).toMatch(/Bulk Delete was stopped\. Deleted: \d+, /);

		sandbox.control.setLatency(0);
		const next = await end(await start(await store(GET, itemsOf(ids.slice(-1)))));
		expect(next.status).toBe('success');
		await stopAll(workers);
	});
});
