import { UserFacingError } from '../../values/userFacingError';
import type { ApiMethod, ScheduledRequest } from '../apiRequest';
import { systemClock } from '../clock';
import { type FailedAttempt, waitError } from '../requestErrors';
import { backOff } from './backOff';
import type { Task } from './client';
import { ConcurrencyLimit } from './concurrencyLimit';
import { FailureTracker } from './failureTracker';
import { MethodLimit } from './methodLimit';
import { RateLimiter } from './rateLimiter';

/** After so many attempts, a request is given up: if others hardly fail by chance, and if they do. */
const ATTEMPTS = 6;
const ATTEMPTS_BY_CHANCE = 20;
const MAX_RETRIES_OF_LOST = 1;
/** What is throttled after so many others got through always will be. */
const MOST_THROTTLED = 100;
/** While the service is down, every so many tries go to a request that has failed before. */
const RETRY_EVERY = 4;

/** How a request is sent again. */
export interface NextAttempt {
	/** How long it waits by itself before it queues again, in milliseconds. */
	wait: number;
	/** Whether it comes after all others of its client, or keeps its place. */
	goesLast: boolean;
}

/** A deletion's path has no ID, so its first one tells it from others. */
const keyOf = ({ method, path, ids }: ScheduledRequest) => `${method} ${path} ${ids[0]}`;

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
	/** Until then, the base URL may be wrong. */
	private hasResponded = false;

	onSuccess(task: Task): void {
		this.hasResponded = true;
		this.concurrency.onSuccess(task.request.method, systemClock.elapsed() - task.startedAt);
		this.onResponse(task);
	}

	/** Returns how the request is sent again, or the error if it isn't. */
	onFailure(task: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { error, retry } = failure;
		const { attempts } = task.request;
		attempts.lastFailure = error;
		this.hasResponded ||= error.httpCode !== undefined;
		if (retry === 'throttled') return this.onThrottled(task, failure);
		this.concurrency.onFailure(systemClock.elapsed() - task.startedAt, error.isTemporary);
		if (retry === undefined || (retry === 'unreachable' && !this.hasResponded)) {
			if (error.httpCode !== undefined) this.onResponse(task);
			return error;
		}
		attempts.unavailable++;
		// Before any response, only a lost connection comes here.
		return this.hasResponded ? this.onUnavailable(task, failure) : this.retryAlone(task, failure);
	}

	private onThrottled(task: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { attempts, method } = task.request;
		// Only if others get through.
		if (!this.methods[method].isStalled()) attempts.throttled++;
		const next = this.retryWithOthers(task, failure);
		return attempts.throttled < MOST_THROTTLED ? next : failure.error;
	}

	/** A request got through: its response is any but those that are retried, even a rejection. */
	private onResponse({ request, startedAt }: Task): void {
		const methodLimit = this.methods[request.method];
		methodLimit.onResponse();
		if (methodLimit.isStale(startedAt)) return;
		for (const tracker of this.trackersOf(request))
			tracker.onSuccess(keyOf(request), request.attempts.failed);
		methodLimit.onPassed();
	}

	/** The service is unavailable: for this request, or for all. */
	private onUnavailable(task: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { request, startedAt } = task;
		const { attempts, maxWait, method } = request;
		const { retryIn } = failure;
		const isTooLong = retryIn > 0 && attempts.waited + retryIn > maxWait;
		// Others may not have to wait so long.
		const forOthers = isTooLong ? { ...failure, retryIn: 0 } : failure;
		const isStale = this.methods[method].isStale(startedAt);
		const areDown = this.trackersOf(request).map((tracker) =>
			tracker.onFailure(keyOf(request), isStale),
		);
		// Also if this request ends here: others learn from it.
		const next =
			isStale || areDown.includes(true)
				? this.retryWithOthers(task, forOthers)
				: this.retryAlone(task, forOthers);
		return isTooLong ? waitError({ retryIn, stalled: 0 }, request) : next;
	}

	/** What failed by itself got through the rate limit. */
	private retryAlone({ request }: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { error, retry, retryIn } = failure;
		const { attempts, isUrgent, maxWait, method } = request;
		const failsByChance = this.trackersOf(request).some((tracker) => tracker.failsByChance());
		this.methods[method].onPassed();
		if (failsByChance) this.methods[method].onChanceFailure(failure);
		// What didn't reach the service can't be what fails.
		if (retry !== 'unreachable') attempts.failed++;
		if (retry === 'lost') attempts.lost++;
		if (isGivenUp(request, failure, failsByChance)) {
			const advice = `${error.advice} The node tried at least ${attempts.unavailable} times.`;
			return error.with({ advice });
		}
		const wait = backOff(attempts.retries++, retryIn, maxWait - attempts.waited);
		attempts.waited += retry === 'unreachable' ? wait : retryIn;
		// What an update has begun comes first: new reads would take what the limit lets through.
		return { wait, goesLast: !isUrgent };
	}

	/** All requests of the method wait, and those of other limited methods. */
	private retryWithOthers(task: Task, failure: FailedAttempt): NextAttempt {
		const { client, request } = task;
		const isThrottled = failure.retry === 'throttled';
		const heldBackBefore = this.methods[request.method].holdBack(task, failure);
		const isStale = heldBackBefore === undefined;
		const isFirst = heldBackBefore === 0;
		if (isFirst) this.concurrency.halve();
		// What is throttled returns to its place, near the front, and an update's write comes first.
		if (isStale || isFirst) return { wait: 0, goesLast: !isThrottled && !request.isUrgent };
		// Another request tries next, in case only this one fails. Or many do, so it's any of the others.
		if (!isThrottled) client.rotate(request.method, heldBackBefore % RETRY_EVERY === 0);
		return { wait: 0, goesLast: true };
	}

	private trackersOf({ method }: ScheduledRequest): FailureTracker[] {
		return method === 'GET' ? [this.failures] : [this.failures, this.writeFailures];
	}
}

function isGivenUp(
	{ attempts, maxWait }: ScheduledRequest,
	{ retry }: FailedAttempt,
	failsByChance: boolean,
): boolean {
	if (retry === 'lost') return attempts.lost > MAX_RETRIES_OF_LOST;
	if (retry === 'unreachable') return attempts.waited >= maxWait;
	return attempts.failed >= (failsByChance ? ATTEMPTS_BY_CHANCE : ATTEMPTS);
}
