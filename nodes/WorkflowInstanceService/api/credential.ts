import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { name, version } from '../../../package.json';
import { wholeNumber } from '../values/ids';
import { isEmpty, trimmed } from '../values/text';
import { notValid, UserFacingError } from '../values/userFacingError';

const ENTER_BASE_URL =
	"Open the credential and enter a 'Base URL' that starts with https:// and ends in /api.";
const ENTER_API_KEY = "Open the credential and enter an 'API Key'.";

/** Headers of every request, besides the one with the API key. What Update sends back must not be from a cache. */
export const HEADERS = {
	Accept: 'application/json',
	'Cache-Control': 'no-cache',
	'User-Agent': `${name}/${version}`,
};

function unusable(label: string, happened: string, advice: string): UserFacingError {
	return new UserFacingError(`The '${label}' in the credential ${happened}`, advice);
}

function filledText(value: unknown, label: string, advice: string): string {
	if (!isEmpty(value)) return trimmed(String(value));
	const check = "If it's an expression, check that it returns a value.";
	throw unusable(label, 'is empty', `${advice} ${check}`);
}

/**
 * The base URL in its canonical spelling, e.g. `https://example.com/api`
 * (docs/dev/service-interface.md#base-url). Throws a UserFacingError about anything else.
 */
export function normalizeBaseUrl(value: unknown): string {
	const text = filledText(value, 'Base URL', ENTER_BASE_URL);
	// Paths are appended to it, and a user name in it would take the place of the API key.
	if (!/^https?:\/\/[^@?#]+$/i.test(text) || !URL.canParse(text)) {
		throw unusable('Base URL', 'is not a URL like https://example.com/api', ENTER_BASE_URL);
	}
	const { origin, pathname } = new URL(text);
	const path = pathname.replace(/\/+$/, '');
	if (!path.endsWith('/api')) {
		// Part of the message, since n8n doesn't show the advice in the credential's form.
		const [upToApi = `${path}/api`] = /^.*?\/api(?=\/|$)/i.exec(path) ?? [];
		const example = `Enter e.g. ${origin}${upToApi.replace(/api$/i, 'api')}`;
		throw unusable('Base URL', `does not end in /api. ${example}`, ENTER_BASE_URL);
	}
	return `${origin}${path}`;
}

/** The API key, without a pasted `Authorization: Api-Key`. Throws a UserFacingError if it's empty or can't be sent. */
export function bareKey(value: unknown): string {
	const text = filledText(value, 'API Key', ENTER_API_KEY);
	const key = trimmed(text.replace(/^(Authorization:\s*)?Api-Key(\s+|$)/i, ''));
	if (key === '') throw unusable('API Key', 'is empty', ENTER_API_KEY);
	// n8n would replace a character that headers can't contain with another one.
	if (/^[\x20-\x7e\xa0-\xff]+$/.test(key)) return key;
	const advice = 'Open the credential and copy the key again, without line breaks or other text.';
	throw unusable('API Key', "contains a character that can't be sent", advice);
}

/** The rate limit in a credential; 0 for none. Throws a UserFacingError about anything else. */
export function requestsPerMinute(credential: ICredentialDataDecryptedObject): number {
	const { requestsPerMinute: value } = { requestsPerMinute: 0, ...credential };
	// The form saves null, or nothing, for a field that was cleared. An expression that finds nothing returns undefined.
	const count = value === null ? 0 : wholeNumber(value);
	if (count !== undefined && count >= 0) return count;
	throw notValid(
		value,
		"'Requests per Minute' in the credential",
		'a whole number of 0 or more',
		"Open the credential and enter your service's rate limit, or 0 if you don't know it.",
	);
}

/** Throws UserFacingError about options that could expose the key of a credential that is limited to certain domains. */
export function assertKeyStaysHidden(
	{ allowedHttpRequestDomains: allowed = 'all' }: ICredentialDataDecryptedObject,
	http: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>,
): void {
	// n8n's HTTP Request node has its own name for ignoring SSL issues.
	const isInsecure = 'rejectUnauthorized' in http && http.rejectUnauthorized === false;
	if (allowed === 'all' || !(http.proxy || http.skipSslCertificateValidation || isInsecure)) return;
	const label = http.proxy ? 'Proxy' : 'Ignore SSL Issues (Insecure)';
	throw new UserFacingError(
		`'${label}' can't be used with this credential, which is limited to certain domains`,
		`Remove '${label}' from 'Request Options' on the Settings tab, since it could expose the API key. Or set 'Allowed HTTP Request Domains' in the credential to All.`,
	);
}
