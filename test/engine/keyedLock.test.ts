import { lockCount, withLock } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { RunStopped } from '../../nodes/WorkflowInstanceService/api/pace/runStopped';
import { VirtualClock } from '../harness';

const clock = new VirtualClock();
const { signal } = new AbortController();

test('A lock is given to one task of a key after the other, and ends with the last', async () => {
	const order: string[] = [];
	const use = async (key: string, name: string, milliseconds: number) =>
		await withLock(key, signal, async () => {
			order.push(name);
			await clock.sleep(milliseconds);
			order.push(name);
		});
	await Promise.all([use('a', 'first', 50), use('a', 'second', 0), use('b', 'other', 0)]);
	expect(order).toEqual(['first', 'other', 'other', 'first', 'second', 'second']);
	await clock.sleep(1);
	expect(lockCount()).toBe(0);
});

test('A run that is stopped does not wait for a lock, and the next one still does', async () => {
	const order: string[] = [];
	const stop = new AbortController();
	const release = new AbortController();
	const held = withLock('a', signal, async () => {
		await new Promise((resolve) => release.signal.addEventListener('abort', resolve));
		order.push('held');
	});
	const stopped = withLock('a', stop.signal, async () => void order.push('stopped'));
	const next = withLock('a', signal, async () => void order.push('next'));
	stop.abort();
	await expect(stopped).rejects.toThrow(RunStopped);
	expect(order).toEqual([]);
	release.abort();
	await Promise.all([held, next]);
	expect(order).toEqual(['held', 'next']);
});
