import type { ErrorKind } from '../values/userFacingError';
import type { RetryReason } from './apiRequest';
import type { Result } from './response';

/** What a failed request means, for the user and for what happens next. */
export interface FailureRow {
	/** `{part}` is the `{subject}`, or "one or more of" it if it's several; `{target}` is where a redirect leads. */
	readonly message: string;
	readonly advice: string;
	readonly adviceOnSeveral?: string;
	/** The advice in the credential's form, where it differs. */
	readonly testAdvice?: string;
	/** Default `unknown`: the service may have processed the request. */
	readonly kind?: ErrorKind;
	readonly isTemporary?: boolean;
	readonly retry?: RetryReason;
}

const CHECK_BASE_URL = "Check that the 'Base URL' in the credential is the URL of your service.";
const CHECK_PROXY = 'If n8n connects through a proxy, also check the proxy.';
const NEW_KEY = 'or ask a service admin to create one under company settings > API keys.';
const LATER = {
	advice: 'Run the workflow again later.',
	testAdvice: 'Wait a minute, then test again.',
	isTemporary: true,
} as const;
const UNAVAILABLE = { ...LATER, retry: 'unavailable' } as const;
const SIGN_IN = 'It may lead to a sign-in page.';
const OTHER_WEBSITE: FailureRow = {
	message: 'The response does not seem to come from a Workflow Instance Service',
	advice: `${CHECK_BASE_URL} If other requests succeed, ask a service admin whether a proxy or firewall blocks this one.`,
	testAdvice: CHECK_BASE_URL,
	kind: 'otherWebsite',
};

