import type { IDataObject } from 'n8n-workflow';

import { MAY_BE_DONE } from '../api/errors';
import { reportsRejection } from '../api/rejection';
import { isWebPage, type ServiceResponse, serviceWords } from '../api/response';
import { idFromUri } from '../values/ids';
import { isObject, parseJson } from '../values/json';
import { describeValue, shortened, UserFacingError } from '../values/userFacingError';
import { INSTANCE } from './locators';

const LONGEST_EXCERPT = 120;

function whatCame(response: ServiceResponse): string {
	if (response.text.trim() === '') return 'it is empty';
	if (isWebPage(response)) return serviceWords(response);
	const text = response.quotable();
	const excerpt = `"${shortened(text, LONGEST_EXCERPT)}"`;
	return response.isGarbled ? `its text doesn't match its charset: ${excerpt}` : excerpt;
}

/** What a 2xx response is about, and whether the request may have changed something. */
interface Asked {
	/** In the words of a message, e.g. `instance 42`. */
	subject: string;
	changes: boolean;
}

/** An error about a 2xx response that cannot be used. */
function errorAbout(
	{ status }: ServiceResponse,
	{ changes }: Asked,
	message: string,
	advice: string,
) {
	const facts = { httpCode: String(status), mayBeDone: changes };
	return new UserFacingError(message, changes ? `${advice} ${MAY_BE_DONE}` : advice, facts);
}

/** What a 2xx response means that does not come from this interface, or not whole. */
export function unusableResponse(response: ServiceResponse, asked: Asked): UserFacingError {
	return errorAbout(
		response,
		asked,
		`The response for ${asked.subject} is not valid: ${whatCame(response)}`,
		"Check that the 'Base URL' in the credential ends in /api. If it does, a proxy may have changed the response or cut it off. Run this node again.",
	);
}

/** What tells which instance a response is about. */
const IDENTITY = ['id', 'url', 'process'];

/** Whether an object may be an instance. One that reports a rejection is only if it has a process, too. */
function looksLikeInstance(value: IDataObject): boolean {
	if (reportsRejection(value)) return Object.hasOwn(value, 'process');
	return IDENTITY.some((field) => Object.hasOwn(value, field));
}

/**
 * The instance in a 2xx response.
 *
 * @param changes whether the request may have changed something
 * @throws UserFacingError when the response holds none, or another one than was asked for
 */
export function instanceIn(response: ServiceResponse, id: number, changes: boolean): IDataObject {
	const asked = { subject: `instance ${id}`, changes };
	const json = response.isGarbled ? undefined : parseJson(response.text);
	if (!isObject(json) || !looksLikeInstance(json)) throw unusableResponse(response, asked);
	const returnedId = json.id ?? idFromUri(json.url, INSTANCE.segment);
	if (returnedId !== undefined && Number(returnedId) !== id) {
		throw errorAbout(
			response,
			asked,
			`The response for ${asked.subject} contains another instance, with ID ${describeValue(returnedId)}`,
			'The response was ignored. Run this node again. If this keeps happening, ask a service admin, or the admin of a proxy or cache in between.',
		);
	}
	return json;
}
