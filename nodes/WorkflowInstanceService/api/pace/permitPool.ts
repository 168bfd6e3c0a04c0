import type { RequestLimits } from '../apiRequest';
import type { Clock } from '../clock';
import type { ApiMethod, Wait } from '../errors';
import { ConcurrencyLimit } from './concurrencyLimit';
import type { MinuteLimit } from './minuteLimit';
import { OutlierDetection } from './outlierDetection';
import { PacedRequest } from './pacedRequest';
import { type Attempt, RateLimiter } from './rateLimiter';
import { type Granted, type Permit, Run, type Waiting } from './run';
import { RunStopped, WaitTooLong } from './runStopped';

/** What began so much earlier than something that got through hangs; after so long a silence, one more begins. In milliseconds. */
const HANGS_MS = 1_000;

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	private readonly concurrency = new ConcurrencyLimit();

	private readonly rate = new RateLimiter();

	/** The run whose turn is next comes first. */
	private readonly runs: Run[] = [];

	private begun = 0;

	/** When something last began or ended. */
	private lastNewsAt = 0;

	/** When the latest of those that got through began. */
	private passedBegunAt = 0;

	/** Since when nothing gets through. */
	private stalledSince: number | undefined;

	private readonly outliers = new OutlierDetection(this.runs);

	private alarm = new AbortController();

	constructor(
		private readonly clock: Clock,
		private readonly minute: MinuteLimit,
		private readonly onIdle: () => void = () => undefined,
	) {}

	join() {
		const run = new Run();
		this.runs.push(run);
		const { signal } = run.closing;
		return {
			signal,
			request: (key: unknown, limits: RequestLimits) => new PacedRequest(key, limits),
			/** @param places how many requests it sends, one after another, when it gets the permit */
			acquire: async (request: PacedRequest, places: () => number) =>
				await this.acquire(run, request, places),
			hold: (): Wait => {
				const now = this.clock.elapsed();
				const [byRate, byMinute] = [this.rate.waitAt(now, 1), this.minute.waitAt(now, 1)];
				if (byMinute > Math.max(byRate, 0)) return { wait: byMinute, reason: 'credential' };
				return { wait: Math.max(byRate, 0), reason: this.rate.reason };
			},
			probeBy: (read: Run['probe']) => (run.probe = read),
			close: () => run.close(),
			leave: () => {
				run.close();
				this.remove(run);
			},
		};
	}

	private get inFlight(): number {
		return this.runs.reduce((sum, { inFlight }) => sum + inFlight.size, 0);
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
			run.add({ request, places, grant, giveUp: () => grant(undefined), refuse });
			this.grantPermits();
		});
	}

	private remove(run: Run): void {
		this.runs.splice(this.runs.indexOf(run), 1);
		if (this.runs.length > 0) return this.grantPermits();
		this.alarm.abort();
		this.onIdle();
	}

	private grantPermits(): void {
		// What ends after the last run has left must not set the alarm once more.
		while (this.runs.length > 0) {
			const now = this.clock.elapsed();
			const wait = Math.max(this.rate.waitAt(now, 1), this.untilRoom(now));
			if (wait > 0) return this.wakeAfter(wait);
			const run = this.runs.find((each) => each.next(now));
			const next = run?.next(now);
			if (run === undefined || next === undefined) {
				return this.wakeAfter(Math.min(...this.runs.map((each) => each.nextRetryAt(now))) - now);
			}
			const places = this.minute.together(next.places());
			const limited = Math.max(this.rate.waitAt(now, places), this.minute.waitAt(now, places));
			if (limited > 0) return this.wakeAfter(limited);
			if (this.probe(run, next, now)) continue;
			run.remove(next);
			this.outliers.settle(next.request, now, this.rate.isLimited);
			if (next.request.isGivenUp) next.giveUp();
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

	/** How long until another request may be in flight, in milliseconds: what hangs takes no place. */
	private untilRoom(now: number): number {
		const { isHalfOpen, explained } = this.rate;
		let counted = 0;
		for (const { inFlight } of this.runs) {
			for (const { number, begunAt } of inFlight) {
				const isFromBefore = isHalfOpen && number <= explained;
				if (!isFromBefore && begunAt > this.passedBegunAt - HANGS_MS) counted++;
			}
		}
		const limit = isHalfOpen ? 1 : this.concurrency.current;
		return counted < limit ? 0 : this.lastNewsAt + HANGS_MS - now;
	}

	/**
	 * Where only rejected requests are left, reads once more what was read last, to compare them with it.
	 *
	 * @returns whether it does
	 */
	private probe(run: Run, { request }: Waiting, now: number): boolean {
		const path = this.rate.isLimited ? undefined : this.outliers.probeFor(request);
		const { probe } = run;
		if (path === undefined || probe === undefined) return false;
		const limits = { maxConcurrentRequests: Infinity, maxRetries: 0, maxWait: Infinity };
		const again = new PacedRequest(path, limits);
		const grant = (permit: Permit) => {
			const end = () => {
				request.notBefore = now;
				permit.end();
			};
			probe(path, { ...permit, end });
		};
		request.notBefore = Infinity;
		this.begin(run, { request: again, grant }, 1, now);
		return true;
	}

	private begin(run: Run, { request, grant }: Granted, places: number, now: number): void {
		this.runs.push(...this.runs.splice(this.runs.indexOf(run), 1));
		this.minute.noteBegin(now, places);
		this.rate.began(now);
		const attempt = {
			request,
			number: ++this.begun,
			begunAt: now,
			isSecond: false,
			isSample:
				request.rejections === 0 ||
				(!this.outliers.hasFresh &&
					!request.isOutlier &&
					(this.rate.isLimited || request.unexplained.times === 0)),
			inFlight: this.inFlight + 1,
		};
		this.lastNewsAt = now;
		run.inFlight.add(attempt);
		grant({
			places,
			passed: (method) => this.notePassed(attempt, method),
			rejected: (method, asked) => this.noteRejected(attempt, method, asked),
			end: () => {
				run.inFlight.delete(attempt);
				this.lastNewsAt = this.clock.elapsed();
				void this.grantSoon();
			},
		});
	}

	private notePassed(attempt: Attempt, method: ApiMethod): void {
		const now = this.clock.elapsed();
		const { begunAt } = attempt;
		this.concurrency.passed(now - begunAt, this.inFlight);
		this.rate.passed(attempt, method, { now, number: this.begun });
		this.outliers.passed(attempt, method, now - begunAt < HANGS_MS);
		this.passedBegunAt = Math.max(this.passedBegunAt, begunAt);
		this.stalledSince = undefined;
		this.lastNewsAt = now;
		Object.assign(attempt, { number: ++this.begun, begunAt: now, isSecond: true });
	}

	private noteRejected(attempt: Attempt, method: ApiMethod, asked: number): boolean {
		const now = this.clock.elapsed();
		const { request, number, isSecond } = attempt;
		const { isLimited, spacing } = this.rate;
		const at = { now, number: this.begun };
		this.stalledSince ??= now;
		this.outliers.rejected(attempt, method, now);
		request.rejected(method, number, asked, spacing, { now, jitter: this.clock.chance() });
		if (this.rate.rejected(attempt, method, asked, at, this.clock.chance())) this.pause();
		else if (number <= this.rate.explained || (isLimited && isSecond)) request.explain();
		if (isLimited && (isSecond || request.unexplained.times === 1)) request.putFirst(isSecond);
		this.outliers.settleAlone(request);
		return asked <= request.limits.maxWait && !request.isGivenUp;
	}

	/** Holds back all requests: the service limits the rate. */
	private pause(): void {
		this.concurrency.decrease();
		this.outliers.noteLimit(this.rate.pausedUntil);
		for (const run of this.runs) {
			run.sort();
			run.refuse(({ request }) => this.reasonToRefuse(request));
		}
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
		if (this.runs.every(({ isIdle }) => isIdle)) this.stalledSince = undefined;
		this.grantPermits();
	}
}
