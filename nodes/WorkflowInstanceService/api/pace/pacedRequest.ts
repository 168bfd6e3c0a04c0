import type { Clock } from '../clock';
import type { ApiMethod } from '../errors';
import type { LineBounds } from './line';
import { ownPause, withChance } from './pause';

/** How far behind the others in the line those come that are alone, which come less often, too. */
const BEHIND = 4;
/** After so many push-backs, a request waits longer than it is asked to. */
const PATIENT_PUSH_BACKS = 10;

/** What suspects share: it is over as soon as one of them gets through. */
export interface Suspicion {
	isOver: boolean;
}

/** A request over all its tries, as the limiter sees it. */
export class PacedRequest {
	/** How often it was pushed back. */
	pushBacks = 0;

	/** Whether a limit explains its last push-back. */
	isExplained = false;

	/** What it asks for: the same for requests that ask for the same. */
	readonly key: unknown;

	/** How many of its retries have shown that it is alone. */
	private shown = 0;

	private suspicion: Suspicion | undefined;

	private waking: AbortController | undefined;

	constructor(
		readonly method: ApiMethod,
		readonly path: string,
		readonly bounds: LineBounds,
	) {
		this.key = method === 'POST' ? this : path;
	}

	/** Whether others got through when it did not: what comes of it says nothing about the service. */
	get isAlone(): boolean {
		return this.suspicion?.isOver === false;
	}

	/** Whether it waits by itself even where a limit explains its push-back: it was often pushed back. */
	get isPatient(): boolean {
		return this.isAlone && this.pushBacks > PATIENT_PUSH_BACKS;
	}

	/** Whether enough of its retries have shown that it is alone. */
	get isGivenUp(): boolean {
		return this.shown >= this.bounds.maxRetries;
	}

	/** Where it comes in the line, the lowest first: what was pushed back less often, if not by a limit. */
	levelBy(chance: number): number {
		if (this.isExplained && this.pushBacks === 1) return 0;
		if (this.pushBacks === 0) return 1;
		return 2 * this.pushBacks * (this.isAlone ? BEHIND : 1) + Math.round(chance);
	}

	suspect(suspicion: Suspicion): void {
		if (!this.isAlone) this.shown = 0;
		this.suspicion = suspicion;
	}

	/** Takes note that its last retry has shown that it is alone. */
	count(): void {
		this.shown++;
		if (this.isGivenUp) this.wake();
	}

	/** Takes back what {@link count} noted. */
	discount(): void {
		this.shown--;
	}

	/**
	 * How long it waits by itself, in milliseconds.
	 *
	 * @param asked how long the service asks it to wait, in milliseconds; 0 when it does not say
	 */
	waitAfter(asked: number, clock: Clock): number {
		const isEnough = asked > 0 && this.pushBacks <= PATIENT_PUSH_BACKS;
		return withChance(isEnough ? asked : Math.max(asked, ownPause(this.pushBacks - 1)), clock);
	}

	/** Waits, until {@link wake} at most. */
	async rest(milliseconds: number, clock: Clock): Promise<void> {
		this.waking = new AbortController();
		await clock.sleep(milliseconds, this.waking.signal);
	}

	/** Ends its wait, since a limit explains its last push-back. */
	explain(): void {
		this.isExplained = true;
		this.wake();
	}

	wake(): void {
		this.waking?.abort();
	}
}
