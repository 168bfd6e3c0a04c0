import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import type { Answer } from '../service/answer';
import { bareKey, normalizeBaseUrl } from '../service/credential';
import { answerTrouble, leavesOpen, networkTrouble, type Subject } from '../service/failures';
import { networkFailure } from '../service/network';
import { isAskedToWait, isLostConnection, pauseBeforeRetry, type Result } from '../service/retry';
import type { Run } from './run';

const CREDENTIAL = 'workflowInstanceServiceApi';

/** One request of the interface (section 4). */
export interface ServiceRequest extends Subject {
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
	run.hide(bareKey(credentials.apiKey));
	const baseUrl = normalizeBaseUrl(credentials.baseUrl);

	// Given to the helper, which else reads and decrypts the credential anew for each request. So all
	// items use that of the first one, key and base URL alike.
	const known = {
		credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data: credentials },
	};
	const tryOnce = async ({ method, path, query, body }: ServiceRequest): Promise<Result> => {
		const request: IHttpRequestOptions = {
			...options,
			skipSslCertificateValidation: Boolean(options.skipSslCertificateValidation),
			method,
			url: `${baseUrl}${path}`,
			qs: query,
			body,
			headers: { Accept: 'application/json' },
			// As text, so that a body that is no JSON, or cut off, is told from one that is.
			encoding: 'text',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			allowedDomains: new URL(baseUrl).hostname,
		};
		try {
			const response: IN8nHttpFullResponse =
				await context.helpers.httpRequestWithAuthentication.call(
					context,
					CREDENTIAL,
					request,
					known,
				);
			const text = String(response.body);
			return {
				status: response.statusCode,
				headers: response.headers,
				text,
				quotable: () => run.concealer.text(text),
			};
		} catch (failure) {
			return networkFailure(failure);
		}
	};

	const send = async (request: ServiceRequest): Promise<Answer> => {
		let waited = 0;
		let lost = 0;
		let isUncertain = false;
		for (let tries = 1; ; tries++) {
			await run.clearance();
			const result = await tryOnce(request);
			if ('networkCode' in result) run.assertGoing();
			else if (!isAskedToWait(result)) run.answered();
			if (isLostConnection(result)) lost++;
			const { stalled } = run;
			const history = { tries, lost, waited, stalled };
			const pause = pauseBeforeRetry(result, history, { maxRetries, now: Date.now() });
			if (pause !== undefined) {
				run.pause(pause);
				waited += pause;
				isUncertain ||= leavesOpen(result);
				continue;
			}
			const sent = { ...request, baseUrl, isUncertain };
			if ('networkCode' in result) throw networkTrouble(result, sent);
			if (result.status < 300) return result;
			throw answerTrouble(result, sent);
		}
	};

	return { baseUrl, send };
}
