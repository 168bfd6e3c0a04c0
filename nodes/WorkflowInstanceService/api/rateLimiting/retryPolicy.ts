import { UserFacingError } from '../../values/userFacingError';
import type { ApiMethod, FailedAttempt, ScheduledRequest } from '../apiRequest';
import { systemClock } from '../clock';
import { waitError } from '../requestErrors';
import { backOff } from './backOff';
import { CircuitBreaker } from './circuitBreaker';
import type { Task } from './client';
import { ConcurrencyLimit } from './concurrencyLimit';
import { FailureTracker } from './failureTracker';
import { MethodBreaker } from './methodBreaker';

/** After this many attempts, a request is given up: usually, and while any attempt may fail by chance. */
const MAX_ATTEMPTS = 6;
const MAX_ATTEMPTS_BY_CHANCE = 20;
const MAX_RETRIES_OF_LOST = 1;
/** A failure that is never retried makes others wait only if it takes longer than this. */
const SLOW_MS = 1_000;
/** A request that is throttled this often while others get through always will be. */
const MAX_THROTTLED_WHILE_OTHERS_PASSED = 100;
/** While the service is down, one in this many tries goes to a request that has failed before. */
const RETRY_EVERY = 4;

/** How many milliseconds until a request queues again, and whether behind all others of its client or in its place. */
type NextAttempt = { delay: number; goesLast: boolean };

/** A deletion's path contains no ID, so its first ID tells it apart from others. */
const keyOf = ({ method, path, ids }: ScheduledRequest) => `${method} ${path} ${ids[0]}`;

/** Decides by what the service responds how many requests run at once, and which are retried, and when. */
export class RetryPolicy {
	readonly concurrency = new ConcurrencyLimit();
	private readonly failures = new FailureTracker();
	/** Only those of writes, which can fail while reads succeed. */
	private readonly writeFailures = new FailureTracker();
	private readonly sharedBreaker = new CircuitBreaker();
	readonly methods: Readonly<Record<ApiMethod, MethodBreaker>> = {
		GET: new MethodBreaker(this.sharedBreaker),
		PUT: new MethodBreaker(this.sharedBreaker),
		POST: new MethodBreaker(this.sharedBreaker),
	};
	/** Until the service has responded, the base URL may be wrong. */
	private hasResponded = false;

	onSuccess(task: Task): void {
		this.hasResponded = true;
		this.concurrency.onSuccess(task.request.method, systemClock.elapsed() - task.startedAt);
		this.onResponse(task);
	}

	/** Returns how the request is retried, or the error if it isn't. */
	onFailure(task: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { error, retry } = failure;
		task.request.attempts.lastFailure = error;
		this.hasResponded ||= error.httpCode !== undefined;
		if (retry === 'throttled') return this.onThrottled(task, failure);
		const latency = systemClock.elapsed() - task.startedAt;
		// A request with a temporary failure may have waited in the service for too long.
		if (error.isTemporary) this.concurrency.onFailure(latency);
		if (retry === 'timedOut' || (retry === 'unreachable' && !this.hasResponded))
			return this.onNoResponse(task, failure, latency);
		if (retry !== undefined) return this.onUnavailable(task, failure);
		if (error.httpCode !== undefined) this.onResponse(task);
		return error;
	}

	/** It isn't retried, but the last of several in a row makes all wait, if it took long. */
	private onNoResponse(task: Task, failure: FailedAttempt, latency: number): UserFacingError {
		const isOutage = this.recordFailure(task);
		if (isOutage && latency > SLOW_MS) this.methods[task.request.method].holdBack(task, failure);
		return failure.error;
	}

	private onThrottled(task: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { attempts, method } = task.request;
		if (!this.methods[method].isStalled()) attempts.throttledWhileOthersPassed++;
		const next = this.retryWithBreaker(task, failure);
		return attempts.throttledWhileOthersPassed < MAX_THROTTLED_WHILE_OTHERS_PASSED
			? next
			: failure.error;
	}

	/** A request got through: it had a response that isn't retried, even a rejection. */
	private onResponse({ request, startedAt }: Task): void {
		const methodBreaker = this.methods[request.method];
		methodBreaker.onResponse();
		if (methodBreaker.startedBeforeWait(startedAt)) return;
		for (const tracker of this.trackersOf(request))
			tracker.onResponse(keyOf(request), request.attempts.failuresAlone);
		methodBreaker.onAdmitted();
	}

