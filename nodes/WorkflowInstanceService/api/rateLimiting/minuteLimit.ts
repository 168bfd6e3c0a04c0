import { systemClock } from '../clock';

/** One second longer, since the service counts requests when they arrive, and some arrive sooner than others. */
const MINUTE_MS = 61_000;
/** The rest is left for clients that join later, such as polls, whose time is up before the minute is. */
const SHARE_WITH_OTHERS = 0.9;
/** For this long after another client has joined, more are expected. */
const OTHERS_MS = 300_000;

/** Keeps all clients within the requests per minute that users entered (sliding window log). */
export class MinuteLimit {
	private readonly startTimes: number[] = [];

	/**
	 * When another request of a client may start.
	 * @param othersJoinedAt when another client last joined, after it did
	 */
	freeAt(perMinute: number, othersJoinedAt = -Infinity): number {
		const isShared = systemClock.elapsed() - othersJoinedAt < OTHERS_MS;
		const most = isShared ? Math.max(1, Math.floor(perMinute * SHARE_WITH_OTHERS)) : perMinute;
		return (this.startTimes.at(-most) ?? -Infinity) + MINUTE_MS;
	}

	/** When the last request no longer counts. */
	lastExpiresAt(): number {
		return this.freeAt(1);
	}

	onStart(now: number): void {
		while (Number(this.startTimes[0]) <= now - MINUTE_MS) this.startTimes.shift();
		this.startTimes.push(now);
	}
}
