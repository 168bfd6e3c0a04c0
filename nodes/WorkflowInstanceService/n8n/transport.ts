import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';

import { withTimeLimit } from '../api/clock';
import { HEADERS } from '../api/credential';
import type { Redact } from '../api/redactor';
import { decodeBody, noResponse, TIMED_OUT } from '../api/response';
import type { Transport } from '../api/service';
import { asObject, isObject, parseJson } from '../values/json';
import type { HttpOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n passes to a node that runs, by either entry point. */
export type ExecuteContext = IExecuteFunctions | IExecutePaginationFunctions;
export type NodeContext = ExecuteContext | IPollFunctions | ILoadOptionsFunctions;

/** Whether an AI agent uses the node as a tool, for which n8n has a separate type. */
export const isTool = ({ type }: INode) => type.endsWith('Tool');

/**
 * Whether the node continues when an item can't be processed: if the user chose that, in either setting
 * (docs/dev/n8n-engine.md#throwing-under-continue), or if it's a tool (docs/dev/n8n-engine.md#tools-that-throw).
 */
export function continuesOnError(context: ExecuteContext): boolean {
	const node = context.getNode();
	return context.continueOnFail() || node.continueOnFail === true || isTool(node);
}

interface TransportOptions {
	baseUrl: string;
	credential: ICredentialDataDecryptedObject;
	/** Called for each attempt, since a poll has less and less time. */
	http(): HttpOptions;
	redact: Redact;
	/** Gets a controller for each attempt, to abort it. */
	inFlight: Set<AbortController>;
}

/** Sends requests through n8n's own request helper, which adds the credential. */
export function createTransport(
	context: NodeContext,
	{ baseUrl, credential: data, http, redact, inFlight }: TransportOptions,
): Transport {
	// The helper would otherwise read and decrypt the credential for each request.
	const decrypted = { credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data } };

	return async ({ method, path, query, body }) => {
		const { timeout, ...options } = http();
		const request: IHttpRequestOptions = {
			...options,
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			// n8n doesn't notice if a compressed response was cut off, and a response to a write must be complete.
			headers: { ...HEADERS, ...(method !== 'GET' && { 'Accept-Encoding': 'identity' }) },
			// n8n's own timeout only limits how long nothing at all arrives.
			timeout: 0,
			// As bytes, so that JSON can be told from other text, and text from garbled bytes.
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		};
		const controller = new AbortController();
		inFlight.add(controller);
		// The same context, except that n8n's request helper finds the signal of this one request in it.
		const contextOfRequest: unknown = Object.create(context, {
			getExecutionCancelSignal: { value: () => controller.signal },
		});
		try {
			const { httpRequestWithAuthentication } = context.helpers;
			const sending: unknown = Reflect.apply(httpRequestWithAuthentication, contextOfRequest, [
				CREDENTIAL,
				request,
				decrypted,
			]);
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
			if (controller.signal.aborted) return TIMED_OUT;
			return noResponse(thrown);
		} finally {
			inFlight.delete(controller);
		}
	};
}
