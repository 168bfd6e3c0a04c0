import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import type { Answer } from '../service/answer';
import { bareKey, normalizeBaseUrl } from '../service/credential';
import { answerTrouble, networkTrouble, type Subject } from '../service/failures';
import { networkCode, pauseBeforeRetry, type Result } from '../service/retry';
import type { Trouble } from '../values/trouble';
import type { Run } from './run';

export const CREDENTIAL = 'workflowInstanceServiceApi';

/** One request of the interface (section 4). */
export interface ServiceRequest extends Subject {
	method: 'GET' | 'POST' | 'PUT';
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
}

/** The service as operations see it. */
export interface Service {
	/** The base URL of the credential, without a trailing slash. */
	readonly baseUrl: string;
	/**
	 * Sends a request, as often as it may be repeated.
	 *
	 * @returns the answer, whose status is 2xx
	 * @throws Trouble when the service refused or did not answer; Halted when the run was stopped
	 */
	send(request: ServiceRequest): Promise<Answer>;
}

/** Takes the API key out of words that the service said: some services repeat what they were sent. */
function withoutKey(trouble: Trouble, apiKey: unknown): Trouble {
	const key = bareKey(apiKey);
	if (key === '') return trouble;
	for (const form of [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]) {
		trouble.message = trouble.message.replaceAll(form, '***');
	}
	return trouble;
}

/**
 * The service of the node's credential, reached through n8n's own request helper: it adds the
 * credential and keeps to the user's Request Options (timeout, proxy, SSL).
 *
 * @param options what n8n has made of the Request Options
 * @throws Trouble when the base URL of the credential is unusable
 */
export async function connect(
	context: IExecutePaginationFunctions,
	options: DeclarativeRestApiSettings.HttpRequestOptions,
	run: Run,
	maxRetries: number,
): Promise<Service> {
	run.credentials ??= context.getCredentials(CREDENTIAL);
	const credentials = await run.credentials;
	const baseUrl = normalizeBaseUrl(credentials.baseUrl);

	const tryOnce = async ({ method, path, query, body }: ServiceRequest): Promise<Result> => {
		const request: IHttpRequestOptions = {
			...options,
			skipSslCertificateValidation: Boolean(options.skipSslCertificateValidation),
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			headers: {
				Accept: 'application/json',
				...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
			},
			// As text, so that a body that is no JSON, or cut off, is told from one that is.
			encoding: 'text',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			allowedDomains: new URL(baseUrl).hostname,
		};
		try {
			const response: IN8nHttpFullResponse =
				await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, request);
			return {
				status: response.statusCode,
				headers: response.headers,
				text: String(response.body),
			};
		} catch (failure) {
			return { networkCode: networkCode(failure) };
		}
	};

	const send = async (request: ServiceRequest): Promise<Answer> => {
		let waited = 0;
		for (let tries = 1; ; tries++) {
			await run.clearance();
			const result = await tryOnce(request);
			if ('networkCode' in result) run.assertGoing();
			const pause = pauseBeforeRetry(result, { tries, maxRetries, waited, now: Date.now() });
			if (pause !== undefined) {
				run.pause(pause);
				waited += pause;
				continue;
			}
			if ('networkCode' in result) throw networkTrouble(result.networkCode, request.subject);
			if (result.status >= 200 && result.status < 300) return result;
			throw withoutKey(answerTrouble(result, request), credentials.apiKey);
		}
	};

	return { baseUrl, send };
}
