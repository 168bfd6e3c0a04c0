import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';

import { createService, type Service, type Transport } from '../api/apiClient';
import { systemClock, withTimeLimit } from '../api/clock';
import {
	assertKeyStaysHidden,
	bareKey,
	HEADERS,
	normalizeBaseUrl,
	requestsPerMinute,
} from '../api/credential';
import { poolFor } from '../api/pace/permitPool';
import { createRedact, type Redact } from '../api/redactor';
import { decodeBody, noResponse, TIMED_OUT } from '../api/response';
import { RunStopped } from '../api/waits';
import { asObject, isObject } from '../values/json';
import { UserFacingError, wordsOf } from '../values/userFacingError';
import { asUserFacingError, type Sender, shown } from './errorText';
import { nodeApiError } from './outputItems';
import type { HttpOptions } from './requestOptions';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** What n8n passes to a node that runs, by either entry point. */
export type RunContext = IExecuteFunctions | IExecutePaginationFunctions;
type NodeContext = RunContext | IPollFunctions | ILoadOptionsFunctions;

function isFullResponse(value: unknown): value is IN8nHttpFullResponse {
	return isObject(value) && 'statusCode' in value;
}

/** Sends requests through n8n's own request helper, which adds the credential. */
function createTransport(
	context: NodeContext,
	baseUrl: string,
	data: ICredentialDataDecryptedObject,
	http: () => HttpOptions,
	redact: Redact,
	leaving: AbortSignal,
): Transport {
	// The helper would otherwise read and decrypt the credential for each request.
	const credentialsDecrypted = { id: '', name: CREDENTIAL, type: CREDENTIAL, data };

	return async ({ method, path, query, body }) => {
		const { timeout, ...options } = http();
		const request: IHttpRequestOptions = {
			...options,
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			headers: { ...HEADERS },
			// n8n's own only limits how long nothing at all arrives.
			timeout: 0,
			// As bytes, so that JSON can be told from other text, and text from garbled bytes.
			encoding: 'arraybuffer',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			allowedDomains: new URL(baseUrl).hostname,
		};
		const abortion = new AbortController();
		const abort = () => abortion.abort();
		leaving.addEventListener('abort', abort);
		// The same context, in which n8n's request helper finds the signal of this one request.
		const own: unknown = Object.create(context, {
			getExecutionCancelSignal: { value: () => abortion.signal },
		});
		try {
			const { httpRequestWithAuthentication: send } = context.helpers;
			const additional = { credentialsDecrypted };
			const sending: unknown = Reflect.apply(send, own, [CREDENTIAL, request, additional]);
			const response = await withTimeLimit(timeout, Promise.resolve(sending), abort);
			if (!isFullResponse(response)) return TIMED_OUT;
			const { statusCode: status, headers } = response;
			// A response without a body has no bytes.
			const bytes = Buffer.concat([response.body].filter((part) => Buffer.isBuffer(part)));
			const decoded = decodeBody(bytes);
			return { status, headers, ...decoded, redact };
		} catch (thrown) {
			return noResponse(thrown);
		} finally {
			leaving.removeEventListener('abort', abort);
		}
	};
}

function cannotRead(cause: unknown): never {
	throw new UserFacingError(
		`n8n could not read the credential of this node: ${wordsOf(cause)}`,
		"In this node, select or create a 'Workflow Instance Service API' credential.",
	);
}

/** A connection that is open. */
interface Opened {
	/** The base URL of the credential. */
	baseUrl: string;
	/** The service for some requests. `mayBeDone` takes the IDs of instances that they may have changed. */
	serviceWith(http: () => HttpOptions, maxWait: number, mayBeDone?: Set<number>): Service;
}

/** Prepares the connection of one run, poll or list, which is opened when it is first needed. */
export function createConnection(context: NodeContext, sender: Sender) {
	let redact: Redact = (text) => text;
	let opening: Promise<Opened> | undefined;
	const stopping = new AbortController();
	const leaving = new AbortController();

	const connect = async (): Promise<Opened> => {
		const credential = await context.getCredentials(CREDENTIAL).catch(cannotRead);
		const apiKey = bareKey(credential.apiKey);
		redact = createRedact(apiKey);
		const baseUrl = normalizeBaseUrl(credential.baseUrl);
		const perMinute = requestsPerMinute(credential.requestsPerMinute);
		stopping.signal.throwIfAborted();
		const pool = poolFor(baseUrl, apiKey, systemClock);
		const run = pool.join(perMinute);
		stopping.signal.addEventListener('abort', () => void pool.leave(run));
		return {
			baseUrl,
			serviceWith(http, maxWait, mayBeDone) {
				assertKeyStaysHidden(credential, http());
				const send = createTransport(context, baseUrl, credential, http, redact, leaving.signal);
				return createService(baseUrl, send, pool, run, maxWait, mayBeDone);
			},
		};
	};

	/** Holds back every request that wasn't sent yet. */
	const stop = () => stopping.abort(new RunStopped());

	const log = (level: 'error' | 'warn', message: string) => {
		const { name: node } = context.getNode();
		const { id: workflowId } = context.getWorkflow();
		const executionId = context.getExecutionId();
		context.logger[level](redact(message), { node, workflowId, executionId });
	};

	/** Logs the stacks of errors that nobody expected, each once. */
	const logUnexpected = (errors: UserFacingError[]) => {
		for (const cause of new Set(errors.map((error) => error.cause))) {
			if (cause === undefined) continue;
			const { stack = cause } = asObject(cause);
			log('error', `Unexpected error in Workflow Instance Service: ${String(stack)}`);
		}
	};

	return {
		stop,
		log,
		logUnexpected,
		/** Aborted when it is stopped, with RunStopped. */
		signal: stopping.signal,

		/** @throws UserFacingError when the credential can't be used; RunStopped when it was stopped */
		open: async (): Promise<Opened> => await (opening ??= connect()),

		/** An error as n8n shows it, without the API key. */
		shown: (error: UserFacingError) => shown(error, sender, redact),

		/** Whatever was thrown, for n8n. What nobody expected is logged. */
		nodeError(cause: unknown, itemIndex?: number) {
			const error = asUserFacingError(cause);
			logUnexpected([error]);
			return nodeApiError(context.getNode(), shown(error, sender, redact), itemIndex);
		},

		/** Aborts what is in flight, and frees what is shared with others. */
		leave() {
			stop();
			leaving.abort();
		},
	};
}
