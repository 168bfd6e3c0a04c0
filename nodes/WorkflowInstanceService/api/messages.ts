/** What a response, or none, means to the user. */
export interface Meaning {
	/**
	 * What happened; `{subject}` stands for e.g. `instance 42`, `{part}` for the same or, of several,
	 * `one or more of 21 instances`, `{service}` for its address, `{target}` for where it redirects to.
	 */
	readonly happened: string;
	/** What to do. */
	readonly advice: string;
	/** What to do in the form of the credential, where that differs. */
	readonly testAdvice?: string;
	/** Whether the service may still have processed the request. */
	readonly mayBeDone?: boolean;
	/** Whether it means that this isn't the address of the service. */
	readonly isAboutAddress?: boolean;
	/** Whether the same request may succeed later. */
	readonly isTemporary?: boolean;
	/** Whether it means that nothing has that ID. */
	readonly isAbsent?: boolean;
	/** Whether it may be about the values that were sent. */
	readonly isAboutValues?: boolean;
	/** What to set under n8n's 'Request Options', where there are some. */
	readonly requestOption?: string;
}

/** What some responses, or reasons for none, mean. */
export interface Row extends Meaning {
	/** Statuses (`404 page` for one with a web page or plain text), or parts of network codes. */
	readonly codes: readonly string[];
}

export const CHECK_BASE_URL =
	"Check that the 'Base URL' in the credential is the URL of your service and ends in /api.";
export const TRY_LATER = 'Run the workflow again later.';
/** What happens after a temporary failure in a poll. */
export const NEXT_POLL = 'The next poll tries again.';
/** Only where the node stops: with Continue, n8n would process all items again, and only if the first one ends in an error. */
export const RETRY_ON_FAIL =
	"To retry automatically, turn on 'Retry On Fail' in the settings of this node.";

const TEST_LATER = 'Wait a minute, then test again.';
const NEW_KEY = 'Ask a service admin to create one under company settings > API keys.';
const REDIRECT = {
	happened: 'The service redirected the request {target}',
	advice:
		"Redirects aren't followed, to protect the API key. If the service has moved there, enter its new URL, up to /api, as the 'Base URL' in the credential.",
	testAdvice: `It may lead to a sign-in page. ${CHECK_BASE_URL}`,
	isAboutAddress: true,
};
const LATER = { advice: TRY_LATER, testAdvice: TEST_LATER, isTemporary: true };

/**
 * What responses outside 2xx mean, by their status. First match counts; `3xx`, `4xx` and `5xx` stand for
 * the rest of their hundred.
 */
export const RESPONSES: readonly Row[] = [
	// The one redirect by which servers report what they have done.
	{ codes: ['303'], ...REDIRECT, mayBeDone: true },
	{ codes: ['3xx'], ...REDIRECT },
	{
		codes: ['400', '422'],
		happened: 'The service rejected the values for {part}',
		advice: 'Correct the values that the service reports, then run this node again.',
		testAdvice: CHECK_BASE_URL,
		isAboutValues: true,
	},
	{
		codes: ['401'],
		happened: "The service rejected the 'API Key' in the credential",
		advice: `Open the credential, enter a valid 'API Key' and test it. ${NEW_KEY}`,
		testAdvice: `Copy the key again. ${NEW_KEY}`,
	},
	{
		codes: ['403'],
		happened: 'The API key does not have access to {part}',
		advice: 'Ask a service admin for access, or use a credential whose key has access.',
		testAdvice: 'Ask a service admin for an active key.',
	},
	{
		codes: ['404 page', '410 page', '405', '415'],
		happened: 'There is no Workflow Instance Service at this URL',
		advice: CHECK_BASE_URL,
		isAboutAddress: true,
	},
	{
		codes: ['404', '410'],
		happened: 'The service did not find {part}',
		advice:
			"Check that this is the instance's ID, not a table row's, and that the instance still exists. If this happens for every instance, check the 'Base URL' in the credential.",
		testAdvice: CHECK_BASE_URL,
		isAbsent: true,
	},
	{
		codes: ['409', '412', '423'],
		happened: 'The current state of {part} does not allow this request',
		advice: 'Check the instance in the service, then run this node again.',
		testAdvice: 'Ask a service admin.',
		isAboutValues: true,
	},
	{
		codes: ['413'],
		happened: 'The request for {subject} is too large for the service',
		advice: "For Bulk Delete, lower 'Batch Size'. For Update, shorten the values.",
		testAdvice: 'Ask a service admin.',
	},
	{
		codes: ['429'],
		happened: 'The service is receiving too many requests',
		advice:
			"Try again later. If every instance gets this, enter the rate limit as 'Requests per Minute' in the credential.",
		testAdvice: TEST_LATER,
	},
	{
		codes: ['408'],
		happened: 'The service did not receive the request for {subject} in time',
		...LATER,
	},
	{
		codes: ['503'],
		happened: 'The service is not available at the moment',
		...LATER,
		mayBeDone: true,
	},
	{
		codes: ['502', '504'],
		happened: 'The gateway in front of the service got no response for {subject}',
		...LATER,
		mayBeDone: true,
	},
	{
		codes: ['4xx'],
		happened: 'The service rejected the request for {subject}',
		advice: 'Check the parameters of this node and the credential.',
		testAdvice: 'Ask a service admin.',
	},
	{
		codes: ['5xx'],
		happened: 'The service could not handle the request for {subject}',
		...LATER,
		mayBeDone: true,
	},
];

const UNKNOWN_RESPONSE: Meaning = {
	happened: 'The service returned an unknown status for {subject}',
	advice: CHECK_BASE_URL,
	isAboutAddress: true,
	mayBeDone: true,
};

/**
 * What a response outside 2xx means.
 *
 * @param isPage whether its body is a web page or plain text, which this service never sends
 */
export function meaningOf(status: number, isPage: boolean): Meaning {
	const code = String(status);
	const names = [...(isPage ? [`${code} page`] : []), code, `${code[0]}xx`];
	const rows = names.map((name) => RESPONSES.find(({ codes }) => codes.includes(name)));
	return rows.find((row) => row !== undefined) ?? UNKNOWN_RESPONSE;
}

/** What the test of a credential says about a status: what happened, then what to do. */
export function testMessage(status: number): string {
	const { happened, advice, testAdvice = advice } = meaningOf(status, false);
	const words = happened.replace(/ for \{(part|subject)\}| \{target\}/, '');
	return `${words.replace('{part}', 'the service')} (${status}). ${testAdvice}`;
}
