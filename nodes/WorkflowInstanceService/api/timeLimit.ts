import { systemClock } from './clock';

/**
 * What comes of work, or undefined if its time is up first.
 *
 * @param onTimeUp may end the work, which is not waited for any longer
 */
export async function withTimeLimit<T>(
	milliseconds: number,
	work: Promise<T>,
	onTimeUp?: () => void,
): Promise<T | undefined> {
	const done = new AbortController();
	const timeIsUp = systemClock.sleep(milliseconds, done.signal).then(() => {
		if (!done.signal.aborted) onTimeUp?.();
		return undefined;
	});
	return await Promise.race([work, timeIsUp]).finally(() => done.abort());
}
