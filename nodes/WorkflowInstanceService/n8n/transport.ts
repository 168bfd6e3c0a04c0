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
import { systemClock } from '../api/clock';
import { HEADERS } from '../api/headers';
import { noResponse } from '../api/network';
import type { Redact } from '../api/redactor';
import { decodeBody } from '../api/response';
import { withTimeLimit } from '../api/timeLimit';
import type { RequestOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n passes to a node that runs, by either entry point. */
export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/** What n8n passes to a node. */
export type NodeContext = RunContext | IPollFunctions | ILoadOptionsFunctions;

/** A response without a body has no bytes. */
function bytesOf(body: unknown): Uint8Array {
	return Buffer.concat([body].filter((part) => Buffer.isBuffer(part)));
}

function requestFor(
	baseUrl: string,
	{ method, path, query, body }: ApiRequest,
	http: Omit<RequestOptions['http'], 'timeout'>,
): IHttpRequestOptions {
	return {
		...http,
		method,
		url: `${baseUrl}${path}`,
		qs: query,
		body,
		headers: { ...HEADERS },
		// n8n's own only limits how long nothing at all arrives.
		timeout: 0,
		// As bytes, so that any charset can be read, and JSON can be told from other text.
		encoding: 'arraybuffer',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		allowedDomains: new URL(baseUrl).hostname,
	};
}

/**
 * Sends requests through n8n's own request helper: it adds the credential and aborts what is in flight
 * when the execution is stopped. The timeout limits the whole response.
 *
 * @param data of the credential, which the helper would otherwise read and decrypt for each request
 */
export function createTransport(
	context: NodeContext,
	baseUrl: string,
	data: ICredentialDataDecryptedObject,
	http: RequestOptions['http'],
	redact: Redact,
): Transport {
	const known = { credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data } };
	const stop =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;

	const send = async (request: IHttpRequestOptions, signal: AbortSignal) => {
		const value = () => signal;
		// The same context, in which n8n's request helper finds the signal of this one request.
		const own: NodeContext = Object.create(context, { getExecutionCancelSignal: { value } });
		const { httpRequestWithAuthentication } = context.helpers;
		const response: IN8nHttpFullResponse = await httpRequestWithAuthentication.call(
			own,
			CREDENTIAL,
			request,
			known,
		);
		return response;
	};

	return async (request) => {
		const { timeout, ...options } = http;
		const abortion = new AbortController();
		const abort = () => abortion.abort();
		stop?.addEventListener('abort', abort);
		try {
			const sending = send(requestFor(baseUrl, request, options), abortion.signal);
			const response = await withTimeLimit(timeout, sending, abort);
			if (response === undefined) return { networkCode: 'ETIMEDOUT', words: '' };
			const { statusCode: status, headers } = response;
			const decoded = decodeBody(bytesOf(response.body), headers['content-type']);
			const quotable = () => redact(decoded.text);
			return { status, headers, ...decoded, receivedAt: systemClock.now(), quotable };
		} catch (thrown) {
			return noResponse(thrown);
		} finally {
			stop?.removeEventListener('abort', abort);
		}
	};
}
