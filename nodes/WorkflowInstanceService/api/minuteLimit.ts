/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;

/** Keeps all runs and polls together within a rate limit per minute that the user entered. */
export class MinuteLimit {
	private begun: number[] = [];

	/** @param most requests in a minute; 0 for any number */
	constructor(public most: number) {}

	/** How long to wait until the next request may begin, in milliseconds; 0 when it may now. */
	waitAt(now: number): number {
		this.begun = this.begun.filter((at) => at >= now - MINUTE_MS);
		const oldest = this.begun[this.begun.length - this.most];
		// A request that begins exactly a minute later is in the same minute.
		return this.most === 0 || oldest === undefined ? 0 : oldest + MINUTE_MS + 1 - now;
	}

	/** Takes note that a request begins. */
	noteBegin(now: number): void {
		if (this.most > 0) this.begun.push(now);
	}

	/** How long what it knows still matters, in milliseconds. */
	memoryAt(now: number): number {
		const last = this.begun.at(-1);
		return last === undefined ? 0 : Math.max(last + MINUTE_MS + 1 - now, 0);
	}
}
