import { getEventListeners } from 'node:events';

import type { INodeParameters } from 'n8n-workflow';

import { createTrigger } from '../harness';
import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { withLock } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { CONTINUE, DELETE_IDS, ID_OF_ITEM, respond, useSandbox } from './support/sandbox';

test('The clock stops sleeping when it is stopped, and uses timers that Node.js supports', async () => {
	const timers = jest.spyOn(globalThis, 'setTimeout');
	const stop = new AbortController();
	const sleeping = systemClock.sleep(Infinity, stop.signal);
	stop.abort();
	expect(await sleeping).toBeUndefined();
	expect(timers.mock.lastCall?.[1]).toBe(2 ** 31 - 1);
	expect(await systemClock.sleep(Infinity, stop.signal)).toBeUndefined();
});

test('However many sleep until a signal is aborted, they only add one listener to it', async () => {
	const stop = new AbortController();
	const sleeping = Array.from({ length: 20 }, async () => {
		await systemClock.sleep(Infinity, stop.signal);
	});
	// Node.js before 24 warns about more than ten.
	expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
	stop.abort();
	await Promise.all(sleeping);
});

test('Changes of one instance that all fail unsent let n8n do other things in between', async () => {
	const { signal } = new AbortController();
	let failed = 0;
	let most = 0;
	const change = async () => await Promise.reject(new Error(`${++failed}`));
	const changes = Array.from({ length: 200 }, async () => await withLock('101', signal, change));
	const ended = Promise.allSettled(changes);
	while (failed < 200) {
		const before = failed;
		await new Promise(setImmediate);
		most = Math.max(most, failed - before);
	}
	await ended;
	expect(most).toBeLessThan(10);
});

describe('A run of thousands of items', () => {
	const sandbox = useSandbox();
	afterEach(() => jest.restoreAllMocks());

	test.each<[string, INodeParameters, idAt: (index: number) => string | number, times: number]>([
		// Both while it reads the items and while it returns them.
		['Get', { instanceId: ID_OF_ITEM }, () => 'none', 400],
		// Also while it merges the IDs, sends the only request, and rejects the other batches.
		['Bulk Delete', { ...DELETE_IDS, options: { batchSize: 1 } }, (index) => index + 1, 801],
	])('lets n8n do other things every ten milliseconds: %s', async (_, parameters, idAt, times) => {
		let milliseconds = 0;
		// As if each item took one millisecond.
		jest.spyOn(systemClock, 'elapsed').mockImplementation(() => milliseconds++);
		const sleep = jest.spyOn(systemClock, 'sleep');
		sandbox.fault(respond(401));
		const items = Array.from({ length: 2_000 }, (__, index) => ({ id: idAt(index) }));
		const { outputs } = await sandbox.run(parameters, items, CONTINUE);
		expect(outputs[0]).toHaveLength(2_000);
		expect(sleep.mock.calls.filter(([time]) => time === 0)).toHaveLength(times);
	});

	test('lets n8n do other things while a poll compares its instances', async () => {
		const ids = sandbox.control.addInstances(200);
		const { credentials } = sandbox;
		const parameters = { instanceIds: ids.join(), events: ['tagsChanged'] };
		const trigger = await createTrigger({ credentials, parameters });
		let milliseconds = 0;
		jest.spyOn(systemClock, 'elapsed').mockImplementation(() => milliseconds++);
		const sleep = jest.spyOn(systemClock, 'sleep');
		await trigger.activate();
		const times = sleep.mock.calls.filter(([time]) => time === 0).length;
		// One after each response, and one for every ten instances.
		expect(times).toBe(ids.length + ids.length / 10);
	});
});
