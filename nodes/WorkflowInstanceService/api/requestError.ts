import { UserFacingError } from '../values/userFacingError';
import { type ApiRequest, subjectOf } from './apiRequest';
import type { Failure } from './failureMessages';
import { isWebPage, keysIn, type Result, type ServiceResponse, serviceWords } from './response';
import { inWords } from './waits';

const WEB_PAGE =
	"The response is a web page, so it may come from a proxy or firewall instead of the service. Also check the 'Base URL' in the credential.";
const FEWER_IDS =
	"If the service limits how many IDs a request may contain, lower 'Batch Size' in the options.";
/** A gateway may send it for what the service would accept in smaller parts. */
const CONTENT_TOO_LARGE = 413;
const REJECTED = {
	GET: { what: 'the request for', toCheck: 'the ID and the options' },
	POST: { what: 'the deletion of', toCheck: 'the IDs' },
	PUT: { what: 'the values for', toCheck: 'the values' },
};

function whatHappened(failure: Failure, result: Result, request: ApiRequest, baseUrl: string) {
	const { ids, method } = request;
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

function adviceOn(response: ServiceResponse, failure: Failure, { ids, method }: ApiRequest) {
	const { advice, adviceOnSeveral, kind } = failure;
	const isRejection = /^4/.test(String(response.status)) && kind !== 'otherWebsite';
	const own = (ids.length > 1 && adviceOnSeveral) || advice;
	if (isRejection && isWebPage(response)) return `${own} ${WEB_PAGE}`;
	if (kind !== 'rejected' || adviceOnSeveral) return own;
	const isExplained = serviceWords(response) !== '';
	const toDo = isExplained ? own : `The service gave no reason. Check ${REJECTED[method].toCheck}.`;
	return ids.length > 1 ? `${toDo} ${FEWER_IDS}` : toDo;
}

/**
 * The error for a result that is no success, with the service's own words, or n8n's if it sent nothing.
 *
 * @param pause how long the service says to wait, in milliseconds; 0 if it doesn't say
 */
export function requestError(
	result: Result,
	failure: Failure,
	request: ApiRequest,
	baseUrl: string,
	pause: number,
): UserFacingError {
	const { kind = 'other', requestOption, retry } = failure;
	const isTemporary = retry !== undefined && retry !== 'unreachable';
	const happened = whatHappened(failure, result, request, baseUrl);
	if ('networkCode' in result) {
		const why = result.networkCode === '' ? `: ${result.words}` : ` (${result.networkCode})`;
		const facts = { kind, isTemporary, requestOption };
		return new UserFacingError(`${happened}${why}`, failure.advice, facts);
	}
	const { status } = result;
	const words = status < 400 ? '' : serviceWords(result);
	const wait = pause > 0 ? ` and says to retry in ${inWords(pause)}` : '';
	const message = `${happened}${wait} (${status})${words && `: ${words}`}`;
	return new UserFacingError(message, adviceOn(result, failure, request), {
		kind,
		isTemporary,
		pause,
		httpCode: String(status),
		words,
		isOfGateway: isWebPage(result) && status !== CONTENT_TOO_LARGE,
		keys: keysIn(result),
	});
}
