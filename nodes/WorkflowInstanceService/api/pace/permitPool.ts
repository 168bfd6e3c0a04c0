import type { UserFacingError } from '../../values/userFacingError';
import type { ApiRequest } from '../apiRequest';
import type { Clock } from '../clock';
import { backOff } from '../retryAfter';
import { stoppedError, waitError, Withdrawn } from '../waits';
import { CircuitBreaker } from './circuitBreaker';
import { ConcurrencyLimit, MinuteLimit, RateLimiter } from './limits';

/** A request that takes longer takes no place in flight. */
const HANGS_MS = 5_000;
/** While the service is down, or the breaker half-open: from one request that tries to the next. */
const PROBE_SPACE_MS = 1_000;

/** What one execution, poll or list sends. */
export interface Run {
	/** A limit that the user knows; 0 for none. */
	readonly requestsPerMinute: number;
	/** Aborted when it is stopped. */
	readonly signal: AbortSignal;
	/** The turn of its last request. */
	lastTurn: number;
}

/** A request over all its attempts. Times are in milliseconds of the monotonic clock. */
interface PacedRequest extends ApiRequest {
	readonly run: Run;
	readonly key: string;
	/** When it first came, and its longest wait for the service. */
	readonly since: number;
	readonly maxWait: number;
	/** The lowest comes first; 0 if it is urgent. */
	turn: number;
	begunAt: number;
	lastFailure?: UserFacingError;
}

/** A request in the queue, and what ends its wait. */
type Waiting = { request: PacedRequest; grant(): void; refuse(reason: Error): void };

/** By base URL and key: the pools of all runs, and of those that ended less than a minute ago. */
export const pools = new Map<string, PermitPool>();

/** The pool for a base URL and key, which all runs of this process with the same two share. */
export function poolFor(baseUrl: string, apiKey: string, clock: Clock): PermitPool {
	const id = `${baseUrl} ${apiKey}`;
	const pool = pools.get(id) ?? new PermitPool(clock);
	pools.set(id, pool);
	return pool;
}

/** What the runs with the same base URL and key share: who may send a request, and when. */
export class PermitPool {
	private readonly runs = new Set<Run>();
	/** What waits for a permit, in order. */
	private readonly queue: Waiting[] = [];
	/** The turn of what began last: a new run comes in there, however much others wait for (fair queuing). */
	private turn = 0;
	private lastBegunAt = -Infinity;
	/** In the order in which they began. */
	private readonly inFlight = new Set<PacedRequest>();
	private concurrency = new ConcurrencyLimit();
	private rate = new RateLimiter();
	private breaker = new CircuitBreaker();
	private readonly minute = new MinuteLimit();
	private alarm = new AbortController();

	constructor(readonly clock: Clock) {}

	/** Takes part until a signal is aborted. */
	join(requestsPerMinute: number, signal: AbortSignal): Run {
		const run = { requestsPerMinute, signal, lastTurn: 0 };
		this.runs.add(run);
		signal.addEventListener('abort', () => void this.leave(run));
		return run;
	}

	request(run: Run, request: ApiRequest, maxWait: number): PacedRequest {
		const turn = request.isUrgent ? 0 : this.nextTurnOf(run);
		const key = `${request.method} ${request.path}`;
		return { ...request, run, key, maxWait, since: this.clock.elapsed(), turn, begunAt: 0 };
	}

	/** Waits until a request may be sent. Throws UserFacingError or Withdrawn. */
	async acquire(request: PacedRequest): Promise<void> {
		const reason = this.reasonToRefuse(request);
		if (reason !== undefined) throw reason;
		await new Promise<void>((grant, refuse) => {
			const place = this.queue.findLastIndex(({ request: { turn } }) => turn <= request.turn) + 1;
			this.queue.splice(place, 0, { request, grant, refuse });
			this.grantPermits();
		});
	}

	/** Gives a permit back, as soon as the caller has handled the response: it may stop the run first. */
	release(request: PacedRequest): void {
		this.inFlight.delete(request);
		void this.clock.sleep(0).then(() => this.grantPermits());
	}

	/** The service did what a request asks for, or says why it does not. */
	answered(request: PacedRequest): void {
		const now = this.clock.elapsed();
		this.concurrency.answered(now - request.begunAt);
		this.rate.answered();
		if (this.breaker.isNews(request.begunAt)) this.breaker.answered(request.key, now);
	}

