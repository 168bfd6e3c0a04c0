import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { isEmpty, notExpected, UserFacingError } from '../values/userFacingError';

const ENTER_BASE_URL =
	"Open the credential and enter a 'Base URL' that starts with https:// and ends in /api.";

function emptyField(label: string, advice: string): UserFacingError {
	return new UserFacingError(
		`The '${label}' in the credential is empty`,
		`${advice} If it's an expression, check that it returns a value.`,
	);
}

/** @param happened how the message about it ends */
function unusableBaseUrl(happened: string, advice: string): UserFacingError {
	return new UserFacingError(`The 'Base URL' in the credential ${happened}`, advice);
}

/**
 * The base URL in the one spelling of the same address: without blanks and trailing slashes, scheme and
 * host in lower case, no default port, e.g. `https://example.com/api`
 * (docs/dev/service-interface.md#base-url).
 *
 * @throws UserFacingError naming 'Base URL' when it is empty, not an http(s) address, or more than that
 */
export function normalizeBaseUrl(value: unknown): string {
	if (isEmpty(value)) throw emptyField('Base URL', ENTER_BASE_URL);
	const text = typeof value === 'string' ? value.trim() : '';
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
		throw unusableBaseUrl('is not a URL like https://example.com/api', ENTER_BASE_URL);
	}
	const { origin, username, password, pathname } = new URL(text);
	const path = pathname.replace(/\/+$/, '');
	const [beyond] = /\/(instances|processes)(\/\d+)?$/.exec(path) ?? [];
	if (beyond !== undefined) {
		const advice = `Open the credential and remove ${beyond} from the end.`;
		throw unusableBaseUrl(`ends in ${beyond}`, advice);
	}
	// Paths are appended to it, and a user name in it would take the place of the API key.
	if (username + password === '' && !/[?#]/.test(text)) return `${origin}${path}`;
	throw unusableBaseUrl(
		'contains more than a URL like https://example.com/api',
		'Open the credential and remove the part with @, ? or #.',
	);
}

/**
 * The API key without blanks, and without the prefix if it was pasted with it.
 *
 * @throws UserFacingError naming 'API Key' when it is empty
 */
export function bareKey(value: unknown): string {
	if (isEmpty(value)) throw emptyField('API Key', "Open the credential and enter an 'API Key'.");
	return String(value)
		.trim()
		.replace(/^Api-Key\s+/i, '');
}

/**
 * The rate limit that the user entered, in requests per minute; 0 for none.
 *
 * @throws UserFacingError naming 'Requests per Minute' when it is not a whole number of 0 or more
 */
export function requestsPerMinute(value: unknown): number {
	const number = isEmpty(value) ? 0 : Number(value);
	if (Number.isSafeInteger(number) && number >= 0) return number;
	throw notExpected(
		value,
		"'Requests per Minute' in the credential",
		'a whole number of 0 or more',
		"Open the credential and enter your service's rate limit, or 0 if you don't know it.",
	);
}

/**
 * Rejects what would show the API key to others, where an n8n admin has limited the credential to
 * certain domains.
 *
 * @param http the Request Options of the node
 * @throws UserFacingError naming 'Proxy' or 'Ignore SSL Issues'
 */
export function assertKeyStaysHidden(
	{ allowedHttpRequestDomains: allowed = 'all' }: ICredentialDataDecryptedObject,
	http: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>,
): void {
	const risks = [
		http.proxy && 'Proxy',
		http.skipSslCertificateValidation && 'Ignore SSL Issues (Insecure)',
	];
	const label = risks.find(Boolean);
	if (allowed === 'all' || !label) return;
	throw new UserFacingError(
		`'${label}' can't be used with this credential, which is limited to certain domains`,
		`Remove '${label}' from 'Request Options', since it could expose the API key. Or set 'Allowed HTTP Request Domains' in the credential to All.`,
	);
}
