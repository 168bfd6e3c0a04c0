import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { LONGEST_SLEEP_MS } from '../api/clock';
import { asObject } from '../values/json';
import { notExpected, UserFacingError } from '../values/userFacingError';
import type { Field, Parameters } from './parameters';

/**
 * n8n adds these to every declarative node, but interprets them in its routing only
 * (docs/dev/n8n-engine.md#request-options).
 */
const REQUEST_OPTIONS: Field = { displayName: 'Request Options', name: 'requestOptions' };

const DEFAULT_TIMEOUT_MS = 300_000;

/** For n8n's request helper. */
export type HttpOptions = Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
	/** In milliseconds. */
	timeout: number;
};

/** What the user chose under 'Request Options'. */
export interface RequestOptions {
	http: HttpOptions;
	/** How long after the first item an item starts, by its index, in milliseconds. */
	delayOf(item: number): number;
}

function isAddress(value: unknown): value is string {
	if (typeof value !== 'string' || !URL.canParse(value)) return false;
	return new URL(value).hostname !== '' && !/%(?![\da-f]{2})/i.test(value);
}

function parseProxy(value: unknown): IHttpRequestOptions['proxy'] {
	if (value === undefined || value === null || value === '') return undefined;
	if (!isAddress(value)) {
		// Not quoted: it may contain a password.
		throw new UserFacingError(
			"'Proxy' is not a valid URL",
			"Under 'Request Options', enter a URL like http://proxy.example.com:8080, or remove it.",
		);
	}
	const { protocol, hostname, port, username, password } = new URL(value);
	const auth = {
		username: decodeURIComponent(username),
		password: decodeURIComponent(password),
	};
	return {
		protocol: protocol.replace(/:$/, ''),
		host: hostname,
		port: Number(port) || (protocol === 'https:' ? 443 : 80),
		...(username !== '' && { auth }),
	};
}

function parseTimeout(value: unknown): number {
	const timeout = Number(value || DEFAULT_TIMEOUT_MS);
	if (timeout > 0 && timeout <= LONGEST_SLEEP_MS) return timeout;
	const advice = `Enter a number from 1 to ${LONGEST_SLEEP_MS} under 'Request Options', e.g. 60000 for one minute, or remove it.`;
	throw notExpected(value, "'Timeout'", 'a number of milliseconds', advice);
}

function delays({ batch }: IDataObject): RequestOptions['delayOf'] {
	const { batchSize = 1, batchInterval = 0 } = asObject(batch);
	const size = Math.max(Number(batchSize) || 1, 1);
	const interval = Math.max(Number(batchInterval) || 0, 0);
	return (item) => Math.floor(item / size) * interval;
}

/**
 * Reads n8n's own Request Options: batching, proxy, timeout and SSL.
 *
 * @throws UserFacingError naming 'Proxy' or 'Timeout' when it cannot be used
 */
export function requestOptions(parameters: Pick<Parameters, 'get'>): RequestOptions {
	const options = asObject(parameters.get(REQUEST_OPTIONS));
	return {
		http: {
			proxy: parseProxy(options.proxy),
			skipSslCertificateValidation: Boolean(options.allowUnauthorizedCerts),
			timeout: parseTimeout(options.timeout),
		},
		delayOf: delays(asObject(options.batching)),
	};
}
