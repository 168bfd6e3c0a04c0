/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;

/** Keeps all clients within the requests per minute that users entered (sliding window log). */
export class MinuteLimit {
	private readonly startTimes: number[] = [];

	/** When another request may start. */
	freeAt(perMinute: number): number {
		return (this.startTimes.at(-perMinute) ?? -Infinity) + MINUTE_MS;
	}

	onStart(now: number): void {
		while (Number(this.startTimes[0]) <= now - MINUTE_MS) this.startTimes.shift();
		this.startTimes.push(now);
	}
}
