import { UserFacingError } from '../values/userFacingError';
import { inWords } from './duration';
import { type Meaning, meaningOf, NEXT_POLL, RETRY_ON_FAIL } from './messages';
import type { NoResponse } from './network';
import { networkMeaning } from './networkMessages';
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
	/** The base URL. */
	baseUrl: string;
	/** Whether the service may have processed an earlier attempt. */
	mayBeDoneBefore: boolean;
	/** In milliseconds since 1970, for services that don't send their time. */
	now: number;
	/** The longest wait for the service, in milliseconds. */
	maxWait: number;
}

/** How long nothing may be sent, and on whose account. */
export interface Wait {
	/** In milliseconds. */
	wait: number;
	/** The service by Retry-After, the node by its own back-off, or 'Requests per Minute'. */
	reason: 'service' | 'node' | 'credential';
}

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
export const MAY_BE_DONE =
	'The service may still have processed the request. Check there before you run this again.';
const MAY_BE_DONE_BEFORE =
	'The service may have processed an earlier attempt. Check there before you run this again.';

/** Ends advice where no change was sent. {@link doubted} removes it: an earlier attempt may have made the change. */
export const NOTHING_CHANGED = 'Nothing was changed.';

/** The same error, where the service may have processed an earlier attempt of the run. */
export function doubted(error: UserFacingError): UserFacingError {
	if (error.mayBeDone) return error;
	const advice = error.description.replace(` ${NOTHING_CHANGED}`, '');
	return error.with({ description: `${advice} ${MAY_BE_DONE_BEFORE}`, mayBeDone: true });
}

function sentences(parts: Array<string | false | undefined>): string {
	return parts.filter(Boolean).join(' ');
}

const WAITS = {
	service: (time: string) => `the service says to retry in ${time}`,
	node: (time: string) => `the node is waiting ${time} before it sends more requests`,
	credential: () => "the 'Requests per Minute' limit in the credential has been reached",
};

function whyWait({ wait, reason }: Wait): string {
	return WAITS[reason](inWords(wait));
}

function adviceOnWait({ maxWait, tryAgain }: Sent): string {
	if (tryAgain !== undefined) return tryAgain;
	return `Run the workflow again after that time, or raise 'Max Wait (Seconds)' in the options (currently ${inWords(maxWait)}).`;
}

/**
 * The error when time was up before a request could be sent.
 *
 * @param subject what was to be read, e.g. `instance 42`
 * @param held no wait where other executions came first
 * @param tryAgain as in {@link Sender}
 */
export function heldError(subject: string, held: Wait, tryAgain = NEXT_POLL): UserFacingError {
	const why = held.wait > 0 ? whyWait(held) : 'other executions on this n8n kept the service busy';
	const message = `Time ran out before ${subject} was checked: ${why}`;
	return new UserFacingError(message, tryAgain, { pause: held.wait });
}

/** The error when a request is not sent, because all requests would have to wait for too long. */
export function waitError(held: Wait, sent: Sent): UserFacingError {
	const doubt = sent.mayBeDoneBefore && MAY_BE_DONE_BEFORE;
	return new UserFacingError(
		`The request for ${sent.subject} was not sent, because ${whyWait(held)}`,
		sentences([adviceOnWait(sent), doubt]),
		{ mayBeDone: sent.mayBeDoneBefore, pause: held.wait },
	);
}

/** Advice for when the service may have processed the request; empty if it can't have. */
function adviceOnDoubt({ mayBeDone }: Meaning, sent: Sent): string {
	if (mayBeDone && sent.method !== 'GET') return MAY_BE_DONE;
	return sent.mayBeDoneBefore ? MAY_BE_DONE_BEFORE : '';
}

function responseMeaning(response: ServiceResponse): Meaning {
	return meaningOf(response.status, !isJsonOrEmpty(response));
}

/** Whether the service may have processed a request that didn't succeed. */
export function mayBeDone(result: Result): boolean {
	const meaning = 'networkCode' in result ? networkMeaning(result) : responseMeaning(result);
	return meaning.mayBeDone === true;
}

/** Where a redirect points, without what follows: it may be a ticket of a sign-in page. */
function targetOf({ headers }: ServiceResponse): string {
	const location = String(headers.location ?? '').replace(/[?#].*/s, '…');
	return location === '' ? 'elsewhere' : `to ${location}`;
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

/** How long the service says to wait, in milliseconds; 0 when it doesn't. */
function pauseIn(response: ServiceResponse, now: number): number {
	return isAskedToWait(response) ? askedPause(response, now) : 0;
}

/** Advice on a web page, which may come from elsewhere than the service. */
function adviceOnPage(response: ServiceResponse, { isAboutAddress }: Meaning): string {
	return response.status < 500 && !isAboutAddress && isWebPage(response) ? WEB_PAGE : '';
}

/** The error for a response outside 2xx, with the service's own words. */
export function responseError(response: ServiceResponse, sent: Sent): UserFacingError {
	const { status } = response;
	const meaning = responseMeaning(response);
	const words = status < 400 ? '' : serviceWords(response);
	const pause = pauseIn(response, sent.now);
	const doubt = adviceOnDoubt(meaning, sent);
	const what = happened(meaning, sent).replace('{target}', () => targetOf(response));
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const quote = words === '' ? '' : `: ${words}`;
	const description = sentences([
		meaning.isAboutValues && sent.adviceOn?.(words),
		pause > sent.maxWait ? adviceOnWait(sent) : adviceOn(meaning, sent),
		adviceOnPage(response, meaning),
		doubt,
	]);
	return new UserFacingError(`${what}${wait} (${status})${quote}`, description, {
		httpCode: String(status),
		words: isWebPage(response) || meaning.isAboutAddress ? undefined : words,
		mayBeDone: doubt !== '',
		isAbsent: meaning.isAbsent,
		pause,
	});
}

/** The error for a request without a response. */
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
