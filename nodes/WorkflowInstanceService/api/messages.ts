/** What a response, or none, means to the user. */
export interface Meaning {
	/**
	 * What happened; `{subject}` stands for e.g. `instance 42`, `{part}` for the same or, of several,
	 * `one or more of 21 instances`, `{service}` for its address, `{target}` for where it redirects to.
	 */
	readonly happened: string;
	/** What to do. */
	readonly advice: string;
	/** Whether the service may still have processed the request. */
	readonly mayBeDone?: boolean;
	/** Whether it means that this is another address than that of the service. */
	readonly isAboutAddress?: boolean;
	/** Whether the same request may well go through later. */
	readonly isTemporary?: boolean;
	/** Whether it means that there is nothing of that ID. */
	readonly isAbsent?: boolean;
	/** Whether it may be about the values that were sent. */
	readonly isAboutValues?: boolean;
	/** What to set under n8n's 'Request Options', where there are some. */
	readonly requestOption?: string;
}

/** What some responses, or reasons for none, mean. */
export interface Row extends Meaning {
	/** The statuses (`404 page` for one with a web page or plain text) or (parts of) network codes that it is about. */
	readonly codes: readonly string[];
}

/** What some responses mean. */
export interface ResponseRow extends Row {
	/** What the test of a credential says instead, with `{status}`: what happened, then what to do. */
	readonly tested: string;
}

export const CHECK_BASE_URL =
	"Check that the 'Base URL' in the credential is the URL of your service and ends in /api.";
export const TRY_LATER = 'Run the workflow again later.';
/** What a poll can do about what is temporary. */
export const NEXT_POLL = 'The next poll tries again.';
/** Only where the node stops: with Continue, n8n would process all items again, and only if the first one ends in an error. */
export const RETRY_ON_FAIL =
	"To retry automatically, turn on 'Retry On Fail' in the settings of this node.";

const NOT_FOLLOWED =
	"Redirects aren't followed, to protect the API key. If the service has moved there, enter its new URL, up to /api, as the 'Base URL' in the credential.";
/** In the form of the credential. */
export const CHECK_THIS_BASE_URL =
	"Check that the 'Base URL' is the URL of your service and ends in /api, e.g. https://example.com/api.";
const REDIRECT = {
	happened: 'The service redirected the request {target}',
	advice: NOT_FOLLOWED,
	tested: `The 'Base URL' redirects to another URL, often a sign-in page ({status}). ${CHECK_THIS_BASE_URL}`,
	isAboutAddress: true,
};
const TEST_REJECTED =
	'The service rejected the request ({status}). Ask an administrator of the service.';

/**
 * What responses outside 2xx mean, by their status. First match counts; `3xx`, `4xx` and `5xx` stand for
 * the rest of their hundred.
 */
export const RESPONSES: readonly ResponseRow[] = [
	// The one redirect by which servers say what they have done.
	{ codes: ['303'], ...REDIRECT, mayBeDone: true },
	{ codes: ['3xx'], ...REDIRECT },
	{
		codes: ['400', '422'],
		happened: 'The service rejected the values for {part}',
		advice: 'Correct the values that the service reports, then run this node again.',
		tested: `The service did not understand the request ({status}). ${CHECK_THIS_BASE_URL}`,
		isAboutValues: true,
	},
	{
		codes: ['401'],
		happened: "The service rejected the 'API Key' in the credential",
		advice:
			"Open the credential, enter a valid 'API Key' and test it. An administrator can find it in the service's company settings, under API keys.",
		tested:
			"The service rejected the 'API Key' ({status}). Copy the key again. An administrator can find it in the service's company settings, under API keys.",
	},
	{
		codes: ['403'],
		happened: 'The API key does not have access to {part}',
		advice:
			'Ask an administrator of the service for access, or use a credential whose key has access.',
		tested:
			"The service does not allow this 'API Key' to be used ({status}). Ask an administrator of the service for an active key.",
	},
	{
		codes: ['404 page', '410 page', '405', '415'],
		happened: 'There is no Workflow Instance Service at this URL',
		advice: CHECK_BASE_URL,
		tested: `There is no Workflow Instance Service at this URL ({status}). ${CHECK_THIS_BASE_URL}`,
		isAboutAddress: true,
	},
	{
		codes: ['404', '410'],
		happened: 'The service did not find {part}',
		advice:
			"Check that the ID is that of the instance, not of a table row, and that the instance still exists. If this happens for every instance, check the 'Base URL' in the credential.",
		tested: `The service found nothing at this URL ({status}). ${CHECK_THIS_BASE_URL}`,
		isAbsent: true,
	},
	{
		codes: ['409', '412', '423'],
		happened: 'The current state of {part} does not allow this request',
		advice: 'Check the instance in the service, then run this node again.',
		tested: TEST_REJECTED,
		isAboutValues: true,
	},
	{
		codes: ['413'],
		happened: 'The request for {subject} is too large for the service',
		advice: "For Bulk Delete, lower 'Batch Size'. For Update, shorten the values.",
		tested: TEST_REJECTED,
	},
	{
		codes: ['429'],
		happened: 'The service is receiving too many requests',
		advice:
			"Run this node less often, or raise 'Max Retries'. If you know the rate limit, enter it as 'Requests per Minute' in the credential.",
		tested:
			'The service is receiving too many requests ({status}). Wait a minute, then test again.',
	},
	{
		codes: ['408'],
		happened: 'The service did not receive the request for {subject} in time',
		advice: TRY_LATER,
		tested: 'The service did not receive the request in time ({status}). Try again later.',
		isTemporary: true,
	},
	{
		codes: ['503'],
		happened: 'The service is not available at the moment',
		advice: TRY_LATER,
		tested: 'The service is not available at the moment ({status}). Try again later.',
		mayBeDone: true,
		isTemporary: true,
	},
	{
		codes: ['502', '504'],
		happened: 'The gateway in front of the service got no response for {subject}',
		advice: TRY_LATER,
		tested: 'The gateway in front of the service got no response ({status}). Try again later.',
		mayBeDone: true,
		isTemporary: true,
	},
	{
		codes: ['4xx'],
		happened: 'The service rejected the request for {subject}',
		advice: 'Check the parameters of this node and the credential.',
		tested: TEST_REJECTED,
	},
	{
		codes: ['5xx'],
		happened: 'The service could not handle the request for {subject}',
		advice: TRY_LATER,
		tested:
			'The service could not handle the request ({status}). Try again later, or ask an administrator of the service.',
		mayBeDone: true,
		isTemporary: true,
	},
];

/** The row of a status; undefined when it has none, nor its hundred. */
export function rowOf(status: number, isPage = false): ResponseRow | undefined {
	const code = String(status);
	const names = [...(isPage ? [`${code} page`] : []), code, `${code[0]}xx`];
	const rows = names.map((name) => RESPONSES.find(({ codes }) => codes.includes(name)));
	return rows.find((row) => row !== undefined);
}

export const UNKNOWN_RESPONSE: Meaning = {
	happened: 'The service returned an unknown status for {subject}',
	advice: CHECK_BASE_URL,
	isAboutAddress: true,
	mayBeDone: true,
};
