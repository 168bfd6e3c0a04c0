import { sleep } from 'n8n-workflow';

/** Time, handed in to everything that waits, so that tests need not wait. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves after a time in milliseconds, or soon after the signal is aborted; never rejects. */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** From 0 to below 1. */
	chance(): number;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	chance: () => Math.random(),
	async sleep(milliseconds, signal) {
		// It rejects when aborted. The caller that aborted it doesn't need the error.
		await sleep(milliseconds, signal).catch(() => undefined);
	},
};
