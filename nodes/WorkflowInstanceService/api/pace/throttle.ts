import type { ApiMethod } from '../errors';
import type { PacedRequest } from './pacedRequest';

/** So many requests rejected in a row, one for each instance, show a rate limit. */
const ROW = 3;
/** What the back-off that all share begins with, and between what it stays, in milliseconds. */
const FIRST_PAUSE_MS = 1_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** So few requests between two pauses mean that there is a slow limit, where requests are spaced. */
const FEW = 4;
const SPACING_GROWTH = 1.25;
const SPACING_DECAY = 0.985;
const LEAST_SPACING_MS = 10;
/** How many of the latest results of a method tell the share of rejections. */
const RECENT = 20;

/** What is known about the requests of one method. */
class MethodHistory {
	/** Who was rejected since something last got through, with how long the service asks to wait. */
	readonly row = new Map<unknown, number>();

	/** The latest results. */
	readonly recent: Array<{ key: unknown; isRejected: boolean }> = [];

	lastPassedAt = -Infinity;

	/** Since when nothing gets through, in milliseconds. */
	stalledSince: number | undefined;
}

/** Tells when the service limits the rate, and how long all requests pause then. */
export class Throttle {
	/** Until when nothing is sent, in milliseconds. */
	pausedUntil = 0;

	/** Whether the service asked for the pause. */
	isAsked = false;

	/** Whether a pause is over, and nothing got through since: one request at a time finds out. */
	isHalfOpen = false;

	/** How far apart requests begin, in milliseconds. */
	spacing = 0;

	/** The last attempt that had begun when a limit showed: what comes of it says nothing more. */
	explained = 0;

	private pause = FIRST_PAUSE_MS;

	/** When the present pauses began, one after another. */
	private throttledAt = 0;

	private isLearning = false;

	private passedInRow = 0;

	private grownAt = 0;

	private rounds = 0;

	/** How long the last pauses took, until something got through. */
	private waited = 0;

	private throttledMethod: ApiMethod = 'GET';

	/** How many got through since the last pause. */
	private passedSince = Infinity;

	readonly histories: Record<ApiMethod, MethodHistory> = {
		GET: new MethodHistory(),
		POST: new MethodHistory(),
		PUT: new MethodHistory(),
	};

	/** Takes note of a request that got through. */
	passed(
		request: PacedRequest,
		method: ApiMethod,
		{ number, isSample }: { number: number; isSample: boolean },
		now: number,
	): void {
		const { key } = request;
		const history = this.histories[method];
		history.lastPassedAt = now;
		history.stalledSince = undefined;
		if (isSample) this.remember(method, key, false);
		if (number <= this.explained) return;
		history.row.clear();
		this.isHalfOpen = false;
		this.passedSince++;
		if (method !== this.throttledMethod) return;
		if (request.spacedAt > this.grownAt) this.grow(number);
		else this.spacing *= SPACING_DECAY ** ++this.passedInRow;
		if (this.spacing < LEAST_SPACING_MS) this.spacing = 0;
		if (!this.isLearning) return;
		this.isLearning = false;
		this.passedSince = 1;
		this.waited = now - this.throttledAt;
		const needed = this.waited * (this.rounds === 1 ? 0.6 : 0.8);
		this.pause = Math.min(Math.max(needed, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
	}

	/**
	 * Takes note of a rejection.
	 *
	 * @param inFlight how many requests were in flight with it
	 * @param jitter from 0 to below 1
	 * @returns whether it shows a limit, so that all pause
	 */
	rejected(
		request: PacedRequest,
		method: ApiMethod,
		asked: number,
		{
			number,
			inFlight,
			isSecond,
			isSample,
		}: { number: number; inFlight: number; isSecond: boolean; isSample: boolean },
		now: number,
		jitter: number,
	): boolean {
		const { key } = request;
		const history = this.histories[method];
		history.stalledSince ??= now;
		// What follows at once is not spaced.
		if (this.spacing > 0 && isSecond) return false;
		if (this.spacing > 0) request.spacedAt = number;
		if (!isSample) return false;
		this.remember(method, key, true);
		if (number <= this.explained) return false;
		history.row.set(key, asked);
		const needed = Math.max(ROW, Math.ceil(inFlight / 2));
		const isShown = this.isHalfOpen || history.row.size >= needed;
		if (isShown) this.begin(method, history, now, jitter);
		return isShown;
	}

	/** The share of the latest requests of a method that were rejected, but for those for the same thing. */
	recentShare(method: ApiMethod, key: unknown): number {
		const others = this.histories[method].recent.filter((each) => each.key !== key);
		return others.filter(({ isRejected }) => isRejected).length / Math.max(1, others.length);
	}

	/** How long nothing has got through, in milliseconds. */
	stalledFor(now: number): number {
		const since = Object.values(this.histories).map(({ stalledSince = now }) => stalledSince);
		return now - Math.min(...since);
	}

	/** Time without requests does not count. */
	rest(): void {
		for (const history of Object.values(this.histories)) history.stalledSince = undefined;
	}

	private begin(method: ApiMethod, { row }: MethodHistory, now: number, jitter: number): void {
		const isAgain = this.isHalfOpen;
		const asked = Math.min(...row.values());
		if (!isAgain) {
			this.throttledAt = now;
			if (this.passedSince < FEW) this.spacing = Math.max(this.spacing * 1.5, this.waited);
		}
		this.rounds = isAgain ? this.rounds + 1 : 1;
		const first = this.spacing || this.pause;
		const own = Math.min(first * (isAgain ? 0.5 * 1.5 ** (this.rounds - 1) : 1), LONGEST_PAUSE_MS);
		this.isAsked = asked > 0;
		const wait = asked > 0 ? asked : own;
		this.pausedUntil = now + wait * (1 + jitter / 10);
		this.isHalfOpen = this.isLearning = true;
		this.throttledMethod = method;
		row.clear();
	}

	private grow(number: number): void {
		this.passedInRow = 0;
		this.grownAt = number;
		this.spacing *= SPACING_GROWTH;
	}

	private remember(method: ApiMethod, key: unknown, isRejected: boolean): void {
		const { recent } = this.histories[method];
		recent.push({ key, isRejected });
		if (recent.length > RECENT) recent.shift();
	}
}
