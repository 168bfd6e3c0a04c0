import type { Clock } from '../clock';
import type { RequestLimits } from '../apiRequest';
import type { ApiMethod, Wait } from '../errors';
import { ConcurrencyLimit } from './concurrencyLimit';
import type { MinuteLimit } from './minuteLimit';
import { PacedRequest } from './pacedRequest';
import { RunStopped } from './runStopped';
import { Throttle } from './throttle';

/** A request that takes so long, and longer than usual, may hang: it takes no place once others get through. */
const MAY_HANG_MS = 1_000;
const MAY_HANG_RATIO = 3;
/** A limit may last for a minute, in which nothing gets through. */
const LONGEST_WINDOW_MS = 61_000;

/** Thrown where a request is not sent, because the wait is longer than the run may wait. */
export class WaitTooLong extends Error {
	constructor(readonly wait: Wait) {
		super('The wait is too long');
	}
}

/** The permission to send a request now. */
export interface Permit {
	/** How many requests may be sent, one after another. */
	readonly places: number;
	/** One of them got through. */
	passed(method: ApiMethod): void;
	/**
	 * The service rejected one of them, since it has too much to do.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @returns whether the request may come again
	 */
	rejected(method: ApiMethod, asked: number): boolean;
	/** Gives the place back. */
	end(): void;
}

interface Waiting {
	request: PacedRequest;
	places: number;
	/** @param permit none when the request is given up */
	grant(permit?: Permit): void;
	refuse(reason: Error): void;
}

interface Attempt {
	request: PacedRequest;
	/** Its place among all attempts, in the order in which they began. */
	number: number;
	begunAt: number;
	/** Whether what comes of it says something about the service: those that were rejected before may be ill. */
	isSample: boolean;
	/** Whether it follows a request with the same permit. */
	isSecond: boolean;
	/** How many were in flight when it began. */
	inFlight: number;
}

/** One run in the pool. */
class Run {
	/** What waits for its first permit, in order. */
	readonly fresh = new Set<Waiting>();

	/** What waits to be sent again, the next one first. */
	readonly retries: Waiting[] = [];

	readonly inFlight = new Set<Attempt>();

	readonly closing = new AbortController();

	/** Reads something once more. */
	probe: ((path: string, permit: Permit) => Promise<void>) | undefined;

	private wasRetry = false;

	add(waiting: Waiting): void {
		const { notBefore, rejections } = waiting.request;
		if (rejections === 0) this.fresh.add(waiting);
		else {
			const index = this.retries.findIndex(({ request }) => request.notBefore > notBefore);
			this.retries.splice(index === -1 ? this.retries.length : index, 0, waiting);
		}
	}

	/** What comes next: retries whose time has come, but an outlier only every other time. */
	next(now: number): Waiting | undefined {
		const [fresh] = this.fresh;
		const [retry] = this.retries;
		const { limits } = fresh?.request ?? retry?.request ?? {};
		if (limits === undefined || this.inFlight.size >= limits.maxConcurrentRequests)
			return undefined;
		const isDue = retry !== undefined && retry.request.notBefore <= now;
		if (!isDue) return fresh;
		const isAfter = this.wasRetry && retry.request.notBefore > 0;
		return isAfter ? (fresh ?? retry) : retry;
	}

	remove(waiting: Waiting): void {
		this.wasRetry = waiting.request.rejections > 0;
		this.fresh.delete(waiting);
		const index = this.retries.indexOf(waiting);
		if (index >= 0) this.retries.splice(index, 1);
	}

	get waiting(): Waiting[] {
		return [...this.fresh, ...this.retries];
	}

	/** Lets what was explained come again at once. */
	sort(): void {
		this.retries.sort((a, b) => a.request.notBefore - b.request.notBefore);
	}

