import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';

test('The clock sleeps no longer once it is told not to, by a timer that Node has', async () => {
	const timers = jest.spyOn(globalThis, 'setTimeout');
	const stop = new AbortController();
	const sleeping = systemClock.sleep(Infinity, stop.signal);
	stop.abort();
	expect(await sleeping).toBeUndefined();
	expect(timers.mock.lastCall?.[1]).toBe(2 ** 31 - 1);
	expect(await systemClock.sleep(Infinity, stop.signal)).toBeUndefined();
});
