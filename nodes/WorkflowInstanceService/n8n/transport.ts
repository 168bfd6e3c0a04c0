import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';

import type { ApiRequest, Transport } from '../api/apiClient';
import { networkFailure } from '../api/network';
import type { Redact } from '../api/redactor';
import { decodeBody } from '../api/response';
import type { RequestOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n gives a node that is run, by either entry point. */
export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;

/** What n8n gives a node. */
export type NodeContext = RunContext | IPollFunctions;

/** An answer without a body has no bytes. */
function bytesOf(body: unknown): Uint8Array {
	return Buffer.concat([body].filter((part) => Buffer.isBuffer(part)));
}

/**
 * Sends requests through n8n's own request helper: it adds the credential, keeps to the user's Request
 * Options, and aborts what is under way when the execution is stopped.
 *
 * @param credentials what the helper would otherwise read and decrypt for each request
 */
export function createTransport(
	context: NodeContext,
	baseUrl: string,
	credentials: ICredentialDataDecryptedObject,
	http: RequestOptions['http'],
	redact: Redact,
): Transport {
	const known = {
		credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data: credentials },
	};
	const { hostname } = new URL(baseUrl);
	return async ({ method, path, query, body }: ApiRequest) => {
		const request: IHttpRequestOptions = {
			...http,
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			headers: { Accept: 'application/json' },
			// As bytes, so that any charset can be read, and a body that is not JSON is told from one that is.
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			allowedDomains: hostname,
		};
		try {
			const response: IN8nHttpFullResponse =
				await context.helpers.httpRequestWithAuthentication.call(
					context,
					CREDENTIAL,
					request,
					known,
				);
			const { statusCode: status, headers } = response;
			const decoded = decodeBody(bytesOf(response.body), headers['content-type']);
			return { status, headers, ...decoded, quotable: () => redact(decoded.text) };
		} catch (failure) {
			return networkFailure(failure);
		}
	};
}
