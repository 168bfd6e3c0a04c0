import { NODE_TYPE } from '../../sandbox/names';
import { DELETE, GET, itemsOf, jsonOf, SERVICE, until } from '../e2e/support/stack';
import { adding, useQueue } from './support/queue';

/** So that the tests need not wait for n8n's own two minutes, of which thirty seconds cannot be changed. */
const queue = useQueue({
	QUEUE_WORKER_LOCK_DURATION: '6000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
});

const COUNT = 5_000;
const BATCH = 100;
/** What the node spends at most to find the IDs that are refused. */
const MOST_EXTRA_REQUESTS = 200;

const leftOf = (ids: number[]) => ids.filter((id) => queue().sandbox.control.instance(id));
const tagsOf = (ids: number[]) => ids.map((id) => queue().sandbox.control.instance(id)?.tags);

/** Starts Bulk Deletes of lists of IDs. Returns the executions once some requests of each had a response. */
async function startDeletions(...lists: number[][]): Promise<string[]> {
	const { sandbox, store, start } = queue();
	const workflows: string[] = [];
	for (const ids of lists) workflows.push(await store(DELETE, itemsOf(ids)));
	sandbox.control.setLatency(100);
	const executions = await start(...workflows);
	await until(() => lists.every((ids) => leftOf(ids).length < COUNT));
	return executions;
}

test('two Bulk Deletes and an Update whose worker is killed end in the words of n8n, and are finished by other runs', async () => {
	const { sandbox, store, start, end, succeed, addWorkers } = queue();
	const { control } = sandbox;
	const [ids, others] = [control.addInstances(COUNT), control.addInstances(COUNT)];
	const updated = control.addInstances(1_000);
	const update = await store(adding('moved'), itemsOf(updated));
	const [worker] = await addWorkers(1);
	control.setLatency(100);
	const started = await start(update);
	started.push(...(await startDeletions(ids, others)));
	await until(() => tagsOf(updated).flat().length > 0);
	await worker?.kill();
	expect(tagsOf(updated)).toContainEqual([]);
	await addWorkers(1);
	for (const { status, data } of await end(started)) {
		expect(status).toBe('error');
		expect(data.resultData.error?.message).toMatch(/^This execution failed to be processed/);
		expect(data.resultData.runData).toEqual({});
	}
	const left = leftOf(others);
	expect(left.length).toBeGreaterThan(0);
	const before = control.stats().requests;
	// The queue is in order: what runs now would have come after them, were they run again by themselves.
	await succeed(await store(GET, itemsOf(left.slice(0, 1))));
	expect(control.stats().requests).toBe(before + 1);

	control.setLatency(0);
	await succeed(update, await store(DELETE, itemsOf(ids)));
	expect(leftOf(ids)).toEqual([]);
	expect(tagsOf(updated)).toEqual(updated.map(() => ['moved']));

	// Where the service refuses unknown IDs, the message says how to go on.
	control.setUnknownIds('rejected');
	const [stopped] = await end(await start(await store(DELETE, itemsOf(others))));
	const { error } = stopped?.data.resultData ?? {};
	expect(error?.message).toMatch(/^Batch 1 of 50: /);
	expect(error?.description).toContain("set 'On Error' in the settings of this node to Continue");
	expect(leftOf(others)).toEqual(left);

	control.clearLog();
	const workflow = await store(DELETE, itemsOf(others), 'continueErrorOutput');
	for (const went of await succeed(workflow)) {
		const idsOf = (output: number) => jsonOf(went, SERVICE, output).map(({ id }) => id);
		expect(idsOf(0)).toEqual(left);
		expect(idsOf(1)).toEqual(others.filter((id) => !left.includes(id)));
	}
	expect(leftOf(others)).toEqual([]);
	expect(control.stats().requests).toBeLessThanOrEqual(COUNT / BATCH + MOST_EXTRA_REQUESTS);
});

test('a worker that is shut down in order ends the Bulk Delete that it is at, takes no other job, and leaves the next to another worker', async () => {
	const { sandbox, store, start, end, addWorkers } = queue();
	const ids = sandbox.control.addInstances(COUNT);
	const workers = await addWorkers(1);
	const executions = await startDeletions(ids);
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

test('a worker without the package ends every execution that it takes, and the message names the node type that it does not know', async () => {
	const { sandbox, store, start, end, addWorkers } = queue();
	await addWorkers(1, { withPackage: false });
	const id = await start(await store(GET, itemsOf(sandbox.control.addInstances(1))));
	const [execution] = await end(id);
	expect(execution?.status).toBe('error');
	const { error } = execution?.data.resultData ?? {};
	expect(error?.message).toBe(`Unrecognized node type: ${NODE_TYPE}`);
	expect(sandbox.control.stats().requests).toBe(0);
});
