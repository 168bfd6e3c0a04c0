import { systemClock } from '../clock';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 16_000;
/** After so many waits, they are short again: another n8n process may leave room for a moment. */
const STARTS_OVER_AFTER = 8;
/** By how much a wait is longer at most, by chance. */
const JITTER = 0.1;

/**
 * How long to wait after so many waits before, with jitter, in milliseconds.
 * @param shortest what the service says
 * @param longest what is left of Max Wait: the last attempt comes when it's over
 */
export function backOff(waits: number, shortest: number, longest: number): number {
	const doubled = FIRST_DELAY_MS * 2 ** (waits % STARTS_OVER_AFTER);
	const own = Math.min(doubled, LONGEST_DELAY_MS, Math.max(longest, FIRST_DELAY_MS));
	return Math.max(shortest, own) * (1 + JITTER * systemClock.chance());
}
