import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';

import { LONGEST_SLEEP_MS, withTimeLimit } from '../api/clock';
import { HEADERS } from '../api/credential';
import type { Redact } from '../api/redactor';
import { decodeBody, noResponse, TIMED_OUT } from '../api/response';
import type { Transport } from '../api/service';
import { asObject, isObject, parseJson } from '../values/json';
import { isEmpty } from '../values/text';
import { notValid, UserFacingError } from '../values/userFacingError';
import type { ItemParameters } from './parameters';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n passes to a node that runs, by either entry point. */
export type ExecuteContext = IExecuteFunctions | IExecutePaginationFunctions;
export type NodeContext = ExecuteContext | IPollFunctions | ILoadOptionsFunctions;

/** Whether an AI agent uses the node as a tool: n8n has a type of its own for it. */
export const isTool = ({ type }: INode) => type.endsWith('Tool');

/**
 * Whether it continues when an item can't be processed: as the user chose, by either setting
 * (docs/dev/n8n-engine.md#throwing-under-continue), and as a tool (docs/dev/n8n-engine.md#tools-that-throw).
 */
export function continuesOnError(context: ExecuteContext): boolean {
	const node = context.getNode();
	return context.continueOnFail() || node.continueOnFail === true || isTool(node);
}

const DEFAULT_TIMEOUT_MS = 300_000;

/** For n8n's request helper; times are in milliseconds. */
export type HttpOptions = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
	timeout: number;
};

function parseProxy(value: unknown): HttpOptions['proxy'] {
	if (isEmpty(value)) return undefined;
	try {
		const { protocol, hostname: host, port, username, password } = new URL(String(value));
		const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
		const usualPort = protocol === 'https:' ? 443 : 80;
		const proxy = { protocol: protocol.replace(':', ''), host, port: Number(port) || usualPort };
		// Without a word, n8n sends past a proxy of another kind, e.g. SOCKS, and logs its password.
		if (/^https?:$/.test(protocol)) {
			return username === '' ? proxy : { ...proxy, auth };
		}
	} catch {
		// Neither a URL nor a user name can be read.
	}
	// Not quoted: it may contain a password.
	throw new UserFacingError(
		"'Proxy' is not the URL of an HTTP proxy",
		"Under 'Request Options' on the Settings tab, enter a URL that starts with http:// or https://, e.g. http://proxy.example.com:8080, or remove it.",
	);
}

function parseTimeout(value: unknown): number {
	const timeout = Number(value || DEFAULT_TIMEOUT_MS);
	if (timeout > 0 && timeout <= LONGEST_SLEEP_MS) return timeout;
	const advice = `Enter a number from 1 to ${LONGEST_SLEEP_MS} under 'Request Options' on the Settings tab, e.g. 60000 for one minute, or remove it.`;
	throw notValid(value, "'Timeout'", 'a number of milliseconds', advice);
}

function requestOptionsOf(parameters: Pick<ItemParameters, 'get'>): IDataObject {
	return asObject(parameters.get({ displayName: 'Request Options', name: 'requestOptions' }));
}

/** n8n's own Request Options, which only its routing interprets (docs/dev/n8n-engine.md#request-options). */
export function httpOptions(parameters: Pick<ItemParameters, 'get'>): HttpOptions {
	const { proxy, timeout, allowUnauthorizedCerts } = requestOptionsOf(parameters);
	return {
		proxy: parseProxy(proxy),
		skipSslCertificateValidation: allowUnauthorizedCerts === true,
		timeout: parseTimeout(timeout),
	};
}

/** n8n's own Batching: how long after the first item an item starts, by its index, in milliseconds. */
export function batchDelay(parameters: Pick<ItemParameters, 'get'>): (item: number) => number {
	const { batchSize, batchInterval } = asObject(
		asObject(requestOptionsOf(parameters).batching).batch,
	);
	const size = Math.max(Number(batchSize) || 1, 1);
	const interval = Math.max(Number(batchInterval) || 0, 0);
	return (item) => Math.floor(item / size) * interval;
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
	const decrypted = { credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data } };

	return async ({ method, path, query, body }) => {
		const { timeout, ...options } = http();
		const request: IHttpRequestOptions = {
			...options,
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			// n8n doesn't notice that a compressed response was cut off. A response to a write must be whole.
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
			return controller.signal.aborted ? TIMED_OUT : noResponse(thrown);
		} finally {
			inFlight.delete(controller);
		}
	};
}
