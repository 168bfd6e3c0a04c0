import { systemClock } from '../clock';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 16_000;
/** After this many waits, they start short again: another n8n process may leave room for a moment. */
const STARTS_OVER_AFTER = 8;
/** Waits are longer by up to this share, by chance. */
const JITTER = 0.1;

/**
 * How long to wait after a number of earlier waits, with jitter, in milliseconds.
 * @param shortest the wait that the service asks for
 * @param longest what remains of Max Wait, so that the last attempt comes when it ends
 */
export function backOff(waits: number, shortest: number, longest: number): number {
	const doubled = FIRST_DELAY_MS * 2 ** (waits % STARTS_OVER_AFTER);
	const own = Math.min(doubled, LONGEST_DELAY_MS, Math.max(longest, FIRST_DELAY_MS));
	return Math.max(shortest, own) * (1 + JITTER * systemClock.chance());
}