	/** The rate limit of the key: all wait, longer each time if the service doesn't say how long. */
	throttled(request: PacedRequest, asked: number): void {
		this.open(request, asked, backOff(this.breaker.openings, asked, this.clock.chance()));
	}

	/** The service is unavailable, for one request or for all. Returns whether it is for all. */
	failed(request: PacedRequest, asked: number): boolean {
		const { breaker, clock } = this;
		const isDown = breaker.failed(request.key, breaker.isNews(request.begunAt));
		request.turn = this.nextTurnOf(request.run);
		if (isDown) this.open(request, asked, Math.max(asked, PROBE_SPACE_MS));
		else breaker.close(clock.elapsed());
		if (!isDown && breaker.isTransient) this.rate.slowDown();
		return isDown;
	}

	/** Refuses what a run waits for. What was learned ends with the last run; what was sent, a minute later. */
	private async leave(run: Run): Promise<void> {
		this.refuseWaiting();
		this.runs.delete(run);
		this.grantPermits();
		if (this.runs.size > 0) return;
		this.concurrency = new ConcurrencyLimit();
		this.rate = new RateLimiter();
		this.breaker = new CircuitBreaker();
		const memory = () => this.minute.freeAt(1) - this.clock.elapsed();
		if (memory() > 0) await this.clock.sleep(memory());
		if (this.runs.size > 0 || memory() > 0) return;
		for (const [id, pool] of pools) if (pool === this) pools.delete(id);
	}

	/** The lowest limit that the users of its runs know. */
	private get perMinute(): number {
		return Math.min(...[...this.runs].map((run) => run.requestsPerMinute || Infinity));
	}

	private nextTurnOf(run: Run): number {
		run.lastTurn = Math.max(run.lastTurn, this.turn) + 1;
		return run.lastTurn;
	}

	/** All wait. What began before they last had to is no reason. */
	private open(request: PacedRequest, asked: number, wait: number): void {
		const { breaker, clock } = this;
		if (!breaker.isNews(request.begunAt)) return;
		if (breaker.openings === 0) {
			this.rate.slowDown();
			this.concurrency.decrease();
		}
		// Whether anything gets through is for another one to find out next time.
		else request.turn = this.nextTurnOf(request.run);
		breaker.open(clock.elapsed(), asked, wait);
		this.refuseWaiting();
	}

	private grantPermits(): void {
		this.alarm.abort();
		for (let [next] = this.queue; next !== undefined; [next] = this.queue) {
			const now = this.clock.elapsed();
			const wait = Math.ceil(this.freeAt - now);
			if (wait > 0) {
				const { signal } = (this.alarm = new AbortController());
				void this.clock.sleep(wait, signal).then(() => signal.aborted || this.grantPermits());
				return;
			}
			this.queue.shift();
			this.begin(next, now);
		}
	}

	/** When another request may begin. */
	private get freeAt(): number {
		const { begunAt = -Infinity } = [...this.inFlight].at(-this.concurrency.current) ?? {};
		const space = Math.max(this.rate.space, this.breaker.openings > 0 ? PROBE_SPACE_MS : 0);
		const limits = [this.lastBegunAt + space, this.minute.freeAt(this.perMinute)];
		return Math.max(begunAt + HANGS_MS, this.breaker.openUntil, ...limits);
	}

	private begin({ request, grant, refuse }: Waiting, now: number): void {
		if (request.shouldSend?.() === false) return refuse(new Withdrawn());
		this.inFlight.add(request);
		if (this.perMinute < Infinity) this.minute.begin(now);
		this.lastBegunAt = now;
		request.begunAt = now;
		this.turn = Math.max(this.turn, request.turn);
		grant();
	}

	private refuseWaiting(): void {
		for (const waiting of this.queue.splice(0)) {
			const reason = this.reasonToRefuse(waiting.request);
			if (reason === undefined) this.queue.push(waiting);
			else waiting.refuse(reason);
		}
	}

	private reasonToRefuse(request: PacedRequest): UserFacingError | undefined {
		const { run, since, maxWait } = request;
		const now = this.clock.elapsed();
		const hold = this.breaker.waitOf(since, maxWait, now);
		if (!run.signal.aborted) {
			return hold.wait > maxWait ? waitError(hold, request) : undefined;
		}
		const wait = this.minute.freeAt(this.perMinute) - now;
		return stoppedError(wait > hold.wait ? { wait, reason: 'credential' } : hold, request);
	}
}
