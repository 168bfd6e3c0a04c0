import { type ApiRequest, Attempts } from './apiRequest';
import { failureOf } from './failureMessages';
import type { Client } from './rateLimiting/client';
import type { AttemptOutcome, Scheduler } from './rateLimiting/scheduler';
import { requestError } from './requestErrors';
import { type Result, type ServiceResponse, TIMED_OUT } from './response';
import { retryAfter } from './retryAfter';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** The service, for requests of one client that wait no longer than they may. */
export type Service = ReturnType<typeof createService>;

/**
 * @param baseUrl without a trailing slash
 * @param maxWait the longest wait for the service, in milliseconds
 * @param unknownIds takes the IDs of instances that may have been changed
 */
export function createService(
	baseUrl: string,
	transport: Transport,
	scheduler: Scheduler,
	client: Client,
	maxWait: number,
	unknownIds = new Set<number>(),
) {
	const sendOnce = async (request: ApiRequest, attempts: Attempts): Promise<AttemptOutcome> => {
		const recordUnknown = () => {
			if (request.method !== 'GET') for (const id of request.ids) unknownIds.add(id);
		};
		const result = await transport(request);
		if ('status' in result && result.status < 300) {
			recordUnknown();
			return { response: result };
		}
		// What was aborted is no sign of how the service is.
		const isAborted = result === TIMED_OUT && client.signal.aborted;
		const failure = failureOf(result);
		if (failure.kind === undefined) recordUnknown();
		const { retry } = failure;
		const pause = retry ? retryAfter(result) : 0;
		const error = requestError(result, failure, request, baseUrl, pause);
		if (isAborted) throw (attempts.lastFailure ?? error).with({ kind: 'stopped' });
		return { error, retry };
	};

	/** Returns the response, whose status is 2xx. Throws UserFacingError or Withdrawn. */
	const send = async (request: ApiRequest): Promise<ServiceResponse> => {
		const { attempts = new Attempts() } = request;
		const sending = async () => await sendOnce(request, attempts);
		return await scheduler.schedule(client, { ...request, attempts, maxWait }, sending);
	};

	return { baseUrl, send };
}
