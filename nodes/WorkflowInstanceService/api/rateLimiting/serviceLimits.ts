import type { UserFacingError } from '../../values/userFacingError';
import { type ApiMethod, METHODS } from '../apiRequest';
import { systemClock } from '../clock';
import { type FailedAttempt, waitError } from '../requestErrors';
import { backOff } from './backOff';
import type { Task } from './client';
import { DIAGNOSES, FailureTracker } from './failureTracker';
import { ConcurrencyLimit } from './limits';
import { MethodLimit } from './methodLimit';
import { RateLimiter } from './rateLimiter';

const MAX_RETRIES_OF_LOST = 1;
/** What is throttled after so many others got through always will be. */
const MOST_THROTTLED = 100;
/** While the service is down, the wait doubles after every so many failures, since some may have other reasons. */
const FAILURES_PER_BACK_OFF = 16;
/** While it is, every so many tries go to a request that has failed before. */
const RETRY_EVERY = 4;

/** Whether a service may have rejected a request because it was too close to others. */
const mayBeRateLimit = ({ error, retry }: FailedAttempt) =>
	retry === 'throttled' || error.httpCode === '503';

/** A deletion's path has no ID, so its first one tells it from others. */
const keyOf = ({ request: { method, path, ids } }: Task) => `${method} ${path} ${ids[0]}`;

/** What the service lets through, as far as its responses show. */
export class ServiceLimits {
	readonly concurrency = new ConcurrencyLimit();
	private readonly failures = new FailureTracker();
	/** Those of writes alone: they can fail while reads succeed. */
	private readonly writeFailures = new FailureTracker();
	private readonly limiter = new RateLimiter();
	readonly methods: Readonly<Record<ApiMethod, MethodLimit>> = {
		GET: new MethodLimit(this.limiter),
		PUT: new MethodLimit(this.limiter),
		POST: new MethodLimit(this.limiter),
	};
	/** The highest order of a task that has started, or the lowest that its client still had waiting, if that is lower. */
	order = 0;
	/** Until then, the base URL may be wrong. */
	private hasResponded = false;

	/** Whether all requests of a method wait since several failed. */
	isDown(method: ApiMethod): boolean {
		return this.methods[method].isByFailures && this.methods[method].isStalled();
	}

	onStart(task: Task): void {
		const { isLimited, limiter } = this.methods[task.request.method];
		task.startedAt = systemClock.elapsed();
		// Other queues of its client may be behind, and a client that joins now isn't after what still waits there.
		const waiting = METHODS.flatMap((method) => task.client.queues[method][0]?.order ?? []);
		this.order = Math.max(this.order, Math.min(task.order, ...waiting));
		if (isLimited) limiter.lastStartAt = task.startedAt;
	}

	onSuccess(task: Task): void {
		this.hasResponded = true;
		this.concurrency.onSuccess(task.request.method, systemClock.elapsed() - task.startedAt);
		this.onResponse(task);
	}

	/**
	 * Returns how many milliseconds the request itself waits before it queues again (0: as long as its method does), or
	 * the error if it isn't retried.
	 */
	onFailure(task: Task, failure: FailedAttempt): number | UserFacingError {
		const { error, retry } = failure;
		this.hasResponded ||= error.httpCode !== undefined;
		task.request.attempts.lastFailure = error;
		if (retry === 'throttled') return this.onThrottled(task, failure);
		this.concurrency.onFailure(systemClock.elapsed() - task.startedAt, error.isTemporary);
		const isUnreachable = retry === 'unreachable' || retry === 'lost';
		if (retry === 'failed' || (isUnreachable && this.hasResponded)) {
			return this.onUnavailable(task, failure);
		}
		if (retry === 'lost' && this.countFailure(task, retry) === 'retry') return backOff(0, 0);
		if (error.httpCode !== undefined) this.onResponse(task);
		return error;
	}

	private onThrottled(task: Task, failure: FailedAttempt): 0 | UserFacingError {
		const { attempts, method } = task.request;
		if (!this.methods[method].isStalled()) attempts.throttled++;
		this.holdBack(task, failure);
		return attempts.throttled < MOST_THROTTLED ? 0 : failure.error;
	}

