import { systemClock, untilAborted } from './clock';

/** The last task for each key; empty when nothing is locked. */
export const locks = new Map<string, Promise<unknown>>();

/**
 * Runs a task after all earlier ones with the same key: two updates of one instance at a time would undo each other.
 * Once the signal is aborted, it no longer waits for them, since the task then sends nothing.
 */
export async function withLock<T>(
	key: string,
	signal: AbortSignal,
	task: () => Promise<T>,
): Promise<T> {
	const previous = locks.get(key);
	// The pause keeps thousands of tasks that fail without sending anything from holding up n8n.
	const whenFree =
		previous && untilAborted(signal, previous).then(async () => await systemClock.sleep(0));
	const result = Promise.resolve(whenFree).then(task);
	const tail: Promise<void> = Promise.allSettled([previous, result]).then(() => {
		if (locks.get(key) === tail) locks.delete(key);
	});
	locks.set(key, tail);
	return await result;
}
