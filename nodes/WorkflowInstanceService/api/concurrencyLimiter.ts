import { AdaptiveLimit } from './adaptiveLimit';
import type { Clock } from './clock';
import type { Line, Turn } from './line';
import { MinuteLimit } from './minuteLimit';
import { RequestQueue, WaitTooLong } from './requestQueue';
import { RunStopped } from './runStopped';

/** So many that are given up in a row show that the service means all, not these. */
const GIVEN_UP_BY_ALL = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_OWN_PAUSE_MS = 30_000;
/** Up to this much of a pause, and up to this long, is added by chance: not all shall come back at once. */
const CHANCE_RATIO = 0.1;
const MOST_CHANCE_MS = 5_000;

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

	private addedByChance = 0;

	private isWaking = false;

	private isGrantingSoon = false;

	private ownPauses = 0;

	private givenUp = 0;

	private stalledSince: number | undefined;

	/**
	 * @param onIdle called when the last run has left
	 * @param minute what the user knows of the service's limit
	 */
	constructor(
		private readonly clock: Clock,
		private readonly onIdle: () => void = () => undefined,
		private readonly minute = new MinuteLimit(0),
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
			enter: async ({ maxConcurrentRequests: ceiling, maxWait }, comesFirst) =>
				await new Promise((grant, refuse) => {
					queue.add({ ceiling, maxWait, grant, refuse }, comesFirst);
					this.refuseImpatient();
					this.grantTurns();
				}),
			hold: () => {
				const now = this.clock.now();
				const [asked, known] = [this.resumeAt - now, this.minute.waitAt(now)];
				return { wait: Math.max(asked, known, 0), by: asked >= known ? 'service' : 'credential' };
			},
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
		const now = this.clock.now();
		for (;;) {
			const pause = Math.max(this.resumeAt - now, this.minute.waitAt(now));
			if (pause > 0) return void this.wakeAfter(pause);
			if (this.inFlight >= this.limit.current) return;
			if (!this.queues.some((queue) => this.grantTurn(queue))) return;
		}
	}

	/** The requests that wait, where the service asks to wait longer than they may. */
	private refuseImpatient(): void {
		const wait = this.resumeAt - this.clock.now();
		if (wait <= 0 || this.stalledSince === undefined) return;
		const stalled = this.resumeAt - this.stalledSince - this.addedByChance;
		for (const queue of this.queues) queue.refuseImpatient(stalled, new WaitTooLong(wait));
	}

	/** Once whoever got the answer has looked at it: it may stop the run, whose next request stays here. */
	private async grantTurnsSoon(): Promise<void> {
		if (this.isGrantingSoon) return;
		this.isGrantingSoon = true;
		await this.clock.sleep(0, this.disposal.signal);
		this.isGrantingSoon = false;
		// A time in which nobody asks is none in which nothing gets through.
		if (this.inFlight === 0 && this.queues.every(({ isEmpty }) => isEmpty)) {
			this.stalledSince = undefined;
		}
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
		this.minute.noteBegin(sentAt);
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
					this.givenUp = 0;
					this.stalledSince = undefined;
					limit.answered(window, clock.now() - sentAt);
				}),
			pushedBack: (pause, comesAgain) =>
				end(() => this.hold(limit.pushedBack(window), pause, comesAgain)),
			lost: () => end(() => undefined),
		};
	}

	/**
	 * Holds back the requests of all runs for a time.
	 *
	 * @param isNews whether the push-back is the first of those that belong together
	 */
	private hold(isNews: boolean, pause: number, comesAgain: boolean): void {
		const now = this.clock.now();
		this.stalledSince ??= now;
		if (!comesAgain && (pause === 0 || ++this.givenUp < GIVEN_UP_BY_ALL)) return;
		if (pause === 0 && !isNews) return;
		const asked = pause === 0 ? this.ownPause() : pause;
		const added = isNews ? Math.min(asked * CHANCE_RATIO, MOST_CHANCE_MS) * this.clock.chance() : 0;
		if (now + asked + added <= this.resumeAt) return;
		this.resumeAt = now + asked + added;
		this.addedByChance = added;
		this.refuseImpatient();
	}

	private ownPause(): number {
		return Math.min(FIRST_PAUSE_MS * 2 ** this.ownPauses++, LONGEST_OWN_PAUSE_MS);
	}
}
