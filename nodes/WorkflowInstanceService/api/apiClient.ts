import type { ApiRequest } from './apiRequest';
import type { Clock } from './clock';
import type { Line, LineBounds, Turn } from './pace/line';
import { networkError, responseError, type Sender, type Sent, waitError } from './errors';
import { RunStopped } from './pace/runStopped';
import type { ServiceResponse } from './response';
import type { UserFacingError } from '../values/userFacingError';
import { askedPause, isAskedToWait, isTimeOut, type Result } from './retry';
import { PAUSE_AFTER_LOSS_MS, WaitTooLong } from './pace/pause';
import { Tries } from './tries';

/** Sends one request, once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** The service as operations see it. */
export interface ApiClient {
	/** The base URL of the credential, without a trailing slash. */
	readonly baseUrl: string;
	/**
	 * Sends a request at the pace of the service, as often as it may be repeated.
	 *
	 * @returns the response, whose status is 2xx
	 * @throws UserFacingError when the service refused or did not respond; RunStopped when the run was
	 *   stopped
	 */
	send(request: ApiRequest, limits: LineBounds): Promise<ServiceResponse>;
	/** How long nobody may send anything, and why. */
	hold: Line['hold'];
}

/**
 * Ends a request's turn by what its result says about the service.
 *
 * @param now in milliseconds since 1970, for services that do not tell their time
 * @param isItself whether it is that of the request itself, not of what reads its body again
 * @returns whether the request comes again
 */
async function endTurn(
	turn: Turn,
	result: Result,
	now: number,
	isItself: boolean,
): Promise<boolean> {
	if (isAskedToWait(result)) return await turn.pushedBack(askedPause(result, now));
	if ('status' in result) turn.answered(isItself);
	else if (isTimeOut(result)) turn.timedOut();
	else turn.lost();
	return false;
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
		{ maxWait }: LineBounds,
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
		if (holder !== undefined) holder.inFlightSince = undefined;
		return result;
	};

	const send = async (request: ApiRequest, limits: LineBounds): Promise<ServiceResponse> => {
		const tries = new Tries(request, limits, clock);
		const turnOf = line.place(request.method, request.path, limits);
		const stopped = (reason: unknown) => {
			throw reason instanceof WaitTooLong
				? waitError(
						{ wait: reason.wait, reason: 'service' },
						sentAs(request, tries.mayBeDone, limits),
					)
				: new RunStopped(tries.mayBeDone);
		};
		for (;;) {
			const turn = await turnOf(tries.comesFirst).catch(stopped);
			const { sent, renewal } = tries.next();
			const result = await sendOnce({ ...sent, holder: request.holder });
			const comesAgain = await endTurn(turn, result, clock.now(), renewal === undefined);
			if (renewal !== undefined && isSuccess(result)) tries.renew(renewal, result);
			else if (!tries.goesOn(sent.method, result, comesAgain)) {
				return conclude(sentAs(sent, tries.mayBeDone, limits), result);
			} else if (!comesAgain) await line.rest(PAUSE_AFTER_LOSS_MS).catch(stopped);
		}
	};

	line.probeBy(async (path, turn) => {
		const result = await transport({ method: 'GET', path, subject: '' });
		void endTurn(turn, result, clock.now(), true);
	});
	return { baseUrl, send, hold: line.hold };
}
