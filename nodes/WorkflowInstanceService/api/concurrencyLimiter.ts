import { AdaptiveLimit } from './adaptiveLimit';
import type { Clock } from './clock';
import { RequestQueue } from './requestQueue';
import { RunStopped } from './runStopped';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_OWN_PAUSE_MS = 30_000;
/** Up to this much of a pause, and up to this long, is added by chance: not all shall come back at once. */
const CHANCE_RATIO = 0.1;
const MOST_CHANCE_MS = 5_000;

/** A request's turn. Exactly one of the last three is called when the request has ended. */
export interface Turn {
	/** How many requests have got through since the limiter exists. */
	readonly through: number;
	/** How long the service has let nothing at all through, in milliseconds. */
	readonly stalled: number;
	/** The service answered. */
	answered(): void;
	/**
	 * The service has too much to do.
	 *
	 * @param pause how long it asks to wait, in milliseconds, 0 when it does not say; undefined when the
	 *   request does not come again
	 */
	pushedBack(pause: number | undefined): void;
	/** There was no answer. */
	lost(): void;
}

/** The line of one run. */
export interface Line {
	/**
	 * Waits for a turn.
	 *
	 * @param ceiling how many requests of the run may be in flight
	 * @param comesFirst whether it goes before the requests that never had a turn
	 * @throws RunStopped when the line was closed
	 */
	enter(ceiling: number, comesFirst: boolean): Promise<Turn>;
	/**
	 * Waits without being in the line.
	 *
	 * @throws RunStopped when the line was closed
	 */
	rest(milliseconds: number): Promise<void>;
	/** Lets no more requests in; those in flight go on. */
	close(): void;
	/** Closes the line and gives all its places back, those of requests in flight too. */
	leave(): void;
	/** Whether it was closed. */
	readonly isClosed: boolean;
}

/**
 * What the runs with the same base URL and key share: a limit on what is in flight that follows the
 * service, the pause that the service asked for, and fair turns.
 */
export class ConcurrencyLimiter {
	private readonly limit = new AdaptiveLimit();

	/** The run whose turn is next comes first. */
	private readonly queues: Array<RequestQueue<Turn>> = [];

	private readonly disposal = new AbortController();

	private inFlight = 0;

	private through = 0;

	private resumeAt = 0;

	private isWaking = false;

	private isGrantingSoon = false;

	private ownPauses = 0;

	private stalledSince: number | undefined;

	/** @param onIdle called when the last run has left */
	constructor(
		private readonly clock: Clock,
		private readonly onIdle: () => void = () => undefined,
	) {}

	/** Opens a line for a run, which has to leave it. */
	join(): Line {
		const queue = new RequestQueue<Turn>();
		const departure = new AbortController();
		this.queues.push(queue);
		const close = () => {
			queue.close();
			departure.abort();
		};
		return {
			enter: async (ceiling, comesFirst) =>
				await new Promise((grant, refuse) => {
					queue.add({ ceiling, grant, refuse }, comesFirst);
					this.grantTurns();
				}),
			rest: async (milliseconds) => {
				await this.clock.sleep(milliseconds, departure.signal);
				if (departure.signal.aborted) throw new RunStopped();
			},
			close,
			leave: () => {
				close();
				this.remove(queue);
			},
			get isClosed() {
				return departure.signal.aborted;
			},
		};
	}

	private remove(queue: RequestQueue<Turn>): void {
		const place = this.queues.indexOf(queue);
		if (place === -1) return;
		this.queues.splice(place, 1);
		this.inFlight -= queue.inFlight;
		if (this.queues.length > 0) return this.grantTurns();
		this.disposal.abort();
		this.onIdle();
	}

	private grantTurns(): void {
		if (this.disposal.signal.aborted) return;
		const pause = this.resumeAt - this.clock.now();
		if (pause > 0) return void this.wakeAfter(pause);
		while (this.inFlight < this.limit.current) {
			const isGranted = this.queues.some((queue) => this.grantTurn(queue));
			if (!isGranted) return;
		}
	}

	/** Once whoever got the answer has looked at it: it may stop the run, whose next request stays here. */
	private async grantTurnsSoon(): Promise<void> {
		if (this.isGrantingSoon) return;
		this.isGrantingSoon = true;
		await this.clock.sleep(0, this.disposal.signal);
		this.isGrantingSoon = false;
		this.grantTurns();
	}

	private grantTurn(queue: RequestQueue<Turn>): boolean {
		const request = queue.next();
		if (request === undefined) return false;
		this.queues.push(...this.queues.splice(this.queues.indexOf(queue), 1));
		request.grant(this.turn(queue));
		return true;
	}

	private async wakeAfter(pause: number): Promise<void> {
		if (this.isWaking) return;
		this.isWaking = true;
		await this.clock.sleep(pause, this.disposal.signal);
		this.isWaking = false;
		this.grantTurns();
	}

	private turn(queue: RequestQueue<Turn>): Turn {
		const { clock, limit } = this;
		const sentAt = clock.now();
		queue.inFlight++;
		const window = limit.sent(++this.inFlight);
		const through = () => this.through;
		const stalled = () => (this.stalledSince === undefined ? 0 : clock.now() - this.stalledSince);
		const end = (note: () => void) => {
			// Of a run that has left, all places were given back then.
			if (!this.queues.includes(queue)) return;
			note();
			queue.inFlight--;
			this.inFlight--;
			void this.grantTurnsSoon();
		};
		return {
			get through() {
				return through();
			},
			get stalled() {
				return stalled();
			},
			answered: () =>
				end(() => {
					this.through++;
					this.ownPauses = 0;
					this.stalledSince = undefined;
					limit.answered(window, clock.now() - sentAt);
				}),
			pushedBack: (pause) => end(() => this.hold(limit.pushedBack(window), pause)),
			lost: () => end(() => undefined),
		};
	}

	/**
	 * Holds back the requests of all runs for a time.
	 *
	 * @param isNews whether the push-back is the first of those that belong together
	 */
	private hold(isNews: boolean, pause: number | undefined): void {
		const now = this.clock.now();
		this.stalledSince ??= now;
		if (pause === undefined || (pause === 0 && !isNews)) return;
		const asked = pause === 0 ? this.ownPause() : pause;
		const added = isNews ? Math.min(asked * CHANCE_RATIO, MOST_CHANCE_MS) * this.clock.chance() : 0;
		this.resumeAt = Math.max(this.resumeAt, now + asked + added);
	}

	private ownPause(): number {
		return Math.min(FIRST_PAUSE_MS * 2 ** this.ownPauses++, LONGEST_OWN_PAUSE_MS);
	}
}

const limiters = new Map<string, ConcurrencyLimiter>();

/**
 * Opens a line at the limiter for a base URL and key, which all runs of this process with the same
 * two share. It exists as long as one of them does.
 */
export function joinLimiter(baseUrl: string, apiKey: string, clock: Clock): Line {
	const id = `${baseUrl} ${apiKey}`;
	const limiter = limiters.get(id) ?? new ConcurrencyLimiter(clock, () => limiters.delete(id));
	limiters.set(id, limiter);
	return limiter.join();
}

/** How many limiters there are: none when nothing runs. */
export function limiterCount(): number {
	return limiters.size;
}
