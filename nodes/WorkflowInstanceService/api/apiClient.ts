import type { UserFacingError } from '../values/userFacingError';
import type { ApiRequest } from './apiRequest';
import { errorOf } from './errors';
import { failureOf } from './failureMessages';
import type { PermitPool } from './pace/permitPool';
import type { Run } from './pace/request';
import { isSuccess, type Result, type ServiceResponse } from './response';
import { askedPause, backOff, TOO_MANY_REQUESTS } from './retryAfter';
import { inDoubt, RunStopped, waitError, WaitTooLong } from './waits';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** By a gateway, or the service itself. */
const UNAVAILABLE: readonly number[] = [502, 503, 504];
/** How often a request is retried that fails by itself. */
const MAX_RETRIES = 5;

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
		let losses = 0;
		let retries = 0;

		/** Adapts the pace to what came of an attempt, and returns whether the request is sent again. */
		const shouldRetry = (result: Result): boolean => {
			if ('networkCode' in result) {
				paced.notBefore = clock.elapsed() + backOff(0, 0, clock.chance());
				return failureOf(result).isLostConnection === true && losses++ === 0;
			}
			const asked = askedPause(result, clock.now());
			if (result.status === TOO_MANY_REQUESTS) {
				pool.throttled(paced, asked);
				return true;
			}
			if (!UNAVAILABLE.includes(result.status)) {
				pool.answered(paced);
				return false;
			}
			const isTooLong = asked > maxWait;
			const isDown = pool.failed(paced, isTooLong ? 0 : asked);
			if (isTooLong || isDown) return !isTooLong;
			paced.notBefore = clock.elapsed() + backOff(retries, asked, clock.chance());
			return retries++ < MAX_RETRIES;
		};

		/** Returns the response, or undefined when the request is sent again. */
		const sendOnce = async (): Promise<ServiceResponse | undefined> => {
			const result = await transport(request);
			// What was aborted says nothing about the service.
			if ('networkCode' in result && signal.aborted) throw new RunStopped(true);
			const isRetried = shouldRetry(result);
			if (isSuccess(result)) return result;
			lastFailure = errorOf(result, { ...request, baseUrl, maxWait });
			mayBeDone ||= lastFailure.mayBeDone;
			if (isRetried) return undefined;
			throw lastFailure;
		};

		/** What the caller gets to know of what ended the request. */
		const explained = (cause: unknown): unknown => {
			if (cause instanceof WaitTooLong)
				return waitError(cause, request.subject, maxWait, lastFailure);
			if (!(cause instanceof RunStopped)) return cause;
			return new RunStopped(cause.mayBeDone, lastFailure, pool.whyWaiting(paced));
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
