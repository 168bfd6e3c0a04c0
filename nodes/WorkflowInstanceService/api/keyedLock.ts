import { systemClock } from './clock';
import { RunStopped } from './errors';

/** The last task of each key. */
const tails = new Map<string, Promise<unknown>>();

/**
 * Runs a task when all earlier ones of this process with the same key have ended, in the order of the
 * calls: two updates of one instance at a time would undo each other.
 *
 * @param signal ends the wait when the run is stopped, with RunStopped
 */
export async function withLock<T>(
	key: string,
	signal: AbortSignal,
	task: () => Promise<T>,
): Promise<T> {
	const before = tails.get(key);
	const stopped = new Promise((resolve) => {
		signal.addEventListener('abort', resolve, { once: true });
	});
	const result = Promise.race([before, stopped]).then(async () => {
		// What came of the task before may stop the run, which is known a moment later.
		if (before !== undefined) await systemClock.sleep(0);
		if (signal.aborted) throw new RunStopped();
		return await task();
	});
	const tail = Promise.allSettled([before, result]);
	tails.set(key, tail);
	void tail.then(() => tails.get(key) === tail && tails.delete(key));
	return await result;
}

/** How many locks there are: none when nobody has one. */
export function lockCount(): number {
	return tails.size;
}
