import type { ApiMethod } from '../apiRequest';
import type { Clock } from '../clock';
import { RunStopped, type Wait, WaitTooLong } from '../errors';
import { ConcurrencyLimit, MinuteLimit } from './limits';
import { OutlierDetection } from './outlierDetection';
import { RateLimiter } from './rateLimiter';
import { type PacedRequest, Run } from './run';

/** What began so much earlier than something that got through hangs; after so long a silence, one more begins. In milliseconds. */
const HANGS_MS = 1_000;

/** By base URL and key; none a minute after the last run. */
export const pools = new Map<string, PermitPool>();

/**
 * The pool for a base URL and key, which all runs of this process with the same two share. It exists as
 * long as one of them does, and what a limit by the minute has to remember a minute longer.
 */
export function poolFor(baseUrl: string, apiKey: string, clock: Clock): PermitPool {
	const id = `${baseUrl} ${apiKey}`;
	const pool: PermitPool =
		pools.get(id) ?? new PermitPool(clock, () => pools.get(id) === pool && pools.delete(id));
	pools.set(id, pool);
	return pool;
}

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	/** The run whose turn is next comes first. */
	private readonly runs: Run[] = [];

	private readonly minute = new MinuteLimit(this.runs);

	// What is learned from responses, as long as there are runs.
	private concurrency = new ConcurrencyLimit();

	private rate = new RateLimiter();

	private outliers = new OutlierDetection(this.runs);

	/** When something last began or ended. */
	private lastNewsAt = 0;

	/** When the latest of those that got through began. */
	private passedBegunAt = 0;

	/** Since when nothing gets through. */
	private stalledSince: number | undefined;

	private alarm = new AbortController();

	constructor(
		readonly clock: Clock,
		private readonly onForgotten: () => unknown,
	) {}

	/** How many are in flight, but for what hangs, and for what a limit will reject that has just shown. */
	private get inFlight(): number {
		const { isHalfOpen, limitedUpTo } = this.rate;
		const isCounted = ({ number, begunAt }: PacedRequest) =>
			begunAt > this.passedBegunAt - HANGS_MS && (!isHalfOpen || number > limitedUpTo);
		return this.runs.flatMap(({ inFlight }) => [...inFlight].filter(isCounted)).length;
	}

	/** How long nobody may send anything, and why. */
	get hold(): Wait {
		const now = this.clock.elapsed();
		const byRate = Math.max(this.rate.waitAt(now, 1), 0);
		const byMinute = this.minute.waitAt(now, 1);
		if (byMinute > byRate) return { wait: byMinute, reason: 'credential' };
		return { wait: byRate, reason: this.rate.reason };
	}

	/** @param requestsPerMinute a limit that the user knows; 0 for none */
	join(requestsPerMinute: number): Run {
		const run = new Run(requestsPerMinute);
		this.runs.push(run);
		return run;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns how many may be sent, one after another; 0 when the request is given up
	 * @throws RunStopped; WaitTooLong when nothing gets through for longer than it may wait
	 */
	async acquire(request: PacedRequest): Promise<number> {
		const { run } = request;
		const reason = run.closing.signal.aborted ? new RunStopped() : this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		return await run.wait(request, () => this.grantPermits());
	}

	/** Takes note that a request with a permit got through. */
	passed(request: PacedRequest, method: ApiMethod): void {
		const now = this.clock.elapsed();
		const latency = now - request.begunAt;
		this.concurrency.passed(latency, this.inFlight);
		const number = this.rate.passed(request, method, now);
		this.outliers.passed(request, method, latency < HANGS_MS);
		request.notePassed(method);
		this.passedBegunAt = Math.max(this.passedBegunAt, request.begunAt);
		this.stalledSince = undefined;
		this.lastNewsAt = now;
		if (request.isPair) this.minute.noteSecond(request.begunAt, now);
		Object.assign(request, { number, begunAt: now, isPair: false, isSecond: true });
	}

	/**
	 * Takes note that the service rejected a request with a permit, since it has too much to do.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @returns whether the request may come again
	 */
	rejected(request: PacedRequest, method: ApiMethod, asked: number): boolean {
		const now = this.clock.elapsed();
		const { rate, clock, outliers } = this;
		const { isLimited, isHalfOpen, pausedUntil } = rate;
		const { isSuspect } = request;
		this.stalledSince ??= now;
		const isExplained = rate.rejected(request, method, asked, now, this.inFlight, clock.chance());
		outliers.rejected(request, method, isExplained, now);
		request.noteRejected(method, isExplained, asked, now, clock.chance());
		if (isLimited && (request.isSecond || (!isSuspect && !isExplained))) request.putFirst();
		if (rate.pausedUntil !== pausedUntil) this.pause(isHalfOpen);
		outliers.conclude(request, now, rate.spacing);
		outliers.probe(request, rate.spacing);
		const comesAgain = asked <= request.limits.maxWait && !request.isGivenUp;

		if (!comesAgain) rate.raiseAgain(request);
		return comesAgain;
	}

	/** Gives a permit back. */
	end(request: PacedRequest): void {
		request.run.inFlight.delete(request);
		this.lastNewsAt = this.clock.elapsed();
		void this.grantSoon();
	}

	/** Refuses what a run waits for, and all that it asks for from now on. */
	close(run: Run): void {
		run.closing.abort();
		run.refuse(() => new RunStopped());
	}

	/** Closes a run, and removes it from those that take turns. */
	leave(run: Run): void {
		this.close(run);
		if (!this.runs.includes(run)) return;
		this.runs.splice(this.runs.indexOf(run), 1);
		if (this.runs.length > 0) this.grantPermits();
		else void this.forget();
	}

	/** After the last run, only what a minute has to remember is kept, for that minute. */
	private async forget(): Promise<void> {
		this.alarm.abort();
		this.concurrency = new ConcurrencyLimit();
		this.rate = new RateLimiter();
		this.outliers = new OutlierDetection(this.runs);
		this.stalledSince = undefined;
		// Meanwhile others may begin, and end.
		while (this.runs.length === 0) {
			const memory = this.minute.memoryAt(this.clock.elapsed());
			if (memory <= 0) return void this.onForgotten();
			await this.clock.sleep(Math.ceil(memory));
		}
	}

	private grantPermits(): void {
		// What ends after the last run has left must not set the alarm once more.
		while (this.runs.length > 0) {
			const now = this.clock.elapsed();
			const { isHalfOpen } = this.rate;
			const wait = Math.max(this.rate.waitAt(now, 1), this.untilRoom(now));
			if (wait > 0) return this.wakeAfter(wait);
			const nexts = this.runs.flatMap((run) => run.next(now, isHalfOpen) ?? []);
			const next = nexts.find(({ isNext }) => isNext) ?? nexts[0];
			const retryAt = Math.min(...this.runs.map((run) => run.nextRetryAt(now)));
			if (next === undefined) return this.wakeAfter(retryAt - now);
			const places = this.minute.together(this.rate.together(next.places()));
			const limited = Math.max(this.rate.waitAt(now, places), this.minute.waitAt(now, places));
			if (limited > 0) return this.wakeAfter(limited);
			next.run.take(next);
			this.outliers.conclude(next, now, this.rate.spacing);
			if (next.isGivenUp) this.rate.raiseAgain(next);
			if (next.isGivenUp) next.grant?.(0);
			else this.begin(next, places, now);
		}
	}

	/** Grants permits again after a time in milliseconds, if not before. */
	private wakeAfter(wait: number): void {
		this.alarm.abort();
		if (wait === Infinity) return;
		this.alarm = new AbortController();
		const { signal } = this.alarm;
		void this.clock.sleep(Math.ceil(wait), signal).then(() => {
			if (!signal.aborted) this.grantPermits();
		});
	}

	/** How long until another request may be in flight, in milliseconds. */
	private untilRoom(now: number): number {
		const limit = this.rate.halfOpenLimit || this.concurrency.current;
		return this.inFlight < limit ? 0 : this.lastNewsAt + HANGS_MS - now;
	}

	private begin(request: PacedRequest, places: number, now: number): void {
		const { run, grant } = request;
		this.runs.push(...this.runs.splice(this.runs.indexOf(run), 1));
		this.minute.noteBegin(now, places);
		request.noteBegin(this.rate.began(now, places), now, places > 1);
		this.lastNewsAt = now;
		run.inFlight.add(request);
		grant?.(places);
	}

	/**
	 * Holds back all requests: the service limits the rate.
	 *
	 * @param isAgain whether nothing got through since the last time
	 */
	private pause(isAgain: boolean): void {
		if (!isAgain) this.concurrency.decrease();
		this.outliers.noteLimit();
		for (const run of this.runs) run.refuse((request) => this.reasonToRefuse(request));
	}

	/** Why a request is refused, unsent: nothing gets through for longer than it may wait. */
	private reasonToRefuse({ limits: { maxWait } }: PacedRequest): Error | undefined {
		const now = this.clock.elapsed();
		const wait = Math.max(this.rate.pausedUntil - now, 0);
		const stalled = now - (this.stalledSince ?? now);
		// Jitter alone must not make a wait too long.
		if (stalled + wait / 1.1 <= maxWait) return undefined;
		return new WaitTooLong({ wait, reason: this.rate.reason });
	}

	/** Waits until the caller has handled the response: it may stop the run before its next request is sent. */
	private async grantSoon(): Promise<void> {
		await this.clock.sleep(0);
		if (this.runs.every((run) => run.isIdle)) {
			this.stalledSince = undefined;
			this.rate.noteIdle();
		}
		this.grantPermits();
	}
}
