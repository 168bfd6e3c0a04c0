import { setTimeout as sleep } from 'node:timers/promises';

import { type Execution, outputItems } from '../../sandbox/n8n/executions';
import type { OwnedProcess } from '../../sandbox/n8n/process';
import { NODE_TYPE } from '../../sandbox/names';
import { DELETE, GET, itemsOf, report, SERVICE, stopAll, useQueue } from './support/queue';

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

/** Starts a Bulk Delete of all the ids, and gives its execution once twenty requests have been answered. */
async function startDeletion(ids: number[]): Promise<string> {
	const { sandbox, store, start } = queue();
	sandbox.control.setLatency(100);
	const execution = await start(await store(DELETE, itemsOf(ids)));
	while ((sandbox.control.stats().byStatus[204] ?? 0) < 20) await sleep(10);
	return execution;
}

describe(`two Bulk Deletes of ${COUNT} whose worker is killed`, () => {
	let ids: number[];
	let others: number[];
	let executions: Execution[];
	let workers: OwnedProcess[];
	/** As a service that answers at once, and with nothing of what was killed. */
	const again = (unknownIds: 'passedOver' | 'refused') => {
		const { control } = queue().sandbox;
		control.configure({ latencyMs: 0, unknownIds });
		control.clearLog();
	};

	beforeAll(async () => {
		const { sandbox, addWorkers, end } = queue();
		ids = sandbox.control.addInstances(COUNT);
		others = sandbox.control.addInstances(COUNT);
		const [worker] = await addWorkers(1);
		const started = await Promise.all([startDeletion(ids), startDeletion(others)]);
		const killedAt = Date.now();
		await worker?.kill();
		workers = await addWorkers(1);
		executions = await Promise.all(started.map(end));
		report(`n8n showed that the worker was gone after ${(Date.now() - killedAt) / 1000} s`);
	});
	afterAll(async () => await stopAll(workers));

	test('end in the words of n8n, with nothing of the node, and are not run again by themselves', async () => {
		for (const { status, data } of executions) {
			expect(status).toBe('error');
			expect(data.resultData.error?.message).toMatch(/^This execution failed to be processed/);
			expect(data.resultData.runData).toEqual({});
		}
		expect(leftOf(ids).length).toBeGreaterThan(0);
		expect(leftOf(ids).length).toBeLessThan(COUNT);
		const { requests } = queue().sandbox.control.stats();
		await sleep(3_000);
		expect(queue().sandbox.control.stats().requests).toBe(requests);
	});

	test('are finished by another run where the service passes over unknown IDs', async () => {
		const { store, start, end } = queue();
		again('passedOver');
		expect((await end(await start(await store(DELETE, itemsOf(ids))))).status).toBe('success');
		expect(leftOf(ids)).toEqual([]);
	});

	test('are finished with Continue where the service refuses unknown IDs, as the message of a run without it says', async () => {
		const { sandbox, store, start, end } = queue();
		const left = leftOf(others);
		again('refused');
		const stopped = await end(await start(await store(DELETE, itemsOf(others))));
		expect(stopped.status).toBe('error');
		const { error } = stopped.data.resultData;
		expect(error?.message).toMatch(/^Batch 1 of 50: /);
		expect(error?.description).toContain("set 'On Error' in the settings of this node to Continue");
		expect(leftOf(others)).toEqual(left);

		again('refused');
		const workflow = await store(DELETE, itemsOf(others), 'continueErrorOutput');
		const went = await end(await start(workflow));
		expect(went.status).toBe('success');
		expect(leftOf(others)).toEqual([]);
		const idsOf = (output: number) => outputItems(went, SERVICE, output).map(({ json }) => json.id);
		expect(idsOf(0)).toEqual(left);
		expect(idsOf(1)).toEqual(others.filter((id) => !left.includes(id)));
		const { requests } = sandbox.control.stats();
		expect(requests).toBeLessThanOrEqual(COUNT / BATCH + MOST_EXTRA_REQUESTS);
		report(
			`${COUNT - left.length} of ${COUNT} IDs were gone; ${requests} requests deleted the rest`,
		);
	});
});

describe('a worker that is shut down in order', () => {
	test('ends the Bulk Delete that it is at, takes no other job, and leaves the next to another worker', async () => {
		const { sandbox, store, start, end, addWorkers } = queue();
		sandbox.control.reset();
		const ids = sandbox.control.addInstances(COUNT);
		const workers = await addWorkers(1);
		const execution = await startDeletion(ids);
		const stopping = Promise.all(workers.map(async (worker) => await worker.stop(40_000)));
		const says = () => workers.map((worker) => worker.output(5)).join('\n');
		while (!says().includes('Waiting for 1 active executions to finish')) await sleep(20);
		const next = await start(await store(GET, itemsOf(sandbox.control.addInstances(1))));
		expect((await end(execution)).status).toBe('success');
		expect(leftOf(ids)).toEqual([]);
		expect(await stopping).toEqual([{ code: 0, signal: null }]);
		await sleep(1_000);
		expect(sandbox.control.stats().byStatus).toEqual({ 204: COUNT / BATCH });

		const others = await addWorkers(1);
		expect((await end(next)).status).toBe('success');
		await stopAll(others);
	});
});

describe('a worker without the package', () => {
	test('ends every execution that it takes, and the message names the node type that it does not know', async () => {
		const { sandbox, store, start, end, addWorkers } = queue();
		sandbox.control.reset();
		const workers = await addWorkers(1, { withPackage: false });
		const id = await start(await store(GET, itemsOf(sandbox.control.addInstances(1))));
		const { status, data } = await end(id);
		expect(status).toBe('error');
		expect(data.resultData.error?.message).toBe(`Unrecognized node type: ${NODE_TYPE}`);
		expect(sandbox.control.stats().requests).toBe(0);
		await stopAll(workers);
	});
});
