import { withLock } from '../../nodes/WorkflowInstanceService/api/keyedLock';
import { RunStopped } from '../../nodes/WorkflowInstanceService/api/errors';

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
