import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import type { Transport } from '../api/apiClient';
import { withTimeLimit } from '../api/clock';
import { HEADERS } from '../api/credential';
import type { Redact } from '../api/redactor';
import { decodeBody, noResponse, TIMED_OUT } from '../api/response';
import { asObject, isObject, parseJson } from '../values/json';
import type { HttpOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n passes to a node that runs, by either entry point. */
export type ExecuteContext = IExecuteFunctions | IExecutePaginationFunctions;
export type NodeContext = ExecuteContext | IPollFunctions | ILoadOptionsFunctions;

/** Whether the user chose to continue, by either setting (docs/dev/n8n-engine.md#throwing-under-continue). */
export function continuesOnError(context: ExecuteContext): boolean {
	return context.continueOnFail() || context.getNode().continueOnFail === true;
}

/** Sends requests through n8n's own request helper, which adds the credential. */
export function createTransport(
	context: NodeContext,
	baseUrl: string,
	data: ICredentialDataDecryptedObject,
	http: () => HttpOptions,
	redact: Redact,
	inFlight: Set<AbortController>,
): Transport {
	// The helper would otherwise read and decrypt the credential for each request.
	const own = { credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data } };

	return async ({ method, path, query, body }) => {
		const { timeout, ...options } = http();
		const request: IHttpRequestOptions = {
			...options,
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			// n8n takes compressed bytes for whole that were cut off; what was written must be sure.
			headers: { ...HEADERS, ...(method !== 'GET' && { 'Accept-Encoding': 'identity' }) },
			// n8n's own only limits how long nothing at all arrives.
			timeout: 0,
			// As bytes, so that JSON can be told from other text, and text from garbled bytes.
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		};
		const controller = new AbortController();
		inFlight.add(controller);
		// The same context, in which n8n's request helper finds the signal of this one request.
		const contextOfRequest: unknown = Object.create(context, {
			getExecutionCancelSignal: { value: () => controller.signal },
		});
		try {
			const { httpRequestWithAuthentication: send } = context.helpers;
			const sending: unknown = Reflect.apply(send, contextOfRequest, [CREDENTIAL, request, own]);
			const response = await withTimeLimit(timeout, Promise.resolve(sending), () =>
				controller.abort(),
			);
			if (!isObject(response)) return TIMED_OUT;
			const { body: bytes, statusCode: status, headers } = response;
			// A response without a body has no bytes.
			const decoded = decodeBody(Buffer.concat([bytes].filter((part) => Buffer.isBuffer(part))));
			const json = parseJson(decoded.text);
			return { status: Number(status), headers: asObject(headers), ...decoded, json, redact };
		} catch (thrown) {
			return controller.signal.aborted ? TIMED_OUT : noResponse(thrown);
		} finally {
			inFlight.delete(controller);
		}
	};
}
