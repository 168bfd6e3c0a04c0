import type { ApiMethod } from '../apiRequest';
import type { Wait } from '../errors';
import { backOff, LONGEST_BACK_OFF_MS, type PacedRequest } from './run';

/** So many different requests rejected in a row, and half of those in flight, show a rate limit. */
const ROW = 3;
/** After so many pauses in a row, a long Retry-After is believed. */
const SURE_PAUSES = 3;
const LOWEST_RATE = 1 / LONGEST_BACK_OFF_MS;
/** By how much each round trip in a row without a rejection raises the rate more than the one before. */
const GROWTH_STEP = 0.02;
const MOST_GROWTH = 2;
/** What a rejection makes of the rate, and the least that is left of it when it is measured again. */
const DECREASE = 0.7;
/** At a slower rate a write could not follow its read in time, so that both wait together. */
const SLOWEST_PAIR_MS = 2_000;
/** Timers are not exact: what is late by so much may be caught up with. */
const TOLERANCE_MS = 20;

/** A token bucket whose rate is learned from what gets through and what is rejected. */
export class RateLimiter {
	/** Until when nothing begins, in milliseconds. */
	pausedUntil = 0;

	/** On whose account the last pause is. */
	reason: Wait['reason'] = 'node';

	/** The last attempt that had begun when a limit showed, which explains its rejection. */
	limitedUpTo = 0;

	/** How many attempts have begun. */
	private begun = 0;

	/** Tokens in a millisecond, once there is a limit. */
	private rate = Infinity;

	/** What the next round trip without a rejection makes of the rate. */
	private growth = 1;

	private tokens = 0;

	private filledAt = 0;

	/** Since when, and how many got through since then; the first may come from a reserve. */
	private measured = { since: 0, passed: -1 };

	/** The last attempt that had begun when the rate was measured, and when it was changed at all. */
	private last = { measured: 0, changed: 0 };

	private hasPassed = false;

	/** Pauses since something last got through. */
	private pauses = 0;

	/** What was rejected since something of the method got through, with how long the service asks to wait. */
	private readonly rows: Record<ApiMethod, Map<PacedRequest, number>> = {
		GET: new Map(),
		POST: new Map(),
		PUT: new Map(),
	};

	/** From one request to the next, in milliseconds; 0 when no rate is known. */
	get spacing(): number {
		return 1 / this.rate;
	}

	get isLimited(): boolean {
		return this.rate < Infinity;
	}

	/** Whether nothing got through since the last pause. */
	get isHalfOpen(): boolean {
		return this.pauses > 0;
	}

	/** How many requests at a time find out whether something gets through, several in case the first are ill; 0 when it does. */
	get halfOpenLimit(): number {
		return Math.min(this.pauses, ROW);
	}

	private get isSlow(): boolean {
		return this.rate < 1 / SLOWEST_PAIR_MS;
	}

	/** How many of so many requests that follow each other are sent with one permit. */
	together(wanted: number): number {
		return this.isLimited && !this.isSlow ? 1 : wanted;
	}

	/** How long until so many requests may begin, in milliseconds; 0 or less when they may now. */
	waitAt(now: number, count: number): number {
		const pause = this.pausedUntil - now;
		if (!this.isLimited) return pause;
		this.fill(now);
		return Math.max(pause, (count - this.tokens) / this.rate);
	}

	/**
	 * @param count how many follow each other with one permit
	 * @returns the number of the attempt
	 */
	began(now: number, count: number): number {
		this.measured.since ||= now;
		this.fill(now);
		this.tokens -= count;
		return ++this.begun;
	}

	/** Time in which nobody sends anything does not count. */
	noteIdle(): void {
		this.measured = { since: 0, passed: -1 };
	}

