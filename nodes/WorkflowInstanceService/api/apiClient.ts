import type { ApiRequest, RequestLimits } from './apiRequest';
import type { Clock } from './clock';
import {
	doubted,
	mayBeDone,
	networkError,
	responseError,
	type Sender,
	type Sent,
	waitError,
} from './errors';
import { type Permit, WaitTooLong } from './pace/permitPool';
import { RunStopped } from './pace/runStopped';
import type { joinPool } from './pace/sharedPools';
import type { ServiceResponse } from './response';
import { UserFacingError } from '../values/userFacingError';
import { askedPause, isAskedToWait, isLostConnection, type Result } from './retry';

/** Sends one request, once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** Before a request is sent again whose connection was lost, in milliseconds. */
const PAUSE_AFTER_LOSS_MS = 1_000;
const MOST_LOST = 1;
/** What was read longer ago may have been changed by others, in milliseconds. */
const FRESH_MS = 2_000;

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
	send(request: ApiRequest, limits: RequestLimits): Promise<ServiceResponse>;
	/**
	 * Sends a read, and at once what it is followed by. If that is held up for more than two seconds, it is
	 * read once more.
	 *
	 * @param write makes the second request of the response to the first; it may throw a UserFacingError
	 * @returns the response to the second request
	 * @throws like {@link send}
	 */
	readThenWrite(
		read: ApiRequest,
		write: (response: ServiceResponse) => ApiRequest,
		limits: RequestLimits,
	): Promise<ServiceResponse>;
	/** How long nobody may send anything, and why. */
	hold: ReturnType<typeof joinPool>['hold'];
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
	run: ReturnType<typeof joinPool>,
	sender: Sender,
	clock: Clock,
): ApiClient {
	/** Sends a request with a permit, and tells the pool what came of it. */
	const attempt = async (request: ApiRequest, permit: Permit) => {
		request.onSend?.();
		const result = await transport(request);
		if (isAskedToWait(result)) {
			const comesAgain = permit.rejected(request.method, askedPause(result, clock.now()));
			return { result, comesAgain };
		}
		if ('status' in result) permit.passed(request.method);
		return { result, comesAgain: false };
	};

	const exchange = async (
		first: ApiRequest,
		limits: RequestLimits,
		write?: (response: ServiceResponse) => ApiRequest,
	): Promise<ServiceResponse> => {
		const key = first.method === 'POST' ? first : first.path;
		const paced = run.request(write === undefined ? first.method : 'PUT', key, limits);
		/** What is sent in the end, once it is known. */
		let request = write === undefined ? first : undefined;
		let isReadAgain = write === undefined;
		let readAt = 0;
		let lost = 0;
		let mayBeDoneBefore = false;
		const { maxWait } = limits;
		const sentAs = (each: ApiRequest): Sent => ({
			...each,
			...sender,
			baseUrl,
			mayBeDoneBefore,
			maxWait,
			now: clock.now(),
		});
		const conclude = (each: ApiRequest, result: Result): ServiceResponse => {
			if (isSuccess(result)) return result;
			// What was aborted because the run was stopped says nothing about the service.
			if ('networkCode' in result && run.signal.aborted) throw new RunStopped(true);
			throw errorOf(result, sentAs(each));
		};
		const bodyFrom = (response: ServiceResponse): ApiRequest | undefined => {
			try {
				return write?.(response);
			} catch (cause) {
				throw cause instanceof UserFacingError && mayBeDoneBefore ? doubted(cause) : cause;
			}
		};
		const stopped = (cause: unknown) => {
			if (cause instanceof WaitTooLong) throw waitError(cause.wait, sentAs(request ?? first));
			throw cause instanceof RunStopped ? new RunStopped(mayBeDoneBefore) : cause;
		};
		let last: { each: ApiRequest; result: Result } | undefined;
		for (;;) {
			const permit = await run.acquire(paced, isReadAgain ? 1 : 2).catch(stopped);
			if (permit === undefined) {
				if (last === undefined) throw new RunStopped();
				return conclude(last.each, last.result);
			}
			try {
				let each = request ?? first;
				const isStale = request !== undefined && clock.elapsed() - readAt > FRESH_MS;
				const reads = request === undefined || (isStale && !isReadAgain);
				if (reads) each = first;
				let { result, comesAgain } = await attempt(each, permit);
				if (reads && isSuccess(result)) {
					isReadAgain = request !== undefined;
					request = bodyFrom(result);
					readAt = clock.elapsed();
					if (request === undefined || permit.places < 2) continue;
					each = request;
					({ result, comesAgain } = await attempt(each, permit));
				}
				last = { each, result };
				const isLost = isLostConnection(result) && ++lost <= Math.min(limits.maxRetries, MOST_LOST);
				if (!isLost && !comesAgain) return conclude(each, result);
				mayBeDoneBefore ||= each.method !== 'GET' && mayBeDone(result);
				if (!isLost) continue;
			} finally {
				permit.end();
			}
			await run.rest(PAUSE_AFTER_LOSS_MS).catch(stopped);
		}
	};

	run.probeBy(async (path, permit) => {
		try {
			await attempt({ method: 'GET', path, subject: '' }, permit);
		} finally {
			permit.end();
		}
	});
	return {
		baseUrl,
		send: async (request, limits) => await exchange(request, limits),
		readThenWrite: async (read, write, limits) => await exchange(read, limits, write),
		hold: run.hold,
	};
}
