import { Trouble } from '../values/trouble';
import { type Answer, isWebPage, serviceWords } from './answer';
import { inWords } from './duration';
import {
	ANSWERS,
	CHECK_BASE_URL,
	type Meaning,
	NETWORK,
	NOT_SENT,
	UNKNOWN_ANSWER,
	UNKNOWN_NETWORK,
} from './messages';
import type { NetworkFailure } from './network';
import { askedPause, isAskedToWait, LONGEST_WAIT_MS, type Result } from './retry';

/** What a request is about, as far as messages need to know. */
export interface Subject {
	/** In the words of a message, e.g. `instance 42`. */
	subject: string;
	method: 'GET' | 'POST' | 'PUT';
	/** Advice that comes first when the service's words match. */
	hint?: { words: RegExp; advice: string };
}

/** A request that was sent, perhaps several times. */
export interface Sent extends Subject {
	/** The address of the service. */
	baseUrl: string;
	/** Whether an earlier try may have been carried out. */
	isUncertain: boolean;
}

const NOT_FOLLOWED =
	"Redirects are not followed, so that the API key goes nowhere else. If the service has moved there, enter its new address, up to /api, as 'Base URL' of the credential.";
const WEB_PAGE =
	"The answer is a web page, which the service does not send: look for a proxy or firewall in between, and check the 'Base URL' of the credential.";
const TOO_LONG = `It asks to wait longer than the ${inWords(LONGEST_WAIT_MS)} that this node waits. Run the workflow again after that time.`;
const MAYBE_DONE =
	'The service may have carried out the request all the same; sending it again does no harm.';
const MAYBE_DONE_BEFORE =
	'The service may have carried out an earlier try of the request; sending it again does no harm.';

/** Advice about what may have been carried out; empty when nothing can have been. */
function maybeDone({ isUncertain }: Meaning, sent: Sent): string {
	if (sent.method === 'GET') return '';
	if (isUncertain) return MAYBE_DONE;
	return sent.isUncertain ? MAYBE_DONE_BEFORE : '';
}

function redirectTrouble({ status, headers }: Answer, { isUncertain }: Sent): Trouble {
	// What follows may be a ticket of a sign-in page.
	const location = String(headers.location ?? '').replace(/[?#].*/s, '…');
	const target = location === '' ? 'elsewhere' : `to ${location}`;
	return new Trouble(
		`The service pointed ${target} instead of answering (${status})`,
		NOT_FOLLOWED,
		{ httpCode: String(status), isUncertain },
	);
}

function meaningOf(answer: Answer): Meaning {
	const code = String(answer.status);
	const names = [...(isWebPage(answer) ? [`${code} page`] : []), code, `${code[0]}xx`];
	const rows = names.map((name) => ANSWERS.find(({ codes }) => codes.includes(name)));
	return rows.find((row) => row !== undefined) ?? UNKNOWN_ANSWER;
}

function networkMeaning({ networkCode }: NetworkFailure): Meaning {
	const known = NETWORK.find(({ codes }) => codes.some((part) => networkCode.includes(part)));
	return known ?? (networkCode === '' ? NOT_SENT : UNKNOWN_NETWORK);
}

/** Whether a try that did not go through may have been carried out all the same. */
export function leavesOpen(result: Result): boolean {
	const meaning = 'networkCode' in result ? networkMeaning(result) : meaningOf(result);
	return meaning.isUncertain === true;
}

/** How long the service asks to wait, in milliseconds; 0 when it does not. */
function pauseAsked(answer: Answer): number {
	return isAskedToWait(answer) ? (askedPause(answer, Date.now()) ?? 0) : 0;
}

function hintFor(words: string, { hint }: Subject): string | false {
	return hint !== undefined && hint.words.test(words) && hint.advice;
}

function isUnexpectedPage(answer: Answer, { advice }: Meaning): boolean {
	return answer.status < 500 && advice !== CHECK_BASE_URL && isWebPage(answer);
}

/**
 * What an answer outside 2xx means to the user, with the service's own words.
 */
export function answerTrouble(answer: Answer, sent: Sent): Trouble {
	const { status } = answer;
	if (status < 400) return redirectTrouble(answer, sent);
	const meaning = meaningOf(answer);
	const words = serviceWords(answer);
	const pause = pauseAsked(answer);
	const uncertainty = maybeDone(meaning, sent);
	const happened = [
		meaning.happened.replace('{subject}', sent.subject),
		pause > 0 && ` and asks to wait ${inWords(pause)}`,
		` (${status})`,
		words !== '' && `: ${words}`,
	];
	const advice = [
		hintFor(words, sent),
		pause > LONGEST_WAIT_MS ? TOO_LONG : meaning.advice,
		isUnexpectedPage(answer, meaning) && WEB_PAGE,
		uncertainty,
	];
	return new Trouble(happened.filter(Boolean).join(''), advice.filter(Boolean).join(' '), {
		httpCode: String(status),
		isUncertain: uncertainty !== '',
	});
}

/** What a request that got no answer means to the user. */
export function networkTrouble(failure: NetworkFailure, sent: Sent): Trouble {
	const { networkCode, words } = failure;
	const meaning = networkMeaning(failure);
	const uncertainty = maybeDone(meaning, sent);
	const happened = meaning.happened
		.replace('{subject}', sent.subject)
		.replace('{service}', new URL(sent.baseUrl).origin);
	return new Trouble(
		networkCode === '' ? `${happened}: ${words}` : `${happened} (${networkCode})`,
		[meaning.advice, uncertainty].filter(Boolean).join(' '),
		{ isUncertain: uncertainty !== '' },
	);
}
