/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;

/** How much of its minute is left for a request that began then, in milliseconds; negative when it is over. */
const restOf = (now: number, begunAt = -Infinity) => begunAt + MINUTE_MS - now;

/** Keeps all runs and polls together within a rate limit per minute that the user entered. */
export class MinuteLimit {
	/** When requests began, as many as the limit allows in a minute. */
	private readonly begun: number[] = [];

	/** @param most requests in a minute; 0 for any number */
	constructor(public most: number) {}

	/** How long to wait until the next request may begin, in milliseconds; 0 or less when it may now. */
	waitAt(now: number): number {
		return restOf(now, this.begun[this.begun.length - this.most]);
	}

	/** Takes note that a request begins. */
	noteBegin(now: number): void {
		this.begun.push(now);
		if (this.begun.length > this.most) this.begun.shift();
	}

	/** How long what it knows still matters, in milliseconds; 0 or less when it does not. */
	memoryAt(now: number): number {
		return restOf(now, this.begun.at(-1));
	}
}
