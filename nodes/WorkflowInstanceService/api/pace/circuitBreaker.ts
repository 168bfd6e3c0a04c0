import type { Wait } from '../waits';

/** So many different instances in a row that fail open it. */
const FAILURE_THRESHOLD = 5;

/**
 * Holds back all requests while the service lets none through. It's open for a time, then half-open:
 * single requests find out whether they get through, and the first one that does closes it.
 */
export class CircuitBreaker {
	/** How often it has opened since it was closed. */
	openings = 0;
	openUntil = -Infinity;
	/** Whether a request that had failed was answered since it opened: then failures pass by themselves. */
	isTransient = false;
	/** When it last opened, until when the service asked to wait, and when a request last got through. */
	private openedAt = -Infinity;
	private askedUntil = -Infinity;
	private passedAt = -Infinity;
	/** What has failed and was not answered since, by method and path. */
	private readonly failing = new Set<string>();
	/** What has failed since the last answer, and may show that the service is down. */
	private readonly inARow = new Set<string>();

	/** What began before it last opened says nothing new. */
	isNews(begunAt: number): boolean {
		return begunAt > this.openedAt;
	}

	/** Why a request waits that came at `since`: the service asks for it, or nothing got through since. */
	waitOf(since: number, maxWait: number, now: number): Wait {
		const asked = this.askedUntil - now;
		const stalled = this.openings > 0 ? now - Math.max(this.passedAt, since) : 0;
		const isAsked = asked > stalled || asked > maxWait;
		return isAsked ? { wait: asked, reason: 'service' } : { wait: stalled, reason: 'node' };
	}

	open(now: number, asked: number, wait: number): void {
		this.openings++;
		this.openedAt = now;
		this.openUntil = now + wait;
		this.askedUntil = now + asked;
		this.isTransient = false;
	}

	/** A request got through a rate limit, whatever came of it. */
	close(now: number): void {
		this.openings = 0;
		this.passedAt = now;
	}

	answered(key: string, now: number): void {
		if (this.failing.delete(key)) this.isTransient = true;
		this.inARow.clear();
		this.close(now);
	}

	/** Takes note of a failure. Returns whether all have to wait for it, not only this request. */
	failed(key: string, isNews: boolean): boolean {
		if (isNews && (this.isTransient || !this.failing.has(key))) this.inARow.add(key);
		this.failing.add(key);
		return !isNews || this.inARow.size >= FAILURE_THRESHOLD;
	}
}
