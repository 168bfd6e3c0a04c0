import { sleep } from 'n8n-workflow';

/** 24 days. A longer timer of Node's fires at once. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

export type Clock = typeof systemClock;

/** All time and chance, which tests replace, so that they need not wait. */
export const systemClock = {
	/** Milliseconds since 1970, for what the service and users say in dates. It may be set back. */
	now: () => Date.now(),

	/** Milliseconds on a clock that only goes forward, for waits. */
	elapsed: () => performance.now(),

	/** From 0 to below 1. */
	chance: () => Math.random(),

	/** Resolves after a time, 24 days at most, or soon after the signal is aborted; never rejects. */
	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		const time = Math.min(milliseconds, LONGEST_SLEEP_MS);
		if (signal === undefined) return await sleep(time);
		// On a signal of its own, to which n8n's sleep adds a listener. In older versions of n8n it ignores the signal,
		// in newer ones it rejects when aborted.
		const over = new AbortController();
		const slept = sleep(time, over.signal).catch(() => undefined);
		await untilAborted(signal, slept);
		over.abort();
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

/** Promises that resolve when signals are aborted. Node.js before 24 warns of more than ten listeners of one. */
const aborts = new WeakMap<AbortSignal, Promise<unknown>>();

function abortOf(signal: AbortSignal): Promise<unknown> {
	const abort =
		aborts.get(signal) ??
		new Promise((resolve) => {
			signal.addEventListener('abort', resolve);
		});
	aborts.set(signal, abort);
	return abort;
}

/** Waits for work that never rejects, but no longer than until a signal is aborted. */
export async function untilAborted(signal: AbortSignal, work: Promise<unknown>) {
	// A listener that is added to an aborted signal is never called.
	if (!signal.aborted) await Promise.race([work, abortOf(signal)]);
}

/** What comes of work, or undefined if its time is up first: it isn't waited for any longer. */
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
	return await Promise.race([work, timeIsUp]).finally(() => done.abort());
}
