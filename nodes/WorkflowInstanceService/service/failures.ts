import { Trouble } from '../values/trouble';
import { type Answer, isWebPage, serviceWords } from './answer';

const CHECK_BASE_URL =
	"Check the 'Base URL' of the credential: it is the address of your service and ends in /api.";
const TRY_LATER =
	"Run the workflow again later. For unattended runs, turn on 'Retry On Fail' in the settings of this node.";

/** What a request is about, as far as messages need to know. */
export interface Subject {
	/** In the words of a message, e.g. `instance 42`. */
	subject: string;
	/** Advice that comes first when the service's words match. */
	hint?: { words: RegExp; advice: string };
}

interface Row {
	/** The statuses or network codes that this row is about. */
	readonly codes: readonly string[];
	/** What happened; `{subject}` is replaced, e.g. by `instance 42`. */
	readonly happened: string;
	/** What to do. */
	readonly advice: string;
}

/** First match counts; `4xx` and `5xx` stand for the rest of their hundred. */
const ANSWERS: readonly Row[] = [
	{
		codes: ['400', '422'],
		happened: 'The service did not accept the values for {subject}',
		advice: 'Correct what the service names, then run this node again. Nothing was changed.',
	},
	{
		codes: ['401'],
		happened: "The service refused the 'API Key' of the credential",
		advice:
			"Open the credential, enter a valid 'API Key' and test it. An administrator finds it in the company settings of the service.",
	},
	{
		codes: ['403'],
		happened: 'The API key is not allowed to use {subject}',
		advice:
			'Ask an administrator of the service for access, or use a credential whose key has access.',
	},
	{
		codes: ['404', '410'],
		happened: 'The service did not find {subject}',
		advice:
			"Check that the instance still exists and that the ID is right. If it happens for every instance, check the 'Base URL' of the credential.",
	},
	{
		codes: ['405', '415'],
		happened: 'The address does not work as a Workflow Instance Service does',
		advice: CHECK_BASE_URL,
	},
	{
		codes: ['409', '412', '423'],
		happened: 'The service could not change {subject} in its present state',
		advice: 'Look at the instance in the service, then run this node again.',
	},
	{
		codes: ['413'],
		happened: 'The request for {subject} is too large for the service',
		advice: "Send less at once: for Bulk Delete lower 'Batch Size', for Update shorten the values.",
	},
	{
		codes: ['429'],
		happened: 'The service is receiving too many requests',
		advice:
			"Lower 'Max Concurrent Requests' or raise 'Max Retries' in the options of this node, or run it less often.",
	},
	{
		codes: ['408', '502', '503', '504'],
		happened: 'The service is not available at the moment',
		advice: TRY_LATER,
	},
	{
		codes: ['4xx'],
		happened: 'The service refused the request for {subject}',
		advice: 'See what the service says, then check the parameters of this node and the credential.',
	},
	{
		codes: ['5xx'],
		happened: 'The service could not handle the request for {subject}',
		advice: TRY_LATER,
	},
];

const NETWORK: readonly Row[] = [
	{
		codes: ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
		happened: 'Nothing answers at the address of the service',
		advice: `The service may be down, or the port is wrong. ${CHECK_BASE_URL}`,
	},
	{
		codes: ['ENOTFOUND', 'EAI_AGAIN', 'ERR_INVALID_URL'],
		happened: 'The host name of the service is not known',
		advice: CHECK_BASE_URL,
	},
	{
		codes: ['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ERR_TIMEOUT'],
		happened: 'The service did not answer in time about {subject}',
		advice: `${TRY_LATER} The time to wait is set under 'Request Options', Timeout.`,
	},
	{
		codes: ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'],
		happened: 'The connection was cut before the service had answered about {subject}',
		advice: TRY_LATER,
	},
	{
		codes: ['EPROTO', 'CERT_', '_CERT', 'ERR_TLS', 'ERR_SSL', 'UNABLE_TO_', 'HPE_'],
		happened: 'No secure connection to the service could be made',
		advice:
			"Check that the 'Base URL' of the credential starts with https:// only if the service offers it, and that its certificate is valid. For a certificate of your own, see 'Ignore SSL Issues' under 'Request Options'.",
	},
];

const UNKNOWN_NETWORK: Row = {
	codes: [],
	happened: 'The request for {subject} did not reach the service',
	advice: `${CHECK_BASE_URL} Also check that this n8n may connect to that address.`,
};

function fill(row: Row, subject: string): string {
	return row.happened.replace('{subject}', subject);
}

function redirectTrouble(answer: Answer): Trouble {
	const location = answer.headers.location;
	const target = typeof location === 'string' && location !== '' ? `to ${location}` : 'elsewhere';
	return new Trouble(
		`The service pointed ${target} instead of answering (${answer.status})`,
		`Redirects are not followed, so that the API key goes nowhere else. ${CHECK_BASE_URL}`,
		String(answer.status),
	);
}

/**
 * What an answer outside 2xx means to the user, with the service's own words.
 */
export function answerTrouble(answer: Answer, { subject, hint }: Subject): Trouble {
	if (answer.status >= 300 && answer.status < 400) return redirectTrouble(answer);
	const code = String(answer.status);
	const row =
		ANSWERS.find(({ codes }) => codes.includes(code) || codes.includes(`${code[0]}xx`)) ??
		UNKNOWN_NETWORK;
	const words = serviceWords(answer);
	const happened = `${fill(row, subject)} (${code})`;
	const advice = [
		hint?.words.test(words) ? hint.advice : '',
		row.advice,
		isWebPage(answer) ? CHECK_BASE_URL : '',
	];
	return new Trouble(
		words === '' ? happened : `${happened}: ${words}`,
		advice.filter(Boolean).join(' '),
		code,
	);
}

/**
 * What a request that got no answer means to the user.
 *
 * @param code the code of Node.js, e.g. `ECONNREFUSED`; empty when there is none
 */
export function networkTrouble(code: string, subject: string): Trouble {
	const row =
		NETWORK.find(({ codes }) => codes.includes(code)) ??
		NETWORK.find(({ codes }) => codes.some((part) => code.includes(part))) ??
		UNKNOWN_NETWORK;
	return new Trouble(fill(row, subject), row.advice);
}
