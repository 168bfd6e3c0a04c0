import {
	lockCount,
	type Waiter,
	withLock,
} from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { RunStopped } from '../../nodes/WorkflowInstanceService/api/pace/runStopped';
import { VirtualClock } from '../harness';

const clock = new VirtualClock();
const GOING: Waiter = { clock, patience: 60_000, assertGoing: () => undefined };
const STOPPED: Waiter = {
	clock,
	patience: 20,
	assertGoing() {
		throw new RunStopped();
	},
};

describe('a lock', () => {
	test('is given to one task of a key after the other, and ends with the last', async () => {
		const order: string[] = [];
		const use = async (key: string, name: string, milliseconds: number) =>
			await withLock(key, GOING, async () => {
				order.push(name);
				await clock.sleep(milliseconds);
				order.push(name);
			});
		await Promise.all([use('a', 'first', 50), use('a', 'second', 0), use('b', 'other', 0)]);
		expect(order).toEqual(['first', 'other', 'other', 'first', 'second', 'second']);
		await clock.sleep(2_000);
		expect(lockCount()).toBe(0);
		expect(clock.slept).toEqual([50, 2_000]);
	});

	test('is not waited for by a run that was stopped, however long another one has it', async () => {
		let end = (): void => undefined;
		const held = withLock('a', GOING, async () => {
			await new Promise<void>((resolve) => (end = resolve));
		});
		const task = jest.fn(async () => await Promise.resolve());
		await expect(withLock('a', STOPPED, task)).rejects.toThrow(RunStopped);
		end();
		await held;
		expect(task).not.toHaveBeenCalled();
	});
});
