import type { Clock } from '../clock';
import type { Wait } from '../errors';
import { LONG_ROW, type OutlierDetection, ROW } from './outlierDetection';
import { backOff, countKeys, LONGEST_BACK_OFF_MS, type PacedRequest, withJitter } from './request';

/** What a rejection leaves of the rate. */
const DECREASE = 0.7;
/** How much more the rate grows in each second than in the one before, and with a success at most. */
const GROWTH = 0.01;
const MOST_GROWTH = 1.25;
/** If fewer got through since the last time, the measured rate is one in so many milliseconds at least. */
const MEASURED = 5;
const LONGEST_UNSURE_MS = 1_000;

type Row = ReturnType<OutlierDetection['rowOf']>;

/** Spaces requests (GCRA), at a rate that is learned from what gets through and what is rejected. */
export class RateLimiter {
	/** Until when nothing begins, and on whose account. */
	pausedUntil = 0;
	reason: Wait['reason'] = 'node';
	/** From one request to the next, in milliseconds; 0 until there is a limit. */
	spacing = 0;
	private nextAt = 0;
	/** When the rate changed, and since when it only grows. */
	private changedAt = 0;
	private growsSince = 0;
	/** Attempts that have begun: all, and those that the last limit explains. */
	private begun = 0;
	private limitedUpTo = 0;
	/** What the rate was lowered for last, until it shows whether that was why it was rejected. */
	private lowered: PacedRequest | undefined;
	/** What got through since the rate was last measured, and when anything last did. */
	private passedCount = 0;
	private measuredAt = 0;
	private passedAt = 0;
	/** Since what began after a pause last got through: pauses, and by key, for how long it asked where that is long. */
	private pauses = 0;
	private readonly askedForLong = new Map<unknown, number>();

	constructor(private readonly clock: Clock) {}

	/** After a pause, how many at a time find out whether something gets through: more if the first don't. */
	get halfOpenLimit(): number {
		return this.isStuck ? 1 : Math.min(this.pauses, ROW);
	}

	/** How long until another request may begin, in milliseconds; 0 or less when it may now. */
	get wait(): number {
		return Math.max(this.pausedUntil, this.nextAt) - this.clock.elapsed();
	}

	/** Takes note of an attempt that begins, and returns its number. */
	begin(): number {
		const now = this.clock.elapsed();
		this.measuredAt ||= now;
		// What is not used is kept for one request.
		this.nextAt = Math.max(this.nextAt, now - this.spacing) + this.spacing;
		return ++this.begun;
	}

	restartMeasurement(): void {
		this.passedCount = 0;
		this.measuredAt = 0;
	}

	passed(request: PacedRequest): void {
		this.passedCount++;
		this.passedAt = this.clock.elapsed();
		if (request === this.lowered) this.lowered = undefined;
		// Of what began after a pause, one success ends it, however many were rejected meanwhile.
		if (request.number <= this.limitedUpTo) return;
		if (this.pauses > 0) this.measure();
		// The rate is too high if what was rejected again gets through after all. If it is not used, it says nothing.
		else if (request.unexplained < 2 && this.nextAt > this.passedAt) this.grow();
		else this.change(this.spacing);
		this.pauses = 0;
		this.askedForLong.clear();
	}

	/**
	 * Returns whether a rejection shows a limit, which begins a pause.
	 * @param row what was rejected together with it
	 */
	rejected(request: PacedRequest, row: Row, inFlight: number): boolean {
		const isExplained =
			request.number <= this.limitedUpTo || this.clock.elapsed() < this.pausedUntil;
		if (isExplained) request.explain(this.passedAt);
		this.raiseAgain(request);
		if (request.unexplained === 0) return false;
		const isShown = this.isShown(request, row, inFlight);
		if (isShown) this.pause(request, row.firsts);
		else if (request.unexplained === 1) this.lower(request);
		return isShown;
	}

	/** Others got through, so the rate was not why a request was rejected: the limit had let it through, too. */
	noteOutlier(request: PacedRequest): void {
		this.passedCount++;
		this.raiseAgain(request);
	}

	/** The rate is not why a request was rejected: it was rejected again, or others get through. */
	private raiseAgain(request: PacedRequest): void {
		if (request !== this.lowered) return;
		this.spacing *= DECREASE;
		this.lowered = undefined;
	}

	/** Takes note of how long it asks to wait, and returns whether a limit shows. */
	private isShown(request: PacedRequest, row: Row, inFlight: number): boolean {
		const { asked, key, isProbe, limits, rejectedMethod } = request;
		const longest = isProbe ? limits.maxWait : Math.min(LONGEST_BACK_OFF_MS, limits.maxWait);
		if (asked > longest) return this.askedForLong.set(key, asked).size >= LONG_ROW;
		// A read is compared with one that worked before.
		if (isProbe || this.isStuck || (rejectedMethod !== 'GET' && row.length >= LONG_ROW))
			return true;
		const shown = this.halfOpenLimit || Math.max(row.shown, inFlight / 2);
		return row.firsts.includes(request) && countKeys(row.firsts) >= shown;
	}

	/** So many pauses in a row: the service may count what it rejects, or another process may be in step. */
	private get isStuck(): boolean {
		return this.pauses > 2 * ROW;
	}

	private change(spacing: number): void {
		this.spacing = Math.min(spacing, LONGEST_BACK_OFF_MS);
		this.changedAt = this.growsSince = this.clock.elapsed();
	}

	/** The rate grows with the time, not with each success, so that a process with a low rate gets its share. */
	private grow(): void {
		const now = this.clock.elapsed();
		const growth = 1 + (GROWTH * (now - this.growsSince)) / 1000;
		this.spacing /= Math.min(growth ** ((now - this.changedAt) / 1000), MOST_GROWTH);
		this.changedAt = now;
	}

	/** The request may have come too soon. If it was explained before, it is not put first again. */
	private lower(request: PacedRequest): void {
		if (this.spacing === 0 || request.asked > request.limits.maxWait) return;
		if (request.rejections === 1) request.putNext();
		const spacing = this.spacing / DECREASE;
		if (this.lowered !== undefined || spacing > LONGEST_BACK_OFF_MS) return;
		this.lowered = request;
		this.change(spacing);
	}

	/** What got through after the first one is what the service lets through in that time. */
	private measure(): void {
		const now = this.clock.elapsed();
		const others = this.passedCount - 1;
		const measured = others > 0 ? (now - this.measuredAt) / others : 0;
		const longest = this.passedCount < MEASURED ? LONGEST_UNSURE_MS : LONGEST_BACK_OFF_MS;
		this.change(Math.max(this.spacing, Math.min(measured, longest)));
		if (this.passedCount >= MEASURED) this.restartMeasurement();
		this.nextAt = now + this.spacing;
	}

	private pause(request: PacedRequest, firsts: PacedRequest[]): void {
		const row = [request, ...firsts];
		const asked = Math.min(...this.askedForLong.values(), ...row.map((each) => each.asked));
		const stuck = LONGEST_BACK_OFF_MS * (1 + this.clock.chance());
		// Of our own, 1, 2 and then 4 seconds, since a limit may end soon.
		const own = backOff(Math.min(this.pauses, 2));
		const wait = this.isStuck ? Math.max(asked, stuck) : asked || own;
		for (const first of firsts) first.explain(this.passedAt);
		this.reason = wait === asked ? 'service' : 'node';
		this.pausedUntil = this.clock.elapsed() + withJitter(wait, this.clock.chance());
		if (this.pauses === 0) this.limitedUpTo = this.begun;
		this.lowered = undefined;
		this.pauses++;
	}
}
