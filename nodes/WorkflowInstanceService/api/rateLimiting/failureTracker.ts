/** If this many different requests fail in a row, the service is down. */
const DOWN_AFTER = 5;
/** A request that fails again after this many others had responses is an isolated failure. */
const ISOLATED_AFTER = 5;
/** If more than this share of attempts fail, of requests that have a response in the end, any may fail by chance. */
const CHANCE_FAILURE_RATE = 0.05;
/** How much a request with a response still counts after the next one. */
const DECAY = 0.98;

/** Finds out from failures, such as a 503, whether the service is down, or whether any attempt may fail by chance. */
export class FailureTracker {
	private responseCount = 0;
	/** For each request that failed and has had no response since: how many others had one before its first failure. */
	private readonly responsesBefore = new Map<string, number>();
	/** The requests that failed since the last response, except isolated failures. */
	private readonly consecutiveFailures = new Set<string>();
	/** Of requests with a response: all their attempts, and those that failed. */
	private weightedAttempts = 1;
	private weightedFailures = 0;

	/**
	 * A response that is not retried, even a rejection.
	 * @param key identifies the request
	 */
	onResponse(key: string, failedAttempts: number): void {
		this.responseCount++;
		this.responsesBefore.delete(key);
		this.consecutiveFailures.clear();
		this.weightedAttempts = this.weightedAttempts * DECAY + failedAttempts + 1;
		this.weightedFailures = this.weightedFailures * DECAY + failedAttempts;
	}

	/** @param isBeforeWait whether the request started before all had to wait: then its failure says nothing new */
	onFailure(key: string, isBeforeWait: boolean): void {
		// Even a request that waited fails, so the cause is the service: earlier isolated failures count again.
		if (!isBeforeWait && this.isDown()) this.responsesBefore.clear();
		const before = this.responsesBefore.get(key) ?? this.responseCount;
		this.responsesBefore.set(key, before);
		const isIsolated = this.responseCount - before >= ISOLATED_AFTER;
		if (!isBeforeWait && !isIsolated) this.consecutiveFailures.add(key);
	}

	isDown(): boolean {
		return this.consecutiveFailures.size >= DOWN_AFTER;
	}

	/** Whether so many attempts fail that any may fail by chance. */
	failsByChance(): boolean {
		return this.weightedFailures > this.weightedAttempts * CHANCE_FAILURE_RATE;
	}
}
