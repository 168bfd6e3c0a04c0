import { setTimeout } from 'node:timers/promises';

/** The time of a sandbox: everything there that waits or shows a time uses only this. */
export interface SandboxClock {
	/** Milliseconds since 1970. */
	now(): number;
	/**
	 * Resolves after a time in milliseconds, which may be Infinity, or when the signal is aborted.
	 * Doesn't keep the process alive.
	 */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export function systemClock(): SandboxClock {
	return {
		now: () => Date.now(),
		async sleep(milliseconds, signal) {
			const timer = setTimeout(Math.min(milliseconds, LONGEST_TIMER), null, { ref: false, signal });
			// It rejects when aborted.
			await timer.catch(() => undefined);
		},
	};
}
