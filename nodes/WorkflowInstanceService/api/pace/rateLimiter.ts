import type { ApiMethod } from '../apiRequest';
import type { Clock } from '../clock';
import type { Wait } from '../errors';
import { backOff, LONGEST_BACK_OFF_MS, type PacedRequest } from './request';

/** So many different requests of a method rejected in a row, and at least half of those in flight, show a rate limit. */
const ROW = 3;
/** After so many pauses in a row, a long Retry-After is believed. */
const SURE_PAUSES = 3;
const LOWEST_RATE = 1 / LONGEST_BACK_OFF_MS;
/** What a rejection leaves of the rate, and a measurement at least. */
const DECREASE = 0.7;
/** By how much each round trip without a rejection raises the rate more than the one before, and at most. */
const GROWTH_STEP = 0.02;
const MOST_GROWTH = 2;
/** Enough for a read and its write. */
const MOST_TOKENS = 2;
/** The longest time from a read to its write, in milliseconds. */
const LONGEST_PAIR_MS = 2_000;

/** A token bucket whose rate is learned from what gets through and what is rejected. */
export class RateLimiter {
	/** Until when nothing begins, and on whose account. */
	pausedUntil = 0;
	reason: Wait['reason'] = 'node';
	/** Attempts that have begun: all, those that the last limit explains, and those before the rate changed. */
	private begun = 0;
	limitedUpTo = 0;
	private changedAt = 0;
	/** Tokens in a millisecond, Infinity until there is a limit, and what the next success makes of that. */
	private rate = Infinity;
	private growth = 1;
	private tokens = 0;
	private filledAt = 0;
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

	get isRateKnown(): boolean {
		return this.rate < Infinity;
	}

	/** From one request to the next, and from a read to its write, in milliseconds; 0 while no rate is known. */
	get spacing(): number {
		return 1 / this.rate;
	}
	get pairSpacing(): number {
		return Math.min(this.spacing, LONGEST_PAIR_MS);
	}

	/** After a pause, how many at a time find out whether something gets through: more if the first don't. */
	get halfOpenLimit(): number {
		return Math.min(this.pauses, ROW);
	}

	/** How long until so many requests may begin, in milliseconds; 0 or less when they may now. */
	waitFor(places: number): number {
		const now = this.clock.elapsed();
		const pause = this.pausedUntil - now;
		if (!this.isRateKnown) return pause;
		this.tokens = Math.min(MOST_TOKENS, this.tokens + (now - this.filledAt) * this.rate);
		this.filledAt = now;
		return Math.max(pause, (this.tokensFor(places) - this.tokens) / this.rate);
	}

	/** Takes the tokens of an attempt that begins, and returns its number. */
	begin(places: number): number {
		this.measuredAt ||= this.clock.elapsed();
		this.tokens -= this.tokensFor(places);
		return ++this.begun;
	}

	/** The same for the second of two requests. */
	beginSecond(): number {
		this.tokens -= 2 - this.tokensFor(2);
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
		// What began before the rate was changed says nothing about it, nor does one that nobody waits for.
		else if (number > this.changedAt && this.tokens < 1) this.grow();
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
		if (request.hasLoweredRate) this.rate /= DECREASE;
		request.hasLoweredRate = false;
	}

	/** At a slow rate, a write would wait too long for a token of its own, so that its read takes two. */
	private tokensFor(places: number): number {
		return 1 / this.rate > LONGEST_PAIR_MS ? places : 1;
	}

	private explains(number: number): boolean {
		return number <= this.limitedUpTo || this.clock.elapsed() < this.pausedUntil;
	}

	private change(rate: number, growth: number): void {
		this.rate = rate;
		this.growth = growth;
		this.changedAt = this.begun;
	}

	private grow(): void {
		const growth = Math.min(this.growth + GROWTH_STEP, MOST_GROWTH);
		this.change(this.rate * growth, growth);
	}

	private lower(request: PacedRequest): void {
		this.tokens = Math.min(this.tokens, 0);
		if (request.number <= this.changedAt || this.rate * DECREASE < LOWEST_RATE) return;
		request.hasLoweredRate = this.isRateKnown;
		this.change(this.rate * DECREASE, 1);
	}

	/** What got through since the last time is what the service lets through. */
	private measure(): void {
		const now = this.clock.elapsed();
		const measured = this.passedCount > 0 ? this.passedCount / (now - this.measuredAt) : Infinity;
		// A limit that is known is not as far off as a few requests make it look.
		const least = this.isRateKnown ? this.rate * DECREASE : 0;
		const rate = Math.max(Math.min(this.rate, measured), least, LOWEST_RATE);
		// After several pauses, others may have taken what the service let through.
		this.change(rate, this.pauses > 1 ? MOST_GROWTH : 1);
		this.passedCount = 0;
		this.measuredAt = now;
		this.tokens = 0;
		this.filledAt = now;
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
		this.pausedUntil = this.clock.elapsed() + wait * (1 + this.clock.chance() / 10);
		this.limitedUpTo = this.begun;
		this.pauses++;
	}
}