/** By network code ('' if n8n sent nothing) or status, with ` page` for web pages and plain text. The first match wins. */
export const FAILURES: Readonly<Record<string, FailureRow>> = {
	// After a write, a 303 may report success.
	'^30[012378]': {
		message: 'The service redirected the request for {subject} to {target}',
		advice: `${SIGN_IN} Redirects aren't followed, to protect the API key. If the service has moved there, enter its new URL, up to /api, as the 'Base URL' in the credential.`,
		testAdvice: `${SIGN_IN} ${CHECK_BASE_URL}`,
	},
	'^(400|422)': {
		message: 'The service rejected the request for {part}',
		advice: 'Correct what the service reports.',
		testAdvice: CHECK_BASE_URL,
		kind: 'rejected',
	},
	'^401': {
		message: "The service rejected the 'API Key' in the credential",
		advice: `Open the credential, enter a valid 'API Key' and test it, ${NEW_KEY}`,
		testAdvice: `Copy the key again, ${NEW_KEY}`,
		kind: 'key',
	},
	// The service's framework decides which of the two it means.
	'^403': {
		message: 'The API key is not valid or does not have access to {part}',
		advice: `Test the credential. If the test fails, enter a valid 'API Key'. If it passes, ask a service admin for access. ${CHECK_PROXY}`,
		testAdvice: `Copy the key again, or ask a service admin for an active key. ${CHECK_PROXY}`,
		kind: 'forbidden',
	},
	'^(404|410) page': OTHER_WEBSITE,
	'^(405|415)': {
		message: 'The service does not accept this kind of request',
		advice: `${CHECK_BASE_URL} If it is, ask a service admin whether a proxy or firewall blocks this kind of request.`,
		kind: 'otherWebsite',
	},
	'^(404|410)': {
		message: 'The service did not find {part}',
		advice:
			"Check that this is the instance's ID, not a table row's, and that the instance still exists. If this happens for every instance, check the 'Base URL' in the credential.",
		adviceOnSeveral:
			"Check that these are instance IDs, not row IDs. If this happens for all IDs, check the 'Base URL' in the credential.",
		kind: 'notFound',
	},
	'^407': {
		message: 'The proxy between n8n and the service rejected the request for {subject}',
		advice: 'Check the user name and password of the proxy, or ask your n8n admin.',
		kind: 'notProcessed',
	},
	'^408': { message: 'The service did not receive the request for {subject} in time', ...LATER },
	'^(409|412|423)': {
		message: 'The current state of {part} does not allow this request',
		advice: 'Check the instance in the service.',
		kind: 'conflict',
	},
	'^413': {
		message: 'The request for {subject} is too large for the service',
		advice: 'Shorten the values, or ask a service admin for help.',
		adviceOnSeveral: "Lower 'Batch Size' in the options.",
		testAdvice: 'Ask a service admin for help.',
		kind: 'rejected',
	},
	'^429': {
		message: 'The service is receiving too many requests',
		...LATER,
		kind: 'notProcessed',
		retry: 'throttled',
	},
	'^4': {
		message: 'The service returned an unexpected status for {subject}',
		advice: 'Ask a service admin what this status means.',
	},
	// 520 to 524 are Cloudflare's.
	'^(502|504|52[0-4])': {
		message: 'A gateway got no valid response from the service for {subject}',
		...UNAVAILABLE,
	},
	'^503': { message: 'The service is not available at the moment', ...UNAVAILABLE },
	'^5': { message: 'The service could not process the request for {subject}', ...LATER },
	'^\\d{3}': {
		message: 'The service returned an unexpected status for {subject}',
		advice: CHECK_BASE_URL,
	},
	'ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL': {
		message: "Can't connect to {service}",
		advice: `The service may be down, or the port may be wrong. ${CHECK_BASE_URL} ${CHECK_PROXY}`,
		kind: 'notProcessed',
		retry: 'unreachable',
	},
	'ENOTFOUND|EAI_AGAIN|ERR_INVALID_URL': {
		message: 'The host name in {service} was not found',
		advice: `${CHECK_BASE_URL} If it's correct, DNS may be down. ${CHECK_PROXY}`,
		kind: 'notProcessed',
		retry: 'unreachable',
	},
	'ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_TIMEOUT': {
		message: 'The service did not respond in time to the request for {subject}',
		advice:
			"Run the workflow again later, or raise 'Timeout' under 'Request Options' on the Settings tab of this node. The node's default is 300000 milliseconds (5 minutes).",
		isTemporary: true,
		retry: 'timedOut',
	},
	'ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE': {
		message: 'The connection was lost before the response for {subject} arrived',
		...LATER,
		retry: 'lost',
	},
	'^(Z_|ERR__|ZSTD)': {
		message: 'The response for {subject} could not be decompressed',
		advice:
			'A proxy may have changed the response or cut it off. If this keeps happening, ask a service admin.',
	},
	HPE_: {
		message: 'The server at {service} did not respond with valid HTTP',
		advice: `${CHECK_BASE_URL} If the service supports HTTPS, start the URL with https://. Also check the port.`,
	},
	// This may also happen in the middle of a response.
	'EPROTO|ERR_SSL': {
		message: 'The secure connection to {service} failed',
		advice:
			"If this keeps happening and the service doesn't support HTTPS, start the 'Base URL' in the credential with http://.",
		retry: 'lost',
	},
	'CERT_|_CERT|ERR_TLS|UNABLE_TO_': {
		message: 'A secure connection to {service} could not be established',
		advice:
			"Check that the service's certificate is valid, and that it's for the host name in the 'Base URL' of the credential. If it's self-signed, you can turn on 'Ignore SSL Issues (Insecure)' under 'Request Options' on the Settings tab, except in the trigger.",
		kind: 'notProcessed',
	},
	// Without a code, n8n itself refused to send the request; its own words follow.
	'^$': {
		message: 'n8n did not send the request for {subject}',
		advice: `Ask your n8n admin whether n8n is allowed to connect to the 'Base URL' in the credential. ${CHECK_PROXY}`,
		kind: 'notProcessed',
	},
};

const NO_RESPONSE: FailureRow = {
	message: 'There was no response from {service} for {subject}',
	advice: `${CHECK_BASE_URL} Also check that n8n is allowed to connect to it.`,
};

/** @param name a network code, or a status, with ` page` after it for a web page or plain text */
export function failureRow(name: string): FailureRow {
	const row = Object.entries(FAILURES).find(([codes]) => new RegExp(codes).test(name));
	return row?.[1] ?? NO_RESPONSE;
}

/** What an unsuccessful result means. */
export function failureRowOf(result: Result): FailureRow {
	if ('networkCode' in result) return failureRow(result.networkCode);
	const { status, text, json } = result;
	const isPage = text.trim() !== '' && json === undefined;
	return failureRow(isPage ? `${status} page` : `${status}`);
}
