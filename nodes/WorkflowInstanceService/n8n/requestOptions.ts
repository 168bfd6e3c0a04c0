import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { LONGEST_SLEEP_MS } from '../api/clock';
import { asObject } from '../values/json';
import { isEmpty, trimmed } from '../values/text';
import { notValid, UserFacingError } from '../values/userFacingError';
import type { ItemParameters } from './parameters';

const DEFAULT_TIMEOUT_MS = 300_000;

/** For n8n's request helper; times are in milliseconds. */
export type HttpOptions = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
	timeout: number;
};

function parseProxy(value: unknown): HttpOptions['proxy'] {
	if (isEmpty(value)) return undefined;
	try {
		const { protocol, hostname: host, port, username, password } = new URL(trimmed(String(value)));
		const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
		const usualPort = protocol === 'https:' ? 443 : 80;
		const proxy = { protocol: protocol.replace(':', ''), host, port: Number(port) || usualPort };
		// n8n silently bypasses a proxy of another kind, e.g. SOCKS, and logs its password.
		if (/^https?:$/.test(protocol)) {
			return username === '' ? proxy : { ...proxy, auth };
		}
	} catch {
		// The URL, or the user name in it, can't be read.
	}
	// Not quoted: it may contain a password.
	throw new UserFacingError(
		"'Proxy' is not the URL of an HTTP proxy",
		"Under 'Request Options' on the Settings tab, enter a URL that starts with http:// or https://, e.g. http://proxy.example.com:8080, or remove it.",
	);
}

function parseTimeout(value: unknown): number {
	const timeout = Number(value || DEFAULT_TIMEOUT_MS);
	if (timeout > 0 && timeout <= LONGEST_SLEEP_MS) return timeout;
	const advice = `Enter a number from 1 to ${LONGEST_SLEEP_MS} under 'Request Options' on the Settings tab, e.g. 60000 for one minute, or remove it.`;
	throw notValid(value, "'Timeout'", 'a number of milliseconds', advice);
}

function requestOptionsOf(parameters: Pick<ItemParameters, 'get'>): IDataObject {
	return asObject(parameters.get({ displayName: 'Request Options', name: 'requestOptions' }));
}

/** n8n's own Request Options, which only its routing interprets (docs/dev/n8n-engine.md#request-options). */
export function httpOptions(parameters: Pick<ItemParameters, 'get'>): HttpOptions {
	const { proxy, timeout, allowUnauthorizedCerts } = requestOptionsOf(parameters);
	return {
		proxy: parseProxy(proxy),
		skipSslCertificateValidation: allowUnauthorizedCerts === true,
		timeout: parseTimeout(timeout),
	};
}

/** n8n's own Batching: how long after the first item an item starts, by its index, in milliseconds. */
export function batchDelay(parameters: Pick<ItemParameters, 'get'>): (itemIndex: number) => number {
	const { batchSize, batchInterval } = asObject(
		asObject(requestOptionsOf(parameters).batching).batch,
	);
	const size = Math.max(Number(batchSize) || 1, 1);
	const interval = Math.max(Number(batchInterval) || 0, 0);
	return (itemIndex) => Math.floor(itemIndex / size) * interval;
}