	/** The service is unavailable: for this request, or for all. */
	private onUnavailable(task: Task, failure: FailedAttempt): NextAttempt | UserFacingError {
		const { request, startedAt } = task;
		const { attempts, maxWait, method } = request;
		const { retryAfter } = failure;
		const isTooLong = retryAfter > 0 && attempts.waitedForService + retryAfter > maxWait;
		// Only this request was asked to wait that long.
		const forOthers = isTooLong ? { ...failure, retryAfter: 0 } : failure;
		attempts.failures++;
		// Recorded even if this request ends here, so that others learn from it, but not while the base URL may be wrong.
		const isOutage = this.hasResponded && this.recordFailure(task);
		// Also if it's dropped, since other requests may have to wait.
		const next =
			// A request that started before the wait doesn't count as failing alone.
			isOutage || this.methods[method].startedBeforeWait(startedAt)
				? this.retryWithBreaker(task, forOthers)
				: this.retryWithBackOff(task, forOthers);
		return isTooLong ? waitError({ retryIn: retryAfter, stalled: 0 }, request) : next;
	}

	/** Only this request waits, since it failed by itself. */
	private retryWithBackOff(
		{ request, startedAt }: Task,
		failure: FailedAttempt,
	): NextAttempt | UserFacingError {
		const { error, retry, retryAfter } = failure;
		const { attempts, isUrgent, maxWait, method } = request;
		const failsByChance = this.trackersOf(request).some((tracker) => tracker.failsByChance());
		// Whatever reached the service got through its rate limit, and may itself be why it failed.
		if (retry !== 'unreachable') {
			this.methods[method].onAdmitted();
			attempts.failuresAlone++;
		}
		if (failsByChance) this.methods[method].onChanceFailure(failure);
		if (retry === 'lost') attempts.lostAlone++;
		attempts.failingSince ??= startedAt;
		const delay = backOff(attempts.waitsAlone++, retryAfter, maxWait - attempts.waitedForService);
		if (isGivenUp(request, failure, failsByChance, delay)) {
			// Attempts while the service was down count here, too.
			const advice = `${error.advice} The node tried at least ${attempts.failures} times.`;
			return error.with({ advice });
		}
		attempts.waitedForService += retry === 'unreachable' ? delay : retryAfter;
		// A write keeps its place, ahead of new reads.
		return { delay, goesLast: !isUrgent };
	}

	/** All requests of the method wait, and those of other limited methods. */
	private retryWithBreaker(task: Task, failure: FailedAttempt): NextAttempt {
		const { method, isUrgent } = task.request;
		const isThrottled = failure.retry === 'throttled';
		const breaker = this.methods[method];
		const effect = breaker.holdBack(task, failure);
		if (effect === 'opened') this.concurrency.halve();
		// Another one tries next, in case only this one fails: after a 429 the next in line, after failures a random one.
		const hasProbed = effect === 'probeFailed';
		if (hasProbed && !isThrottled)
			task.client.rotate(method, breaker.failedProbes() % RETRY_EVERY === 0);
		// Otherwise, what is throttled returns to its place, near the front, and an update's write comes first.
		return { delay: 0, goesLast: hasProbed || (!isThrottled && !isUrgent) };
	}

	/** Returns whether so many requests in a row have failed that the service is down. */
	private recordFailure({ request, startedAt }: Task): boolean {
		const isBeforeWait = this.methods[request.method].startedBeforeWait(startedAt);
		const trackers = this.trackersOf(request);
		for (const tracker of trackers) tracker.onFailure(keyOf(request), isBeforeWait);
		return trackers.some((tracker) => tracker.isDown());
	}

	private trackersOf({ method }: ScheduledRequest): FailureTracker[] {
		return method === 'GET' ? [this.failures] : [this.failures, this.writeFailures];
	}
}

function isGivenUp(
	{ attempts, maxWait, retriesFor = Infinity }: ScheduledRequest,
	{ retry }: FailedAttempt,
	failsByChance: boolean,
	delay: number,
): boolean {
	if (systemClock.elapsed() + delay > Number(attempts.failingSince) + retriesFor) return true;
	if (retry === 'lost') return attempts.lostAlone > MAX_RETRIES_OF_LOST;
	if (retry === 'unreachable') return attempts.waitedForService >= maxWait;
	return attempts.failuresAlone >= (failsByChance ? MAX_ATTEMPTS_BY_CHANCE : MAX_ATTEMPTS);
}
