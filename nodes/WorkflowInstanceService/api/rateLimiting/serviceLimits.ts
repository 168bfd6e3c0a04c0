import type { UserFacingError } from '../../values/userFacingError';
import type { ApiMethod } from '../apiRequest';
import type { Retry } from '../failureMessages';
import type { Clock } from '../clock';
import type { ServiceResponse } from '../response';
import { backOff } from '../retryAfter';
import { type Wait, waitError } from '../waits';
import type { Client, Task } from './client';
import { FailureTracker } from './failureTracker';
import { ConcurrencyLimit } from './limits';
import { MethodLimit, PROBE_INTERVAL_MS, RateLimiter } from './rateLimiter';

const MAX_RETRIES_OF_LOST = 1;

/** What came of an attempt: a 2xx response, or why there was none, and how to retry it. */
export type Outcome = { response: ServiceResponse } | Failure;
type Failure = { error: UserFacingError; retry?: Retry };

const keyOf = ({ request }: Task) => `${request.method} ${request.path}`;

/** What the service lets through, as far as its responses show. */
export class ServiceLimits {
	readonly concurrency = new ConcurrencyLimit();
	private readonly failures = new FailureTracker();
	private readonly limiter = new RateLimiter();
	private readonly methods: Readonly<Record<ApiMethod, MethodLimit>> = {
		GET: new MethodLimit(this.limiter),
		PUT: new MethodLimit(this.limiter),
		POST: new MethodLimit(this.limiter),
	};
	private startCount = 0;

	/** @param sendToEnd changes the order of a task, so that others start first */
	constructor(
		private readonly clock: Clock,
		private readonly sendToEnd: (task: Task) => void,
	) {}

	/** When the rate limit lets another request of a method through. */
	freeAt(method: ApiMethod): number {
		return this.methods[method].freeAt();
	}

	/** Why requests of a method wait: the service says so, or none has got through since the client joined. */
	waitOf({ joinedAt }: Client, method: ApiMethod): Wait {
		const { isThrottled, limiter, retryAt } = this.methods[method];
		const now = this.clock.elapsed();
		const stalled = isThrottled ? now - Math.max(limiter.stalledSince, joinedAt) : 0;
		const retryIn = retryAt - now;
		const isByService = retryIn > stalled;
		return isByService
			? { wait: retryIn, reason: 'service' }
			: { wait: stalled, reason: 'stalled' };
	}

	onStart(task: Task): void {
		const { isThrottled, limiter } = this.methods[task.request.method];
		task.startedAt = this.clock.elapsed();
		task.startNumber = ++this.startCount;
		if (isThrottled) limiter.onStart(task.startedAt);
	}

	/** The service did what a request asks for, or says why it does not. */
	onResponse(task: Task): void {
		const { method, attempts } = task.request;
		const limit = this.methods[method];
		const now = this.clock.elapsed();
		this.concurrency.onResponse(method, now - task.startedAt);
		if (limit.isThrottled || limit.limiter.openCount === 0) limit.limiter.onResponse();
		if (limit.limiter.isStale(task.startNumber)) return;
		this.failures.onSuccess(keyOf(task), attempts.failed);
		limit.onSuccess(now);
	}

	/** Returns how long to wait before a retry, or undefined for none. */
	onFailure(task: Task, { error, retry }: Failure): number | undefined {
		const { attempts } = task.request;
		attempts.lastFailure = error;
		if (retry === 'throttled') return this.onThrottled(task, error.pause);
		if (retry === 'failed') return this.onUnavailable(task, error.pause);
		if (retry === 'lost' && attempts.lost++ < MAX_RETRIES_OF_LOST) return this.backOff(0, 0);
		if (error.httpCode !== undefined) this.onResponse(task);
		return undefined;
	}

	/** Requests of its method wait: as long as the service says, or longer each time. */
	private onThrottled(task: Task, retryAfter: number): number {
		const limit = this.methods[task.request.method];
		limit.retryAt = this.clock.elapsed() + retryAfter;
		const pause = retryAfter > task.request.maxWait ? 0 : retryAfter;
		this.hold(task, this.backOff(limit.limiter.openCount, pause));
		return 0;
	}

	/** The service is unavailable, for one request or for all. */
	private onUnavailable(task: Task, retryAfter: number): number | undefined {
		const { attempts, method, maxWait } = task.request;
		const limit = this.methods[method];
		const isDown = this.failures.onFailure(keyOf(task), limit.limiter.isStale(task.startNumber));
		const isTooLong = attempts.waited + retryAfter > maxWait;
		this.sendToEnd(task);
		if (isDown) this.hold(task, Math.max(isTooLong ? 0 : retryAfter, PROBE_INTERVAL_MS));
		else limit.onSuccess(this.clock.elapsed());
		if (isTooLong) throw waitError({ wait: retryAfter, reason: 'service' }, task.request);
		if (isDown) return 0;
		attempts.waited += retryAfter;
		attempts.failed++;
		if (this.failures.isGivenUp(attempts.failed)) return undefined;
		return this.backOff(attempts.failed - 1, retryAfter);
	}

	private hold(task: Task, wait: number): void {
		const limit = this.methods[task.request.method];
		limit.isThrottled = true;
		if (limit.limiter.isStale(task.startNumber)) return;
		limit.onThrottled();
		// Whether anything gets through is for another one to find out next time.
		if (limit.limiter.openCount > 0) this.sendToEnd(task);
		else this.concurrency.onThrottled();
		limit.limiter.open(this.clock.elapsed(), wait, this.startCount);
	}

	private backOff(waits: number, retryAfter: number): number {
		return backOff(waits, retryAfter, this.clock.chance());
	}
}
