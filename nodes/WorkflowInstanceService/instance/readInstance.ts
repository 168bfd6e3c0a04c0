import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../api/apiRequest';
import { reportsRejection } from '../api/rejectionInBody';
import { isWebPage, type ServiceResponse, serviceTime, serviceWords } from '../api/response';
import type { Service } from '../api/apiClient';
import { idFromUri, plainId } from '../values/ids';
import { isObject, parseJson } from '../values/json';
import { describeValue, shortened, UserFacingError } from '../values/userFacingError';
import { INSTANCE } from './locators';

const LONGEST_EXCERPT = 120;
const CHECK_PROXY =
	"Check that the 'Base URL' in the credential ends in /api. If it does, a proxy may have changed the response or cut it off. Run this node again.";
const CHECK_CACHE =
	'The response was ignored. Run this node again. If this keeps happening, ask a service admin, or the admin of a proxy or cache in between.';

function whatCame(response: ServiceResponse): string {
	if (response.text.trim() === '') return 'it is empty';
	if (isWebPage(response)) return serviceWords(response);
	const excerpt = `"${shortened(response.quotable(), LONGEST_EXCERPT)}"`;
	return response.isGarbled ? `it is not in UTF-8: ${excerpt}` : excerpt;
}

/** The error about a 2xx response that is not from this interface, not whole, or about something else. */
export function unusableResponse(
	response: ServiceResponse,
	subject: string,
	mayBeDone: boolean,
	what = `is not valid: ${whatCame(response)}`,
	advice = CHECK_PROXY,
): UserFacingError {
	const facts = { kind: 'failed', httpCode: String(response.status), mayBeDone } as const;
	return new UserFacingError(`The response for ${subject} ${what}`, advice, facts);
}

/** Whether an object may be an instance. One with a message has to be named, and to have a process, too. */
function looksLikeInstance(value: IDataObject): boolean {
	const isNamed =
		Object.hasOwn(value, 'id') || idFromUri(value.url, INSTANCE.segment) !== undefined;
	const hasProcess = Object.hasOwn(value, 'process');
	const hasMessage = ['detail', 'message'].some((key) => Object.hasOwn(value, key));
	return hasMessage || reportsRejection(value) ? isNamed && hasProcess : isNamed || hasProcess;
}

/** @returns the instance in a 2xx response, or throws when that contains none, or another one */
export function instanceIn(response: ServiceResponse, id: number, mayBeDone: boolean): IDataObject {
	const subject = `instance ${id}`;
	const json = response.isGarbled ? undefined : parseJson(response.text);
	if (!isObject(json) || !looksLikeInstance(json)) {
		throw unusableResponse(response, subject, mayBeDone);
	}
	const returnedId = json.id ?? idFromUri(json.url, INSTANCE.segment);
	if (returnedId === undefined || plainId(returnedId) === id) return json;
	const other = `contains another instance, with ID ${describeValue(returnedId)}`;
	throw unusableResponse(response, subject, mayBeDone, other, CHECK_CACHE);
}

/** The request that reads an instance (docs/dev/service-interface.md#get). */
export function readRequest(id: number, query?: IDataObject): ApiRequest {
	return { method: 'GET', path: `/instances/${id}/`, query, subject: `instance ${id}` };
}

/** Reads an instance, and the time of the service, if it says so. */
export async function readInstance(
	{ send }: Pick<Service, 'send'>,
	id: number,
	query?: IDataObject,
) {
	const response = await send(readRequest(id, query));
	return { instance: instanceIn(response, id, false), serviceTime: serviceTime(response) };
}
