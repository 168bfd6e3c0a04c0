import { type ApiClient, createApiClient } from '../api/apiClient';
import { errorOf, isSuccess } from '../api/exchange';
import { systemClock } from '../api/clock';
import {
	assertKeyStaysHidden,
	bareKey,
	normalizeBaseUrl,
	requestsPerMinute,
} from '../api/credential';
import { heldError, type Sender } from '../api/errors';
import { RunStopped } from '../api/pace/runStopped';
import { joinPool } from '../api/pace/sharedPools';
import { createRedact } from '../api/redactor';
import type { Result } from '../api/retry';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import type { RequestOptions } from './requestOptions';
import { createTransport, CREDENTIAL, type NodeContext } from './transport';

const NO_RESPONSE_YET: Result = { networkCode: 'ETIMEDOUT', words: '' };

/** The connection of one run, or poll, to the service. */
export type Connection = ReturnType<typeof createConnection>;

/**
 * Prepares the connection of one run, or poll. It is opened when it is first needed.
 *
 * @param sender what some advice depends on
 * @param http reads the Request Options when it is opened
 */
export function createConnection(
	context: NodeContext,
	sender: Sender,
	http: () => RequestOptions['http'],
) {
	let redact = createRedact('');
	let opening: Promise<ApiClient> | undefined;
	let pacedRun: ReturnType<typeof joinPool> | undefined;
	const stopping = new AbortController();
	/** What each instance that is not read yet met last, by the subject of the request. */
	const lastResults = new Map<string, Result>();

	const assertGoing = () => {
		if (stopping.signal.aborted) throw new RunStopped();
	};

	const stop = () => {
		stopping.abort();
		pacedRun?.close();
	};

	const readCredential = async () =>
		await context.getCredentials(CREDENTIAL).catch((cause: unknown) => {
			throw new UserFacingError(
				`n8n could not read the credential of this node: ${wordsOf(cause)}`,
				"In this node, select or create a 'Workflow Instance Service API' credential.",
			);
		});

	const connect = async (): Promise<ApiClient> => {
		const requestOptions = http();
		const credential = await readCredential();
		const apiKey = bareKey(credential.apiKey);
		redact = createRedact(apiKey);
		const baseUrl = normalizeBaseUrl(credential.baseUrl);
		assertKeyStaysHidden(credential, requestOptions);
		const perMinute = requestsPerMinute(credential.requestsPerMinute);
		assertGoing();
		pacedRun = joinPool(baseUrl, apiKey, systemClock, perMinute);
		const transport = createTransport(context, baseUrl, credential, requestOptions, redact);
		const observed: typeof transport = async (request) => {
			const { subject } = request;
			lastResults.set(subject, lastResults.get(subject) ?? NO_RESPONSE_YET);
			const result = await transport(request);
			if (isSuccess(result)) lastResults.delete(subject);
			else lastResults.set(subject, result);
			return result;
		};
		return createApiClient(baseUrl, observed, pacedRun, sender, systemClock);
	};

	const open = async (): Promise<ApiClient> => await (opening ??= connect());

	return {
		/** Hides the API key, as soon as the credential has been read. */
		redact: (text: string) => redact(text),

		/**
		 * The client for the credential of the node.
		 *
		 * @throws UserFacingError when the credential can't be used; RunStopped when it was stopped
		 */
		open,

		/** Holds back every request that wasn't sent yet. */
		stop,

		/** @throws RunStopped when it was stopped */
		assertGoing,

		/** Aborted when it is stopped. */
		signal: stopping.signal,

		/** Whether it was stopped. */
		get isStopped() {
			return stopping.signal.aborted;
		},

		/**
		 * Waits without a request.
		 *
		 * @throws RunStopped when it was stopped
		 */
		rest: async (milliseconds: number) => await pacedRun?.rest(milliseconds),

		/**
		 * Why there was no time to wait for success: what a request about this last met.
		 *
		 * @param subject e.g. `instance 42`
		 */
		async lastError(subject: string): Promise<UserFacingError> {
			const { baseUrl, hold } = await open();
			const result = lastResults.get(subject);
			if (result === undefined) return heldError(subject, hold(), sender.tryAgain);
			const sent = { subject, baseUrl, mayBeDoneBefore: false, maxWait: Infinity };
			return errorOf(result, { method: 'GET', ...sent, ...sender, now: systemClock.now() });
		},

		/** Frees what is shared with others, and holds back every request that wasn't sent yet. */
		leave() {
			stop();
			pacedRun?.leave();
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