	/** A request got through: its response is any but those that are retried, even a rejection. */
	private onResponse(task: Task): void {
		const methodLimit = this.methods[task.request.method];
		methodLimit.limiter.onResponse();
		if (methodLimit.isStale(task.startedAt)) return;
		for (const failures of this.failuresOf(task))
			failures.onSuccess(keyOf(task), task.request.attempts.failed);
		methodLimit.onAccepted();
	}

	/** The service is unavailable, for one request or for all. */
	private onUnavailable(task: Task, failure: FailedAttempt): number | UserFacingError {
		const { error, retry, retryIn } = failure;
		const { attempts, isUrgent, maxWait, method } = task.request;
		const methodLimit = this.methods[method];
		const isStale = methodLimit.isStale(task.startedAt);
		const diagnoses = this.failuresOf(task).map((each) => each.onFailure(keyOf(task), isStale));
		const diagnosis = DIAGNOSES.find((each) => diagnoses.includes(each));
		const isTooLong = retryIn > 0 && attempts.waited + retryIn > maxWait;
		const pause = isTooLong ? 0 : retryIn;
		// What an update has begun comes first: new reads would take what the limit lets through.
		if (!isUrgent) task.order = task.client.nextOrder(this.order);
		if (diagnosis === 'byChance') methodLimit.onChanceFailure(mayBeRateLimit(failure));
		// Unless all fail, it got through the rate limit.
		if (diagnosis !== 'down') methodLimit.onAccepted();
		else this.holdBack(task, { ...failure, retryIn: pause });
		if (isTooLong) return waitError({ retryIn, stalled: 0 }, task.request);
		if (diagnosis === 'down') return 0;
		if (this.countFailure(task, retry) === 'giveUp') {
			const advice = `${error.advice} The node tried at least ${attempts.failed} times.`;
			return error.with({ advice });
		}
		const wait = backOff(attempts.failed - 1, pause, maxWait - attempts.waited);
		attempts.waited += retry === 'unreachable' ? wait : pause;
		return wait;
	}

	/** Counts another failed attempt. Returns what to do next. */
	private countFailure(task: Task, retry: FailedAttempt['retry']): 'retry' | 'giveUp' {
		const { attempts, maxWait } = task.request;
		attempts.failed++;
		if (retry === 'lost') return ++attempts.lost > MAX_RETRIES_OF_LOST ? 'giveUp' : 'retry';
		// What didn't reach the service can't be what fails.
		if (retry === 'unreachable') return attempts.waited >= maxWait ? 'giveUp' : 'retry';
		const isGivenUp = this.failuresOf(task).every((each) => each.isGivenUp(attempts.failed));
		return isGivenUp ? 'giveUp' : 'retry';
	}

	private failuresOf({ request }: Task): FailureTracker[] {
		return request.method === 'GET' ? [this.failures] : [this.failures, this.writeFailures];
	}

	/** Holds back this request, the others of its method, and other throttled methods that share the limiter. */
	private holdBack(task: Task, failure: FailedAttempt): void {
		const { error, retry, retryIn } = failure;
		const { client, request } = task;
		const { maxWait, method } = request;
		const methodLimit = this.methods[method];
		methodLimit.isLimited = true;
		if (methodLimit.isStale(task.startedAt)) return;
		methodLimit.isByFailures = retry !== 'throttled';
		const { openCount: waitsBefore } = methodLimit.limiter;
		const waits = methodLimit.isByFailures
			? Math.floor(waitsBefore / FAILURES_PER_BACK_OFF)
			: waitsBefore;
		const now = systemClock.elapsed();
		const { stalled } = methodLimit.waitSince(client.waitingSince, now);
		// A wait that is too long for this request doesn't hold back other methods, which share the limiter.
		const wait = backOff(waits, retryIn > maxWait ? 0 : retryIn, maxWait - stalled);
		methodLimit.onHeldBack(methodLimit.isByFailures ? 'failed' : 'throttled');
		const { openCount } = methodLimit.limiter;
		if (openCount === 0) {
			this.concurrency.halve();
		} else {
			// Another request tries next, in case only this one fails.
			task.order = client.nextOrder(this.order);
			// Or many do, so it's any of the others, or now and then one that has failed.
			const hasFailed = openCount % RETRY_EVERY === 0;
			if (methodLimit.isByFailures) client.rotate(method, hasFailed, systemClock.chance());
		}
		methodLimit.retryAt = now + retryIn;
		methodLimit.failure = error;
		methodLimit.limiter.open(now, wait, mayBeRateLimit(failure));
	}
}
