import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { forEachYielding } from '../../nodes/WorkflowInstanceService/n8n/eventLoop';

test('Work on many entries lets n8n do other things every ten milliseconds', async () => {
	let now = 0;
	jest.spyOn(systemClock, 'now').mockImplementation(() => now);
	const happened: string[] = [];
	// It is due all the time.
	const timer = setInterval(() => happened.push('n8n'), 0);
	await forEachYielding(['first', 'second', 'third', 'fourth'], (entry) => {
		now += 5;
		happened.push(entry);
	});
	clearInterval(timer);
	jest.restoreAllMocks();
	const order = happened.filter((each, index) => each !== happened[index - 1]);
	expect(order).toEqual(['first', 'second', 'n8n', 'third', 'fourth', 'n8n']);
});

test('The clock sleeps no longer once it is told not to, by a timer that Node has', async () => {
	const timers = jest.spyOn(globalThis, 'setTimeout');
	const stop = new AbortController();
	const sleeping = systemClock.sleep(Infinity, stop.signal);
	stop.abort();
	expect(await sleeping).toBeUndefined();
	expect(timers.mock.lastCall?.[1]).toBe(2 ** 31 - 1);
	expect(await systemClock.sleep(Infinity, stop.signal)).toBeUndefined();
});

test('The clock draws numbers from 0 to below 1', () => {
	const drawn = Array.from({ length: 20 }, systemClock.chance);
	expect(drawn.filter((each) => each >= 0 && each < 1)).toEqual(drawn);
	expect(new Set(drawn).size).toBeGreaterThan(1);
});
