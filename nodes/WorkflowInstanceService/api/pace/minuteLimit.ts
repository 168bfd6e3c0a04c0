/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;

/** Keeps all runs and polls within the requests per minute that users entered. */
export class MinuteLimit {
	/** The limits of the runs that there are; 0 for none. */
	readonly limits: number[] = [];

	/** When the requests of the last minute began. */
	private begun: number[] = [];

	/** Whether requests wait for the minute; then they are spread, so that a poll finds a place as well. */
	private isSpread = false;

	/** The lowest of the limits. */
	private get most(): number {
		return Math.min(...this.limits.filter((limit) => limit > 0));
	}

	/** How many requests can be granted together, of so many that are wanted. */
	together(wanted: number): number {
		return Math.min(wanted, this.most);
	}

	/** How long to wait until so many requests may begin, in milliseconds; 0 or less when they may now. */
	waitAt(now: number, count: number): number {
		const { begun, most } = this;
		const free = (limit: number, time: number) =>
			(begun[begun.length + count - 1 - limit] ?? -Infinity) + time - now;
		const wait = free(most, MINUTE_MS);
		if (wait > 0) this.isSpread = true;
		const half = Math.max(count, Math.ceil(most / 2));
		return this.isSpread ? Math.max(wait, free(half, MINUTE_MS / 2)) : wait;
	}

	/** Takes note that so many requests begin. */
	noteBegin(now: number, count: number): void {
		this.begun = this.begun.filter((at) => at > now - MINUTE_MS);
		if (this.begun.length === 0) this.isSpread = false;
		if (this.most < Infinity) this.begun.push(...Array<number>(count).fill(now));
	}

	/** How long what it knows still matters, in milliseconds; 0 or less when it does not. */
	memoryAt(now: number): number {
		return (this.begun.at(-1) ?? -Infinity) + MINUTE_MS - now;
	}
}
