import { systemClock } from '../../nodes/WorkflowInstanceService/api/clock';
import { forEachYielding } from '../../nodes/WorkflowInstanceService/n8n/eventLoop';

describe('Work on many entries', () => {
	/** What happens in which order, while a timer of n8n is due all the time. */
	async function order(millisecondsForEach: number): Promise<string[]> {
		let now = 0;
		const clock = { ...systemClock, now: () => now };
		const happened: string[] = [];
		const timer = setInterval(() => happened.push('n8n'), 0);
		await forEachYielding(
			[1, 2, 3, 4],
			(entry) => {
				now += millisecondsForEach;
				happened.push(`entry ${entry}`);
			},
			clock,
		);
		clearInterval(timer);
		return happened.filter((each, index) => each !== happened[index - 1]);
	}

	test('lets n8n do other things every ten milliseconds', async () => {
		const [first, second, third, fourth] = ['entry 1', 'entry 2', 'entry 3', 'entry 4'];
		expect(await order(5)).toEqual([first, second, 'n8n', third, fourth, 'n8n']);
	});

	test('goes on at once while it takes less', async () => {
		expect(await order(1)).not.toContain('n8n');
	});
});

test('The clock sleeps no longer once it is told not to, by a timer that Node has', async () => {
	const timers = jest.spyOn(globalThis, 'setTimeout');
	const stop = new AbortController();
	const sleeping = systemClock.sleep(Infinity, stop.signal);
	stop.abort();
	expect(await sleeping).toBeUndefined();
	expect(timers.mock.lastCall?.[1]).toBe(2 ** 31 - 1);
});

test('The clock draws numbers from 0 to below 1', () => {
	const drawn = Array.from({ length: 20 }, systemClock.chance);
	expect(drawn.filter((each) => each >= 0 && each < 1)).toEqual(drawn);
	expect(new Set(drawn).size).toBeGreaterThan(1);
});
