import type { UserFacingError } from '../values/userFacingError';
import type { ApiRequest } from './apiRequest';
import { errorOf } from './errors';
import { failureOf } from './failureMessages';
import type { PermitPool } from './pace/permitPool';
import type { Run } from './pace/request';
import { isSuccess, type Result, type ServiceResponse } from './response';
import { askedPause } from './retryAfter';
import { inDoubt, RunStopped, waitError, WaitTooLong } from './waits';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

const TOO_MANY_REQUESTS = 429;
/** By a gateway, or the service itself. */
const UNAVAILABLE: readonly number[] = [502, 503, 504];
const PAUSE_AFTER_LOSS_MS = 1_000;

export type ApiClient = ReturnType<typeof createApiClient>;
/** The service, for requests that wait no longer than they may. */
export type Service = ReturnType<ApiClient['within']>;

/** @param baseUrl without a trailing slash */
export function createApiClient(baseUrl: string, transport: Transport, pool: PermitPool, run: Run) {
	const { clock } = pool;
	const { signal } = run.closing;

	/** Sends a request, over all attempts. */
	const send = async (request: ApiRequest, maxWait: number): Promise<ServiceResponse> => {
		const paced = pool.request(run, request, maxWait);
		let lastFailure: UserFacingError | undefined;
		let mayBeDone = false;
		let hasLostConnection = false;

		/** Adapts the pace to what came of an attempt, and returns whether the request is sent again. */
		const comesAgain = (result: Result): boolean => {
			if ('networkCode' in result) {
				const isRetried = failureOf(result).isLostConnection === true && !hasLostConnection;
				hasLostConnection = true;
				paced.notBefore = clock.elapsed() + PAUSE_AFTER_LOSS_MS;
				return isRetried;
			}
			const asked = askedPause(result, clock.now());
			if (result.status === TOO_MANY_REQUESTS) {
				pool.throttled(paced, asked);
				return true;
			}
			if (UNAVAILABLE.includes(result.status)) return pool.failed(paced, asked);
			pool.succeeded(paced);
			return false;
		};

		/** Returns the response, or undefined when the request is sent again. */
		const sendOnce = async (): Promise<ServiceResponse | undefined> => {
			const result = await transport(request);
			// What was aborted says nothing about the service.
			if ('networkCode' in result && signal.aborted) throw new RunStopped(true, lastFailure);
			const isAgain = comesAgain(result);
			if (isSuccess(result)) return result;
			lastFailure = errorOf(result, { ...request, baseUrl, maxWait });
			mayBeDone ||= lastFailure.mayBeDone;
			if (isAgain) return undefined;
			throw lastFailure;
		};

		/** What the caller gets to know of what ended the request. */
		const explained = (cause: unknown): unknown => {
			if (cause instanceof WaitTooLong)
				return waitError(cause, request.subject, maxWait, lastFailure);
			if (!(cause instanceof RunStopped)) return cause;
			return new RunStopped(cause.mayBeDone, lastFailure, pool.holdOf(paced));
		};

		try {
			for (;;) {
				await pool.acquire(paced);
				const response = await sendOnce().finally(() => pool.end(paced));
				if (response !== undefined) return response;
			}
		} catch (cause) {
			throw mayBeDone ? inDoubt(explained(cause)) : explained(cause);
		}
	};

	return {
		baseUrl,
		/** What operations send; `maxWait` is the longest wait for the service, in milliseconds. */
		within: (maxWait: number) => ({
			baseUrl,
			/** Returns the response, whose status is 2xx. Throws UserFacingError, RunStopped or Withdrawn. */
			send: async (request: ApiRequest) => await send(request, maxWait),
		}),
	};
}
