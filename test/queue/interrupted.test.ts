import { DELETE, GET, itemsOf, until } from '../e2e/support/stack';
import { adding, useQueue } from './support/queue';

/** So that the tests don't have to wait for n8n's own two minutes, of which thirty seconds can't be changed. */
const queue = useQueue({
	QUEUE_WORKER_LOCK_DURATION: '6000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
});

const COUNT = 5_000;
const BATCH = 100;

const leftOf = (ids: number[]) => ids.filter((id) => queue().sandbox.control.instance(id));
const tagsOf = (ids: number[]) => ids.map((id) => queue().sandbox.control.instance(id)?.tags);

/** Starts a Bulk Delete. Returns its execution once some requests had a response. */
async function startDeletion(ids: number[]): Promise<string[]> {
	const { sandbox, store, start } = queue();
	const workflow = await store(DELETE, itemsOf(ids));
	sandbox.control.setLatency(100);
	const executions = await start(workflow);
	await until(() => leftOf(ids).length < COUNT);
	return executions;
}

test("a Bulk Delete and an Update whose worker is killed end in n8n's own words, and are finished by other runs", async () => {
	const { sandbox, store, start, end, succeed, addWorkers } = queue();
	const { control } = sandbox;
	const ids = control.addInstances(COUNT);
	const updated = control.addInstances(1_000);
	const update = await store(adding('moved'), itemsOf(updated));
	const [worker] = await addWorkers(1);
	control.setLatency(100);
	const started = [...(await start(update)), ...(await startDeletion(ids))];
	await until(() => tagsOf(updated).flat().length > 0);
	await worker?.kill();
	expect(tagsOf(updated)).toContainEqual([]);
	await addWorkers(1);
	for (const { status, data } of await end(started)) {
		expect(status).toBe('error');
		expect(data.resultData.error?.message).toMatch(/^This execution failed to be processed/);
		expect(data.resultData.runData).toEqual({});
	}
	const remaining = leftOf(ids);
	expect(remaining.length).toBeGreaterThan(0);
	const before = control.stats().requests;
	// The queue keeps its order: if they were run again by themselves, they would have come before what runs now.
	await succeed(await store(GET, itemsOf(remaining.slice(0, 1))));
	expect(control.stats().requests).toBe(before + 1);

	control.setLatency(0);
	await succeed(update, await store(DELETE, itemsOf(ids)));
	expect(leftOf(ids)).toEqual([]);
	expect(tagsOf(updated)).toEqual(updated.map(() => ['moved']));
});

test('a worker that is shut down gracefully finishes its Bulk Delete, takes no other job, and leaves the next to another worker', async () => {
	const { sandbox, store, start, end, addWorkers } = queue();
	const ids = sandbox.control.addInstances(COUNT);
	const workers = await addWorkers(1);
	const executions = await startDeletion(ids);
	const stopping = Promise.all(workers.map(async (worker) => await worker.stop(40_000)));
	const says = () => workers.map((worker) => worker.output(5)).join('\n');
	await until(() => says().includes('Waiting for 1 active executions to finish'));
	const next = await start(await store(GET, itemsOf(sandbox.control.addInstances(1))));
	expect((await end(executions)).map(({ status }) => status)).toEqual(['success']);
	expect(leftOf(ids)).toEqual([]);
	expect(await stopping).toEqual([{ code: 0, signal: null }]);
	expect(sandbox.control.stats().byStatus).toEqual({ 204: COUNT / BATCH });

	await addWorkers(1);
	expect((await end(next)).map(({ status }) => status)).toEqual(['success']);
});
