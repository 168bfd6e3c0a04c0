import type { ApiMethod, RequestLimits } from '../apiRequest';
import type { Clock } from '../clock';
import { RunStopped, type Wait, WaitTooLong } from '../errors';
import { ConcurrencyLimit } from './concurrencyLimit';
import { MinuteLimit } from './minuteLimit';
import { OutlierDetection } from './outlierDetection';
import { PacedRequest } from './pacedRequest';
import { RateLimiter } from './rateLimiter';
import { type Attempt, type Permit, Run, type Waiting } from './run';

/** What began so much earlier than something that got through hangs; after so long a silence, one more begins. In milliseconds. */
const HANGS_MS = 1_000;

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	/** The run whose turn is next comes first. */
	private readonly runs: Run[] = [];

	private readonly minute = new MinuteLimit();

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
		private readonly clock: Clock,
		private readonly onForgotten: () => unknown,
	) {}

	/** @param requestsPerMinute a limit that the user knows; 0 for none */
	join(requestsPerMinute: number) {
		const run = new Run();
		this.runs.push(run);
		this.minute.limits.push(requestsPerMinute);
		const close = () => {
			run.closing.abort();
			run.refuse(() => new RunStopped());
		};
		return {
			signal: run.closing.signal,
			request: (key: unknown, limits: RequestLimits) => new PacedRequest(key, limits),
			/** @param places how many requests it sends, one after another, when it gets the permit */
			acquire: async (request: PacedRequest, places: () => number) =>
				await this.acquire(run, request, places),
			hold: (): Wait => {
				const now = this.clock.elapsed();
				const byRate = Math.max(this.rate.waitAt(now, 1), 0);
				const byMinute = this.minute.waitAt(now, 1);
				if (byMinute > byRate) return { wait: byMinute, reason: 'credential' };
				return { wait: byRate, reason: this.rate.reason };
			},
			probeBy: (probe: Run['probe']) => (run.probe = probe),
			close,
			leave: () => {
				close();
				void this.remove(run, requestsPerMinute);
			},
		};
	}

	/** How many are in flight, but for what hangs, and for what a limit will reject that has just shown. */
	private get inFlight(): number {
		const { isHalfOpen, limitedUpTo } = this.rate;
		const isCounted = ({ number, begunAt }: Attempt) =>
			begunAt > this.passedBegunAt - HANGS_MS && (!isHalfOpen || number > limitedUpTo);
		return this.runs.flatMap(({ inFlight }) => [...inFlight].filter(isCounted)).length;
	}

	private async acquire(
		run: Run,
		request: PacedRequest,
		places: () => number,
	): Promise<Permit | undefined> {
		if (run.closing.signal.aborted) throw new RunStopped();
		const reason = this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		return await new Promise((grant, refuse) => {
			run.add({ request, places, grant, refuse });
			this.grantPermits();
		});
	}

	/** Removes a run. After the last one, only what a minute has to remember is kept, for that minute. */
	private async remove(run: Run, requestsPerMinute: number): Promise<void> {
		if (!this.runs.includes(run)) return;
		this.runs.splice(this.runs.indexOf(run), 1);
		this.minute.limits.splice(this.minute.limits.indexOf(requestsPerMinute), 1);
		if (this.runs.length > 0) return this.grantPermits();
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
			const run =
				this.runs.find((each) => each.next(now, isHalfOpen)?.request.isNext) ??
				this.runs.find((each) => each.next(now, isHalfOpen));
			const next = run?.next(now, isHalfOpen);
			if (run === undefined || next === undefined) {
				return this.wakeAfter(Math.min(...this.runs.map((each) => each.nextRetryAt(now))) - now);
			}
			const places = this.minute.together(this.rate.together(next.places()));
			const limited = Math.max(this.rate.waitAt(now, places), this.minute.waitAt(now, places));
			if (limited > 0) return this.wakeAfter(limited);
			run.remove(next);
			this.outliers.conclude(next.request, now);
			if (next.request.isGivenUp) next.grant(undefined);
			else this.begin(run, next, places, now);
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
		const limit = this.rate.isHalfOpen ? this.rate.halfOpenLimit : this.concurrency.current;
		return this.inFlight < limit ? 0 : this.lastNewsAt + HANGS_MS - now;
	}

	private begin(run: Run, { request, grant }: Waiting, places: number, now: number): void {
		this.runs.push(...this.runs.splice(this.runs.indexOf(run), 1));
		this.minute.noteBegin(now, places);
		const number = this.rate.began(now, places);
		const attempt: Attempt = { request, number, begunAt: now, isSecond: false };
		Object.assign(request, { isRetry: true, isNext: false });
		this.lastNewsAt = now;
		run.inFlight.add(attempt);
		grant({
			places,
			passed: (method) => this.notePassed(attempt, method),
			rejected: (method, asked) => {
				const comesAgain = this.noteRejected(attempt, method, asked);
				const path = this.rate.isLimited ? undefined : this.outliers.probeFor(request);
				if (path !== undefined) run.probe?.(path, request.limits);
				return comesAgain;
			},
			end: () => {
				run.inFlight.delete(attempt);
				this.lastNewsAt = this.clock.elapsed();
				void this.grantSoon();
			},
		});
	}

	private notePassed(attempt: Attempt, method: ApiMethod): void {
		const now = this.clock.elapsed();
		const { begunAt, request } = attempt;
		this.concurrency.passed(now - begunAt, this.inFlight);
		const number = this.rate.passed(attempt, method, now);
		this.outliers.passed(attempt, method, now - begunAt < HANGS_MS);
		request.passed(method);
		this.passedBegunAt = Math.max(this.passedBegunAt, begunAt);
		this.stalledSince = undefined;
		this.lastNewsAt = now;
		Object.assign(attempt, { number, begunAt: now, isSecond: true });
	}

	private noteRejected(attempt: Attempt, method: ApiMethod, asked: number): boolean {
		const now = this.clock.elapsed();
		const { rate, clock } = this;
		const { request, number } = attempt;
		const { isLimited, isHalfOpen, pausedUntil } = rate;
		const isFirst = !request.isSuspect;
		this.stalledSince ??= now;
		const isExplained = rate.rejected(attempt, method, asked, now, this.inFlight, clock.chance());
		this.outliers.rejected(attempt, method, isExplained, now);
		request.rejected(number, method, asked, now, clock.chance());
		if (isExplained) request.explain();
		if (isLimited && (attempt.isSecond || (isFirst && !isExplained))) request.putFirst();
		if (rate.pausedUntil !== pausedUntil) this.pause(isHalfOpen);
		this.outliers.conclude(request, now);
		return asked <= request.limits.maxWait && !request.isGivenUp;
	}

	/**
	 * Holds back all requests: the service limits the rate.
	 *
	 * @param isAgain whether nothing got through since the last time
	 */
	private pause(isAgain: boolean): void {
		if (!isAgain) this.concurrency.decrease();
		this.outliers.noteLimit();
		for (const run of this.runs) run.refuse(({ request }) => this.reasonToRefuse(request));
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
