import { UserFacingError } from '../values/userFacingError';
import type { ApiRequest, RequestLimits } from './apiRequest';
import {
	doubted,
	errorOf,
	RunStopped,
	type Sender,
	type Sent,
	waitError,
	WaitTooLong,
} from './errors';
import { failureOf } from './failures';
import type { PermitPool } from './pace/permitPool';
import { PacedRequest, type Run } from './pace/run';
import { isSuccess, type Result, type ServiceResponse } from './response';
import { askedPause } from './retryAfter';

/** Sends one request, once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** What came of sending a request once, and whether it may come again. */
interface Attempted {
	result: Result;
	comesAgain: boolean;
}

/** Makes the request that follows a read; it may throw a UserFacingError. */
type Write = (response: ServiceResponse) => ApiRequest;

const NOTHING_SENT: Result = { networkCode: '', words: '' };
/** How often a request is sent again whose connection was lost, and how much later, in milliseconds. */
const MOST_LOST = 1;
const PAUSE_AFTER_LOSS_MS = 1_000;
/** What was read longer ago may have been changed by others, in milliseconds. */
const FRESH_MS = 2_000;

/** The service as operations see it. */
export type ApiClient = ReturnType<typeof createApiClient>;

/** @param sender what some advice depends on */
export function createApiClient(
	baseUrl: string,
	transport: Transport,
	pool: PermitPool,
	run: Run,
	sender: Sender,
) {
	const { clock } = pool;

	/** Sends a request with a permit, and tells the pool what came of it. */
	const attempt = async (request: ApiRequest, paced: PacedRequest): Promise<Attempted> => {
		request.onSend?.();
		const result = await transport(request);
		if ('networkCode' in result) return { result, comesAgain: false };
		const pause = askedPause(result, clock.now());
		if (pause !== undefined) {
			return { result, comesAgain: pool.rejected(paced, request.method, pause) };
		}
		pool.passed(paced, request.method);
		return { result, comesAgain: false };
	};

	/** Sends a request, or a read and what is written after it, over all attempts. */
	const exchange = async (
		first: ApiRequest,
		limits: RequestLimits,
		write?: Write,
	): Promise<ServiceResponse> => {
		/** What is sent next, or was sent last. */
		let request = first;
		let result = NOTHING_SENT;
		let lastFailure = NOTHING_SENT;
		let lossesLeft = Math.min(limits.maxRetries, MOST_LOST);
		let mayBeDoneBefore = false;
		let reads = 0;
		let readAt = 0;

		const sent = (): Sent => {
			const { maxWait } = limits;
			return { ...request, ...sender, baseUrl, mayBeDoneBefore, maxWait, now: clock.now() };
		};

		/**
		 * What is written after a read that is due. What was read longer ago is read once more, but only
		 * once, so that an update ends under any limit.
		 */
		const writeAfterRead = () => {
			const isStale = clock.elapsed() - readAt > FRESH_MS;
			return reads === 0 || (reads === 1 && isStale) ? write : undefined;
		};

		/** How many requests it wants to send with one permit. */
		const places = () => (writeAfterRead() ? 2 : 1);
		const key = first.method === 'POST' ? first : first.path;
		const paced = new PacedRequest(run, key, limits, places);

		const sendOnce = async (): Promise<boolean> => {
			const attempted = await attempt(request, paced);
			({ result } = attempted);
			if (isSuccess(result)) return false;
			lastFailure = result;
			const { isLostConnection, mayBeDone } = failureOf(result);
			const comesAgain = isLostConnection ? lossesLeft-- > 0 : attempted.comesAgain;
			if (comesAgain && mayBeDone && request.method !== 'GET') mayBeDoneBefore = true;
			return comesAgain;
		};

		/** Sends what comes next, and says whether it goes on. */
		const use = async (granted: number): Promise<boolean> => {
			const next = writeAfterRead();
			if (next === undefined) return await sendOnce();
			request = first;
			const comesAgain = await sendOnce();
			if (!isSuccess(result)) return comesAgain;
			reads++;
			try {
				request = next(result);
			} catch (cause) {
				throw cause instanceof UserFacingError && mayBeDoneBefore ? doubted(cause) : cause;
			}
			readAt = clock.elapsed();
			return granted < 2 || (await sendOnce());
		};

		/** What it means that no permit was given. */
		const refused = (cause: unknown): never => {
			if (cause instanceof WaitTooLong) throw waitError(cause.wait, sent());
			throw cause instanceof RunStopped && mayBeDoneBefore ? new RunStopped(true) : cause;
		};

		for (;;) {
			const granted = await pool.acquire(paced).catch(refused);
			// Meanwhile it may have been read once more, with success.
			if (granted === 0) throw errorOf(lastFailure, sent());
			if (!(await use(granted).finally(() => pool.end(paced)))) break;
			if ('networkCode' in result) await clock.sleep(PAUSE_AFTER_LOSS_MS, run.closing.signal);
		}
		if (isSuccess(result)) return result;
		// What was aborted says nothing about the service.
		if ('networkCode' in result && run.closing.signal.aborted) throw new RunStopped(true);
		throw errorOf(result, sent());
	};

	run.probe = (path, limits) => {
		const read = { method: 'GET' as const, path, subject: '' };
		const probe = async () => {
			const paced = new PacedRequest(run, path, limits, () => 1);
			await pool.acquire(paced);
			await attempt(read, paced).finally(() => pool.end(paced));
		};
		// Only the pool needs to know what comes of it.
		void Promise.allSettled([probe()]);
	};

	return {
		/** The base URL of the credential, without a trailing slash. */
		baseUrl,
		/** How long nobody may send anything, and why. */
		hold: () => pool.hold,
		/**
		 * Sends a request at the pace of the service, as often as it may be repeated.
		 *
		 * @returns the response, whose status is 2xx
		 * @throws UserFacingError when the service refused or did not respond; RunStopped when the run was
		 *   stopped
		 */
		send: async (request: ApiRequest, limits: RequestLimits) => await exchange(request, limits),
		/**
		 * Sends a read, and at once what it is followed by. If that is held up for more than two seconds, it
		 * is read once more.
		 *
		 * @returns the response to the second request
		 * @throws like `send`
		 */
		readThenWrite: async (read: ApiRequest, write: Write, limits: RequestLimits) =>
			await exchange(read, limits, write),
	};
}
