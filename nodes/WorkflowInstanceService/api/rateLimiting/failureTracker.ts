/** So many different requests that fail in a row show that the service is down. */
const DOWN_AFTER = 5;
/** After so many attempts, a request is given up: if others hardly fail by chance, and if they do. */
const LEAST_ATTEMPTS = 6;
const MOST_ATTEMPTS = 20;
/** If more attempts fail before their request succeeds, any may fail by chance. */
const CHANCE_SHARE = 0.05;
/** How much a request that succeeded still counts after the next one. */
const DECAY = 0.98;

/** Why a request fails, from what is about many to what is about one: the service is down, any may, or it alone does. */
export const DIAGNOSES = ['down', 'byChance', 'alone'] as const;

/** What failed requests, such as a 503, show: that the service is down, or how often attempts fail by chance. */
export class FailureTracker {
	/** By method and path, of what has failed and not succeeded since: how many others had succeeded by then. */
	private readonly countsAtFailure = new Map<string, number>();
	/** Those of them that failed since any request succeeded, but for what fails again while others succeed. */
	private readonly consecutive = new Set<string>();
	private successCount = 0;
	/** Of requests that succeeded: their attempts, and those that had failed before. */
	private weightedAttempts = 1;
	private weightedFailures = 0;

	onSuccess(key: string, failedAttempts: number): void {
		this.successCount++;
		this.countsAtFailure.delete(key);
		this.consecutive.clear();
		this.weightedAttempts = this.weightedAttempts * DECAY + failedAttempts + 1;
		this.weightedFailures = this.weightedFailures * DECAY + failedAttempts;
	}

	onFailure(key: string, isStale: boolean): (typeof DIAGNOSES)[number] {
		// Even one that waited fails, so it's the service, and what failed before may be healthy.
		if (!isStale && this.consecutive.size >= DOWN_AFTER) this.countsAtFailure.clear();
		const countAtFailure = this.countsAtFailure.get(key) ?? this.successCount;
		this.countsAtFailure.set(key, countAtFailure);
		// That it fails again while so many others succeed says nothing about the service.
		const isKnown = this.successCount - countAtFailure >= DOWN_AFTER;
		if (!isStale && !isKnown) this.consecutive.add(key);
		// It started before all had to wait, and fails for the same reason.
		if (isStale || this.consecutive.size >= DOWN_AFTER) return 'down';
		return this.failsByChance() ? 'byChance' : 'alone';
	}

	/** Whether chance hardly explains so many failed attempts. */
	isGivenUp(failedAttempts: number): boolean {
		return failedAttempts >= (this.failsByChance() ? MOST_ATTEMPTS : LEAST_ATTEMPTS);
	}

	private failsByChance(): boolean {
		return this.weightedFailures > this.weightedAttempts * CHANCE_SHARE;
	}
}
