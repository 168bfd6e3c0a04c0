import { systemClock } from '../clock';

/** The first and the longest back-off, in milliseconds, and how much longer a wait is by chance. */
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 16_000;
/** After so many waits, they are short again: what another n8n process leaves is soon gone. */
const WAITS_IN_A_ROW = 8;
const JITTER = 0.1;

/**
 * How long to wait after so many waits before, with jitter, in milliseconds.
 * @param shortest what the service says
 * @param longest what is left of Max Wait: the last attempt comes when it's over
 */
export function backOff(waits: number, shortest: number, longest: number): number {
	const doubled = FIRST_BACK_OFF_MS * 2 ** (waits % WAITS_IN_A_ROW);
	const own = Math.min(doubled, LONGEST_BACK_OFF_MS, Math.max(longest, FIRST_BACK_OFF_MS));
	return Math.max(shortest, own) * (1 + JITTER * systemClock.chance());
}
