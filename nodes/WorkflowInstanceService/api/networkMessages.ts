import { CHECK_BASE_URL, type Meaning, type Row, TRY_LATER } from './messages';
import { LOST_CONNECTION, TIMED_OUT } from './network';

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
		codes: ['HPE_HEADER_OVERFLOW'],
		happened: 'The headers of the response for {subject} are too large',
		advice:
			'Ask the administrator of the service, or of a proxy in between. n8n admins can raise the limit with NODE_OPTIONS=--max-http-header-size.',
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
