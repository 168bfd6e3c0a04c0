import { textAt } from '../../sandbox/guards';
import { SEED } from '../../sandbox/service';
import { DELETE, GET, itemsOf, jsonOf, until } from '../e2e/support/stack';
import { adding, executionsOf, useQueue } from './support/queue';

const queue = useQueue();

test('the three operations wait while there is no worker, and then run on workers only', async () => {
	const COUNT = 30;
	const { sandbox, store, start, end, addWorkers, cluster } = queue();
	const ids = sandbox.control.addInstances(COUNT);
	const gone = sandbox.control.addInstances(COUNT);
	const executions = [
		...(await start(await store(GET, itemsOf(ids)))),
		...(await start(await store(adding('moved'), itemsOf(ids)))),
		...(await start(await store(DELETE, itemsOf(gone)))),
	];
	for (const id of executions) {
		await until(() => cluster.main.output().includes(`Enqueued execution ${id} `));
	}
	expect(sandbox.control.stats().requests).toBe(0);

	const workers = await addWorkers(2);
	for (const { status } of await end(executions)) expect(status).toBe('success');
	// Get reads each instance, Update reads and writes each, and Bulk Delete sends all in one request.
	const sent = sandbox.control.log().map(({ method }) => method);
	const times = (count: number, method: string) => Array<string>(count).fill(method);
	expect(sent.sort()).toEqual([...times(2 * COUNT, 'GET'), 'POST', ...times(COUNT, 'PUT')]);
	expect(ids.every((id) => sandbox.control.instance(id)?.tags.includes('moved'))).toBe(true);
	expect(gone.filter((id) => sandbox.control.instance(id))).toEqual([]);
	expect(workers.flatMap(executionsOf).sort()).toEqual(executions.sort());
});

test('40 executions of 50 Gets at once on two workers get through a limit of 50 requests a second without a refused item', async () => {
	const [RUNS, ITEMS, PER_SECOND] = [40, 50, 50];
	const { sandbox, store, succeed, addWorkers } = queue();
	const workers = await addWorkers(2, { concurrency: RUNS / 2 });
	const ids = sandbox.control.addInstances(ITEMS);
	const workflow = await store(GET, itemsOf(ids));
	sandbox.control.setRateLimit({ requests: PER_SECOND });
	for (const execution of await succeed(...Array(RUNS).fill(workflow))) {
		expect(jsonOf(execution).map(({ id }) => id)).toEqual(ids);
	}
	// A few are read once more, to distinguish a limit from unavailable instances.
	expect(sandbox.control.stats().byStatus[200]).toBeLessThan(1.1 * RUNS * ITEMS);
	const shares = workers.map((worker) => executionsOf(worker).length);
	expect(shares.reduce((sum, share) => sum + share)).toBe(RUNS);
	expect(Math.min(...shares)).toBeGreaterThan(0);
});

test('a Bulk Delete on a worker that is stopped from the editor sends nothing more, reports in the worker log what was deleted, and frees the worker', async () => {
	const { sandbox, store, start, succeed, addWorkers, cluster } = queue();
	const { control } = sandbox;
	const { rest } = cluster.main;
	const workers = await addWorkers(1);
	const ids = control.addInstances(5_000);
	control.setLatency(100);
	const [execution = ''] = await start(await store(DELETE, itemsOf(ids)));
	await until(() => control.stats().requests >= 5);
	await rest.call('POST', `/executions/${execution}/stop`, {});
	const status = async () =>
		textAt(await rest.call('GET', `/executions/${execution}`), 'status', 'The execution');
	await until(async () => (await status()) === 'canceled');
	const said = /The execution was stopped\. Deleted \(\d+ of \d+\): \d+, /;
	await until(() => workers.some((worker) => said.test(worker.output())));
	const { requests } = control.stats();
	expect(ids.filter((id) => control.instance(id)).length).toBeGreaterThan(0);

	control.setLatency(0);
	await succeed(await store(GET, itemsOf(ids.slice(-1))));
	expect(control.stats().requests).toBe(requests + 1);
});

test("n8n's protection against requests to internal addresses keeps a worker from the service unless the address is allowed", async () => {
	const { sandbox, store, start, end, addWorkers, stopWorkers } = queue();
	const workflow = await store(GET, itemsOf([SEED.running]));
	/** Runs it on a worker with these variables. */
	const runOnWorker = async (env: Record<string, string>) => {
		await addWorkers(1, { env });
		const [execution] = await end(await start(workflow));
		await stopWorkers();
		return execution;
	};
	const protection = { N8N_SSRF_PROTECTION_ENABLED: 'true' };
	const { error } = (await runOnWorker(protection))?.data.resultData ?? {};
	expect(error?.message).toContain('The request was blocked');
	expect(error?.description).toContain('Ask your n8n admin');
	expect(sandbox.control.stats().requests).toBe(0);
	const allowed = { ...protection, N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8' };
	expect((await runOnWorker(allowed))?.status).toBe('success');
});
