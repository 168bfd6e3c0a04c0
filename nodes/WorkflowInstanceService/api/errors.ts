import { UserFacingError } from '../values/userFacingError';
import { inWords } from './duration';
import { type Meaning, NEXT_POLL, RETRY_ON_FAIL, rowOf, UNKNOWN_RESPONSE } from './messages';
import type { NoResponse } from './network';
import { NETWORK, NOT_SENT, UNKNOWN_NETWORK } from './networkMessages';
import { isJsonOrEmpty, isWebPage, type ServiceResponse, serviceWords } from './response';
import { askedPause, isAskedToWait, type Result } from './retry';

export type ApiMethod = 'GET' | 'POST' | 'PUT';

/** What a request is about, as far as messages need to know. */
export interface Subject {
	/** In the words of a message, e.g. `instance 42`, `21 instances`. */
	subject: string;
	/** Of several, which of them the service may have rejected: `one or more of 21 instances`. */
	part?: string;
	method: ApiMethod;
	/** Advice that comes first when values are rejected, depending on the service's words. */
	adviceOn?(words: string): string | undefined;
}

/** What some advice depends on. */
export interface Sender {
	/** Whether the node goes on with other items. */
	continues: boolean;
	/** What to say where a later attempt may help, if not that the workflow should run again. */
	tryAgain?: string;
}

/** A request that was sent, perhaps several times. */
export interface Sent extends Subject, Sender {
	/** The address of the service. */
	baseUrl: string;
	/** Whether the service may have processed an earlier attempt. */
	mayBeDoneBefore: boolean;
	/** In milliseconds since 1970, for services that do not tell their time. */
	now: number;
	/** The longest wait for the service, in milliseconds. */
	maxWait: number;
}

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
export const MAY_BE_DONE =
	'The service may still have processed the request. Check there before you run this again.';
const MAY_BE_DONE_BEFORE =
	'The service may have processed an earlier attempt. Check there before you run this again.';

/**
 * Ends advice where no change was sent. {@link doubted} removes it, since an earlier attempt may
 * have made the change.
 */
export const NOTHING_CHANGED = 'Nothing was changed.';

/** The same error, where the service may have processed an earlier attempt of the run. */
export function doubted(error: UserFacingError): UserFacingError {
	if (error.mayBeDone) return error;
	const advice = error.description.replace(` ${NOTHING_CHANGED}`, '');
	return error.with({ description: `${advice} ${MAY_BE_DONE_BEFORE}`, mayBeDone: true });
}

function adviceOnWait({ maxWait, tryAgain }: Sent): string {
	if (tryAgain !== undefined) return tryAgain;
	return `Run the workflow again after that time, or raise 'Max Wait (Seconds)' in the options (currently ${inWords(maxWait)}).`;
}

/**
 * What it means that the time was up before a request could be sent.
 *
 * @param subject what was to be checked, e.g. `instance 42`
 * @param held how long nobody may send anything, in milliseconds, and who asked for that
 * @param tryAgain as in {@link Sender}
 */
export function heldError(
	subject: string,
	{ wait, isByCredential }: { wait: number; isByCredential: boolean },
	tryAgain = NEXT_POLL,
): UserFacingError {
	const why = isByCredential
		? "the 'Requests per Minute' limit in the credential has been reached"
		: `the service asks to wait ${inWords(wait)}`;
	const reason = wait > 0 ? why : 'other executions on this n8n kept the service busy';
	return new UserFacingError(`There was no time to check ${subject}: ${reason}`, tryAgain, {
		pause: wait,
	});
}

/**
 * What it means that a request was not sent, since the service asks everybody to wait for too long.
 *
 * @param wait in milliseconds
 */
export function waitError(wait: number, sent: Sent): UserFacingError {
	const doubt = adviceOnDoubt({}, sent);
	return new UserFacingError(
		`The request for ${sent.subject} was not sent, because the service asks to wait ${inWords(wait)}`,
		sentences([adviceOnWait(sent), doubt]),
		{ mayBeDone: sent.mayBeDoneBefore, pause: wait },
	);
}

