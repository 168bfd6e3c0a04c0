import { UserFacingError } from '../values/userFacingError';
import { type ApiRequest, Attempts, subjectOf } from './apiRequest';
import { type Failure, failureOf, OTHER_WEBSITE } from './failureMessages';
import type { Client } from './rateLimiting/client';
import type { Outcome, Scheduler } from './rateLimiting/scheduler';
import {
	isWebPage,
	keysIn,
	type Result,
	type ServiceResponse,
	serviceWords,
	TIMED_OUT,
} from './response';
import { retryAfter } from './retryAfter';
import { inWords } from './waits';

/** Sends a request once. */
export type Transport = (request: ApiRequest) => Promise<Result>;

/** The service, for requests of one client that wait no longer than they may. */
export type Service = ReturnType<typeof createService>;

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
const REJECTED = {
	GET: { what: 'the request for', toCheck: 'the ID and the options' },
	POST: { what: 'the deletion of', toCheck: 'the IDs' },
	PUT: { what: 'the values for', toCheck: 'the values' },
};

function whatHappened(failure: Failure, result: Result, request: ApiRequest, baseUrl: string) {
	const { ids, method } = request;
	const subject = subjectOf(ids);
	const { location = 'an unknown URL' } = 'headers' in result ? result.headers : {};
	return (
		failure.happened
			.replace('{rejected}', REJECTED[method].what)
			.replace('{subject}', subject)
			.replace('{part}', ids.length === 1 ? subject : `one or more of ${subject}`)
			.replace('{service}', new URL(baseUrl).origin)
			// What follows may be a ticket of a sign-in page.
			.replace('{target}', () => String(location).replace(/[?#].*/s, '…'))
	);
}

function adviceOn(response: ServiceResponse, failure: Failure, { ids, method }: ApiRequest) {
	const { advice, adviceOnSeveral, kind } = failure;
	const isRejection = /^4/.test(String(response.status)) && failure !== OTHER_WEBSITE;
	if (isRejection && isWebPage(response)) return `${advice} ${WEB_PAGE}`;
	if (kind === 'rejected' && !adviceOnSeveral && serviceWords(response) === '') {
		return `The service gave no reason. Check ${REJECTED[method].toCheck}.`;
	}
	return (ids.length > 1 && adviceOnSeveral) || advice;
}

/** The error for a result that is no success, with the service's own words, or n8n's if it sent nothing. */
function errorOf(
	result: Result,
	failure: Failure,
	request: ApiRequest,
	baseUrl: string,
	pause: number,
): UserFacingError {
	const { kind = 'failed', requestOption, retry } = failure;
	const isTemporary = retry !== undefined;
	const happened = whatHappened(failure, result, request, baseUrl);
	if ('networkCode' in result) {
		const why = result.networkCode === '' ? `: ${result.words}` : ` (${result.networkCode})`;
		const facts = { kind, isTemporary, requestOption };
		return new UserFacingError(`${happened}${why}`, failure.advice, facts);
	}
	const { status } = result;
	const words = status < 400 ? '' : serviceWords(result);
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const message = `${happened}${wait} (${status})${words && `: ${words}`}`;
	return new UserFacingError(message, adviceOn(result, failure, request), {
		kind,
		isTemporary,
		pause,
		httpCode: String(status),
		words,
		isOfGateway: isWebPage(result) || failure === OTHER_WEBSITE,
		keys: keysIn(result),
	});
}

/**
 * @param baseUrl without a trailing slash
 * @param maxWait the longest wait for the service, in milliseconds
 * @param unknownIds takes the IDs of instances that may have been changed
 */
export function createService(
	baseUrl: string,
	transport: Transport,
	scheduler: Scheduler,
	client: Client,
	maxWait: number,
	unknownIds = new Set<number>(),
) {
	const sendOnce = async (request: ApiRequest, attempts: Attempts): Promise<Outcome> => {
		const recordUnknown = () => {
			if (request.method !== 'GET') for (const id of request.ids) unknownIds.add(id);
		};
		const received = await transport(request);
		if ('status' in received && received.status < 300) {
			recordUnknown();
			return { response: received };
		}
		// What was aborted says nothing about the service.
		const isAborted = 'networkCode' in received && client.signal.aborted;
		const result = isAborted ? TIMED_OUT : received;
		const failure = failureOf(result);
		if (failure.kind === undefined) recordUnknown();
		const { retry } = failure;
		const pause = retry ? retryAfter(result, scheduler.clock.now()) : 0;
		const error = errorOf(result, failure, request, baseUrl, pause);
		if (isAborted) throw (attempts.lastFailure ?? error).with({ kind: 'stopped' });
		return { error, retry };
	};

	/** Returns the response, whose status is 2xx. Throws UserFacingError or Withdrawn. */
	const send = async (request: ApiRequest): Promise<ServiceResponse> => {
		const { attempts = new Attempts() } = request;
		const sending = async () => await sendOnce(request, attempts);
		return await scheduler.schedule(client, { ...request, attempts, maxWait }, sending);
	};

	return { baseUrl, send };
}
