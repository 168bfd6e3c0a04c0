import { systemClock, untilAborted } from './clock';

/** The last task of each key; none when nobody has a lock. */
export const locks = new Map<string, Promise<unknown>>();

/**
 * Runs a task after all earlier ones with the same key: two updates of one instance would undo each other. Once the
 * signal is aborted, it waits for none, since such a task sends nothing.
 */
export async function withLock<T>(
	key: string,
	signal: AbortSignal,
	task: () => Promise<T>,
): Promise<T> {
	const previous = locks.get(key);
	// With a pause, since thousands that fail unsent would otherwise hold up n8n.
	const whenFree =
		previous && untilAborted(signal, previous).then(async () => await systemClock.sleep(0));
	const result = Promise.resolve(whenFree).then(task);
	const tail: Promise<void> = Promise.allSettled([previous, result]).then(() => {
		if (locks.get(key) === tail) locks.delete(key);
	});
	locks.set(key, tail);
	return await result;
}
