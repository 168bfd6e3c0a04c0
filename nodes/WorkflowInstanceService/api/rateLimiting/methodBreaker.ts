import type { FailedAttempt, Wait } from '../apiRequest';
import { systemClock } from '../clock';
import { backOff } from './backOff';
import type { Client, Task } from './client';
import { CircuitBreaker } from './circuitBreaker';

/**
 * - `apartAfter`: a method that was held back this often in a row, while as many others got through, gets a breaker of
 *   its own. For failures, the number is higher: an Update reads before each attempt to write, and the read may use up
 *   what a limit leaves.
 * - `probesPerDoubling`: the wait doubles after this many tries. It's higher for failures, since some have other causes.
 */
const BY_THROTTLING = { apartAfter: 5, probesPerDoubling: 1 };
const BY_FAILURES = { apartAfter: 16, probesPerDoubling: 16 };

/**
 * What a failure did to a method: its breaker opened, the request that tried for all failed, or the request, or the whole
 * method, joined others that were already waiting. A method that joins them prolongs their wait.
 */
type BreakerEffect = 'opened' | 'probeFailed' | 'joined';

/**
 * The rate limit of a method, since services limit reads and writes separately. Methods that were ever held back share
 * a breaker, until one needs its own. The others don't wait.
 */
export class MethodBreaker {
	/** Whether a rate limit, or failures like one, ever held it back. */
	private isLimited = false;
	/** When the service says to retry, and in which response. */
	private retryAt = -Infinity;
	private retryAtFailure?: FailedAttempt;
	/** When it became limited while others waited. */
	private joinedAt = -Infinity;
	/** How often in a row it was held back. */
	private consecutive = 0;
	/** How many requests the breaker had admitted when one of this method last got through. */
	private admittedBefore = 0;

	/** @param breaker at first, the one that all methods share */
	constructor(private breaker: CircuitBreaker) {}

	/** When another request may start. */
	freeAt(): number {
		return this.isLimited ? Math.max(this.breaker.freeAt(), this.retryAt) : -Infinity;
	}

	/** Whether it waits because none gets through. */
	isStalled(): boolean {
		return this.isLimited && this.breaker.openCount > 0;
	}

	/** Whether it waits because the service is down. */
	isDown(): boolean {
		return this.isStalled() && this.breaker.failure?.retry !== 'throttled';
	}

	/** Why requests of a client wait: the service says so, or none has gotten through. */
	currentWait({ waitingSince }: Client, now: number): Wait {
		const since = this.isStalled() ? Math.max(this.breaker.openedAt, waitingSince) : now;
		const retryIn = Math.max(0, this.retryAt - now);
		const reason = retryIn > 0 ? this.retryAtFailure : this.breaker.failure;
		return { retryIn, stalled: now - since, failure: reason?.error };
	}

	/** Whether a request started before all had to wait: then its outcome says nothing new. */
	startedBeforeWait(startedAt: number): boolean {
		return this.isLimited && startedAt <= Math.max(this.breaker.openedAt, this.joinedAt);
	}

	onStart(now: number): void {
		if (this.isLimited) this.breaker.lastStartAt = now;
	}

	/** Any response, even a late one, shortens the interval. */
	onResponse(): void {
		this.breaker.speedUp();
	}

	/** A request got through the breaker, even if it failed by itself. */
	onAdmitted(): void {
		this.consecutive = 0;
		if (this.isLimited) this.breaker.close();
		this.admittedBefore = this.breaker.admittedCount;
	}

	/** If there is an interval, a failure by chance may mean that it's still too short. */
	onChanceFailure(failure: FailedAttempt): void {
		this.isLimited ||= this.breaker.interval > 0;
		this.breaker.slowDown(failure);
	}

	/** How many requests have tried without success since the breaker opened. */
	failedProbes(): number {
		return this.breaker.openCount - 1;
	}

	/** Holds back its requests, and those of other limited methods that share the breaker. */
	holdBack(task: Task, failure: FailedAttempt): BreakerEffect {
		const now = systemClock.elapsed();
		const joins = !this.isLimited && this.breaker.openCount > 0;
		// Set before `startedBeforeWait` is called, which is false unless the method is limited.
		this.isLimited = true;
		const isOld = this.startedBeforeWait(task.startedAt);
		// Also if this request is old. Otherwise, each request that is already in flight would prolong the wait.
		if (joins) this.joinedAt = now;
		if (joins || !isOld) {
			this.retryAt = now + failure.retryAfter;
			this.retryAtFailure = failure;
		}
		if (isOld) return 'joined';
		this.open(task, failure, now);
		if (joins) return 'joined';
		return this.failedProbes() > 0 ? 'probeFailed' : 'opened';
	}

	private open({ client, request }: Task, failure: FailedAttempt, now: number): void {
		const { maxWait } = request;
		const { retry, retryAfter } = failure;
		const { apartAfter, probesPerDoubling } = retry === 'throttled' ? BY_THROTTLING : BY_FAILURES;
		// A wait that is too long for this request doesn't hold back other methods. Its own waits until `retryAt`.
		const shortest = retryAfter > maxWait ? 0 : retryAfter;
		const longest = maxWait - this.currentWait(client, now).stalled;
		const wait = backOff(Math.floor(this.breaker.openCount / probesPerDoubling), shortest, longest);
		this.consecutive++;
		const others = this.breaker.admittedCount - this.admittedBefore;
		if (Math.min(this.consecutive, others) >= apartAfter) this.breaker = new CircuitBreaker();
		this.breaker.open(now, wait, failure);
	}
}
