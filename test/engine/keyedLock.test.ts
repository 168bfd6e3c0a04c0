import { withLock } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { RunStopped } from '../../nodes/WorkflowInstanceService/api/waits';

const { signal } = new AbortController();

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

test('A run that was stopped before gets no lock', async () => {
	const stop = new AbortController();
	stop.abort();
	const task = jest.fn();
	await expect(withLock('b', stop.signal, task)).rejects.toThrow(RunStopped);
	expect(task).not.toHaveBeenCalled();
});
