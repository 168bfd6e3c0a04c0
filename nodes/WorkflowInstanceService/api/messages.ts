/** What a response, or none, means to the user. */
export interface Meaning {
	/**
	 * What happened; `{subject}` stands for e.g. `instance 42`, `{part}` for the same or, of several,
	 * `one or more of 21 instances`, `{service}` for its address, `{target}` for where it redirects to.
	 */
	readonly happened: string;
	/** What to do. */
	readonly advice: string;
	/** Whether the request may have been carried out all the same. */
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
	"Check the 'Base URL' of the credential: it is the address of your service and ends in /api.";
export const TRY_LATER = 'Run the workflow again later.';
/** What a poll can do about what is temporary. */
export const NEXT_POLL = 'The next poll asks again.';
/** Only where the node stops: with Continue, n8n would process all items again, and only if the first one ends in an error. */
export const RETRY_ON_FAIL =
	"For unattended runs, turn on 'Retry On Fail' in the settings of this node.";

const NOT_FOLLOWED =
	"Redirects are not followed, so that the API key goes nowhere else. If the service has moved there, enter its new address, up to /api, as 'Base URL' of the credential.";
/** In the form of the credential. */
export const CHECK_THIS_BASE_URL =
	"Check the 'Base URL': it is the address of your service and ends in /api, e.g. https://example.com/api.";
const REDIRECT = {
	happened: 'The service redirects {target} instead of responding',
	advice: NOT_FOLLOWED,
	tested: `The 'Base URL' redirects to another address, often a sign-in page ({status}). ${CHECK_THIS_BASE_URL}`,
	isAboutAddress: true,
};
const TEST_REJECTED =
	'The service rejected the request ({status}). Ask the administrator of the service.';

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
		happened: 'The service did not accept the values for {part}',
		advice: 'Correct what the service names, then run this node again.',
		tested: `The service did not understand the request ({status}). ${CHECK_THIS_BASE_URL}`,
		isAboutValues: true,
	},
	{
		codes: ['401'],
		happened: "The service refused the 'API Key' of the credential",
		advice:
			"Open the credential, enter a valid 'API Key' and test it. An administrator finds it in the company settings of the service.",
		tested:
			"The service refused the 'API Key' ({status}). Copy the key again; an administrator finds it in the company settings, under API keys.",
	},
	{
		codes: ['403'],
		happened: 'The API key does not have access to {part}',
		advice:
			'Ask an administrator of the service for access, or use a credential whose key has access.',
		tested:
			"The service knows the 'API Key' but does not allow it to be used ({status}). Ask an administrator for a key that is active.",
	},
	{
		codes: ['404 page', '410 page', '405', '415'],
		happened: 'There is no Workflow Instance Service at this address',
		advice: CHECK_BASE_URL,
		tested: `There is no Workflow Instance Service at this address ({status}). ${CHECK_THIS_BASE_URL}`,
		isAboutAddress: true,
	},
	{
		codes: ['404', '410'],
		happened: 'The service did not find {part}',
		advice:
			"Check that the instance still exists and that the ID is right. If it happens for every instance, check the 'Base URL' of the credential.",
		tested: `The service has nothing at this address ({status}). ${CHECK_THIS_BASE_URL}`,
		isAbsent: true,
	},
	{
		codes: ['409', '412', '423'],
		happened: 'The current state of {part} does not allow the request',
		advice: 'Look at the instance in the service, then run this node again.',
		tested: TEST_REJECTED,
		isAboutValues: true,
	},
	{
		codes: ['413'],
		happened: 'The request for {subject} is too large for the service',
		advice: "Send less at once: for Bulk Delete lower 'Batch Size', for Update shorten the values.",
		tested: TEST_REJECTED,
	},
	{
		codes: ['429'],
		happened: 'The service is receiving too many requests',
		advice:
			"Run this node less often, or raise 'Max Retries' in its options. For Get and Update, lower 'Max Concurrent Requests' as well.",
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
		happened: 'The gateway of the service got no response from it for {subject}',
		advice: TRY_LATER,
		tested: 'The gateway of the service got no response from it ({status}). Try again later.',
		mayBeDone: true,
		isTemporary: true,
	},
	{
		codes: ['4xx'],
		happened: 'The service refused the request for {subject}',
		advice: 'See what the service says, then check the parameters of this node and the credential.',
		tested: TEST_REJECTED,
	},
	{
		codes: ['5xx'],
		happened: 'The service could not handle the request for {subject}',
		advice: TRY_LATER,
		tested:
			'The service could not handle the request ({status}). Try again later, or ask the administrator of the service.',
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
	happened: 'The service sent a response for {subject} that has no known meaning',
	advice: CHECK_BASE_URL,
	isAboutAddress: true,
	mayBeDone: true,
};
