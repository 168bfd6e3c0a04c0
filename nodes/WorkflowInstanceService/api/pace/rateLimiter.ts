import type { ApiMethod } from '../errors';
import { backOff, LONGEST_BACK_OFF_MS, type PacedRequest } from './pacedRequest';

/** So many different requests rejected in a row, and half of those in flight, show a rate limit. */
const ROW = 3;
/** After so many pauses in a row, a long Retry-After is believed. */
const SURE_PAUSES = 3;
const LOWEST_RATE = 1 / LONGEST_BACK_OFF_MS;
/** What each success makes of a rate that was just measured, until a request is rejected. */
const FIRST_INCREASE = 1.3;
/** How much more each further success in a row adds, so that the rate grows slowly at first, as in CUBIC. */
const INCREASE = 0.003;
const DECREASE = 0.8;
/** At a slower rate a write could not follow its read in time, so that both wait together. */
const SLOWEST_PAIR_MS = 2_000;
/** Timers are not exact: what is late by so much may be caught up with. */
const TOLERANCE_MS = 20;

/** A request that has a permit. */
export interface Attempt {
	readonly request: PacedRequest;
	/** Its place among all attempts, in the order in which they began. What follows a success counts as a new one. */
	number: number;
	begunAt: number;
	/** Whether it follows a request with the same permit. */
	isSecond: boolean;
	/** Whether what comes of it says something about the service: those that were rejected before may be ill. */
	readonly isSample: boolean;
	/** How many were in flight when it began. */
	readonly inFlight: number;
}

/** A moment: in milliseconds, and as the number of the latest attempt. */
export interface Moment {
	now: number;
	number: number;
}

/** A token bucket whose rate is learned from what gets through and what is rejected. */
export class RateLimiter {
	/** Until when nothing begins, in milliseconds. */
	pausedUntil = 0;

	/** On whose account the last pause is. */
	reason: 'node' | 'service' = 'node';

	/** Whether nothing got through since the last pause: one request at a time finds out. */
	isHalfOpen = false;

	/** The last attempt that had begun when a limit showed, which explains its rejection. */
	explained = 0;

	/** Tokens in a millisecond, once there is a limit. */
	private rate = Infinity;

	private tokens = 0;

	private filledAt = 0;

	/** Since when, and how many got through since then, to measure the rate; the first may come from a reserve. */
	private measured = { since: 0, passed: -1 };

	/** How the rate grows. */
	private growth = { isFirst: false, passedInRow: 0 };

	/** The last attempt that had begun when the rate was changed. */
	private changedAt = 0;

	/** The last attempt that got through. */
	private lastPassed = 0;

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

	/** How far apart requests begin, in milliseconds; infinite where nothing is known. */
	get spacing(): number {
		return this.isLimited ? 1 / this.rate : Infinity;
	}

	private get canLower(): boolean {
		return this.isLimited && this.rate * DECREASE > LOWEST_RATE;
	}

	private get isSlow(): boolean {
		return this.isLimited && this.spacing > SLOWEST_PAIR_MS;
	}

	/** How long until so many requests may begin, in milliseconds; 0 or less when they may now. */
	waitAt(now: number, places: number): number {
		const pause = this.pausedUntil - now;
		if (!this.isLimited) return pause;
		this.fill(now);
		const needed = this.isSlow ? places : 1;
		return Math.max(pause, (needed - this.tokens) / this.rate);
	}

	began(now: number): void {
		this.measured.since ||= now;
		this.fill(now);
		this.tokens--;
	}

	passed({ number, request, isSecond, isSample }: Attempt, method: ApiMethod, at: Moment): void {
		this.measured.passed++;
		if (isSecond) this.tokens--;
		if (number > this.explained && at.now >= this.pausedUntil) {
			this.rows[method].clear();
			this.pauses = 0;
			if (isSample) this.lastPassed = Math.max(this.lastPassed, number);
			// What was rejected gets through later: it was a limit, even though nothing paused.
			const isProof = !this.isLimited && request.unexplained.number > this.changedAt;
			if (this.isHalfOpen || isProof) this.measure(at);
			else this.grow();
			this.isHalfOpen = false;
		}
		request.clear();
	}

