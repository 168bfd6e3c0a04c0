import { untilAborted } from './clock';

/** The last task of each key; none when nobody has a lock. */
export const locks = new Map<string, Promise<unknown>>();

/** Runs a task after all earlier ones with the same key: two updates of one instance would undo each other. */
export async function withLock<T>(
	key: string,
	signal: AbortSignal,
	task: () => Promise<T>,
): Promise<T> {
	const before = locks.get(key);
	const result = untilAborted(signal, Promise.resolve(before)).then(task);
	const tail: Promise<void> = Promise.allSettled([before, result]).then(() => {
		if (locks.get(key) === tail) locks.delete(key);
	});
	locks.set(key, tail);
	return await result;
}
