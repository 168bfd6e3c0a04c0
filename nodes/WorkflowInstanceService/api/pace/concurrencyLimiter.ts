import { AdaptiveLimit } from './adaptiveLimit';
import { Alarm } from './alarm';
import type { Clock } from '../clock';
import { type Flight, Flights, PATIENCE_MS } from './flights';
import { LimitJudge } from './limitJudge';
import type { Line, Turn } from './line';
import { MinuteLimit } from './minuteLimit';
import { PacedRequest } from './pacedRequest';
import { SharedPause, WaitTooLong } from './pause';
import { RunStopped } from './runStopped';
import { Member, RunOrder } from './runOrder';

const PROBE_BOUNDS = { maxConcurrentRequests: Infinity, maxRetries: 0, maxWait: Infinity };

/**
 * What the runs with the same base URL and key share: a limit on what is in flight that follows the
 * service, the pause that the service asked for, and fair turns.
 */
export class ConcurrencyLimiter {
	private readonly limit = new AdaptiveLimit();

	private readonly flights = new Flights();

	private readonly judge = new LimitJudge(this.flights);

	private readonly order = new RunOrder();

	private readonly disposal = new AbortController();

	private isGrantingSoon = false;

	private readonly pause: SharedPause;

	private readonly alarm: Alarm;

	/**
	 * @param onIdle called when the last run has left
	 * @param minute what the user knows of the service's limit
	 */
	constructor(
		private readonly clock: Clock,
		private readonly onIdle: () => void = () => undefined,
		private readonly minute = new MinuteLimit(0),
	) {
		this.pause = new SharedPause(clock);
		this.alarm = new Alarm(clock, () => this.grantTurns());
	}

	/** Opens a line for a run, which has to leave it. */
	join(): Line {
		const member = new Member();
		const { signal } = member.departure;
		this.order.add(member);
		return {
			place: (method, path, bounds) => {
				const request = new PacedRequest(method, path, bounds);
				return async (comesFirst) => await this.enter(member, request, comesFirst);
			},
			hold: () => {
				const [asked, known] = [this.pause.rest, this.minute.waitAt(this.clock.now())];
				return { wait: Math.max(asked, known, 0), isByCredential: known > asked };
			},
			rest: async (milliseconds) => {
				await this.clock.sleep(milliseconds, signal);
				if (signal.aborted) throw new RunStopped();
			},
			probeBy: (read) => {
				member.read = read;
			},
			close: () => member.close(),
			leave: () => this.remove(member),
			get isClosed() {
				return signal.aborted;
			},
		};
	}

	private async enter(
		{ queue, departure }: Member,
		request: PacedRequest,
		comesFirst: boolean,
	): Promise<Turn> {
		const reason = this.pause.reasonToRefuse(request.bounds);
		if (reason !== undefined && !departure.signal.aborted) throw reason;
		return await new Promise((grant, refuse) => {
			const level = comesFirst ? 0 : request.levelBy(this.clock.chance());
			queue.add({ request, grant, refuse }, level);
			this.grantTurns();
		});
	}

	private remove(member: Member): void {
		member.close();
		if (!this.order.remove(member)) return;
		for (const flight of member.flights) this.endFlight(member, flight);
		if (!this.order.isEmpty) return this.grantTurns();
		this.disposal.abort();
		this.alarm.clear();
		this.onIdle();
	}

	private grantTurns(): void {
		while (!this.disposal.signal.aborted) {
			const wait = this.waitForRoom();
			if (wait > 0) return this.alarm.set(wait);
			if (this.grantTurn() !== undefined) continue;
			const untilProbe = this.judge.untilComparison(this.clock.now());
			if (untilProbe > 0) return this.alarm.set(untilProbe);
			if (this.probe() === undefined) return;
		}
	}

	/** How long to wait for a place for another request, in milliseconds; 0 when there is one. */
	private waitForRoom(): number {
		const now = this.clock.now();
		const untilSpaced = this.flights.lastBegunAt + this.limit.spacing - now;
		const pause = Math.max(this.pause.rest, this.minute.waitAt(now), untilSpaced);
		if (pause > 0) return pause;
		const patience = this.flights.patienceAt(now);
		if (this.judge.decider !== undefined && patience > 0) return patience;
		const limit = this.judge.isScouting ? 1 : this.limit.current;
		if (this.flights.hasRoom(limit, now)) return 0;
		if (this.order.hasNobodyWaiting) return PATIENCE_MS;
		return Math.max(patience, 0);
	}

	/** @param suits which requests come into question */
	private grantTurn(suits?: (request: PacedRequest) => boolean): Flight | undefined {
		const next = this.order.next(this.judge.isScouting, suits);
		if (next === undefined) return undefined;
		const { member, waiting } = next;
		const flight = this.begin(member, waiting.request);
		waiting.grant(this.turn(member, flight));
		return flight;
	}