	/** @returns the number of the attempt to come, if another request follows with the same permit */
	passed({ number, rejected }: PacedRequest, method: ApiMethod, now: number): number {
		this.measured.passed++;
		if (this.explains(number, now)) return ++this.begun;
		this.rows[method].clear();
		this.hasPassed = true;
		// What was rejected gets through later: it was a limit, even though nothing paused.
		const isProof = rejected.method === method && rejected.number > this.last.measured;
		if (this.isHalfOpen || isProof) this.measure(now);
		// What began before it was changed says nothing about the rate.
		else if (number > this.last.changed) this.grow();
		this.pauses = 0;
		return ++this.begun;
	}

	/**
	 * Takes note of a rejection.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param inFlight how many requests were in flight
	 * @param jitter from 0 to below 1
	 * @returns whether a limit explains it
	 */
	rejected(
		request: PacedRequest,
		method: ApiMethod,
		asked: number,
		now: number,
		inFlight: number,
		jitter: number,
	): boolean {
		const { number, isSecond, isSuspect } = request;
		if (this.explains(number, now)) return true;
		// A limit may let through one request at a time, however slowly they come.
		if (this.isLimited && isSecond) return true;
		this.raiseAgain(request);
		if (isSuspect) return false;
		if (number > this.last.changed) this.lower(request);
		this.fill(now);
		this.tokens = Math.min(this.tokens, 0);
		const row = this.rows[method].set(request, asked);
		const shown = this.isHalfOpen ? this.halfOpenLimit : Math.max(ROW, inFlight / 2);
		if (row.size < shown) return false;
		this.pause(row, now, jitter);
		return true;
	}

	/** The rate was not the reason why a request was rejected: it was rejected again, or does not come again. */
	raiseAgain(request: PacedRequest): void {
		if (request.growthBefore === undefined) return;
		this.rate /= DECREASE;
		this.growth = Math.max(this.growth, request.growthBefore);
		request.growthBefore = undefined;
	}

	private explains(number: number, now: number): boolean {
		return number <= this.limitedUpTo || now < this.pausedUntil;
	}

	private grow(): void {
		this.growth = Math.min(this.growth + GROWTH_STEP, MOST_GROWTH);
		this.rate *= this.growth;
		this.last.changed = this.begun;
	}

	private lower(request: PacedRequest): void {
		if (!this.isLimited || this.rate * DECREASE < LOWEST_RATE) return;
		request.growthBefore = this.growth;
		this.rate *= DECREASE;
		this.growth = 1;
		this.last.changed = this.begun;
	}

	private pause(row: Map<PacedRequest, number>, now: number, jitter: number): void {
		const asked = Math.min(...row.values());
		const isSure = !this.hasPassed || this.pauses >= SURE_PAUSES;
		// Where others got through, the first ones that are rejected may be ill, whatever they say.
		const isBelieved = asked > 0 && (isSure || asked <= LONGEST_BACK_OFF_MS);
		const wait = isBelieved ? asked : backOff(this.pauses);
		for (const request of row.keys()) request.explain();
		row.clear();
		this.reason = isBelieved ? 'service' : 'node';
		this.pausedUntil = now + wait * (1 + jitter / 10);
		this.limitedUpTo = this.begun;
		this.pauses++;
	}

	/** What got through since the last time is what the service lets through. */
	private measure(now: number): void {
		const { since, passed } = this.measured;
		const measured = passed > 0 ? passed / (now - since) : Infinity;
		// A limit that is known is not as far off as a few requests make it look.
		const least = Math.max(this.isLimited ? this.rate * DECREASE : 0, LOWEST_RATE);
		this.rate = Math.max(Math.min(this.rate, measured), least);
		// After several pauses, others may have taken what the service let through.
		this.growth = this.pauses > 1 ? MOST_GROWTH : 1;
		this.measured = { since: now, passed: 0 };
		this.last = { measured: this.begun, changed: this.begun };
		this.tokens = 0;
	}

	private fill(now: number): void {
		const most = Math.max(this.isSlow ? 2 : 1, this.rate * TOLERANCE_MS);
		const added = now > this.filledAt ? (now - this.filledAt) * this.rate : 0;
		this.tokens = Math.min(most, this.tokens + added);
		this.filledAt = now;
	}
}
