import type { ApiMethod } from '../apiRequest';
import type { Clock } from '../clock';
import { RunStopped, type Wait, WaitTooLong } from '../errors';
import { ConcurrencyLimit, MinuteLimit } from './limits';
import { OutlierDetection } from './outlierDetection';
import { RateLimiter } from './rateLimiter';
import { type PacedRequest, Run, withJitter } from './request';

/** What takes so much longer than what began later takes no place. In milliseconds. */
const HANGS_MS = 1_000;
/** The longest time from a read to its write, in milliseconds. */
const LONGEST_PAIR_MS = 2_000;

/** By base URL and key: the pool of all runs, and what a minute has to remember of those that have ended. */
export const services = new Map<string, { minute: MinuteLimit; pool?: PermitPool }>();

/** The pool for a base URL and key, which all runs of this process with the same two share. */
export function poolFor(baseUrl: string, apiKey: string, clock: Clock): PermitPool {
	const id = `${baseUrl} ${apiKey}`;
	const service = services.get(id) ?? { minute: new MinuteLimit() };
	const { minute } = service;
	const memory = () => minute.memoryAt(clock.elapsed());
	const forget = async () => {
		service.pool = undefined;
		if (memory() > 0) await clock.sleep(memory());
		// Meanwhile another pool may have taken over.
		if (service.pool === undefined && memory() === 0) services.delete(id);
	};
	services.set(id, service);
	return (service.pool ??= new PermitPool(clock, minute, forget));
}

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	/** The run whose turn is next comes first. */
	private readonly runs: Run[] = [];
	private readonly concurrency = new ConcurrencyLimit();
	private readonly rate: RateLimiter;
	readonly outliers = new OutlierDetection(this.runs);
	/** Since when there are only rejections. */
	private stalledSince: number | undefined;
	/** When the latest request that got through began, and when one last began or ended. */
	private passedBegunAt = 0;
	private lastNewsAt = 0;
	private alarm = new AbortController();

	/** @param onEnd called when the last of its runs has ended */
	constructor(
		readonly clock: Clock,
		private readonly minute = new MinuteLimit(),
		private readonly onEnd: () => unknown = () => undefined,
	) {
		this.rate = new RateLimiter(clock);
	}

	/** How long nobody may send anything, and why. */
	get hold(): Wait {
		const byRate = Math.max(this.rate.wait, 0);
		const byMinute = this.minute.waitAt(this.clock.elapsed(), 1, this.perMinute);
		if (byMinute > byRate) return { wait: byMinute, reason: 'credential' };
		return { wait: byRate, reason: this.rate.reason };
	}

	/** The lowest limit that the users of its runs know. */
	private get perMinute(): number {
		return Math.min(...this.runs.map(({ requestsPerMinute }) => requestsPerMinute || Infinity));
	}

	/** How many are in flight, but for what hangs. */
	private get inFlight(): number {
		const all = this.runs.flatMap(({ inFlight }) => [...inFlight]);
		return all.filter(({ begunAt }) => begunAt > this.passedBegunAt - HANGS_MS).length;
	}

	join(requestsPerMinute: number): Run {
		const run = new Run(requestsPerMinute, this.clock.elapsed());
		this.runs.push(run);
		return run;
	}

	/** Waits until requests may be sent, returns how many, and 0 to give up. Throws RunStopped or WaitTooLong. */
	async acquire(request: PacedRequest): Promise<number> {
		const reason = this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		return await new Promise((grant, refuse) => {
			const { run, number } = Object.assign(request, { grant, refuse });
			(number > 0 ? run.retries : run.fresh).add(request);
			this.grantPermits();
		});
	}

	/** Waits until the second request of a permit may be sent, which follows soon. Throws RunStopped. */
	async follow(request: PacedRequest): Promise<void> {
		const { begunAt, run } = request;
		const wait = begunAt + Math.min(this.rate.spacing, LONGEST_PAIR_MS) - this.clock.elapsed();
		if (wait > 0) await this.clock.sleep(wait, run.closing.signal);
		if (run.closing.signal.aborted) throw new RunStopped();
		request.begunAt = this.clock.elapsed();
		request.number = this.rate.begin();
		this.minute.noteSecond(begunAt, request.begunAt, this.perMinute);
	}

	passed(request: PacedRequest, method: ApiMethod): void {
		this.concurrency.passed(this.clock.elapsed() - request.begunAt);
		this.passedBegunAt = Math.max(this.passedBegunAt, request.begunAt);
		this.rate.passed(request);
		this.stalledSince = undefined;
		for (const other of this.outliers.passed(request, method)) {
			this.rate.noteOutlier(other);
			if (!this.countRejection(other)) continue;
			other.run.take(other);
			other.grant?.(0);
		}
		request.notePassed(method);
	}

	/** Takes note that a request was rejected, and returns whether it may come again. See `PacedRequest.asked`. */
	rejected(request: PacedRequest, method: ApiMethod, asked: number): boolean {
		const { clock, outliers, rate } = this;
		const now = clock.elapsed();
		this.stalledSince ??= now;
		outliers.rejected(request, method, now);
		request.noteRejected(method, asked, now, clock.chance());
		if (rate.rejected(request, outliers.rowOf(request), this.inFlight)) {
			this.concurrency.decrease();
			outliers.noteIdle();
			this.refuseWaiting();
		}
		return asked <= request.limits.maxWait && !outliers.isOutlier(request, now, rate.spacing);
	}

	/** Takes note that others get through although a request was rejected. Returns whether that was so too often. */
	countRejection(request: PacedRequest): boolean {
		request.counted++;
		// Where no limit is known, once is enough.
		const isLimitUnlikely = this.rate.spacing === 0 && request.isOutOfRetries;
		return isLimitUnlikely || request.counted > request.limits.maxRetries;
	}

	/** Gives a permit back, as soon as the caller has handled the response: it may stop the run first. */
	end(request: PacedRequest): void {
		request.run.inFlight.delete(request);
		this.lastNewsAt = this.clock.elapsed();
		void this.clock.sleep(0).then(() => {
			this.noteIdle();
			this.grantPermits();
		});
	}

	/** Refuses what a run waits for, and all that it asks for from now on. */
	close(run: Run): void {
		run.closing.abort();
		this.refuseWaiting();
		this.noteIdle();
	}

	leave(run: Run): void {
		this.close(run);
		this.runs.splice(this.runs.indexOf(run), 1);
		this.alarm.abort();
		if (this.runs.length > 0) this.grantPermits();
		else this.onEnd();
	}

	private noteIdle(): void {
		if (!this.runs.every((run) => run.isIdle)) return;
		this.stalledSince = undefined;
		this.rate.restartMeasurement();
		this.outliers.noteIdle();
	}

	private grantPermits(): void {
		// What ends after the last run has left must not set the alarm once more.
		while (this.runs.length > 0) {
			const now = this.clock.elapsed();
			const due = this.runs.flatMap((run) => run.next(now) ?? []);
			// What may be unavailable comes after what other runs wait for, unless that may take long.
			const hasTurns = this.rate.halfOpenLimit === 0 && this.rate.spacing > 0;
			const next = due.find(({ rejections }) => hasTurns || rejections < 2) ?? due[0];
			const places = Math.min(next?.places() ?? 0, this.perMinute);
			const wait = next === undefined ? this.backOffAt(now) : this.waitFor(places, now);
			if (next === undefined || wait > 0) return this.wakeAfter(wait);
			this.begin(next, places, now);
		}
	}

	private backOffAt(now: number): number {
		const ends = this.runs.flatMap(({ retries }) => [...retries].map((each) => each.notBefore));
		return Math.min(...ends.filter((end) => end > now)) - now;
	}

	/** How long until so many requests may begin, in milliseconds; 0 or less when they may now. */
	private waitFor(places: number, now: number): number {
		const { rate, minute, perMinute } = this;
		const hasRoom = this.inFlight < (rate.halfOpenLimit || this.concurrency.current);
		// Without news, one more begins.
		const untilRoom = hasRoom ? 0 : this.lastNewsAt + HANGS_MS - now;
		return Math.max(untilRoom, rate.wait, minute.waitAt(now, places, perMinute));
	}

	private wakeAfter(wait: number): void {
		this.alarm.abort();
		if (wait === Infinity) return;
		this.alarm = new AbortController();
		const { signal } = this.alarm;
		void this.clock.sleep(Math.ceil(wait), signal).then(() => {
			if (!signal.aborted) this.grantPermits();
		});
	}

	private begin(request: PacedRequest, places: number, now: number): void {
		const { run, grant } = request;
		run.take(request);
		run.inFlight.add(request);
		this.runs.push(...this.runs.splice(this.runs.indexOf(run), 1));
		this.lastNewsAt = now;
		this.minute.noteBegin(now, places, this.perMinute);
		Object.assign(request, { number: this.rate.begin(), begunAt: now, isNext: false });
		grant?.(places);
	}

	private refuseWaiting(): void {
		for (const request of this.runs.flatMap(({ fresh, retries }) => [...fresh, ...retries])) {
			const reason = this.reasonToRefuse(request);
			if (reason === undefined) continue;
			request.run.take(request);
			request.refuse?.(reason);
		}
	}

	/** Why a request is refused, unsent: its run was stopped, or nothing gets through for longer than it may wait. */
	private reasonToRefuse({ run, limits }: PacedRequest): Error | undefined {
		if (run.closing.signal.aborted) return new RunStopped(false, undefined, this.hold);
		const now = this.clock.elapsed();
		const wait = Math.max(this.rate.pausedUntil - now, 0);
		// What another run waited for before says nothing to this one.
		const stalled = now - Math.max(this.stalledSince ?? now, run.joinedAt);
		// Jitter alone must not make a wait too long.
		if (stalled + wait / withJitter(1, 1) <= limits.maxWait) return undefined;
		return new WaitTooLong({ wait, reason: this.rate.reason });
	}
}
