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

/** What some advice depends on. */
export interface Sender {
	/** Whether the node goes on with other items. */
	continues: boolean;
	/** What to say where a later attempt may help, if not that the workflow should run again. */
	tryAgain?: string;
}

/** A request that was sent, perhaps several times. */
export interface Sent extends Sender, Pick<ApiRequest, 'adviceOn' | 'method' | 'part' | 'subject'> {
	baseUrl: string;
	/** The longest wait for the service, in milliseconds. */
	maxWait: number;
}

/** How long nothing may be sent, in milliseconds, and on whose account. */
export interface Wait {
	wait: number;
	/** The service by Retry-After, the node by its own back-off, or 'Requests per Minute'. */
	reason: 'service' | 'node' | 'credential';
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
/** What happens after a temporary failure in a poll. */
export const NEXT_POLL = 'The next poll tries again.';

const UNITS = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 };
const A_YEAR = 366 * UNITS.days;

/** A time for people, rounded up, e.g. `90 seconds`, `2 hours`. */
export function inWords(milliseconds: number): string {
	// A sum of times is off by a fraction of a millisecond, which must not add a minute.
	const total = Math.ceil(Math.round(milliseconds) / 1000);
	if (total > A_YEAR) return 'more than a year';
	const [unit, seconds] = Object.entries(UNITS).find(([, each]) => total >= 2 * each) ?? [];
	return seconds === undefined ? '1 second' : `${Math.ceil(total / seconds)} ${unit}`;
}

function sentences(parts: Array<string | false | undefined>): string {
	return parts.filter(Boolean).join(' ');
}

/** The same error, where the service may have processed an earlier attempt of the run. */
export function doubted(error: UserFacingError): UserFacingError {
	if (error.mayBeDone) return error;
	const advice = error.description.replace(` ${NOTHING_CHANGED}`, '');
	return error.with({ description: `${advice} ${MAY_BE_DONE_BEFORE}`, mayBeDone: true });
}

function whyWait({ wait, reason }: Wait): string {
	const time = inWords(wait);
	return {
		service: `the service says to retry in ${time}`,
		node: `the node is waiting ${time} before it sends more requests`,
		credential: "the 'Requests per Minute' limit in the credential has been reached",
	}[reason];
}

function adviceOnWait({ maxWait, tryAgain }: Sent): string {
	if (tryAgain !== undefined) return tryAgain;
	return `Run the workflow again after that time, or raise 'Max Wait (Seconds)' in the options (currently ${inWords(maxWait)}).`;
}

/** The error when time was up before something was read, e.g. `instance 42`. */
export function heldError(subject: string, held: Wait, tryAgain = NEXT_POLL): UserFacingError {
	const why = held.wait > 0 ? whyWait(held) : 'other executions on this n8n kept the service busy';
	const message = `Time ran out before ${subject} was checked: ${why}`;
	return new UserFacingError(message, tryAgain, { pause: held.wait });
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

function adviceOn(failure: Failure, { continues, tryAgain }: Sender): string {
	const { advice, isTemporary = false, requestOption } = failure;
	if (tryAgain !== undefined) return isTemporary ? tryAgain : advice;
	return sentences([advice, requestOption, isTemporary && !continues && RETRY_ON_FAIL]);
}

function networkError(result: NoResponse, failure: Failure, sent: Sent): UserFacingError {
	const { networkCode, words } = result;
	const why = networkCode === '' ? `: ${words}` : ` (${networkCode})`;
	return new UserFacingError(`${happened(failure, sent)}${why}`, adviceOn(failure, sent));
}

/** Advice on a web page instead of a rejection, which may come from elsewhere than the service. */
function adviceOnPage(response: ServiceResponse, failure: Failure): string {
	const isRejection = /^4/.test(String(response.status)) && failure !== OTHER_WEBSITE;
	return isRejection && isWebPage(response) ? WEB_PAGE : '';
}

function responseError(response: ServiceResponse, failure: Failure, sent: Sent): UserFacingError {
	const { status } = response;
	const words = status < 400 ? '' : serviceWords(response);
	const pause = askedPause(response, systemClock.now()) ?? 0;
	const what = happened(failure, sent).replace('{target}', () => targetOf(response));
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const quote = words === '' ? '' : `: ${words}`;
	const description = sentences([
		failure.isAboutValues && sent.adviceOn?.(words, keysIn(response)),
		pause > sent.maxWait ? adviceOnWait(sent) : adviceOn(failure, sent),
		adviceOnPage(response, failure),
	]);
	return new UserFacingError(`${what}${wait} (${status})${quote}`, description, {
		httpCode: String(status),
		words: isWebPage(response) || failure === OTHER_WEBSITE ? undefined : words,
		isAbsent: failure.isAbsent,
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
	return error.with({ description: `${error.description} ${MAY_BE_DONE}`, mayBeDone: true });
}

/** Thrown where a request is not sent, or not waited for, because its run was stopped. */
export class RunStopped extends Error {
	/** @param mayBeDone whether it was sent, so that the service may have processed it */
	constructor(readonly mayBeDone = false) {
		super('The run was stopped');
	}
}

/** Thrown where a request is not sent, because the wait is longer than the run may wait. */
export class WaitTooLong extends Error {
	constructor(readonly wait: Wait) {
		super('The wait is too long');
	}
}

function waitError({ wait }: WaitTooLong, sent: Sent): UserFacingError {
	const message = `The request for ${sent.subject} was not sent, because ${whyWait(wait)}`;
	return new UserFacingError(message, adviceOnWait(sent), { pause: wait.wait });
}

/** What ended a request, for the user, who has to know if an earlier attempt may have been processed. */
export function explained(cause: unknown, sent: Sent, mayBeDoneBefore: boolean): unknown {
	if (cause instanceof RunStopped) return new RunStopped(cause.mayBeDone || mayBeDoneBefore);
	const error = cause instanceof WaitTooLong ? waitError(cause, sent) : cause;
	return mayBeDoneBefore && error instanceof UserFacingError ? doubted(error) : error;
}
