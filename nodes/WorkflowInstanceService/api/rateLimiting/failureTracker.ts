/** So many different requests that fail in a row show that the service is down. */
const DOWN_AFTER = 5;
/** After so many attempts, a request may be given up, if chance hardly explains it, and must be. */
const LEAST_ATTEMPTS = 6;
const MOST_ATTEMPTS = 20;
const HARDLY = 1e-4;
/** If more fails and then succeeds, a request that fails again says something about the service, too. */
const PASSING_SHARE = 0.1;
/** How much a request that succeeded still counts after the next one. */
const DECAY = 0.98;

/** Which requests fail, from many to one: all, since the service is down, any by chance, or only this. */
export const SCOPES = ['all', 'any', 'this'] as const;

/** What failed requests, such as a 503, show: that the service is down, or how often attempts fail by chance. */
export class FailureTracker {
	/** What has failed and not succeeded since, by method and path: how many others had succeeded by then. */
	private readonly failing = new Map<string, number>();
	/** Those of them that say something about the service, since any request succeeded. */
	private readonly consecutive = new Set<string>();
	private successCount = 0;
	/** Of requests that succeeded: their attempts, and those that had failed before. */
	private attempts = 1;
	private failedAttempts = 0;

	onSuccess(key: string, failedAttempts: number): void {
		this.successCount++;
		this.failing.delete(key);
		this.consecutive.clear();
		this.attempts = this.attempts * DECAY + failedAttempts + 1;
		this.failedAttempts = this.failedAttempts * DECAY + failedAttempts;
	}

	onFailure(key: string, isStale: boolean): (typeof SCOPES)[number] {
		const isPassing = this.failedAttempts > this.attempts * PASSING_SHARE;
		// Even one that waited fails, so it's the service, and what failed before may be healthy.
		if (!isStale && this.consecutive.size >= DOWN_AFTER) this.failing.clear();
		const countAtFailure = this.failing.get(key) ?? this.successCount;
		this.failing.set(key, countAtFailure);
		// That it fails again while so many others succeed says nothing about the service.
		const isKnown = this.successCount - countAtFailure >= DOWN_AFTER;
		if (!isStale && (isPassing || !isKnown)) this.consecutive.add(key);
		// It started before all had to wait, and fails for the same reason.
		if (isStale || this.consecutive.size >= DOWN_AFTER) return 'all';
		return isPassing ? 'any' : 'this';
	}

	/** Whether it's the request that fails: others fail so seldom that chance hardly explains it. */
	isGivenUp(failedAttempts: number): boolean {
		if (failedAttempts < LEAST_ATTEMPTS) return false;
		const byChance = (this.failedAttempts / this.attempts) ** failedAttempts;
		return byChance < HARDLY || failedAttempts >= MOST_ATTEMPTS;
	}
}
