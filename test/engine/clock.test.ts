import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { CONTINUE, ID_OF_ITEM, useSandbox } from './support/sandbox';

test('The clock sleeps no longer once it is stopped, by a timer that Node has', async () => {
	const timers = jest.spyOn(globalThis, 'setTimeout');
	const stop = new AbortController();
	const sleeping = systemClock.sleep(Infinity, stop.signal);
	stop.abort();
	expect(await sleeping).toBeUndefined();
	expect(timers.mock.lastCall?.[1]).toBe(2 ** 31 - 1);
	expect(await systemClock.sleep(Infinity, stop.signal)).toBeUndefined();
});

describe('A run of thousands of items', () => {
	const sandbox = useSandbox();

	test('lets n8n do other things every ten milliseconds', async () => {
		let milliseconds = 0;
		// As if each item took one millisecond.
		jest.spyOn(systemClock, 'elapsed').mockImplementation(() => milliseconds++);
		const sleep = jest.spyOn(systemClock, 'sleep');
		const items = Array.from({ length: 2_000 }, () => ({ id: 'none' }));
		const { outputs } = await sandbox.run({ instanceId: ID_OF_ITEM }, items, CONTINUE);
		expect(outputs[0]).toHaveLength(2_000);
		// Both while it reads the items and while it returns them.
		expect(sleep.mock.calls.filter(([time]) => time === 0)).toHaveLength(400);
	});
});
