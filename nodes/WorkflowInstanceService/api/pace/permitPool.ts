import { Alarm } from './alarm';
import type { Clock } from '../clock';
import type { RequestLimits } from '../apiRequest';
import type { ApiMethod, Wait } from '../errors';
import { ConcurrencyLimit } from './concurrencyLimit';
import type { MinuteLimit } from './minuteLimit';
import { OutlierDetection } from './outlierDetection';
import { PacedRequest } from './pacedRequest';
import { type Attempt, type Granted, type Permit, Run } from './run';
import { RunStopped, WaitTooLong } from './runStopped';
import { Throttle } from './throttle';

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	private readonly limit = new ConcurrencyLimit();

	private readonly throttle = new Throttle();

	/** The run whose turn is next comes first. */
	private readonly runs: Run[] = [];

	private begun = 0;

	private lastBegunAt = -Infinity;

	private lastNewsAt = -Infinity;

	/** When the latest of those that got through began. */
	private passedBegunAt = -Infinity;

	private readonly outliers = new OutlierDetection(this.runs, this.throttle);

	private readonly alarm: Alarm;

	constructor(
		private readonly clock: Clock,
		private readonly minute: MinuteLimit,
		private readonly onIdle: () => void = () => undefined,
	) {
		this.alarm = new Alarm(clock, () => this.grantPermits());
	}

	join() {
		const run = new Run();
		this.runs.push(run);
		const { signal } = run.closing;
		const close = () => {
			run.closing.abort();
			run.refuse(() => new RunStopped());
		};
		return {
			signal,
			request: (key: unknown, limits: RequestLimits) => new PacedRequest(key, limits),
			acquire: async (request: PacedRequest, places: number) =>
				await this.acquire(run, request, places),
			hold: (): Wait => {
				const now = this.clock.elapsed();
				const [asked, known] = [this.throttle.pausedUntil - now, this.minute.waitAt(now, 1)];
				if (known > asked) return { wait: known, reason: 'credential' };
				return { wait: Math.max(asked, 0), reason: this.throttle.isAsked ? 'service' : 'node' };
			},
			rest: async (milliseconds: number) => {
				await this.clock.sleep(milliseconds, signal);
				if (signal.aborted) throw new RunStopped();
			},
			probeBy: (read: Run['probe']) => (run.probe = read),
			close,
			leave: () => {
				close();
				this.remove(run);
			},
		};
	}

	private async acquire(
		run: Run,
		request: PacedRequest,
		places: number,
	): Promise<Permit | undefined> {
		if (run.closing.signal.aborted) throw new RunStopped();
		const reason = this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		return await new Promise((grant, refuse) => {
			run.add({ request, places, grant, refuse });
			this.grantPermits();
		});
	}

	private remove(run: Run): void {
		this.runs.splice(this.runs.indexOf(run), 1);
		run.inFlight.clear();
		if (this.runs.length > 0) return this.grantPermits();
		this.alarm.clear();
		this.onIdle();
	}

	private grantPermits(): void {
		// What ends after the last run has left must not set the alarm once more.
		while (this.runs.length > 0) {
			const now = this.clock.elapsed();
			const wait = this.untilNext(now);
			if (wait > 0) return this.alarm.set(wait);
			const run = this.runs.find((each) => each.next(now));
			const next = run?.next(now);
			if (next?.request.isOutlier !== false && this.probe(now)) continue;
			if (run === undefined || next === undefined) return this.alarm.set(this.untilRetry(now));
			const minute = this.minute.waitAt(now, this.minute.together(next.places));
			if (minute > 0) return this.alarm.set(minute);
			run.remove(next);
			this.begin(run, next, now);
		}
	}

	/** How long until another request may begin, but for Requests per Minute, in milliseconds. */
	private untilNext(now: number): number {
		const { pausedUntil, spacing } = this.throttle;
		const wait = Math.max(pausedUntil, this.lastBegunAt + spacing) - now;
		return wait > 0 ? wait : this.untilRoom(now);
	}

	/** @returns whether something is read once more, to compare rejected requests with it */
	private probe(now: number): boolean {
		const needed = this.outliers.neededProbe;
		if (needed === undefined || this.minute.waitAt(now, 1) > 0) return false;
		const { run, path, probe } = needed;
		const limits = { maxConcurrentRequests: Infinity, maxRetries: 0, maxWait: Infinity };
		const request = new PacedRequest(path, limits);
		this.begin(run, { request, places: 1, grant: (permit) => permit && probe(path, permit) }, now);
		return true;
	}

	private begin(run: Run, waiting: Granted, now: number): void {
		const { request } = waiting;
		this.runs.push(...this.runs.splice(this.runs.indexOf(run), 1));
		this.outliers.end(request, now);
		if (request.isGivenUp) return waiting.grant();
		const places = this.minute.together(waiting.places);
		this.minute.noteBegin(now, places);
		const hasFresh = this.runs.some(({ fresh }) => fresh.size > 0);
		const isSample = request.rejections === 0 || (!request.isOutlier && !hasFresh);
		const inFlight = 1 + this.inFlight.length;
		const attempt = {
			request,
			number: ++this.begun,
			begunAt: now,
			inFlight,
			isSecond: false,
			isSample,
		};
		this.lastBegunAt = this.lastNewsAt = now;
		run.inFlight.add(attempt);
		waiting.grant({
			places,
			passed: (method) => run.inFlight.has(attempt) && this.notePassed(attempt, method),
			rejected: (method, asked) => this.noteRejected(attempt, method, asked),
			end: () => {
				if (!run.inFlight.delete(attempt)) return;
				this.lastNewsAt = this.clock.elapsed();
				void this.grantSoon();
			},
		});
	}

	private notePassed(attempt: Attempt, method: ApiMethod): void {
		const now = this.clock.elapsed();
		const { request, begunAt } = attempt;
		this.limit.passed(now - begunAt, this.inFlight.length);
		this.throttle.passed(request, method, attempt, now);
		this.outliers.compareWith(attempt, method, false);
		this.passedBegunAt = Math.max(this.passedBegunAt, begunAt);
		const isQuick = now - begunAt <= this.limit.mayHangAfter;
		if (method === 'GET' && isQuick) this.outliers.noteRead(request);
		this.lastNewsAt = now;
		Object.assign(attempt, { number: ++this.begun, begunAt: now, isSecond: true });
	}

	private noteRejected(attempt: Attempt, method: ApiMethod, asked: number): boolean {
		const now = this.clock.elapsed();
		const { request, number } = attempt;
		const { maxWait } = request.limits;
		this.outliers.compareWith(attempt, method, true);
		request.rejected(method, number, asked, now, this.clock.chance());
		this.outliers.begin(request);
		const jitter = this.clock.chance();
		if (this.throttle.rejected(request, method, asked, attempt, now, jitter)) this.pause();
		else if (number <= this.throttle.explained || this.throttle.spacing > 0) request.explain();
		this.outliers.endIfAlone(request, now);
		return asked <= maxWait && !request.isGivenUp;
	}

	/** Holds back all requests: the service limits the rate. */
	private pause(): void {
		this.limit.decrease();
		this.throttle.explained = this.begun;
		this.outliers.explain();
		for (const run of this.runs) {
			run.sort();
			run.refuse(({ request }) => this.reasonToRefuse(request));
		}
	}

	private reasonToRefuse({ limits }: PacedRequest): WaitTooLong | undefined {
		const now = this.clock.elapsed();
		const wait = this.throttle.pausedUntil - now;
		const isTooLong = wait > 0 && this.throttle.stalledFor(now) + wait / 1.1 > limits.maxWait;
		return isTooLong
			? new WaitTooLong({ wait, reason: this.throttle.isAsked ? 'service' : 'node' })
			: undefined;
	}

	private get inFlight(): Attempt[] {
		return this.runs.flatMap(({ inFlight }) => [...inFlight]);
	}

	/** How long until another request may be in flight, in milliseconds. */
	private untilRoom(now: number): number {
		const { isHalfOpen, explained } = this.throttle;
		const { mayHangAfter } = this.limit;
		const counted = this.inFlight.filter(
			({ number, begunAt }) =>
				(!isHalfOpen || number > explained) &&
				(begunAt > now - mayHangAfter || begunAt > this.passedBegunAt),
		);
		if (counted.length < (isHalfOpen ? 1 : this.limit.current)) return 0;
		const next = Math.min(
			this.lastNewsAt + mayHangAfter,
			...counted
				.filter(({ begunAt }) => begunAt <= this.passedBegunAt)
				.map(({ begunAt }) => begunAt + mayHangAfter),
		);
		return Math.max(0, next - now);
	}

	private untilRetry(now: number): number {
		const times = this.runs.map(({ retries }) => retries[0]?.request.notBefore ?? Infinity);
		return Math.min(...times.filter((time) => time > now)) - now;
	}

	/** Waits until the caller has handled the response: it may stop the run before its next request is sent. */
	private async grantSoon(): Promise<void> {
		await this.clock.sleep(0);
		if (this.runs.every(({ isIdle }) => isIdle)) this.throttle.rest();
		this.grantPermits();
	}
}
