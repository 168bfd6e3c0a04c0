import type { UserFacingError } from '../values/userFacingError';
import type { ApiRequest } from './apiRequest';
import { errorOf } from './errors';
import { failureOf } from './failureMessages';
import type { PermitPool, Run } from './pace/permitPool';
import { isSuccess, type Result, type ServiceResponse } from './response';
import { askedPause, backOff, TOO_MANY_REQUESTS } from './retryAfter';
import { inDoubt, RunStopped, waitError, WaitTooLong } from './waits';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** By a gateway, or the service itself. */
const UNAVAILABLE: readonly number[] = [502, 503, 504];
/** How often a request is retried that fails by itself, and one whose connection was lost. */
const MAX_RETRIES = 5;
const MAX_RETRIES_OF_LOST = 1;

export type ApiClient = ReturnType<typeof createApiClient>;
/** The service, for requests that wait no longer than they may. */
export type Service = ReturnType<ApiClient['within']>;

/** @param baseUrl without a trailing slash */
export function createApiClient(baseUrl: string, transport: Transport, pool: PermitPool, run: Run) {
	const { clock } = pool;
	const { signal } = run.leaving;

	/** Sends a request, over all attempts. */
	const send = async (request: ApiRequest, maxWait: number): Promise<ServiceResponse> => {
		const paced = pool.request(run, request, maxWait);
		let lastFailure: UserFacingError | undefined;
		let mayBeDone = false;
		let losses = 0;
		let retries = 0;
		/** How long the service asked this request alone to wait, in milliseconds. */
		let waited = 0;

		/** Adapts the pace to a failure. Returns how long to wait before a retry, or undefined for none. */
		const adaptPace = (result: Result): number | undefined => {
			if ('networkCode' in result) {
				const isRetried = failureOf(result).isLostConnection && losses++ < MAX_RETRIES_OF_LOST;
				return isRetried ? backOff(0, 0, clock.chance()) : undefined;
			}
			const asked = askedPause(result, clock.now());
			if (result.status === TOO_MANY_REQUESTS) {
				pool.throttled(paced, asked);
				return 0;
			}
			if (!UNAVAILABLE.includes(result.status)) {
				pool.answered(paced);
				return undefined;
			}
			const isTooLong = waited + asked > maxWait;
			const isDown = pool.failed(paced, isTooLong ? 0 : asked);
			if (isTooLong) throw new WaitTooLong({ wait: asked, reason: 'service' });
			if (isDown) return 0;
			waited += asked;
			return retries < MAX_RETRIES ? backOff(retries++, asked, clock.chance()) : undefined;
		};

		/** Returns the response, or how long to wait before the request is sent again. */
		const sendOnce = async (): Promise<ServiceResponse | number> => {
			const result = await transport(request);
			// What was aborted says nothing about the service.
			if ('networkCode' in result && signal.aborted) throw new RunStopped(true);
			if (isSuccess(result)) {
				pool.answered(paced);
				return result;
			}
			lastFailure = errorOf(result, { ...request, baseUrl });
			mayBeDone ||= lastFailure.mayBeDone;
			const wait = adaptPace(result);
			if (wait === undefined) throw lastFailure;
			return wait;
		};

		/** What the caller gets to know of what ended the request. */
		const explained = (cause: unknown): unknown => {
			if (cause instanceof WaitTooLong) {
				return waitError(cause, request.subject, maxWait, lastFailure);
			}
			if (!(cause instanceof RunStopped)) return cause;
			return new RunStopped(cause.mayBeDone, cause.wait, lastFailure);
		};

		try {
			for (;;) {
				await pool.acquire(paced);
				const outcome = await sendOnce().finally(() => pool.release(paced));
				if (typeof outcome !== 'number') return outcome;
				await clock.sleep(outcome, signal);
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
