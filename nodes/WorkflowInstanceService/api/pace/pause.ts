import type { Clock } from '../clock';
import type { LineBounds } from './line';

/** Before a request is sent again whose connection was lost. */
export const PAUSE_AFTER_LOSS_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_OWN_PAUSE_MS = 10_000;
const LONGEST_SHARED_PAUSE_MS = 5_000;
/** What was pushed back so often may be unavailable, and makes no pause longer. */
const OFTEN = 4;
/** Up to this much of a pause, and up to this long, is added by chance: not all should come back at once. */
const CHANCE_RATIO = 0.1;
const MOST_CHANCE_MS = 5_000;
/** Where nothing has got through for so long, up to so much more is added: processes may be in lockstep. */
const STUCK_MS = 10_000;
const MORE_CHANCE_MS = 1_000;

/** Thrown where a request is not sent, because the service asks to wait for too long. */
export class WaitTooLong extends Error {
	/** @param wait how long it asks to wait, in milliseconds */
	constructor(readonly wait: number) {
		super('The service asks to wait for too long');
	}
}

/**
 * How long to wait where the service does not say, in milliseconds.
 *
 * @param before how many waits there were before
 */
export function ownPause(before: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** before, LONGEST_OWN_PAUSE_MS);
}

/** A wait, in milliseconds, with some chance added. */
export function withChance(milliseconds: number, clock: Clock): number {
	return milliseconds + Math.min(milliseconds * CHANCE_RATIO, MOST_CHANCE_MS) * clock.chance();
}

/** The pause that holds back the requests of all runs. */
export class SharedPause {
	private end = 0;

	private addedByChance = 0;

	private ownPauses = 0;

	private stalledSince: number | undefined;

	constructor(private readonly clock: Clock) {}

	/** How long it still lasts, in milliseconds; 0 or less when it is over. */
	get rest(): number {
		return this.end - this.clock.now();
	}

	/**
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param cause when what showed a limit was pushed back, in milliseconds since 1970, from which a
	 *   pause of our own counts, and how often it was
	 */
	begin(asked: number, cause: { at: number; pushBacks: number }): void {
		const own = Math.min(ownPause(this.ownPauses), LONGEST_SHARED_PAUSE_MS);
		if (asked === 0 && cause.pushBacks < OFTEN) this.ownPauses++;
		const [pause, from] = asked > 0 ? [asked, this.clock.now()] : [own, cause.at];
		const isStuck = this.stalledFor > STUCK_MS;
		const more = isStuck ? Math.min(pause, MORE_CHANCE_MS) * this.clock.chance() : 0;
		const wait = withChance(pause, this.clock) + more;
		if (from + wait <= this.end) return;
		this.end = from + wait;
		this.addedByChance = wait - pause;
	}

	/** The next pause of our own begins with the shortest. */
	relax(): void {
		this.ownPauses = 0;
	}

	/** Takes note that the service lets nothing through from now on. */
	stall(): void {
		this.stalledSince ??= this.clock.now();
	}

	/** Takes note that the service lets something through, or that nobody asks. */
	flow(): void {
		this.stalledSince = undefined;
	}

	/**
	 * Why a request does not wait, if it may not wait for so long.
	 *
	 * @param wait in milliseconds
	 */
	reasonToRefuse(
		{ maxWait }: LineBounds,
		wait = this.rest - this.addedByChance,
	): WaitTooLong | undefined {
		const isTooLong = wait > 0 && this.stalledFor + wait > maxWait;
		return isTooLong ? new WaitTooLong(wait) : undefined;
	}

	/** How long the service has let nothing through, in milliseconds. */
	private get stalledFor(): number {
		const now = this.clock.now();
		return now - (this.stalledSince ?? now);
	}
}
