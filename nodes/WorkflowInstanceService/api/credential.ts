import { UserFacingError } from '../values/userFacingError';

const ENTER_BASE_URL =
	"Open the credential and enter a 'Base URL' that starts with https:// and ends in /api.";

/**
 * The base URL as typed, without surrounding blanks and trailing slashes, e.g.
 * `https://example.com/api` (docs/service-interface.md#base-url).
 *
 * @throws UserFacingError naming 'Base URL' when it is not an http(s) address, or more than that
 */
export function normalizeBaseUrl(value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/\/+$/, '') : '';
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
		throw new UserFacingError(
			"The 'Base URL' of the credential is not a web address like https://example.com/api",
			ENTER_BASE_URL,
		);
	}
	const { username, password, pathname } = new URL(text);
	const [beyond] = /\/(instances|processes)(\/\d+)?$/.exec(pathname) ?? [];
	if (beyond !== undefined) {
		throw new UserFacingError(
			`The 'Base URL' of the credential continues after /api, with ${beyond}`,
			`Remove ${beyond} from it. ${ENTER_BASE_URL}`,
		);
	}
	// Paths are appended to it, and a user name in it would take the place of the API key.
	if (username + password === '' && !/[?#]/.test(text)) return text;
	throw new UserFacingError(
		"The 'Base URL' of the credential contains more than an address like https://example.com/api",
		`Remove the part with @, ? or # from it. ${ENTER_BASE_URL}`,
	);
}

/** The API key as pasted, without blanks and without the prefix that the documentation shows. */
export function bareKey(value: unknown): string {
	return String(value ?? '')
		.trim()
		.replace(/^Api-Key\s+/i, '');
}
