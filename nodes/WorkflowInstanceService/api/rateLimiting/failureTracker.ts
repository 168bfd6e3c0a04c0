/** So many different requests that fail in a row show that the service is down. */
const DOWN_AFTER = 5;
/** If more attempts fail before their request succeeds, any may fail by chance. */
const CHANCE_SHARE = 0.05;
/** How much a request that succeeded still counts after the next one. */
const DECAY = 0.98;

/** What failed requests, such as a 503, show: that the service is down, or that any attempt may fail by chance. */
export class FailureTracker {
	private successCount = 0;
	/** By request that failed and has not succeeded since: how many others had succeeded before its first failure. */
	private readonly successesBefore = new Map<string, number>();
	/** The requests that failed since any succeeded, but for those that fail while others succeed. */
	private readonly failedInRow = new Set<string>();
	/** Of requests that succeeded: their attempts, and those that had failed before. */
	private weightedAttempts = 1;
	private weightedFailures = 0;

	/** @param key tells requests apart */
	onSuccess(key: string, failedAttempts: number): void {
		this.successCount++;
		this.successesBefore.delete(key);
		this.failedInRow.clear();
		this.weightedAttempts = this.weightedAttempts * DECAY + failedAttempts + 1;
		this.weightedFailures = this.weightedFailures * DECAY + failedAttempts;
	}

	/**
	 * Counts a failure. Returns whether so many in a row show that the service is down.
	 * @param isStale whether the request started before all had to wait: then it shows nothing new
	 */
	onFailure(key: string, isStale: boolean): boolean {
		// Even one that waited fails, so it's the service, and what failed before may be healthy.
		if (!isStale && this.isDown()) this.successesBefore.clear();
		const before = this.successesBefore.get(key) ?? this.successCount;
		this.successesBefore.set(key, before);
		// That it fails again while so many others succeed says nothing about the service.
		const failsAlone = this.successCount - before >= DOWN_AFTER;
		if (!isStale && !failsAlone) this.failedInRow.add(key);
		return this.isDown();
	}

	failsByChance(): boolean {
		return this.weightedFailures > this.weightedAttempts * CHANCE_SHARE;
	}

	private isDown(): boolean {
		return this.failedInRow.size >= DOWN_AFTER;
	}
}