	/** Reads something once more that got through before, if there is any. */
	private probe(): Flight | undefined {
		const { lastRead } = this.judge;
		const { reader } = this.order;
		if (lastRead === undefined || reader === undefined) return undefined;
		const flight = this.begin(reader, new PacedRequest('GET', lastRead, PROBE_BOUNDS), true);
		void reader.read?.(lastRead, this.turn(reader, flight));
		return flight;
	}

	private begin(member: Member, request: PacedRequest, isProbe = false): Flight {
		const begunAt = this.clock.now();
		this.minute.noteBegin(begunAt);
		const number = ++this.flights.begun;
		const window = this.limit.sent(this.flights.size + 1);
		const flight = { request, number, begunAt, window, isProbe, isOvertaken: false };
		this.flights.add(flight);
		member.flights.add(flight);
		member.queue.inFlight++;
		return flight;
	}

	/** @returns whether it had not been ended before, when its run left */
	private endFlight(member: Member, flight: Flight): boolean {
		if (!this.flights.end(flight, this.clock.now())) return false;
		member.flights.delete(flight);
		member.queue.inFlight--;
		void this.grantTurnsSoon();
		return true;
	}

	private turn(member: Member, flight: Flight): Turn {
		const { request, window, begunAt } = flight;
		const end = (note: () => void) => {
			if (this.endFlight(member, flight)) note();
			if (this.judge.decider === flight) this.judge.decider = undefined;
		};
		return {
			answered: (isItself) =>
				end(() => {
					const now = this.clock.now();
					this.limit.answered(window, now - begunAt);
					if (this.judge.noticesMissedLimit(flight, isItself, this.limit)) this.limit.lower();
					if (!flight.isProbe) this.pause.flow();
					if (!this.judge.isExplained(flight)) this.pause.relax();
					this.judge.gotThrough(flight, now, isItself);
				}),
			lost: () => end(() => (this.judge.isScouting = false)),
			timedOut: () => end(() => this.notePushBack(flight, 0)),
			pushedBack: async (asked) => {
				request.pushBacks++;
				end(() => this.notePushBack(flight, asked));
				return await this.waitForRetry(member, flight, asked);
			},
		};
	}

	private notePushBack(flight: Flight, asked: number): void {
		this.pause.stall();
		const verdict = this.judge.pushedBack(flight, asked, this.clock.now());
		if (verdict === 'undecided') this.judge.decider = this.decider(flight);
		const canNobodyDecide = this.judge.decider === undefined && this.flights.size === 0;
		if (verdict === true || (verdict && canNobodyDecide)) this.holdBack(asked);
	}

	/** Sends a request that gets through unless there is a limit. */
	private decider(flight: Flight): Flight | undefined {
		if (this.minute.waitAt(this.clock.now()) > 0) return undefined;
		const { method, key } = flight.request;
		const isOther = (each: PacedRequest) =>
			each.method === method && each.key !== key && !each.isAlone;
		return (method === 'GET' ? this.probe() : undefined) ?? this.grantTurn(isOther);
	}

	/** Holds back the requests of all runs for a time. */
	private holdBack(asked: number): void {
		this.limit.halve();
		this.pause.begin(asked, this.judge.lookedLikeLimit);
		for (const request of this.judge.seeLimit()) if (!request.isPatient) request.explain();
		this.order.refuse(({ bounds }) => this.pause.reasonToRefuse(bounds));
	}

	/** @returns whether the request comes again */
	private async waitForRetry(member: Member, flight: Flight, asked: number): Promise<boolean> {
		const { request } = flight;
		const { bounds, key } = request;
		if (asked > bounds.maxWait) {
			const reason = new WaitTooLong(asked);
			this.order.refuse((other) => (other.key === key ? reason : undefined));
		}
		if (request.isGivenUp || asked > bounds.maxWait) return false;
		const isExplained = this.judge.isExplained(flight) && !request.isPatient;
		request.isExplained = isExplained;
		const wait = isExplained ? 0 : request.waitAfter(asked, this.clock);
		if (this.pause.reasonToRefuse(bounds, isExplained ? undefined : wait)) return false;
		if (isExplained || member.departure.signal.aborted) return true;
		member.resting.add(request);
		await request.rest(wait, this.clock);
		member.resting.delete(request);
		return !request.isGivenUp;
	}

	/** Waits until the caller has handled the response: it may stop the run before its next request is sent. */
	private async grantTurnsSoon(): Promise<void> {
		if (this.isGrantingSoon) return;
		this.isGrantingSoon = true;
		await this.clock.sleep(0, this.disposal.signal);
		this.isGrantingSoon = false;
		// Time without requests doesn't count as stalled.
		if (this.flights.size === 0 && this.order.isIdle) this.pause.flow();
		this.grantTurns();
	}
}
