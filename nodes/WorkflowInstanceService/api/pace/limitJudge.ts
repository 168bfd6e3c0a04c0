import type { AdaptiveLimit } from './adaptiveLimit';
import type { ApiMethod } from '../errors';
import type { Flight, Flights } from './flights';
import type { PacedRequest } from './pacedRequest';
import { PushBackEvidence } from './pushBackEvidence';

/** A wait that only a read decides about that got through before, since it costs much to be wrong. */
const LONG_WAIT_MS = 5_000;
/** Where there is no such read, so many others decide, one after another. */
const DECIDERS = 3;
/** Where nothing was read, so many others have to get through before retries are compared with them. */
const ENOUGH_TO_COMPARE = 10;
/** So many in a row for each that may be in flight are hardly ever all unavailable. */
const LONG_ROW = 2;
/** As many as have to follow a retry fit into the time that it is compared with, and hardly more. */
const BETWEEN_COMPARISONS_MS = 60;

/**
 * Judges whether push-backs mean a rate limit. When it looks like one, a request decides that would get
 * through if there was none: at best the last read that did, sent once more. Decisions only.
 */
export class LimitJudge {
	/** The request that decides, while nothing else is sent. */
	decider: Flight | undefined;

	/** When it last looked like a limit, in milliseconds since 1970, and how often what did so was pushed back. */
	lookedLikeLimit = { at: 0, pushBacks: 0 };

	/** Whether a limit showed, and nothing has got through since: one at a time finds out. */
	isScouting = false;

	/** When something was last read once more, in milliseconds since 1970. */
	private comparedAt = 0;

	/** What was last read with success. */
	lastRead: string | undefined;

	private readonly evidence: Record<ApiMethod, PushBackEvidence> = {
		GET: new PushBackEvidence(),
		POST: new PushBackEvidence(),
		PUT: new PushBackEvidence(),
	};

	private hasSeenLimit = false;

	private through = 0;

	/** How many that had to decide were asked to wait for long. */
	private undecided = 0;

	/** The last request that was under way when a limit showed. */
	private lastIntoLimit = 0;

	/** How many others were pushed back since one of them last got through. */
	private pushedBackInRow = 0;

	constructor(private readonly flights: Flights) {}

	/** How long until something is read once more, to compare retries with it; in milliseconds. */
	untilComparison(now: number): number {
		return this.lacksComparison ? this.comparedAt + BETWEEN_COMPARISONS_MS - now : Infinity;
	}

	/** Whether a limit explains what came of it. */
	isExplained({ number }: Flight): boolean {
		return number <= this.lastIntoLimit;
	}

	/**
	 * Takes note of a response that is no push-back, before {@link gotThrough}.
	 *
	 * @returns whether it shows that a limit was taken for unavailable instances: what decided got
	 *   through and many others in a row did not, or what seemed to be alone got through
	 */
	noticesMissedLimit(flight: Flight, isItself: boolean, { current }: AdaptiveLimit): boolean {
		if (!this.hasSeenLimit) return false;
		if (this.decider !== flight) return isItself && flight.request.isAlone && current === 1;
		if (this.pushedBackInRow < LONG_ROW * current) return false;
		// Where even time between two does not help, they are unavailable.
		this.pushedBackInRow = current === 1 ? -Infinity : 0;
		return true;
	}

	/**
	 * Takes note of a response that is no push-back.
	 *
	 * @param isItself whether to the request itself, not to what reads its body again
	 */
	gotThrough(flight: Flight, now: number, isItself: boolean): void {
		const { request, isProbe } = flight;
		const evidence = this.evidence[isItself ? request.method : 'GET'];
		this.countRow(flight, true);
		if (isItself) this.acquit(request);
		if (isProbe) this.comparedAt = flight.begunAt;
		else this.through++;
		if (!isProbe && request.method === 'GET') this.lastRead = request.path;
		if (this.isExplained(flight)) return;
		this.isScouting = false;
		this.flights.overtake(flight);
		evidence.gotThrough(flight, now);
		// As long as no limit was seen, reads stand for writes: some services limit those apart.
		if (isProbe && !this.hasSeenLimit) {
			this.evidence.PUT.gotThrough(flight, now);
			this.evidence.POST.gotThrough(flight, now);
		}
		if (this.decider === flight) evidence.dismiss();
	}

	/**
	 * Takes note of a push-back.
	 *
	 * @param asked how long the service asks to wait, in milliseconds; 0 when it does not say
	 * @returns whether it shows a limit; `undecided` when another request has to decide
	 */
	pushedBack(flight: Flight, asked: number, now: number): boolean | 'undecided' {
		if (this.isExplained(flight)) return false;
		const { request, isProbe } = flight;
		this.countRow(flight, false);
		const evidence = this.evidence[request.method];
		const counts = request.pushBacks > 1 && !this.canCompare(request.method);
		if (!isProbe) evidence.pushedBack(flight, this.flights.begun, now, counts);
		if (isProbe) return true;
		if (this.decider === flight) return this.decides(asked) || 'undecided';
		if (this.decider !== undefined || !evidence.looksLikeLimit(this.hasSeenLimit)) return false;
		this.lookedLikeLimit = { at: now, pushBacks: request.pushBacks };
		this.undecided = 0;
		return 'undecided';
	}

	/** @returns the requests whose last try it explains */
	seeLimit(): PacedRequest[] {
		this.hasSeenLimit = true;
		this.isScouting = true;
		this.lastIntoLimit = this.flights.begun;
		return Object.values(this.evidence).flatMap((evidence) => evidence.confirm());
	}

	private countRow(flight: Flight, isThrough: boolean): void {
		if (flight.isProbe || flight === this.decider) return;
		if (isThrough) this.pushedBackInRow = 0;
		else if (!flight.request.isAlone) this.pushedBackInRow++;
	}

	/** What was alone, and is not, was pushed back by a limit. */
	private acquit(request: PacedRequest): void {
		this.hasSeenLimit ||= request.isAlone;
		this.evidence[request.method].forget(request);
	}

	/** Whether a retry waits for others to be compared with, which nobody else sends. */
	private get lacksComparison(): boolean {
		return (
			Object.values(this.evidence).some(({ watchesRetry }) => watchesRetry) &&
			this.canCompare('GET') &&
			this.flights.every(({ request, isProbe }) => request.isAlone && !isProbe)
		);
	}

	private decides(asked: number): boolean {
		return asked <= LONG_WAIT_MS || ++this.undecided >= DECIDERS;
	}

	private canCompare(method: ApiMethod): boolean {
		if (this.hasSeenLimit || this.lastRead !== undefined) return true;
		return method !== 'GET' && this.through >= ENOUGH_TO_COMPARE;
	}
}
