import { Duration } from 'luxon';

import { isEmpty, subjectOf } from '../values/text';
import { beforeThat, UserFacingError } from '../values/userFacingError';
import type { ApiRequest, FailedAttempt, ScheduledRequest, Wait } from './apiRequest';
import { type FailureRow, failureRowOf } from './failures';
import {
	excerpt,
	isWebPage,
	rejectedKeysIn,
	type Result,
	type ServiceResponse,
	serviceWords,
} from './response';
import { retryAfterOf, TOO_MANY_REQUESTS } from './retryAfter';

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
const LONGEST_URL = 200;
const NO_REASON = 'The service gave no reason. Check the values in this node.';
const FEWER_IDS =
	"If the service limits how many IDs a request may contain, lower 'Batch Size' in the options.";

/** Where a redirect leads, without a password, and without the query, which may contain a sign-in ticket. */
function targetOf({ headers, redact }: ServiceResponse): string {
	const location = isEmpty(headers.location) ? 'an unknown URL' : headers.location;
	const target = String(location)
		.replace(/\/\/[^/?#]*@/, '//')
		.replace(/[?#].*/s, '…');
	return excerpt(target, redact, LONGEST_URL);
}

function whatHappened(row: FailureRow, result: Result, request: ApiRequest, baseUrl: string) {
	const { ids } = request;
	const subject = subjectOf(ids);
	const part = ids.length === 1 ? subject : `one or more of ${subject}`;
	const target = 'headers' in result ? targetOf(result) : '';
	const words: Record<string, string> = { subject, part, target, service: new URL(baseUrl).origin };
	return row.message.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name]));
}

function adviceOnFailure(
	response: ServiceResponse,
	words: string,
	row: FailureRow,
	{ ids }: ApiRequest,
) {
	const { advice, adviceOnSeveral, kind } = row;
	const isRejection = /^4/.test(String(response.status)) && kind !== 'otherWebsite';
	const usual = (ids.length > 1 && adviceOnSeveral) || advice;
	if (isRejection && isWebPage(response)) return `${usual} ${WEB_PAGE}`;
	if (kind !== 'rejected' || adviceOnSeveral) return usual;
	const toDo = words === '' ? NO_REASON : usual;
	return ids.length > 1 ? `${toDo} ${FEWER_IDS}` : toDo;
}

/** A duration in words, e.g. `1 minute and 30 seconds`. A time to wait is rounded up; one that has passed isn't. */
function inWords(milliseconds: number, round = Math.ceil): string {
	// Sums of times are off by a fraction of a millisecond, which must not add a second.
	const seconds = Math.max(1, round(Math.round(milliseconds) / 1000));
	return Duration.fromObject({ seconds }, { locale: 'en' })
		.rescale()
		.toHuman({ listStyle: 'long' });
}

/** What an unsuccessful result means, with the service's own words, or n8n's if it sent nothing. */
export function failedAttempt(result: Result, request: ApiRequest, baseUrl: string): FailedAttempt {
	const row = failureRowOf(result);
	const { kind = 'unknown', isTemporary = false, retry } = row;
	const happened = whatHappened(row, result, request, baseUrl);
	if ('networkCode' in result) {
		const why = result.networkCode === '' ? `: ${result.words}` : ` (${result.networkCode})`;
		const error = new UserFacingError(`${happened}${why}`, row.advice, { kind, isTemporary });
		return { error, retry, retryAfter: 0 };
	}
	const { status } = result;
	const retryAfter = isTemporary ? retryAfterOf(result) : 0;
	const words = status < 400 ? '' : serviceWords(result);
	const wait = retryAfter > 0 ? ` and says to retry in ${inWords(retryAfter)}` : '';
	const message = `${happened}${wait} (${status})${words && `: ${words}`}`;
	const error = new UserFacingError(message, adviceOnFailure(result, words, row, request), {
		kind,
		isTemporary,
		httpCode: String(status),
		words,
		rejectedKeys: rejectedKeysIn(result, request.body),
		isPartlyDone: request.reportsChange?.(result.json),
	});
	return { error, retry, retryAfter };
}

/** Why requests wait, e.g. `the service says to retry in 1 hour`. */
export function whyWait({ retryIn, stalled, untilMinuteLimit = 0 }: Wait): string {
	// Less than a millisecond is rounding.
	if (retryIn >= 1) return `the service says to retry in ${inWords(retryIn)}`;
	if (stalled >= 1)
		return `no request of this kind has succeeded for ${inWords(stalled, Math.round)}`;
	if (untilMinuteLimit < 1) return 'other requests came first';
	return "the 'Requests per Minute' limit in the credential has been reached";
}

/** The status and the words of a failure, e.g. ` (429): Slow down.` Without a response, its message. */
function quoteOf(failure: UserFacingError | undefined): string {
	const code = failure?.httpCode;
	const words = code ? failure?.words : failure?.message;
	return `${code ? ` (${code})` : ''}${words ? `: ${words}` : ''}`;
}

const ENTER_LIMIT =
	"If you know the service's rate limit, enter it as 'Requests per Minute' in the credential.";

function adviceOnWait({ attempts, maxWait }: ScheduledRequest, failure?: UserFacingError): string {
	const { lastFailure } = attempts;
	const advice = `Run the workflow again later, or raise 'Max Wait (Seconds)' in the options (currently ${maxWait / 1000}).`;
	const onLimit = failure?.httpCode === String(TOO_MANY_REQUESTS) ? ` ${ENTER_LIMIT}` : '';
	const isQuoted = lastFailure?.httpCode === failure?.httpCode;
	return `${advice}${onLimit}${isQuoted ? '' : beforeThat(lastFailure)}`;
}

/**
 * The error for a request that would wait for too long. It quotes what made it wait, then its own last failure.
 * @param why the reason for the wait, in words that thousands of requests can share
 */
export function waitError(wait: Wait, request: ScheduledRequest, why = whyWait(wait)) {
	const { attempts, ids, maxWait } = request;
	const { lastFailure, waitedForService } = attempts;
	const { retryIn, stalled } = wait;
	const failure = wait.failure ?? lastFailure;
	const what = lastFailure === undefined ? 'did not send' : 'gave up on';
	const isSum = retryIn > 0 && retryIn <= maxWait;
	const sum = isSum ? `, for a total of ${inWords(stalled + waitedForService + retryIn)}` : '';
	return new UserFacingError(
		`The node ${what} the request for ${subjectOf(ids)}, because ${why}${sum}${quoteOf(failure)}`,
		adviceOnWait(request, failure),
		{ kind: 'notProcessed', httpCode: failure?.httpCode, words: failure?.words, isTemporary: true },
	);
}

/**
 * The error for a request whose execution, poll or list was stopped: its last failure, or what it waited for.
 * Executions don't show it, so its words are about the time that polls and lists have.
 */
export function stoppedError({ attempts, ids }: ScheduledRequest, { failure }: Wait, why: string) {
	if (attempts.lastFailure) return attempts.lastFailure.with({ kind: 'stopped' });
	const message = `Time ran out before ${subjectOf(ids)} was checked, because ${why}${quoteOf(failure)}`;
	return new UserFacingError(message, '', { kind: 'stopped', isTemporary: true });
}
