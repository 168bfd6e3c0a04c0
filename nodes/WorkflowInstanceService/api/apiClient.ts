import type { IDataObject } from 'n8n-workflow';

import type { Clock } from './clock';
import type { Line, LineBounds, Turn } from './line';
import {
	mayBeDone,
	networkError,
	responseError,
	type Sender,
	type Sent,
	type Subject,
	waitError,
} from './errors';
import type { Holder } from './keyedLock';
import { WaitTooLong } from './requestQueue';
import { RunStopped } from './runStopped';
import type { ServiceResponse } from './response';
import type { UserFacingError } from '../values/userFacingError';
import {
	askedPause,
	type History,
	isLostConnection,
	isPushBack,
	pauseBeforeRetry,
	type Result,
} from './retry';

/** One request to the service (docs/service-interface.md#endpoints). */
export interface ApiRequest extends Subject {
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Who has the lock on what it is about, if anyone needs one. */
	holder?: Holder;
	/** Whether it belongs to work that has begun, and so goes before work that has not. */
	comesFirst?: boolean;
	/** Called each time that it is sent. */
	onSend?(): void;
}

/** Sends one request, once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** The bounds that the user sets in the options. */
export interface RequestLimits extends LineBounds {
	/** How often a request is sent again in vain. */
	maxRetries: number;
}

/** The service as operations see it. */
export interface ApiClient {
	/** The base URL of the credential, without a trailing slash. */
	readonly baseUrl: string;
	/**
	 * Sends a request at the pace of the service, as often as it may be repeated.
	 *
	 * @returns the response, whose status is 2xx
	 * @throws UserFacingError when the service refused or did not answer; RunStopped when the run was
	 *   stopped
	 */
	send(request: ApiRequest, limits: RequestLimits): Promise<ServiceResponse>;
	/** How long nobody may send anything, in milliseconds, and who asked for that. */
	hold: Line['hold'];
}

/** Frees the place of a request, and tells the limiter what its result says about the service. */
function endTurn(turn: Turn, result: Result, comesAgain: boolean, now: number): void {
	if (isPushBack(result))
		turn.pushedBack('status' in result ? askedPause(result, now) : 0, comesAgain);
	else if ('status' in result) turn.answered();
	else turn.lost();
}

/** What has become of a request over its tries. */
class Tries {
	mayBeDone = false;

	private readonly history: History = { retriesInVain: 0, lost: 0, stalled: 0 };

	private through: number | undefined;

	constructor(
		private readonly isRead: boolean,
		private readonly limits: RequestLimits,
		private readonly clock: Clock,
	) {}

	/** How long to wait before the next one, in milliseconds; undefined when there is none. */
	pauseAfter(result: Result, turn: Turn): number | undefined {
		const { clock, history, limits } = this;
		if (turn.through !== this.through) history.retriesInVain = 0;
		this.through = turn.through;
		history.stalled = turn.stalled;
		if (isLostConnection(result)) history.lost++;
		const pause = pauseBeforeRetry(result, history, { ...limits, now: clock.now() });
		if (pause !== undefined) {
			history.retriesInVain++;
			this.mayBeDone ||= !this.isRead && mayBeDone(result);
		}
		return pause;
	}
}

export function isSuccess(result: Result): result is ServiceResponse {
	return 'status' in result && result.status < 300;
}

/** What a result that is no success means to the user. */
export function errorOf(result: Result, sent: Sent): UserFacingError {
	return 'status' in result ? responseError(result, sent) : networkError(result, sent);
}

/** @param sender what some advice depends on */
export function createApiClient(
	baseUrl: string,
	transport: Transport,
	line: Line,
	sender: Sender,
	clock: Clock,
): ApiClient {
	const sentAs = (
		request: ApiRequest,
		mayBeDoneBefore: boolean,
		{ maxWait }: RequestLimits,
	): Sent => ({
		...request,
		...sender,
		baseUrl,
		mayBeDoneBefore,
		maxWait,
		now: clock.now(),
	});

	const conclude = (sent: Sent, result: Result) => {
		if (isSuccess(result)) return result;
		// What was aborted because the run was stopped says nothing about the service.
		if ('networkCode' in result && line.isClosed) throw new RunStopped(true);
		throw errorOf(result, sent);
	};

	const sendOnce = async (request: ApiRequest): Promise<Result> => {
		const { holder } = request;
		if (holder !== undefined) holder.inFlightSince = clock.now();
		request.onSend?.();
		const result = await transport(request);
		if (holder !== undefined) holder.inFlightSince = Infinity;
		return result;
	};

	const send = async (request: ApiRequest, limits: RequestLimits): Promise<ServiceResponse> => {
		const tries = new Tries(request.method === 'GET', limits, clock);
		const stopped = (reason: unknown) => {
			const sent = sentAs(request, tries.mayBeDone, limits);
			throw reason instanceof WaitTooLong
				? waitError(reason.wait, sent)
				: new RunStopped(tries.mayBeDone);
		};
		let { comesFirst = false } = request;
		for (;;) {
			const turn = await line.enter(limits, comesFirst).catch(stopped);
			const result = await sendOnce(request);
			const pause = tries.pauseAfter(result, turn);
			endTurn(turn, result, pause !== undefined, clock.now());
			if (pause === undefined) return conclude(sentAs(request, tries.mayBeDone, limits), result);
			comesFirst = true;
			if (isLostConnection(result)) await line.rest(pause).catch(stopped);
		}
	};
	return { baseUrl, send, hold: line.hold };
}
