/** Pauses shorter than this are the servers' own; longer ones n8n's Timeout. Milliseconds. */
const SHORTEST_SKIPPED = 400;
const TIMEOUT = 300_000;

/**
 * Lets the long pauses of a test pass at once: the clock jumps instead. Connections stay real.
 *
 * @returns the pauses that were skipped, in milliseconds, in order
 */
export function skipPauses(): number[] {
	const pauses: number[] = [];
	const { setTimeout: realSetTimeout } = globalThis;
	const realNow = Date.now;
	let skipped = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => realNow() + skipped);
	jest
		.spyOn(globalThis, 'setTimeout')
		.mockImplementation((callback: () => void, milliseconds = 0) => {
			if (milliseconds < SHORTEST_SKIPPED || milliseconds >= TIMEOUT) {
				return realSetTimeout(callback, milliseconds);
			}
			return realSetTimeout(() => {
				pauses.push(milliseconds);
				skipped += milliseconds;
				callback();
			}, 0);
		});
	return pauses;
}
