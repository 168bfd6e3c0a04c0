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
import { askedPause, isAskedToWait, LONGEST_WAIT_MS } from './retry';

/** What a request is about, as far as messages need to know. */
export interface Subject {
	/** In the words of a message, e.g. `instance 42`. */
	subject: string;
	method: 'GET' | 'POST' | 'PUT';
	/** Advice that comes first when the service's words match. */
	hint?: { words: RegExp; advice: string };
}

const NOT_FOLLOWED =
	"Redirects are not followed, so that the API key goes nowhere else. If the service has moved there, enter its new address, up to /api, as 'Base URL' of the credential.";
const WEB_PAGE =
	"The answer is a web page, which the service does not send: look for a proxy or firewall in between, and check the 'Base URL' of the credential.";
const TOO_LONG = `It asks to wait longer than the ${inWords(LONGEST_WAIT_MS)} that this node waits. Run the workflow again after that time.`;
const MAYBE_DONE =
	'The service may have carried out the request all the same; sending it again does no harm.';

function maybeDone({ isUncertain = false }: Meaning, { method }: Subject): string | false {
	return isUncertain && method !== 'GET' && MAYBE_DONE;
}

function redirectTrouble({ status, headers }: Answer): Trouble {
	// What follows may be a ticket of a sign-in page.
	const location = String(headers.location ?? '').replace(/[?#].*/s, '…');
	const target = location === '' ? 'elsewhere' : `to ${location}`;
	return new Trouble(
		`The service pointed ${target} instead of answering (${status})`,
		NOT_FOLLOWED,
		String(status),
	);
}

function meaningOf(answer: Answer): Meaning {
	const code = String(answer.status);
	const names = [...(isWebPage(answer) ? [`${code} page`] : []), code, `${code[0]}xx`];
	const rows = names.map((name) => ANSWERS.find(({ codes }) => codes.includes(name)));
	return rows.find((row) => row !== undefined) ?? UNKNOWN_ANSWER;
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
export function answerTrouble(answer: Answer, subject: Subject): Trouble {
	const { status } = answer;
	if (status < 400) return redirectTrouble(answer);
	const meaning = meaningOf(answer);
	const words = serviceWords(answer);
	const pause = pauseAsked(answer);
	const happened = [
		meaning.happened.replace('{subject}', subject.subject),
		pause > 0 && ` and asks to wait ${inWords(pause)}`,
		` (${status})`,
		words !== '' && `: ${words}`,
	];
	const advice = [
		hintFor(words, subject),
		pause > LONGEST_WAIT_MS ? TOO_LONG : meaning.advice,
		isUnexpectedPage(answer, meaning) && WEB_PAGE,
		maybeDone(meaning, subject),
	];
	return new Trouble(
		happened.filter(Boolean).join(''),
		advice.filter(Boolean).join(' '),
		String(status),
	);
}

/**
 * What a request that got no answer means to the user.
 *
 * @param baseUrl the address that it was sent to
 */
export function networkTrouble(
	{ networkCode, words }: NetworkFailure,
	subject: Subject,
	baseUrl: string,
): Trouble {
	const known = NETWORK.find(({ codes }) => codes.some((part) => networkCode.includes(part)));
	const meaning = known ?? (networkCode === '' ? NOT_SENT : UNKNOWN_NETWORK);
	const happened = meaning.happened
		.replace('{subject}', subject.subject)
		.replace('{service}', new URL(baseUrl).origin);
	return new Trouble(
		networkCode === '' ? `${happened}: ${words}` : `${happened} (${networkCode})`,
		[meaning.advice, maybeDone(meaning, subject)].filter(Boolean).join(' '),
	);
}
