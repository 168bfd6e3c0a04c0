import { CHECK_BASE_URL, type Meaning, type Row, TRY_LATER } from './messages';
import { LOST_CONNECTION, type NoResponse, TIMED_OUT } from './network';

/** First match counts, of a whole code or a part of it. */
export const NETWORK: readonly Row[] = [
	{
		codes: ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
		happened: "Can't connect to {service}",
		advice: `The service may be down, or the port may be wrong. ${CHECK_BASE_URL} If n8n connects through a proxy, check that too.`,
	},
	{
		codes: ['ENOTFOUND', 'EAI_AGAIN', 'ERR_INVALID_URL'],
		happened: 'The host name in {service} was not found',
		advice: `${CHECK_BASE_URL} If it's correct, DNS may be down. Run the workflow again later.`,
	},
	{
		codes: TIMED_OUT,
		happened: 'The service did not respond in time to the request for {subject}',
		advice: TRY_LATER,
		requestOption: "To wait longer, raise 'Timeout' under 'Request Options'.",
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
			'Run this node again. If this keeps happening, ask your n8n admin to check for a proxy that changes responses.',
		mayBeDone: true,
	},
	{
		codes: ['HPE_HEADER_OVERFLOW'],
		happened: 'The headers of the response for {subject} are too large',
		advice:
			'Ask a service admin, or the admin of a proxy in between, to make them smaller. Or ask your n8n admin to raise the limit with NODE_OPTIONS=--max-http-header-size.',
		mayBeDone: true,
	},
	{
		codes: ['HPE_'],
		happened: 'The server at {service} did not respond with HTTP',
		advice: `${CHECK_BASE_URL} Make sure that it starts with https:// if the service supports HTTPS, and that the port is correct.`,
		mayBeDone: true,
	},
	{
		codes: ['EPROTO', 'CERT_', '_CERT', 'ERR_TLS', 'ERR_SSL', 'UNABLE_TO_'],
		happened: 'A secure connection to {service} could not be established',
		advice:
			"Check that the service's certificate is valid, and that the 'Base URL' in the credential starts with https:// only if the service supports HTTPS.",
		requestOption:
			"If the certificate is self-signed, see 'Ignore SSL Issues (Insecure)' under 'Request Options'.",
	},
	{
		codes: ['ERR_INVALID_CHAR'],
		happened: "The 'API Key' in the credential contains a character that can't be sent",
		advice:
			"Open the credential and enter the 'API Key' again, without line breaks or special characters.",
	},
];

const UNKNOWN_NETWORK: Meaning = {
	happened: 'There was no response from {service} for {subject}',
	advice: `${CHECK_BASE_URL} Also check that n8n is allowed to connect to it.`,
	mayBeDone: true,
};

/** Without a code, n8n itself refused to send the request; its own words follow. */
const NOT_SENT: Meaning = {
	happened: 'n8n blocked the request for {subject}',
	advice:
		"Ask your n8n admin whether n8n is allowed to connect to the 'Base URL' in the credential.",
};

/** What it means that there was no response. */
export function networkMeaning({ networkCode }: NoResponse): Meaning {
	const known = NETWORK.find(({ codes }) => codes.some((part) => networkCode.includes(part)));
	return known ?? (networkCode === '' ? NOT_SENT : UNKNOWN_NETWORK);
}
