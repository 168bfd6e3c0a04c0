import { type ApiClient, createApiClient } from '../api/apiClient';
import type { ApiRequest, RequestLimits } from '../api/apiRequest';
import { systemClock } from '../api/clock';
import {
	assertKeyStaysHidden,
	bareKey,
	normalizeBaseUrl,
	requestsPerMinute,
} from '../api/credential';
import { heldError, type Sender } from '../api/errors';
import { errorOf, isSuccess } from '../api/exchange';
import { RunStopped } from '../api/pace/runStopped';
import { joinPool } from '../api/pace/sharedPools';
import { createRedact } from '../api/redactor';
import type { ServiceResponse } from '../api/response';
import type { Result } from '../api/retry';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import type { HttpOptions } from './requestOptions';
import { createTransport, CREDENTIAL, type NodeContext } from './transport';

const NO_RESPONSE_YET: Result = { networkCode: 'ETIMEDOUT', words: '' };

/** The service, within the limits of whoever sends requests. */
export interface Service {
	/** Without a trailing slash. */
	readonly baseUrl: string;
	/**
	 * @returns the response, whose status is 2xx
	 * @throws UserFacingError when the service rejected the request, or did not respond; RunStopped
	 */
	send(request: ApiRequest): Promise<ServiceResponse>;
	/** Sends a read, and at once the write that its response leads to. Returns the response to the write. */
	readThenWrite(
		read: ApiRequest,
		write: (response: ServiceResponse) => ApiRequest,
	): Promise<ServiceResponse>;
}

async function readCredential(context: NodeContext) {
	return await context.getCredentials(CREDENTIAL).catch((cause: unknown) => {
		throw new UserFacingError(
			`n8n could not read the credential of this node: ${wordsOf(cause)}`,
			"In this node, select or create a 'Workflow Instance Service API' credential.",
		);
	});
}

/** The connection of one run, poll or list to the service. */
export type Connection = ReturnType<typeof createConnection>;

/**
 * Prepares a connection, which is opened when it is first needed.
 *
 * @param sender what some advice depends on
 * @param http how to send the next request
 */
export function createConnection(context: NodeContext, sender: Sender, http: () => HttpOptions) {
	let redact = createRedact('');
	let opening: Promise<ApiClient> | undefined;
	let pool: ReturnType<typeof joinPool> | undefined;
	const stopping = new AbortController();
	const leaving = new AbortController();
	/** What each request without success met last, by its subject. */
	const lastResults = new Map<string, Result>();

	const connect = async (): Promise<ApiClient> => {
		const httpOptions = http();
		const credential = await readCredential(context);
		const apiKey = bareKey(credential.apiKey);
		redact = createRedact(apiKey);
		const baseUrl = normalizeBaseUrl(credential.baseUrl);
		assertKeyStaysHidden(credential, httpOptions);
		const perMinute = requestsPerMinute(credential.requestsPerMinute);
		stopping.signal.throwIfAborted();
		pool = joinPool(baseUrl, apiKey, systemClock, perMinute);
		const send = createTransport(context, baseUrl, credential, http, redact, leaving.signal);
		const observed: typeof send = async (request) => {
			const { subject } = request;
			lastResults.set(subject, lastResults.get(subject) ?? NO_RESPONSE_YET);
			const result = await send(request);
			if (isSuccess(result)) lastResults.delete(subject);
			else lastResults.set(subject, result);
			return result;
		};
		return createApiClient(baseUrl, observed, pool, sender, systemClock);
	};
	const connected = async () => await (opening ??= connect());

	/** Holds back every request that wasn't sent yet. */
	const stop = () => {
		stopping.abort(new RunStopped());
		pool?.close();
	};

	return {
		stop,

		/** Aborted when it is stopped, with RunStopped. */
		signal: stopping.signal,

		/** Hides the API key, as soon as the credential has been read. */
		redact: (text: string) => redact(text),

		/** @throws UserFacingError when the credential can't be used; RunStopped when it was stopped */
		async open(limits: RequestLimits): Promise<Service> {
			const client = await connected();
			return {
				baseUrl: client.baseUrl,
				send: async (request) => await client.send(request, limits),
				readThenWrite: async (read, write) => await client.readThenWrite(read, write, limits),
			};
		},

		/**
		 * Why there was no time to wait for success: what a request about this met last.
		 *
		 * @param subject e.g. `instance 42`
		 */
		async lastError(subject: string): Promise<UserFacingError> {
			const { baseUrl, hold } = await connected();
			const result = lastResults.get(subject);
			if (result === undefined) return heldError(subject, hold(), sender.tryAgain);
			const sent = { subject, baseUrl, mayBeDoneBefore: false, maxWait: Infinity };
			return errorOf(result, { method: 'GET', ...sent, ...sender, now: systemClock.now() });
		},

		/** Aborts what is in flight, and frees what is shared with others. */
		leave() {
			stop();
			leaving.abort();
			pool?.leave();
		},

		/** Writes a line to n8n's log. */
		log(level: 'error' | 'warn', message: string) {
			const { name: node } = context.getNode();
			const { id: workflowId } = context.getWorkflow();
			const executionId = context.getExecutionId();
			context.logger[level](redact(message), { node, workflowId, executionId });
		},
	};
}
