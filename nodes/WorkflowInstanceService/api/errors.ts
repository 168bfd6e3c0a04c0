import { UserFacingError } from '../values/userFacingError';
import type { ApiRequest } from './apiRequest';
import { systemClock } from './clock';
import { type Failure, failureOf, OTHER_WEBSITE } from './failureMessages';
import {
	isWebPage,
	keysIn,
	type NoResponse,
	type Result,
	type ServiceResponse,
	serviceWords,
} from './response';
import { askedPause } from './retryAfter';
import { adviceOnWait, inWords } from './waits';

/** What some advice depends on. */
export interface Sender {
	/** Whether the node goes on with other items. */
	continues: boolean;
	/** What to say where a later attempt may help, if not that the workflow should run again. */
	tryAgain?: string;
}

/** A request that was sent, perhaps several times. */
export interface Sent extends Pick<ApiRequest, 'adviceOn' | 'method' | 'part' | 'subject'> {
	baseUrl: string;
	/** The longest wait for the service, in milliseconds. */
	maxWait: number;
}

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
/** Only where the node stops: with Continue, n8n would process all items again, and only if the first one ends in an error. */
const RETRY_ON_FAIL =
	"To retry automatically, turn on 'Retry On Fail' in the settings of this node.";
const MAY_BE_DONE_BEFORE =
	'The service may have processed an earlier attempt. Check there before you run this again.';
export const MAY_BE_DONE =
	'The service may still have processed the request. Check there before you run this again.';
/** Ends advice where no change was sent. {@link doubted} removes it: an earlier attempt may have made the change. */
export const NOTHING_CHANGED = 'Nothing was changed.';

function sentences(parts: Array<string | false | undefined>): string {
	return parts.filter(Boolean).join(' ');
}

/** The same error, where the service may have processed an earlier attempt of the run. */
export function doubted(error: UserFacingError): UserFacingError {
	if (error.mayBeDone) return error;
	const advice = error.description.replace(` ${NOTHING_CHANGED}`, '');
	return error.with({ description: `${advice} ${MAY_BE_DONE_BEFORE}`, mayBeDone: true });
}

/** Where a redirect points, without what follows: it may be a ticket of a sign-in page. */
function targetOf({ headers }: ServiceResponse): string {
	const location = String(headers.location ?? '').replace(/[?#].*/s, '…');
	return location === '' ? 'elsewhere' : `to ${location}`;
}

const REJECTED = { GET: 'the request for', POST: 'the deletion of', PUT: 'the values for' };

function happened(
	{ happened: text }: Failure,
	{ method, subject, part = subject, baseUrl }: Sent,
): string {
	return text
		.replace('{rejected}', REJECTED[method])
		.replace('{subject}', subject)
		.replace('{part}', part)
		.replace('{service}', new URL(baseUrl).origin);
}

function networkError(result: NoResponse, failure: Failure, sent: Sent): UserFacingError {
	const { networkCode, words } = result;
	const why = networkCode === '' ? `: ${words}` : ` (${networkCode})`;
	const { advice, isTemporary, requestOption } = failure;
	const facts = { isTemporary, requestOption };
	return new UserFacingError(`${happened(failure, sent)}${why}`, advice, facts);
}

/** Advice on a web page instead of a rejection, which may come from elsewhere than the service. */
function adviceOnPage(response: ServiceResponse, failure: Failure): string {
	const isRejection = /^4/.test(String(response.status)) && failure !== OTHER_WEBSITE;
	return isRejection && isWebPage(response) ? WEB_PAGE : '';
}

function responseError(response: ServiceResponse, failure: Failure, sent: Sent): UserFacingError {
	const { status } = response;
	const words = status < 400 ? '' : serviceWords(response);
	const pause = askedPause(response, systemClock.now());
	const what = happened(failure, sent).replace('{target}', () => targetOf(response));
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const quote = words === '' ? '' : `: ${words}`;
	const description = sentences([
		failure.isAboutValues && sent.adviceOn?.(words, keysIn(response)),
		pause > sent.maxWait ? adviceOnWait(sent.maxWait) : failure.advice,
		adviceOnPage(response, failure),
	]);
	return new UserFacingError(`${what}${wait} (${status})${quote}`, description, {
		httpCode: String(status),
		words: isWebPage(response) || failure === OTHER_WEBSITE ? undefined : words,
		isAbsent: failure.isAbsent,
		isTemporary: failure.isTemporary,
		isAboutKey: failure.isAboutKey,
		pause,
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

/** With what depends on who sent the request. */
export function rendered(error: UserFacingError, { continues, tryAgain }: Sender): UserFacingError {
	const { description: advice, isTemporary, requestOption, mayBeDone } = error;
	const later = sentences([advice, requestOption, isTemporary && !continues && RETRY_ON_FAIL]);
	const told = tryAgain === undefined ? later : isTemporary ? tryAgain : advice;
	return error.with({ description: sentences([told, mayBeDone && MAY_BE_DONE]) });
}
