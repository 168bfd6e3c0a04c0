import type { ApiMethod } from '../apiRequest';
import type { Clock } from '../clock';
import { backOff } from '../retryAfter';
import type { Wait } from '../waits';
import { waitError } from '../waits';
import type { Client, Task } from './client';
import { FailureTracker } from './failureTracker';
import { ConcurrencyLimit } from './limits';
import { MethodLimit, PROBE_INTERVAL_MS, RateLimiter } from './rateLimiter';

const keyOf = ({ request }: Task) => `${request.method} ${request.path}`;

/** What the service lets through, by what came of the requests. */
export class ServiceLimits {
	private readonly concurrency = new ConcurrencyLimit();
	private readonly failures = new FailureTracker();
	private readonly methods: Readonly<Record<ApiMethod, MethodLimit>>;
	private startCount = 0;

	constructor(
		private readonly clock: Clock,
		private readonly nextOrder: (client: Client) => number,
	) {
		const limiter = new RateLimiter();
		const limit = () => new MethodLimit(limiter);
		this.methods = { GET: limit(), PUT: limit(), POST: limit() };
	}

	/** When another request may start, beside those in flight, which started at these times. */
	slotFreeAt(startTimes: readonly number[]): number {
		return this.concurrency.freeAt(startTimes);
	}

	/** When the rate limit lets another request of a method through. */
	freeAt(method: ApiMethod): number {
		return this.methods[method].freeAt();
	}

	/** Why requests of a method wait: the service says so, or none has got through since the client sends such ones. */
	waitOf({ firstAt }: Client, method: ApiMethod): Wait {
		const { retryAt, stalledSince } = this.methods[method];
		const now = this.clock.elapsed();
		const stalled = now - Math.max(stalledSince, firstAt[method] ?? now);
		const retryIn = retryAt - now;
		const isByService = retryIn > stalled;
		return isByService
			? { wait: retryIn, reason: 'service' }
			: { wait: stalled, reason: 'stalled' };
	}

	onStart(task: Task): void {
		task.startedAt = this.clock.elapsed();
		task.startNumber = ++this.startCount;
		this.methods[task.request.method].onStart(task.startedAt);
	}

	/** The service did what a request asks for, or says why it does not. */
	onResponse(task: Task): void {
		const { method, attempts } = task.request;
		const limit = this.methods[method];
		const now = this.clock.elapsed();
		this.concurrency.onResponse(method, now - task.startedAt);
		limit.onResponse();
		if (limit.limiter.isStale(task.startNumber)) return;
		this.failures.onSuccess(keyOf(task), attempts.failed);
		limit.onSuccess(now);
	}

	/** The requests of a method wait: as long as the service says, or longer each time. */
	onThrottled(task: Task, retryAfter: number): number {
		const { limiter } = this.methods[task.request.method];
		const pause = retryAfter > task.request.maxWait ? 0 : retryAfter;
		this.hold(task, retryAfter, this.backOff(limiter.openCount, pause));
		return 0;
	}

	/** The service is unavailable, for one request or for all. Returns how long to wait before a retry. */
	onUnavailable(task: Task, retryAfter: number): number | undefined {
		const { attempts, method, maxWait } = task.request;
		const limit = this.methods[method];
		const isDown = this.failures.onFailure(keyOf(task), limit.limiter.isStale(task.startNumber));
		const isTooLong = attempts.waited + retryAfter > maxWait;
		const pause = isTooLong ? 0 : retryAfter;
		task.order = this.nextOrder(task.client);
		if (isDown) this.hold(task, pause, Math.max(pause, PROBE_INTERVAL_MS));
		else limit.onSuccess(this.clock.elapsed());
		if (isTooLong) throw waitError({ wait: retryAfter, reason: 'service' }, task.request);
		if (isDown) return 0;
		attempts.waited += retryAfter;
		attempts.failed++;
		if (this.failures.isGivenUp(attempts.failed)) return undefined;
		return this.backOff(attempts.failed - 1, retryAfter);
	}

	backOff(waits: number, retryAfter: number): number {
		return backOff(waits, retryAfter, this.clock.chance());
	}

	private hold(task: Task, retryAfter: number, wait: number): void {
		const limit = this.methods[task.request.method];
		const now = this.clock.elapsed();
		const isStale = limit.limiter.isStale(task.startNumber);
		limit.onThrottled(now, retryAfter, isStale);
		if (isStale) return;
		// Whether anything gets through is for another one to find out next time.
		if (limit.limiter.openCount > 0) task.order = this.nextOrder(task.client);
		else this.concurrency.onThrottled();
		limit.limiter.open(now, wait, this.startCount);
	}
}
