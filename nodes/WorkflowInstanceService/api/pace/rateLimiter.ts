import type { ApiMethod } from '../apiRequest';
import type { Wait } from '../errors';
import { backOff, LONGEST_BACK_OFF_MS, type PacedRequest } from './pacedRequest';
import type { Attempt } from './run';

/** So many different requests rejected in a row, and half of those in flight, show a rate limit. */
const ROW = 3;
/** After so many pauses in a row, a long Retry-After is believed. */
const SURE_PAUSES = 3;
const LOWEST_RATE = 1 / LONGEST_BACK_OFF_MS;
/** What a round trip without a rejection makes of the rate. */
const INCREASE = 1.05;
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

	get isLimited(): boolean {
		return this.rate < Infinity;
	}

	/** Whether nothing got through since the last pause. */
	get isHalfOpen(): boolean {
		return this.pauses > 0;
	}

	/** How many requests at a time find out whether something gets through; more than one, in case the first are ill. */
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
	passed({ number, request }: Attempt, method: ApiMethod, now: number): number {
		this.measured.passed++;
		if (this.explains(number, now)) return ++this.begun;
		this.rows[method].clear();
		this.hasPassed = true;
		// What was rejected gets through later: it was a limit, even though nothing paused.
		const isProof = request.method === method && request.rejectedNumber > this.last.measured;
		if (this.isHalfOpen || isProof) this.measure(now);
		// What began before it was changed says nothing about the rate.
		else if (number > this.last.changed) {
			this.rate *= INCREASE;
			this.last.changed = this.begun;
		}
		this.pauses = 0;
		return ++this.begun;
	}

	/**
	 * Takes note of a rejection.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param jitter from 0 to below 1
	 * @returns whether a limit explains it
	 */
	rejected(
		{ number, request, isSecond }: Attempt,
		method: ApiMethod,
		asked: number,
		now: number,
		inFlight: number,
		jitter: number,
	): boolean {
		if (this.explains(number, now)) return true;
		// A limit may let through one request at a time, however slowly they come.
		if (this.isLimited && isSecond) return true;
		this.lower(request, number);
		if (request.isSuspect) return false;
		this.fill(now);
		this.tokens = Math.min(this.tokens, 0);
		const row = this.rows[method].set(request, asked);
		if (row.size < (this.isHalfOpen ? this.halfOpenLimit : Math.max(ROW, inFlight / 2)))
			return false;
		this.pause(row, now, jitter);
		return true;
	}

	private explains(number: number, now: number): boolean {
		return number <= this.limitedUpTo || now < this.pausedUntil;
	}

	/** Lowers the rate for a request that is rejected for the first time. If it is rejected again, it wasn't the rate. */
	private lower(request: PacedRequest, number: number): void {
		const isLowest = this.rate * DECREASE < LOWEST_RATE;
		const isFirst = !request.isSuspect && number > this.last.changed;
		if (request.hasLoweredRate) this.rate /= DECREASE;
		request.hasLoweredRate = isFirst && this.isLimited && !isLowest;
		if (!request.hasLoweredRate) return;
		this.rate *= DECREASE;
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
