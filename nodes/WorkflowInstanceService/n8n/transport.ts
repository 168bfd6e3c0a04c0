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
import { systemClock } from '../api/clock';
import { HEADERS } from '../api/headers';
import { noResponse } from '../api/network';
import type { Redact } from '../api/redactor';
import { decodeBody } from '../api/response';
import { withTimeLimit } from '../api/timeLimit';
import type { HttpOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n passes to a node that runs, by either entry point. */
export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/** What n8n passes to a node. */
export type NodeContext = RunContext | IPollFunctions | ILoadOptionsFunctions;

/** A response without a body has no bytes. */
function bytesOf(body: unknown): Uint8Array {
	return Buffer.concat([body].filter((part) => Buffer.isBuffer(part)));
}

/**
 * Sends requests through n8n's own request helper, which adds the credential. The timeout limits the
 * whole response.
 *
 * @param data of the credential, which the helper would otherwise read and decrypt for each request
 * @param signal aborts what is in flight
 */
export function createTransport(
	context: NodeContext,
	baseUrl: string,
	data: ICredentialDataDecryptedObject,
	http: () => HttpOptions,
	redact: Redact,
	signal: AbortSignal,
): Transport {
	const credential = { id: '', name: CREDENTIAL, type: CREDENTIAL, data };

	return async ({ method, path, query, body }) => {
		const { timeout, ...options } = http();
		const abortion = new AbortController();
		const abort = () => abortion.abort();
		// The same context, in which n8n's request helper finds the signal of this one request.
		const own: NodeContext = Object.create(context, {
			getExecutionCancelSignal: { value: () => abortion.signal },
		});
		const request: IHttpRequestOptions = {
			...options,
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
		signal.addEventListener('abort', abort);
		try {
			const { httpRequestWithAuthentication: send } = context.helpers;
			const known = { credentialsDecrypted: credential };
			const sending: Promise<IN8nHttpFullResponse> = send.call(own, CREDENTIAL, request, known);
			const response = await withTimeLimit(timeout, sending, abort);
			if (response === undefined) return { networkCode: 'ETIMEDOUT', words: '' };
			const { statusCode: status, headers } = response;
			const decoded = decodeBody(bytesOf(response.body), headers['content-type']);
			const quotable = () => redact(decoded.text);
			return { status, headers, ...decoded, receivedAt: systemClock.now(), quotable };
		} catch (thrown) {
			return noResponse(thrown);
		} finally {
			signal.removeEventListener('abort', abort);
		}
	};
}
