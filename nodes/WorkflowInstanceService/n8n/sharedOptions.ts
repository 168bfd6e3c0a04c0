import { FIRST_LIMIT, HIGHEST_LIMIT } from '../api/pace/concurrencyLimit';
import type { RequestLimits } from '../api/apiRequest';
import { numberOption, type NumberOption, optionsOf, type Parameters } from './parameters';

export const maxConcurrentRequests: NumberOption = {
	displayName: 'Max Concurrent Requests',
	name: 'maxConcurrentRequests',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: HIGHEST_LIMIT, numberPrecision: 0 },
	default: HIGHEST_LIMIT,
	description: `The maximum number of requests to send at the same time. Starts with ${FIRST_LIMIT} and adapts to what the service can handle, up to this number.`,
};

export const maxRetries: NumberOption = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
	default: 4,
	description:
		'How many times to retry a request that keeps getting 429 or 503 while others succeed. Lost connections are retried at most once.',
};

export const maxWait: NumberOption = {
	displayName: 'Max Wait (Seconds)',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86_400, numberPrecision: 0 },
	default: 300,
	description:
		'Give up when the service requests a longer wait, or nothing has succeeded for this many seconds',
};

/** The limits on requests that the user set, in milliseconds where they are times. */
export function requestLimits(parameters: Parameters): RequestLimits {
	const options = optionsOf(parameters);
	return {
		maxConcurrentRequests: numberOption(options, maxConcurrentRequests),
		maxRetries: numberOption(options, maxRetries),
		maxWait: numberOption(options, maxWait) * 1000,
	};
}
