import { UserFacingError } from '../values/userFacingError';
import { type ApiRequest, subjectOf } from './apiRequest';
import type { Failure } from './failureMessages';
import { isWebPage, keysIn, type Result, type ServiceResponse, serviceWords } from './response';
import { inWords } from './waits';

/** A request that was sent, and how long the service then asked to wait, in milliseconds. */
type Sent = Pick<ApiRequest, 'ids' | 'method'> & { baseUrl: string; pause: number };

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
const REJECTED = {
	GET: { what: 'the request for', toCheck: 'the ID and the options' },
	POST: { what: 'the deletion of', toCheck: 'the IDs' },
	PUT: { what: 'the values for', toCheck: 'the values' },
};

function whatHappened(failure: Failure, result: Result, { method, ids, baseUrl }: Sent): string {
	const subject = subjectOf(ids);
	const { location = 'an unknown URL' } = 'headers' in result ? result.headers : {};
	return (
		failure.happened
			.replace('{rejected}', REJECTED[method].what)
			.replace('{subject}', subject)
			.replace('{part}', ids.length === 1 ? subject : `one or more of ${subject}`)
			.replace('{service}', new URL(baseUrl).origin)
			// What follows may be a ticket of a sign-in page.
			.replace('{target}', () => String(location).replace(/[?#].*/s, '…'))
	);
}

/** What to do about a response, which may be a page that comes from elsewhere than the service. */
function adviceOn(response: ServiceResponse, failure: Failure, { ids, method }: Sent): string {
	const { kind, adviceOnSeveral } = failure;
	const isRejection = /^4/.test(String(response.status)) && kind !== 'otherWebsite';
	if (isRejection && isWebPage(response)) return `${failure.advice} ${WEB_PAGE}`;
	if (kind === 'rejected' && !adviceOnSeveral && serviceWords(response) === '') {
		return `The service gave no reason. Check ${REJECTED[method].toCheck}.`;
	}
	return (ids.length > 1 && adviceOnSeveral) || failure.advice;
}

/** The error for a result that is no success, with the service's own words, or n8n's if it sent nothing. */
export function errorOf(result: Result, failure: Failure, sent: Sent): UserFacingError {
	const { kind = 'failed', requestOption, retry } = failure;
	const isTemporary = retry !== undefined;
	const happened = whatHappened(failure, result, sent);
	if ('networkCode' in result) {
		const why = result.networkCode === '' ? `: ${result.words}` : ` (${result.networkCode})`;
		const facts = { kind, isTemporary, requestOption };
		return new UserFacingError(`${happened}${why}`, failure.advice, facts);
	}
	const { status } = result;
	const { pause } = sent;
	const words = status < 400 ? '' : serviceWords(result);
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const message = `${happened}${wait} (${status})${words && `: ${words}`}`;
	return new UserFacingError(message, adviceOn(result, failure, sent), {
		kind,
		isTemporary,
		pause,
		httpCode: String(status),
		words: isWebPage(result) || kind === 'otherWebsite' ? undefined : words,
		keys: keysIn(result),
	});
}
