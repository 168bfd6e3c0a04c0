import type { Client } from './client';

/** With a second more, since the service counts requests when they arrive, some sooner than others. */
const MINUTE_MS = 61_000;
/** The most that a client takes while others have joined after it, such as polls, which can't wait for a minute. */
const OWN_SHARE = 0.9;

/** When requests of the last minute started. */
export class StartTimes {
	private readonly times: number[] = [];

	/** When another one may start, if so many may in a minute. */
	freeAt(perMinute: number): number {
		return (this.times.at(-perMinute) ?? -Infinity) + MINUTE_MS;
	}

	/** When the last one no longer counts. */
	lastExpiresAt(): number {
		return this.freeAt(1);
	}

	add(now: number): void {
		while (Number(this.times[0]) <= now - MINUTE_MS) this.times.shift();
		this.times.push(now);
	}
}

/** Keeps all clients within the requests per minute that users entered (sliding window log). */
export class MinuteLimit {
	readonly all = new StartTimes();

	/** When another request of a client may start. */
	freeAt(perMinute: number, { hasCompany, startTimes }: Client): number {
		const own = Math.max(1, Math.floor(perMinute * OWN_SHARE));
		return Math.max(this.all.freeAt(perMinute), hasCompany ? startTimes.freeAt(own) : -Infinity);
	}

	onStart(now: number, { startTimes }: Client): void {
		this.all.add(now);
		startTimes.add(now);
	}
}
