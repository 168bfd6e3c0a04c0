import type { IDataObject } from 'n8n-workflow';

import { type ApiRequest } from '../api/apiRequest';
import { excerpt, isCutOff, isWebPage, type ServiceResponse, serviceWords } from '../api/response';
import type { Service } from '../api/service';
import { idFromUrl, INSTANCE, plainId } from '../values/ids';
import { asObject, isObject, pick } from '../values/json';
import { describeValue, subjectOf } from '../values/text';
import { UserFacingError } from '../values/userFacingError';
import { reportsFailure } from './failureReports';
import { INSTANCE_KEYS } from './output';

const LONGEST_EXCERPT = 120;
const CHECK_SOURCE =
	"Check that the 'Base URL' in the credential is the URL of your service. If it is, a proxy or cache may have changed the response or cut it off.";

function whatIsWrong(response: ServiceResponse): string {
	if (response.text.trim() === '') return 'is empty';
	if (isWebPage(response)) return `is ${serviceWords(response)}`;
	const start = excerpt(response.text, response.redact, LONGEST_EXCERPT);
	return `is not ${response.isGarbled ? 'in UTF-8' : 'valid'}: "${start}"`;
}

/** The error about a 2xx response that is incomplete, from or about something else, or reports a failure. */
export function unusableResponse(
	response: ServiceResponse,
	ids: readonly number[],
	what = whatIsWrong(response),
	advice = CHECK_SOURCE,
): UserFacingError {
	const facts = { kind: 'unknown', httpCode: String(response.status) } as const;
	return new UserFacingError(`The response for ${subjectOf(ids)} ${what}`, advice, facts);
}

/** Whether an object may be an instance. A message may have an ID or a process, but not both. */
function mayBeInstance(json: IDataObject, hasId: boolean): boolean {
	const hasProcess = Object.hasOwn(json, 'process');
	const hasMessage = ['detail', 'message'].some((key) => Object.hasOwn(json, key));
	if (hasMessage || reportsFailure({ status: 200, json })) return hasId && hasProcess;
	return hasId || hasProcess;
}

/** Returns the instance in a 2xx response. Throws UserFacingError if it contains none, or another one. */
export function instanceIn(response: ServiceResponse, id: number): IDataObject {
	const { json, isGarbled } = response;
	if (isGarbled || !isObject(json)) throw unusableResponse(response, [id]);
	const returnedId = json.id ?? idFromUrl(json.url, INSTANCE);
	const hasId = returnedId !== undefined;
	if (!mayBeInstance(json, hasId)) throw unusableResponse(response, [id]);
	if (!hasId || plainId(returnedId) === id) return json;
	const what = `contains another instance, with ID ${describeValue(returnedId)}`;
	throw unusableResponse(response, [id], what);
}

/**
 * Returns the instance in a 2xx response to an update, if any. Throws UserFacingError if the response reports a failure.
 * @param before the instance as it was read before the update: failures that it already reported say nothing
 */
export function updatedInstanceIn(
	response: ServiceResponse,
	id: number,
	before: IDataObject,
): IDataObject | undefined {
	const { status } = response;
	const json = asObject(response.json);
	// An instance has more fields than an ID. Without them, the whole body is about the outcome of the update.
	const hasNoInstance = Object.keys(pick(json, INSTANCE_KEYS)).length < 2;
	const wasThere = (key: string) => reportsFailure({ status: 200, json: pick(before, [key]) });
	const isNew = (key: string) => !INSTANCE_KEYS.includes(key) && !wasThere(key);
	const report = pick(json, Object.keys(json).filter(isNew));
	if (reportsFailure({ status, json: report }, hasNoInstance ? [id] : [])) {
		const words = serviceWords(isObject(response.json) ? { ...response, json: report } : response);
		const what = `does not confirm the update (${status})${words && `: ${words}`}`;
		throw unusableResponse(response, [id], what, 'Check the instance in the service.');
	}
	// What success looks like is not known (docs/dev/service-interface.md#undocumented).
	const isEmptyBody = response.text.trim() === '' && !isCutOff(response);
	return isEmptyBody ? undefined : instanceIn(response, id);
}

/** The request that reads an instance (docs/dev/service-interface.md#get). */
export function readRequest(id: number, query?: IDataObject): ApiRequest {
	return { method: 'GET', path: `/instances/${id}/`, query, ids: [id] };
}

/** Reads an instance. Throws UserFacingError. */
export async function readInstance({ send }: Service, id: number, query?: IDataObject) {
	return instanceIn(await send(readRequest(id, query)), id);
}