function sentences(parts: Array<string | false | undefined>): string {
	return parts.filter(Boolean).join(' ');
}

/** Advice for when the service may have processed the request; empty if it can't have. */
function adviceOnDoubt({ mayBeDone }: Pick<Meaning, 'mayBeDone'>, sent: Sent): string {
	if (mayBeDone && sent.method !== 'GET') return MAY_BE_DONE;
	return sent.mayBeDoneBefore ? MAY_BE_DONE_BEFORE : '';
}

/** Where a redirect points, without what follows: it may be a ticket of a sign-in page. */
function targetOf({ headers }: ServiceResponse): string {
	const location = String(headers.location ?? '').replace(/[?#].*/s, '…');
	return location === '' ? 'elsewhere' : `to ${location}`;
}

function responseMeaning(response: ServiceResponse): Meaning {
	return rowOf(response.status, !isJsonOrEmpty(response)) ?? UNKNOWN_RESPONSE;
}

function networkMeaning({ networkCode }: NoResponse): Meaning {
	const known = NETWORK.find(({ codes }) => codes.some((part) => networkCode.includes(part)));
	return known ?? (networkCode === '' ? NOT_SENT : UNKNOWN_NETWORK);
}

/** Whether the service may have processed a request that didn't succeed. */
export function mayBeDone(result: Result): boolean {
	const meaning = 'networkCode' in result ? networkMeaning(result) : responseMeaning(result);
	return meaning.mayBeDone === true;
}

/** How long the service asks to wait, in milliseconds; 0 when it does not. */
function pauseAsked(response: ServiceResponse, now: number): number {
	return isAskedToWait(response) ? askedPause(response, now) : 0;
}

function isUnexpectedPage(response: ServiceResponse, { isAboutAddress }: Meaning): boolean {
	return response.status < 500 && !isAboutAddress && isWebPage(response);
}

function happened({ happened: text }: Meaning, { subject, part = subject, baseUrl }: Sent): string {
	return text
		.replace('{subject}', subject)
		.replace('{part}', part)
		.replace('{service}', new URL(baseUrl).origin);
}

function adviceOn(
	{ advice, isTemporary = false, requestOption }: Meaning,
	{ continues, tryAgain }: Sent,
): string {
	if (tryAgain !== undefined) return isTemporary ? tryAgain : advice;
	return sentences([advice, requestOption, isTemporary && !continues && RETRY_ON_FAIL]);
}

/** What a response outside 2xx means to the user, with the service's own words. */
export function responseError(response: ServiceResponse, sent: Sent): UserFacingError {
	const { status } = response;
	const meaning = responseMeaning(response);
	const words = status < 400 ? '' : serviceWords(response);
	const pause = pauseAsked(response, sent.now);
	const doubt = adviceOnDoubt(meaning, sent);
	const isTooLong = pause > sent.maxWait;
	const message = [
		happened(meaning, sent).replace('{target}', () => targetOf(response)),
		pause > 0 && ` and asks to wait ${inWords(pause)}`,
		` (${status})`,
		words !== '' && `: ${words}`,
	];
	const description = sentences([
		meaning.isAboutValues && sent.adviceOn?.(words),
		isTooLong ? adviceOnWait(sent) : adviceOn(meaning, sent),
		isUnexpectedPage(response, meaning) && WEB_PAGE,
		doubt,
	]);
	return new UserFacingError(message.filter(Boolean).join(''), description, {
		httpCode: String(status),
		words: isWebPage(response) || meaning.isAboutAddress ? undefined : words,
		mayBeDone: doubt !== '',
		isAbsent: meaning.isAbsent,
		pause,
	});
}

/** What a request without a response means to the user. */
export function networkError(result: NoResponse, sent: Sent): UserFacingError {
	const { networkCode, words } = result;
	const meaning = networkMeaning(result);
	const doubt = adviceOnDoubt(meaning, sent);
	const text = happened(meaning, sent);
	return new UserFacingError(
		networkCode === '' ? `${text}: ${words}` : `${text} (${networkCode})`,
		sentences([adviceOn(meaning, sent), doubt]),
		{ mayBeDone: doubt !== '' },
	);
}
