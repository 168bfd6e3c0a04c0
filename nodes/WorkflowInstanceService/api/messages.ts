import { LOST_CONNECTION, TIMED_OUT } from './network';

/** What a response, or a network failure, means to the user. */
export interface Meaning {
	/**
	 * What happened; `{subject}` stands for e.g. `instance 42`, `{part}` for the same or, of several,
	 * `one or more of 21 instances`, `{service}` for its address.
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
	/** What to set under n8n's 'Request Options', where there are some. */
	readonly requestOption?: string;
}

/** What some responses, or network failures, mean. */
export interface Row extends Meaning {
	/** The statuses (`404 page` for one with a web page) or (parts of) network codes that it is about. */
	readonly codes: readonly string[];
}

export const CHECK_BASE_URL =
	"Check the 'Base URL' of the credential: it is the address of your service and ends in /api.";
const TRY_LATER = 'Run the workflow again later.';
/** What a poll can do about what is temporary. */
export const NEXT_POLL = 'The next poll asks again.';
/** Only where the node stops: with Continue, n8n would process all items again, and only if the first one is refused. */
export const RETRY_ON_FAIL =
	"For unattended runs, turn on 'Retry On Fail' in the settings of this node.";

/** First match counts; `4xx` and `5xx` stand for the rest of their hundred. */
export const RESPONSES: readonly Row[] = [
	{
		codes: ['400', '422'],
		happened: 'The service did not accept the values for {part}',
		advice: 'Correct what the service names, then run this node again.',
	},
	{
		codes: ['401'],
		happened: "The service refused the 'API Key' of the credential",
		advice:
			"Open the credential, enter a valid 'API Key' and test it. An administrator finds it in the company settings of the service.",
	},
	{
		codes: ['403'],
		happened: 'The API key does not have access to {part}',
		advice:
			'Ask an administrator of the service for access, or use a credential whose key has access.',
	},
	{
		codes: ['404 page', '410 page', '405', '415'],
		happened: 'There is no Workflow Instance Service at this address',
		advice: CHECK_BASE_URL,
		isAboutAddress: true,
	},
	{
		codes: ['404', '410'],
		happened: 'The service did not find {part}',
		advice:
			"Check that the instance still exists and that the ID is right. If it happens for every instance, check the 'Base URL' of the credential.",
		isAbsent: true,
	},
	{
		codes: ['409', '412', '423'],
		happened: 'The current state of {part} does not allow the request',
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
			"Run this node less often, or raise 'Max Retries' in its options. For Get and Update, lower 'Max Concurrent Requests' as well.",
	},
	{
		codes: ['408'],
		happened: 'The service did not receive the request for {subject} in time',
		advice: TRY_LATER,
		isTemporary: true,
	},
	{
		codes: ['503'],
		happened: 'The service is not available at the moment',
		advice: TRY_LATER,
		mayBeDone: true,
		isTemporary: true,
	},
	{
		codes: ['502', '504'],
		happened: 'The gateway of the service got no response from it for {subject}',
		advice: TRY_LATER,
		mayBeDone: true,
		isTemporary: true,
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
		mayBeDone: true,
		isTemporary: true,
	},
];

export const UNKNOWN_RESPONSE: Meaning = {
	happened: 'The service sent a response for {subject} that has no known meaning',
	advice: CHECK_BASE_URL,
	isAboutAddress: true,
	mayBeDone: true,
};

/** First match counts, of a whole code or a part of it. */
export const NETWORK: readonly Row[] = [
	{
		codes: ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
		happened: 'Nothing responds at {service}',
		advice: `The service may be down, or the port is wrong. ${CHECK_BASE_URL} If this n8n uses a proxy, check that too.`,
	},
	{
		codes: ['ENOTFOUND', 'EAI_AGAIN', 'ERR_INVALID_URL'],
		happened: 'The host name in {service} was not found',
		advice: `${CHECK_BASE_URL} If it is right, the name server that this n8n asks may be down; run the workflow again later.`,
	},
	{
		codes: TIMED_OUT,
		happened: 'The service did not respond in time for {subject}',
		advice: TRY_LATER,
		requestOption: "The time to wait is set under 'Request Options', Timeout.",
		mayBeDone: true,
		isTemporary: true,
	},
	{
		codes: LOST_CONNECTION,
		happened: 'The connection was lost before the response for {subject} arrived',
		advice: TRY_LATER,
		mayBeDone: true,
		isTemporary: true,
	},
	{
		codes: ['Z_', 'ERR__ERROR_'],
		happened: 'The response for {subject} could not be decompressed',
		advice:
			'Run this node again. If this keeps happening, ask the administrator of this n8n to look for a proxy that changes responses on the way.',
		mayBeDone: true,
	},
	{
		codes: ['HPE_'],
		happened: 'The server at {service} is not a web server',
		advice: `${CHECK_BASE_URL} Make sure that it begins with https:// if the service offers it, and that the port is right.`,
		mayBeDone: true,
	},
	{
		codes: ['EPROTO', 'CERT_', '_CERT', 'ERR_TLS', 'ERR_SSL', 'UNABLE_TO_'],
		happened: 'A secure connection to {service} could not be made',
		advice:
			"Check that the 'Base URL' of the credential starts with https:// only if the service offers it, and that its certificate is valid.",
		requestOption:
			"For a self-signed certificate, see 'Ignore SSL Issues' under 'Request Options'.",
	},
	{
		codes: ['ERR_INVALID_CHAR'],
		happened: "The 'API Key' of the credential contains a character that cannot be sent",
		advice:
			"Open the credential and enter the 'API Key' again, without line breaks and special characters.",
	},
];

export const UNKNOWN_NETWORK: Meaning = {
	happened: 'No response for {subject} came from {service}',
	advice: `${CHECK_BASE_URL} Also check that this n8n may connect to that address.`,
	mayBeDone: true,
};

/** Without a code, n8n itself refused to send the request; its own words follow. */
export const NOT_SENT: Meaning = {
	happened: 'n8n did not complete the request for {subject}',
	advice:
		"Ask the administrator of this n8n whether it may connect to the 'Base URL' of the credential.",
};
