import { sleep } from 'n8n-workflow';

/** 24 days. In Node.js, a longer timer fires at once. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

export type Clock = typeof systemClock;

/** Why a timer is aborted. Without a reason, each abort makes an error with a stack, which takes long. */
export const NOT_NEEDED = new Error('No longer needed');

/** The only source of time and chance. Tests replace it, so that they don't have to wait. */
export const systemClock = {
	/** Milliseconds since 1970, to compare with dates from the service and from users. This clock may be set back. */
	now: () => Date.now(),

	/** Milliseconds on a clock that only goes forward, for waits. */
	elapsed: () => performance.now(),

	/** From 0 to below 1. */
	chance: () => Math.random(),

	/** Resolves after a time, 24 days at most, or soon after the signal is aborted; never rejects. */
	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		const time = Math.min(milliseconds, LONGEST_SLEEP_MS);
		if (signal === undefined) return await sleep(time);
		// n8n's sleep adds a listener to its signal, so it gets one of its own. In older versions of n8n, it ignores the
		// signal; in newer ones, it rejects when aborted.
		const over = new AbortController();
		const slept = sleep(time, over.signal).catch(() => undefined);
		await untilAborted(signal, slept);
		over.abort(NOT_NEEDED);
	},
};

/** While this node computes, n8n does nothing else, and no response is read. */
const LONGEST_STRETCH_MS = 10;

/** Calls a function for each entry, waits for it, and lets n8n do other things in between. */
export async function forEachYielding<T>(entries: Iterable<T>, visit: (entry: T) => unknown) {
	let since = systemClock.elapsed();
	for (const entry of entries) {
		await visit(entry);
		if (systemClock.elapsed() - since < LONGEST_STRETCH_MS) continue;
		await systemClock.sleep(0);
		since = systemClock.elapsed();
	}
}

/** For each signal, a promise that resolves when it's aborted: Node.js before 24 warns about more than ten listeners. */
const aborts = new WeakMap<AbortSignal, Promise<unknown>>();

/** Waits for work that never rejects, or until a signal is aborted. */
export async function untilAborted(signal: AbortSignal, work: Promise<unknown>) {
	// A listener that is added to an aborted signal is never called.
	if (signal.aborted) return;
	const abort =
		aborts.get(signal) ??
		new Promise((resolve) => {
			signal.addEventListener('abort', resolve);
		});
	aborts.set(signal, abort);
	await Promise.race([work, abort]);
}

/** Resolves with the result of the work, or with undefined if time runs out first: then it's no longer waited for. */
export async function withTimeLimit<T>(
	milliseconds: number,
	work: Promise<T>,
	onTimeUp: () => void,
): Promise<T | undefined> {
	const done = new AbortController();
	const timeIsUp = systemClock.sleep(milliseconds, done.signal).then(() => {
		if (!done.signal.aborted) onTimeUp();
		return undefined;
	});
	return await Promise.race([work, timeIsUp]).finally(() => done.abort(NOT_NEEDED));
}
