import { UserFacingError } from '../values/userFacingError';
import type { ApiRequest } from './apiRequest';
import { systemClock } from './clock';
import { type Failure, failureOf } from './failureMessages';
import {
	isWebPage,
	keysIn,
	type NoResponse,
	type Result,
	type ServiceResponse,
	serviceWords,
} from './response';
import { askedPause } from './retryAfter';
import { inWords } from './waits';

/** A request that was sent, perhaps several times. */
export type Sent = Pick<ApiRequest, 'method' | 'part' | 'subject'> & { baseUrl: string };

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
const ABOUT_REJECTED = { GET: 'the request for', POST: 'the deletion of', PUT: 'the values for' };
const TO_SHRINK = {
	GET: 'Ask a service admin for help.',
	POST: "Lower 'Batch Size' in the options.",
	PUT: 'Shorten the values.',
};

/** Where a redirect points, without what follows: it may be a ticket of a sign-in page. */
function targetOf({ headers }: ServiceResponse): string {
	const location = String(headers.location ?? '').replace(/[?#].*/s, '…');
	return location === '' ? 'elsewhere' : `to ${location}`;
}

function happened(failure: Failure, { method, subject, part = subject, baseUrl }: Sent): string {
	return failure.happened
		.replace('{rejected}', ABOUT_REJECTED[method])
		.replace('{subject}', subject)
		.replace('{part}', part)
		.replace('{service}', new URL(baseUrl).origin);
}

function networkError(result: NoResponse, failure: Failure, sent: Sent): UserFacingError {
	const { networkCode, words } = result;
	const why = networkCode === '' ? `: ${words}` : ` (${networkCode})`;
	const { advice, kind, isTemporary, requestOption } = failure;
	const facts = { kind, isTemporary, requestOption };
	return new UserFacingError(`${happened(failure, sent)}${why}`, advice, facts);
}

/** What to do about a response, which may be a page that comes from elsewhere than the service. */
function adviceOn(response: ServiceResponse, failure: Failure, sent: Sent): string {
	const isRejection = /^4/.test(String(response.status)) && failure.kind !== 'otherWebsite';
	const advice = failure.advice.replace('{shrink}', TO_SHRINK[sent.method]);
	return isRejection && isWebPage(response) ? `${advice} ${WEB_PAGE}` : advice;
}

function responseError(response: ServiceResponse, failure: Failure, sent: Sent): UserFacingError {
	const { status } = response;
	const { kind, isTemporary } = failure;
	const words = status < 400 ? '' : serviceWords(response);
	const pause = isTemporary ? askedPause(response, systemClock.now()) : 0;
	const what = happened(failure, sent).replace('{target}', () => targetOf(response));
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const quote = words === '' ? '' : `: ${words}`;
	const message = `${what}${wait} (${status})${quote}`;
	return new UserFacingError(message, adviceOn(response, failure, sent), {
		kind,
		isTemporary,
		pause,
		httpCode: String(status),
		words: isWebPage(response) || kind === 'otherWebsite' ? undefined : words,
		keys: keysIn(response),
	});
}

/** The error for a result that is no success, with the service's own words, or n8n's if it sent nothing. */
export function errorOf(result: Result, sent: Sent): UserFacingError {
	const failure = failureOf(result);
	const error =
		'status' in result ? responseError(result, failure, sent) : networkError(result, failure, sent);
	if (!failure.mayBeDone || sent.method === 'GET') return error;
	return error.with({ mayBeDone: true });
}