	refuse(reasonFor: (waiting: Waiting) => Error | undefined): void {
		for (const waiting of this.waiting) {
			const reason = reasonFor(waiting);
			if (reason === undefined) continue;
			this.remove(waiting);
			waiting.refuse(reason);
		}
	}
}

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	private readonly limit = new ConcurrencyLimit();

	private readonly throttle = new Throttle();

	/** The run whose turn is next comes first. */
	private readonly runs: Run[] = [];

	/** Rejected requests that are being compared with others. */
	private readonly compared = new Set<PacedRequest>();

	private begun = 0;

	/** What was last read with success. */
	private lastRead: string | undefined;

	private lastBegunAt = -Infinity;

	private lastNewsAt = -Infinity;

	/** When the latest of those that got through began. */
	private passedBegunAt = -Infinity;

	private wakesAt = Infinity;

	private waking = new AbortController();

	constructor(
		private readonly clock: Clock,
		private readonly minute: MinuteLimit,
		private readonly onIdle: () => void = () => undefined,
	) {}

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
			request: (method: ApiMethod, key: unknown, limits: RequestLimits) =>
				new PacedRequest(method, key, limits),
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
		const index = this.runs.indexOf(run);
		if (index === -1) return;
		this.runs.splice(index, 1);
		run.inFlight.clear();
		if (this.runs.length > 0) return this.grantPermits();
		this.waking.abort();
		this.onIdle();
	}

	private grantPermits(): void {
		for (;;) {
			const now = this.clock.elapsed();
			const { pausedUntil, spacing } = this.throttle;
			const wait = Math.max(pausedUntil, this.lastBegunAt + spacing) - now;
			if (wait > 0) return this.wakeIn(wait);
			const untilRoom = this.untilRoom(now);
			if (untilRoom > 0) return this.wakeIn(untilRoom);
			const run = this.runs.find((each) => each.next(now));
			const next = run?.next(now);
			if (next?.request.isOutlier !== false && this.probe()) continue;
			if (run === undefined || next === undefined) return this.wakeIn(this.untilRetry(now));
			const minute = this.minute.waitAt(now, this.minute.together(next.places));
			if (minute > 0) return this.wakeIn(minute);
			this.begin(run, next, now);
		}
	}

	/** Where only rejected requests are left, reads once more what got through before, to compare them with. */
	private probe(): boolean {
		const { lastRead: path } = this;
		const isOther = ({ request }: { request: PacedRequest }) =>
			!request.isOutlier && !this.compared.has(request);
		const run = this.runs.find(
			({ retries, probe }) =>
				probe &&
				retries.some(
					({ request }) => this.compared.has(request) && request.comparison?.method === 'GET',
				),
		);
		if (path === undefined || run === undefined) return false;
		if (
			this.runs.some(
				({ fresh, retries, inFlight }) =>
					fresh.size > 0 || retries.some(isOther) || [...inFlight].some(isOther),
			)
		)
			return false;
		const limits = { maxConcurrentRequests: Infinity, maxRetries: 0, maxWait: Infinity };
		const request = new PacedRequest('GET', path, limits);
		const now = this.clock.elapsed();
		if (this.minute.waitAt(now, 1) > 0) return false;
		this.begin(
			run,
			{
				request,
				places: 1,
				grant: (permit) => permit && void run.probe?.(path, permit),
				refuse: () => undefined,
			},
			now,
		);
		return true;
	}

	private begin(run: Run, waiting: Waiting, now: number): void {
		const { request } = waiting;
		run.remove(waiting);
		this.runs.push(...this.runs.splice(this.runs.indexOf(run), 1));
		this.compared.delete(request);
		this.conclude(request, this.isAlone(request), now);
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
		this.compareOthers(attempt, method, false);
		this.passedBegunAt = Math.max(this.passedBegunAt, begunAt);
		const isQuick = now - begunAt <= this.patience;
		if (method === 'GET' && isQuick) this.lastRead = String(request.key);
		this.lastNewsAt = now;
		Object.assign(attempt, { number: ++this.begun, begunAt: now, isSecond: true });
	}

	private noteRejected(attempt: Attempt, method: ApiMethod, asked: number): boolean {
		const now = this.clock.elapsed();
		const { request, number } = attempt;
		const { maxWait } = request.limits;
		this.compareOthers(attempt, method, true);
		request.rejected(method, number, asked, now, this.clock.chance());
		this.compared.add(request);
		const jitter = this.clock.chance();
		if (this.throttle.rejected(request, method, asked, attempt, now, jitter)) this.pause();
		else if (number <= this.throttle.explained || this.throttle.spacing > 0) request.explain();
		if (this.isAlone(request)) this.conclude(request, true, now);
		return asked <= maxWait && !request.isGivenUp;
	}

	/** Holds back all requests: the service limits the rate. */
	private pause(): void {
		this.limit.decrease();
		this.throttle.explained = this.begun;
		for (const request of this.compared) {
			if (request.comparison?.passed === 0) request.explain();
		}
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

	private compareOthers(
		{ request, number, isSample }: Attempt,
		method: ApiMethod,
		isRejected: boolean,
	): void {
		if (!isSample) return;
		for (const other of this.compared) {
			if (other.key === request.key) continue;
			other.compare(method, number, isRejected);
			if (other.comparison !== undefined) continue;
			this.compared.delete(other);
			if (other.isGivenUp) this.giveUp(other);
		}
	}

	private giveUp(request: PacedRequest): void {
		for (const run of this.runs) {
			const waiting = run.retries.find((each) => each.request === request);
			if (waiting === undefined) continue;
			run.remove(waiting);
			waiting.grant();
		}
	}

	/** Ends the comparison of a request, whatever it was compared with. */
	private conclude(request: PacedRequest, isAlone: boolean, now: number): void {
		const { comparison, key } = request;
		if (comparison === undefined) return;
		const { passed, method } = comparison;
		if (isAlone && method === 'GET' && this.lastRead !== undefined && passed < 5) return;
		this.compared.delete(request);
		if (!isAlone) return request.conclude(1 - passed / 5);
		const share = this.throttle.recentShare(method, key);
		if (request.isOutlier) return request.conclude(share);
		const { lastPassedAt } = this.throttle.histories[method];
		if (now - lastPassedAt > LONGEST_WINDOW_MS) request.concludeAll(share);
		else request.conclude(1 - passed / 5);
	}

	/** Whether there is no other request that it could be compared with. */
	private isAlone(request: PacedRequest): boolean {
		const isOther = (other: { request: PacedRequest }) =>
			!other.request.isOutlier && other.request.key !== request.key;
		return !this.runs.some(
			({ fresh, retries, inFlight }) =>
				[...inFlight].some(isOther) || retries.some(isOther) || [...fresh].some(isOther),
		);
	}

	private get inFlight(): Attempt[] {
		return this.runs.flatMap(({ inFlight }) => [...inFlight]);
	}

	/** What takes longer may hang, in milliseconds. */
	private get patience(): number {
		return Math.max(MAY_HANG_MS, this.limit.usualLatency * MAY_HANG_RATIO);
	}

	/** How long until another request may be in flight, in milliseconds. */
	private untilRoom(now: number): number {
		const { isHalfOpen, explained } = this.throttle;
		const { patience } = this;
		const counted = this.inFlight.filter(
			({ number, begunAt }) =>
				(!isHalfOpen || number > explained) &&
				(begunAt > now - patience || begunAt > this.passedBegunAt),
		);
		if (counted.length < (isHalfOpen ? 1 : this.limit.current)) return 0;
		const next = Math.min(
			this.lastNewsAt + patience,
			...counted
				.filter(({ begunAt }) => begunAt <= this.passedBegunAt)
				.map(({ begunAt }) => begunAt + patience),
		);
		return Math.max(0, next - now);
	}

	private untilRetry(now: number): number {
		const times = this.runs.map(({ retries }) => retries[0]?.request.notBefore ?? Infinity);
		return Math.min(...times.filter((time) => time > now)) - now;
	}

	private wakeIn(time: number): void {
		const milliseconds = Math.ceil(time);
		const at = this.clock.elapsed() + milliseconds;
		if (at >= this.wakesAt || at === Infinity) return;
		this.waking.abort();
		this.waking = new AbortController();
		this.wakesAt = at;
		const { signal } = this.waking;
		void this.clock.sleep(milliseconds, signal).then(() => {
			if (signal.aborted) return;
			this.wakesAt = Infinity;
			this.grantPermits();
		});
	}

	/** Waits until the caller has handled the response: it may stop the run before its next request is sent. */
	private async grantSoon(): Promise<void> {
		await this.clock.sleep(0);
		if (this.runs.every(({ inFlight, waiting }) => inFlight.size + waiting.length === 0))
			this.throttle.rest();
		this.grantPermits();
	}
}
