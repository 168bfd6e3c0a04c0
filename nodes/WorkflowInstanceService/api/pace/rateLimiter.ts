import type { ApiMethod } from '../apiRequest';
import type { Clock } from '../clock';
import type { Wait } from '../errors';
import { backOff, LONGEST_BACK_OFF_MS, type PacedRequest, withJitter } from './request';

/** So many different requests of a method rejected in a row, and at least half of those in flight, show a rate limit. */
const ROW = 3;
/** After so many pauses in a row, a long Retry-After is believed. */
const SURE_PAUSES = 3;
/** What a rejection leaves of the rate, and a measurement at least. */
const DECREASE = 0.7;
/** How much more the rate grows in each second than in the one before, and with a success at most. */
const GROWTH = 0.01;
const MOST_GROWTH = 1.2;
/** The longest time from a read to its write, in milliseconds. */
const LONGEST_PAIR_MS = 2_000;

/** Spaces requests (GCRA), at a rate that is learned from what gets through and what is rejected. */
export class RateLimiter {
	/** Until when nothing begins, and on whose account. */
	pausedUntil = 0;
	reason: Wait['reason'] = 'node';
	/** Attempts that have begun: all, those that the last limit explains, and those before the rate changed. */
	private begun = 0;
	limitedUpTo = 0;
	private changedUpTo = 0;
	/** From one request to the next, in milliseconds; 0 until there is a limit. */
	spacing = 0;
	private nextAt = 0;
	/** When the rate changed, and since when it only grows. */
	private changedAt = 0;
	private growsSince = 0;
	/** What got through since the rate was last measured; the first may come from a reserve. */
	private passedCount = -1;
	private measuredAt = 0;
	/** When something last got through, and pauses since then. */
	passedAt = 0;
	private pauses = 0;
	/** By method and key, what was rejected since something got through. */
	private readonly rows = {
		GET: new Map<unknown, PacedRequest>(),
		POST: new Map<unknown, PacedRequest>(),
		PUT: new Map<unknown, PacedRequest>(),
	};

	constructor(private readonly clock: Clock) {}

	/** From a read to its write, in milliseconds. */
	get pairSpacing(): number {
		return Math.min(this.spacing, LONGEST_PAIR_MS);
	}

	/**
	 * After a pause, how many at a time find out whether something gets through: more if the first don't. If
	 * none does for long, the service may count what it rejects.
	 */
	get halfOpenLimit(): number {
		return this.pauses > 2 * ROW ? 1 : Math.min(this.pauses, ROW);
	}

	/** How long until so many requests may begin, in milliseconds; 0 or less when they may now. */
	waitFor(places: number): number {
		const beforeSecond = (places - 1) * (this.spacing - this.pairSpacing);
		return Math.max(this.pausedUntil, this.nextAt + beforeSecond) - this.clock.elapsed();
	}

	/** Takes note of an attempt that begins, and returns its number. */
	begin(): number {
		const now = this.clock.elapsed();
		this.measuredAt ||= now;
		// What is not used is kept for one request.
		this.nextAt = Math.max(this.nextAt, now - this.spacing) + this.spacing;
		return ++this.begun;
	}

	/** Time in which nobody sends anything does not count. */
	noteIdle(): void {
		this.passedCount = Math.min(this.passedCount, 0);
		this.measuredAt = 0;
	}

	passed({ number }: PacedRequest, method: ApiMethod): void {
		this.passedCount++;
		this.passedAt = this.clock.elapsed();
		if (this.explains(number)) return;
		this.rows[method].clear();
		if (this.pauses > 0) this.measure();
		// A rate that nobody waits for says nothing.
		else if (this.nextAt > this.passedAt) this.grow();
		this.pauses = 0;
	}

	/** Returns whether a limit explains a rejection. In general, only the first one of a request says so. */
	rejected(request: PacedRequest, method: ApiMethod, inFlight: number): boolean {
		if (this.explains(request.number)) return true;
		this.raiseAgain(request);
		if (request.rejections > 1) return false;
		if (request.isFirstRejection) this.lower(request);
		const row = this.rows[method].set(request.key, request);
		const shown = request.isProbe ? 1 : Math.max(ROW, inFlight / 2);
		if (row.size < (this.halfOpenLimit || shown)) return false;
		this.pause(row);
		return true;
	}

	/** The rate is not why a request was rejected: it was rejected again, or does not come again. */
	raiseAgain(request: PacedRequest): void {
		if (!request.hasLoweredRate) return;
		request.hasLoweredRate = false;
		this.spacing *= DECREASE;
		this.growsSince = Math.min(this.growsSince, request.rateGrewSince);
	}

	private explains(number: number): boolean {
		return number <= this.limitedUpTo || this.clock.elapsed() < this.pausedUntil;
	}

	private change(spacing: number): void {
		this.spacing = Math.min(spacing, LONGEST_BACK_OFF_MS);
		this.changedUpTo = this.begun;
		this.changedAt = this.growsSince = this.clock.elapsed();
	}

	/** The rate grows with the time, not with each success, so that a process with a low rate gets its share. */
	private grow(): void {
		const now = this.clock.elapsed();
		const growth = 1 + (GROWTH * (now - this.growsSince)) / 1000;
		this.spacing /= Math.min(growth ** ((now - this.changedAt) / 1000), MOST_GROWTH);
		this.changedAt = now;
	}

	private lower(request: PacedRequest): void {
		if (this.spacing === 0) return;
		this.nextAt = Math.max(this.nextAt, this.clock.elapsed() + this.spacing);
		const spacing = this.spacing / DECREASE;
		if (request.number <= this.changedUpTo || spacing > LONGEST_BACK_OFF_MS) return;
		request.hasLoweredRate = true;
		request.rateGrewSince = this.growsSince;
		this.change(spacing);
	}

	/** What got through since the last time is what the service lets through. */
	private measure(): void {
		const now = this.clock.elapsed();
		const measured = this.passedCount > 0 ? (now - this.measuredAt) / this.passedCount : 0;
		// A limit that is known is not as far off as a few requests make it look.
		const most = this.spacing > 0 ? this.spacing / DECREASE : Infinity;
		this.change(Math.min(Math.max(this.spacing, measured), most));
		this.passedCount = 0;
		this.measuredAt = now;
		this.nextAt = now + this.spacing;
	}

	private pause(row: Map<unknown, PacedRequest>): void {
		const asked = Math.min(...[...row.values()].map((request) => request.asked));
		// Where others got through, the first ones that are rejected may be ill, whatever they say.
		const isSure = this.passedCount < 0 || this.pauses >= SURE_PAUSES;
		const isBelieved = asked > 0 && (isSure || asked <= LONGEST_BACK_OFF_MS);
		const wait = isBelieved ? asked : backOff(this.pauses);
		for (const request of row.values()) request.explain(this.passedAt);
		row.clear();
		this.reason = isBelieved ? 'service' : 'node';
		this.pausedUntil = this.clock.elapsed() + withJitter(wait, this.clock.chance());
		this.limitedUpTo = this.begun;
		this.pauses++;
	}
}
