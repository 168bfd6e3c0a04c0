import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

/** The time of a sandbox: whatever waits there, or shows a time, asks this and nothing else. */
export interface SandboxClock {
	/** Milliseconds since 1970. */
	now(): number;
	/**
	 * Resolves after so many milliseconds, which may be Infinity, or when the signal is aborted.
	 * Keeps no process alive.
	 */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * The clock of the machine.
 *
 * @param start what it shows when it is first read; it runs on from there
 */
export function systemClock(start?: Date): SandboxClock {
	let ahead: number | undefined;
	return {
		now() {
			const time = Date.now();
			ahead ??= start === undefined ? 0 : start.getTime() - time;
			return time + ahead;
		},
		async sleep(milliseconds, signal = new AbortController().signal) {
			if (signal.aborted) return;
			await (milliseconds > LONGEST_TIMER
				? once(signal, 'abort')
				: setTimeout(milliseconds, undefined, { ref: false, signal }).catch(() => undefined));
		},
	};
}
