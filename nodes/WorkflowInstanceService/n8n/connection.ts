import { type ApiClient, createApiClient, errorOf, isSuccess } from '../api/apiClient';
import { systemClock } from '../api/clock';
import {
	assertKeyStaysHidden,
	bareKey,
	normalizeBaseUrl,
	requestsPerMinute,
} from '../api/credential';
import { heldError, type Sender } from '../api/errors';
import type { Line } from '../api/pace/line';
import { RunStopped } from '../api/pace/runStopped';
import { joinLimiter } from '../api/pace/sharedLimiters';
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
	let line: Line | undefined;
	let isStopped = false;
	/** What each instance that is not read yet met last, by the subject of the request. */
	const lastResults = new Map<string, Result>();

	const assertGoing = () => {
		if (isStopped) throw new RunStopped();
	};

	const stop = () => {
		isStopped = true;
		line?.close();
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
		line = joinLimiter(baseUrl, apiKey, systemClock, perMinute);
		const transport = createTransport(context, baseUrl, credential, requestOptions, redact);
		const observed: typeof transport = async (request) => {
			const { subject } = request;
			lastResults.set(subject, lastResults.get(subject) ?? NO_RESPONSE_YET);
			const result = await transport(request);
			if (isSuccess(result)) lastResults.delete(subject);
			else lastResults.set(subject, result);
			return result;
		};
		return createApiClient(baseUrl, observed, line, sender, systemClock);
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

		/** Whether it was stopped. */
		get isStopped() {
			return isStopped;
		},

		/**
		 * Waits without a request.
		 *
		 * @throws RunStopped when it was stopped
		 */
		rest: async (milliseconds: number) => await line?.rest(milliseconds),

		/**
		 * Why there was no time to wait for success: what a request about this last met.
		 *
		 * @param subject e.g. `instance 42`
		 */
		async lastError(subject: string): Promise<UserFacingError> {
			const { baseUrl, hold } = await open();
			const result = lastResults.get(subject);
			if (result === undefined) {
				const { wait, isByCredential } = hold();
				const reason = isByCredential ? 'credential' : 'service';
				return heldError(subject, { wait, reason }, sender.tryAgain);
			}
			const sent = { subject, baseUrl, mayBeDoneBefore: false, maxWait: Infinity };
			return errorOf(result, { method: 'GET', ...sent, ...sender, now: systemClock.now() });
		},

		/** Frees what is shared with others, and holds back every request that wasn't sent yet. */
		leave() {
			stop();
			line?.leave();
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
