import { Worker } from 'node:worker_threads';

import { outputItems } from '../../sandbox/n8n/executions';
import { memoryOf } from '../bench/process';
import { oneNodeWorkflow, useStack } from './support/stack';

const stack = useStack();
const ID = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const GET = { operation: 'get', instanceId: ID };
const itemsOf = (ids: number[]) => ids.map((id) => ({ id }));

describe('20 executions of 100 Gets at a service that lets 50 requests a second through', () => {
	const RUNS = 20;
	const ITEMS = 100;
	const PER_SECOND = 50;

	test('all end well, no item is refused, and they take little longer than the limit allows', async () => {
		const { n8n, sandbox, store } = stack();
		const ids = sandbox.control.addInstances(ITEMS);
		const workflow = await store(oneNodeWorkflow(GET, itemsOf(ids)));
		sandbox.control.setRateLimit({ requests: PER_SECOND });
		const started = Array.from(
			{ length: RUNS },
			async () => await n8n.rest.startWorkflow(workflow),
		);
		const executions = await Promise.all(
			started.map(async (id) => await n8n.rest.waitForExecution(await id, 240_000)),
		);
		expect(executions.map(({ status }) => status)).toEqual(Array(RUNS).fill('success'));
		for (const execution of executions) {
			expect(outputItems(execution, 'Service')).toHaveLength(ITEMS);
		}
		const { byStatus } = sandbox.control.stats();
		expect(byStatus[200]).toBe(RUNS * ITEMS);
		expect(byStatus[429] ?? 0).toBeLessThan(RUNS * ITEMS);
		const times = sandbox.control.log().map(({ receivedAt }) => receivedAt);
		const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
		process.stdout.write(
			`${RUNS * ITEMS} requests took ${seconds.toFixed(1)} s, where ${PER_SECOND} a second allow ${(RUNS * ITEMS) / PER_SECOND} s; ${byStatus[429] ?? 0} were pushed back\n`,
		);
	});
});

/** Asks n8n for its health in a thread of its own, and counts the answers that take long. */
function watchHealth(
	url: string,
	longMs: number,
): { stop(): Promise<{ all: number; slow: number }> } {
	const code = `
		const { parentPort, workerData: { url, longMs } } = require('node:worker_threads');
		const counts = { all: 0, slow: 0 };
		let goesOn = true;
		parentPort.once('message', () => { goesOn = false; });
		(async () => {
			while (goesOn) {
				const askedAt = performance.now();
				await fetch(url).then((response) => response.text());
				counts.all++;
				if (performance.now() - askedAt > longMs) counts.slow++;
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			parentPort.postMessage(counts);
		})();`;
	const worker = new Worker(code, { eval: true, workerData: { url, longMs } });
	return {
		stop: async () => {
			const counts = new Promise<{ all: number; slow: number }>((resolve, reject) => {
				worker.once('message', resolve);
				worker.once('error', reject);
			});
			worker.postMessage('stop');
			return await counts.finally(() => void worker.terminate());
		},
	};
}

describe('a Get of 10,000 items by an expression', () => {
	const COUNT = 10_000;
	const LONG_MS = 250;
	/** For a machine that is busy with other things. */
	const SLOW_ANSWERS_ALLOWED = 5;

	test('leaves n8n answering others all the time', async () => {
		const { n8n, sandbox, store } = stack();
		const ids = sandbox.control.addInstances(COUNT);
		const workflow = await store(oneNodeWorkflow(GET, itemsOf(ids)));
		const started = await n8n.rest.startWorkflow(workflow);
		// n8n itself stops for a moment when it hands on and saves 10,000 items, before and after.
		while (sandbox.control.stats().requests < 50) await new Promise((go) => setTimeout(go, 20));
		const health = watchHealth(`${n8n.url}/healthz`, LONG_MS);
		while (sandbox.control.stats().requests < COUNT - 50) {
			await new Promise((go) => setTimeout(go, 20));
		}
		const { all, slow } = await health.stop();
		const { status } = await n8n.rest.waitForExecution(started, 240_000);
		expect(status).toBe('success');
		process.stdout.write(`${slow} of ${all} answers of n8n took more than ${LONG_MS} ms\n`);
		expect(all).toBeGreaterThan(20);
		expect(slow).toBeLessThanOrEqual(SLOW_ANSWERS_ALLOWED);
	});
});

describe('5,000 items that all name the same 5,000 IDs', () => {
	const COUNT = 5_000;
	const MEMORY_MB = 200;

	test.each([
		['a fixed list', (ids: number[]) => ids.join(', ')],
		['an expression over all items', () => '={{ $input.all().map((item) => item.json.id) }}'],
	])('by %s are deleted, saved and shown', async (_how, instanceIds) => {
		const { n8n, sandbox, store } = stack();
		const ids = sandbox.control.addInstances(COUNT);
		const parameters = { operation: 'bulkDelete', instanceIds: instanceIds(ids) };
		const workflow = await store(oneNodeWorkflow(parameters, itemsOf(ids)));
		const before = memoryOf(n8n.pid) ?? NaN;
		const startedAt = Date.now();
		const execution = await n8n.rest.runWorkflow(workflow, {
			destination: 'Service',
			timeoutMs: 240_000,
		});
		const success = outputItems(execution, 'Service');
		const seconds = (Date.now() - startedAt) / 1000;
		const grown = (memoryOf(n8n.pid) ?? NaN) - before;
		process.stdout.write(`${seconds.toFixed(1)} s, ${Math.round(grown)} MB more\n`);
		expect(execution.status).toBe('success');
		expect(success).toHaveLength(COUNT);
		expect(success[COUNT - 1]?.json).toEqual({ id: ids[COUNT - 1], deleted: true });
		expect(ids.filter((id) => sandbox.control.instance(id) !== undefined)).toEqual([]);
		expect(grown).toBeLessThan(MEMORY_MB);
	});
});
