import type { Wait } from '../waits';
import type { PacedRequest } from './request';

/** So many different requests that fail in a row, without a success in between, open it. */
const FAILURE_THRESHOLD = 5;

/**
 * Holds back all requests while the service lets none through. It's open for a time, then half-open:
 * single requests find out whether they get through, and the first one that does closes it.
 */
export class CircuitBreaker {
	/** How often it has opened since it was closed. */
	openings = 0;
	/** Whether what failed succeeded later: then failures are about the service, not an instance. */
	isTransient = false;
	openUntil = -Infinity;
	/** When it last opened, and how long the service asked to wait then; 0 if it didn't. */
	private openedAt = -Infinity;
	private asked = 0;
	/** When a request last got through. */
	private passedAt = -Infinity;
	/** What failed since the last success. */
	private readonly failed = new Set<PacedRequest>();

	/** Why a request waits: the service asks for it, or nothing has got through since it came. */
	waitOf({ since, maxWait }: PacedRequest, now: number): Wait {
		const asked = this.openedAt + this.asked - now;
		const stalled = this.openings > 0 ? now - Math.max(this.passedAt, since) : 0;
		if (asked > Math.min(stalled, maxWait)) return { wait: asked, reason: 'service' };
		return { wait: stalled, reason: 'node' };
	}

	/** The service let a request through a rate limit, whatever came of it. */
	passed({ begunAt }: PacedRequest, now: number): void {
		this.passedAt = now;
		if (begunAt > this.openedAt) this.openings = 0;
	}

	/** The service did what a request asks for, or says why it does not. */
	answered(request: PacedRequest, now: number): void {
		if (request.begunAt > this.openedAt) this.failed.clear();
		this.isTransient = request.hasFailed || (this.isTransient && this.openings > 0);
		this.passed(request, now);
	}

	/** Takes note of a failure. Returns whether the service is down, not one instance. */
	failedBy(request: PacedRequest): boolean {
		if (this.isTransient || !request.hasFailed) this.failed.add(request);
		return this.failed.size >= FAILURE_THRESHOLD;
	}

	/** Returns whether it opens. What began before it last did is no news. */
	open({ begunAt }: PacedRequest, now: number, asked: number, wait: number): boolean {
		if (begunAt <= this.openedAt) return false;
		this.openings++;
		this.openedAt = now;
		this.openUntil = now + wait;
		this.asked = asked;
		return true;
	}
}