	/**
	 * Takes note of a rejection.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @param jitter from 0 to below 1
	 * @returns whether it shows a limit, so that all pause
	 */
	rejected(
		attempt: Attempt,
		method: ApiMethod,
		asked: number,
		at: Moment,
		jitter: number,
	): boolean {
		const { number, request, inFlight, isSample, isSecond } = attempt;
		if (number <= this.explained || at.now < this.pausedUntil) return false;
		this.fill(at.now);
		this.tokens = Math.min(this.tokens, 0);
		// A limit may let through one request at a time, however slowly they come.
		if (this.isLimited && isSecond) return false;
		request.noteUnexplained(number, this.lastPassed);
		this.change(request, number, at);
		if (!isSample || request.unexplained.times > 1) return false;
		const row = this.rows[method].set(request, asked);
		const isShown = this.isHalfOpen || row.size >= Math.max(ROW, inFlight / 2);
		if (isShown) this.pause(row, at, jitter);
		return isShown;
	}

	private pause(row: Map<PacedRequest, number>, { now, number }: Moment, jitter: number): void {
		const own = backOff(this.pauses);
		const asked = Math.min(...row.values());
		// Where others got through, the first ones that are rejected may be ill, whatever they say.
		const isSure = this.lastPassed === 0 || this.pauses >= SURE_PAUSES;
		const isBelieved = isSure || asked <= LONGEST_BACK_OFF_MS;
		const wait = isBelieved && asked > 0 ? asked : own;
		for (const request of row.keys()) request.explain();
		row.clear();
		this.reason = isBelieved && asked > 0 ? 'service' : 'node';
		this.pauses++;
		this.pausedUntil = now + wait * (1 + jitter / 10);
		this.isHalfOpen = true;
		this.explained = this.changedAt = number;
	}

	private grow(): void {
		const { growth } = this;
		// A rate that nobody reaches says nothing about the service.
		if (this.tokens >= 1) return;
		this.rate *= growth.isFirst ? FIRST_INCREASE : 1 + INCREASE * ++growth.passedInRow;
	}

	/** Lowers the rate for a request that was rejected, until it is again, while others get through. */
	private change(request: PacedRequest, number: number, at: Moment): void {
		const { unexplained } = request;
		if (unexplained.times > 1) {
			unexplained.undo?.();
			unexplained.undo = undefined;
		} else if (this.canLower && unexplained.undo === undefined && number > this.changedAt) {
			const { growth } = this;
			unexplained.undo = () => {
				this.rate /= DECREASE;
				this.growth = growth;
			};
			this.growth = { isFirst: false, passedInRow: 0 };
			this.rate *= DECREASE;
			this.changedAt = at.number;
		}
	}

	/** What got through since the last time is what the service lets through. */
	private measure({ now, number }: Moment): void {
		const { since, passed } = this.measured;
		const measured = passed > 0 ? passed / (now - since) : Infinity;
		// A limit that is known is not as far off as a few requests make it look.
		const least = Math.max(this.isLimited ? this.rate * DECREASE : 0, LOWEST_RATE);
		this.rate = Math.max(Math.min(this.rate, measured), least);
		this.measured = { since: now, passed: 0 };
		this.growth = { isFirst: true, passedInRow: 0 };
		this.tokens = 0;
		this.changedAt = number;
	}

	private fill(now: number): void {
		const most = Math.max(this.isSlow ? 2 : 1, this.rate * TOLERANCE_MS);
		const added = now > this.filledAt ? (now - this.filledAt) * this.rate : 0;
		this.tokens = Math.min(most, this.tokens + added);
		this.filledAt = now;
	}
}
