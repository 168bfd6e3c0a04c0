import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';

import type { Transport } from '../api/apiClient';
import type { ApiRequest } from '../api/apiRequest';
import type { Clock } from '../api/clock';
import { HEADERS } from '../api/headers';
import { noResponse } from '../api/network';
import type { Redact } from '../api/redactor';
import { decodeBody } from '../api/response';
import type { RequestOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

const TIME_IS_UP = 'ETIMEDOUT';
/** What n8n's request helper takes for no timeout of its own. */
const NO_TIMEOUT = 0;

/** What n8n gives a node that is run, by either entry point. */
export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/** What n8n gives a node. */
export type NodeContext = RunContext | IPollFunctions | ILoadOptionsFunctions;

/** A response without a body has no bytes. */
function bytesOf(body: unknown): Uint8Array {
	return Buffer.concat([body].filter((part) => Buffer.isBuffer(part)));
}

/**
 * Does work that can be aborted, for a time at most.
 *
 * @param work gets the signal that aborts it
 * @param timeout in milliseconds
 * @param stop aborts it as well
 * @returns what came of it; undefined when its time was up
 */
async function withinTime<T>(
	work: (signal: AbortSignal) => Promise<T>,
	timeout: number,
	clock: Clock,
	stop: AbortSignal | undefined,
): Promise<T | undefined> {
	const abortion = new AbortController();
	const done = new AbortController();
	const abort = () => abortion.abort();
	stop?.addEventListener('abort', abort);
	const timeIsUp = clock.sleep(timeout, done.signal).then(() => {
		if (!done.signal.aborted) abort();
		return undefined;
	});
	try {
		return await Promise.race([work(abortion.signal), timeIsUp]);
	} finally {
		done.abort();
		stop?.removeEventListener('abort', abort);
	}
}

/** The same context, in which n8n's request helper finds a signal of our own for a request. */
function withSignal(context: NodeContext, signal: AbortSignal): NodeContext {
	const value = () => signal;
	const own: NodeContext = Object.create(context, { getExecutionCancelSignal: { value } });
	return own;
}

/**
 * Sends requests through n8n's own request helper: it adds the credential, keeps to the user's Request
 * Options, and aborts what is under way when the execution is stopped. The timeout bounds the whole
 * response: the one of n8n only bounds how long nothing at all comes.
 *
 * @param credentials what the helper would otherwise read and decrypt for each request
 */
export function createTransport(
	context: NodeContext,
	baseUrl: string,
	credentials: ICredentialDataDecryptedObject,
	http: RequestOptions['http'],
	redact: Redact,
	clock: Clock,
): Transport {
	const known = {
		credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data: credentials },
	};
	const { hostname } = new URL(baseUrl);
	const stop =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	return async ({ method, path, query, body }: ApiRequest) => {
		const { timeout, ...options } = http;
		const request: IHttpRequestOptions = {
			...options,
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			headers: { ...HEADERS },
			timeout: NO_TIMEOUT,
			// As bytes, so that any charset can be read, and a body that is not JSON is told from one that is.
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			allowedDomains: hostname,
		};
		const send = async (signal: AbortSignal): Promise<IN8nHttpFullResponse> =>
			await context.helpers.httpRequestWithAuthentication.call(
				withSignal(context, signal),
				CREDENTIAL,
				request,
				known,
			);
		try {
			const response = await withinTime(send, timeout, clock, stop);
			if (response === undefined) return { networkCode: TIME_IS_UP, words: '' };
			const { statusCode: status, headers } = response;
			const decoded = decodeBody(bytesOf(response.body), headers['content-type']);
			const receivedAt = clock.now();
			return { status, headers, ...decoded, receivedAt, quotable: () => redact(decoded.text) };
		} catch (thrown) {
			return noResponse(thrown);
		}
	};
}
