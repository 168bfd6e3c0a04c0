import {
	type ApiRequest,
	type AttemptOutcome,
	Attempts,
	type ScheduledRequest,
} from './apiRequest';
import type { Client } from './rateLimiting/client';
import type { Scheduler } from './rateLimiting/scheduler';
import { failedAttempt } from './requestErrors';
import { type Result, type ServiceResponse, TIMED_OUT } from './response';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** The service, for requests of one client. While it lets nothing through, each waits `maxWait` at most. */
export interface Service {
	/** Returns the response, whose status is 2xx. Throws UserFacingError or Withdrawn. */
	send(request: ApiRequest): Promise<ServiceResponse>;
}

interface ServiceOptions {
	/** Without a trailing slash. */
	baseUrl: string;
	transport: Transport;
	scheduler: Scheduler;
	client: Client;
	/** The longest wait for the service, in milliseconds. */
	maxWait: number;
	/** Collects the IDs of instances that may have been changed, until the caller has recorded the outcome. */
	pendingIds?: Set<number>;
}

/** Sends a client's requests through its scheduler, and records which instances they may have changed. */
export function createService(options: ServiceOptions): Service {
	const { baseUrl, transport, scheduler, client, maxWait, pendingIds } = options;
	const addPending = ({ method, ids }: ApiRequest) => {
		if (method !== 'GET') for (const id of ids) pendingIds?.add(id);
	};

	const attempt = async (request: ScheduledRequest): Promise<AttemptOutcome> => {
		const result = await transport(request);
		// Also after a 2xx, which the caller has yet to judge.
		if ('status' in result && result.status < 300) {
			addPending(request);
			return { response: result };
		}
		const failure = failedAttempt(result, request, baseUrl);
		if (failure.error.kind === 'unknown') addPending(request);
		// An aborted request says nothing about the service.
		const isAborted = result === TIMED_OUT && client.signal.aborted;
		if (isAborted) throw (request.attempts.lastFailure ?? failure.error).with({ kind: 'stopped' });
		return failure;
	};

	const send = async (request: ApiRequest) => {
		const scheduled = { ...request, attempts: request.attempts ?? new Attempts(), maxWait };
		return await scheduler.schedule(client, scheduled, attempt);
	};

	return { send };
}
