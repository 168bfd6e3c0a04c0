import type { ApiRequest } from './apiRequest';
import { errorOf } from './errors';
import { type Failure, failureOf } from './failureMessages';
import type { PermitPool, Run } from './pace/permitPool';
import { type Result, type ServiceResponse, TIMED_OUT } from './response';
import { askedPause, backOff, TOO_MANY_REQUESTS } from './retryAfter';
import { waitError } from './waits';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** By a gateway, or the service itself. */
const UNAVAILABLE: readonly number[] = [502, 503, 504];
/** How often a request is retried that fails by itself, and one whose connection was lost. */
const MAX_RETRIES = 5;
const MAX_RETRIES_OF_LOST = 1;

/** The service, for requests of one run that wait no longer than they may. */
export type Service = ReturnType<typeof createService>;

/**
 * @param baseUrl without a trailing slash
 * @param maxWait the longest wait for the service, in milliseconds
 * @param mayBeDone takes the IDs of instances that may have been changed
 */
export function createService(
	baseUrl: string,
	transport: Transport,
	pool: PermitPool,
	run: Run,
	maxWait: number,
	mayBeDone = new Set<number>(),
) {
	const { clock } = pool;
	const { signal } = run;

	/** Returns the response, whose status is 2xx. Throws UserFacingError or Withdrawn. */
	const send = async (request: ApiRequest): Promise<ServiceResponse> => {
		const paced = pool.request(run, request, maxWait);
		let losses = 0;
		let retries = 0;
		/** How long the service asked this request alone to wait, in milliseconds. */
		let waited = 0;

		const noteDoubt = () => {
			if (request.method !== 'GET') for (const id of request.ids) mayBeDone.add(id);
		};

		/** Adapts the pace to a failure. Returns how long to wait before a retry, or undefined for none. */
		const adaptPace = (result: Result, failure: Failure, asked: number): number | undefined => {
			if ('networkCode' in result) {
				const isRetried = failure.isLostConnection && losses++ < MAX_RETRIES_OF_LOST;
				return isRetried ? backOff(0, 0, clock.chance()) : undefined;
			}
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
			if (isTooLong) throw waitError({ wait: asked, reason: 'service' }, paced);
			if (isDown) return 0;
			waited += asked;
			return retries < MAX_RETRIES ? backOff(retries++, asked, clock.chance()) : undefined;
		};

		/** Returns the response, or how long to wait before the request is sent again. */
		const sendOnce = async (): Promise<ServiceResponse | number> => {
			const received = await transport(request);
			if ('status' in received && received.status < 300) {
				noteDoubt();
				pool.answered(paced);
				return received;
			}
			// What was aborted says nothing about the service.
			const isAborted = 'networkCode' in received && signal.aborted;
			const result = isAborted ? TIMED_OUT : received;
			const failure = failureOf(result);
			if (failure.kind === undefined) noteDoubt();
			const asked = failure.isTemporary ? askedPause(result, clock.now()) : 0;
			const error = errorOf(result, failure, { ...request, baseUrl, pause: asked });
			if (isAborted) throw (paced.lastFailure ?? error).with({ kind: 'stopped' });
			paced.lastFailure = error;
			const wait = adaptPace(result, failure, asked);
			if (wait === undefined) throw error;
			return wait;
		};

		for (;;) {
			await pool.acquire(paced);
			const outcome = await sendOnce().finally(() => pool.release(paced));
			if (typeof outcome !== 'number') return outcome;
			await clock.sleep(outcome, signal);
		}
	};

	return { baseUrl, send };
}
