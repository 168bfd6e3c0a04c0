import type { IDataObject } from 'n8n-workflow';

import { MAY_BE_DONE } from '../api/failures';
import { isWebPage, type ServiceResponse, serviceTime, serviceWords } from '../api/response';
import type { Service } from '../n8n/forEachItem';
import { idFromUri } from '../values/ids';
import { isObject, parseJson } from '../values/json';
import { describeValue, shortened, UserFacingError } from '../values/userFacingError';
import { INSTANCE } from './locators';
import { looksLikeInstance } from './output';

const LONGEST_EXCERPT = 120;

function whatCame(response: ServiceResponse): string {
	if (response.text.trim() === '') return 'it is empty';
	if (isWebPage(response)) return serviceWords(response);
	const text = response.quotable();
	const excerpt = `"${shortened(text, LONGEST_EXCERPT)}"`;
	return response.isGarbled ? `its text cannot be read in its charset: ${excerpt}` : excerpt;
}

/** What was asked, as far as a response to it is judged. */
interface Asked {
	/** In the words of a message, e.g. `instance 42`. */
	subject: string;
	/** Whether the request may have changed something. */
	changes: boolean;
}

function doubt(changes: boolean): string {
	return changes ? ` ${MAY_BE_DONE}` : '';
}

/** What a 2xx response means that does not come from this interface, or not whole. */
export function unusableResponse(
	response: ServiceResponse,
	{ subject, changes }: Asked,
): UserFacingError {
	return new UserFacingError(
		`The response for ${subject} is not what the service sends: ${whatCame(response)}`,
		`Check the 'Base URL' of the credential: it ends in /api. If it is right, something in between changed the response or cut it off; run this node again.${doubt(changes)}`,
		{ httpCode: String(response.status), mayBeDone: changes },
	);
}

function otherInstance(
	response: ServiceResponse,
	{ subject, changes }: Asked,
	id: unknown,
): UserFacingError {
	return new UserFacingError(
		`The response for ${subject} is about another instance: its ID is ${describeValue(id)}`,
		`Nothing in it was used. Run this node again; if this keeps happening, ask the administrator of the service, or of a proxy or cache in between.${doubt(changes)}`,
		{ httpCode: String(response.status), mayBeDone: changes },
	);
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
	const answeredId = json.id ?? idFromUri(json.url, INSTANCE.segment);
	if (answeredId !== undefined && Number(answeredId) !== id) {
		throw otherInstance(response, asked, answeredId);
	}
	return json;
}

/** An instance, and when it was like that. */
export interface DatedInstance {
	instance: IDataObject;
	/** By the clock of the service, in milliseconds since 1970; undefined when it does not tell. */
	serviceTime: number | undefined;
}

/**
 * Reads an instance (docs/service-interface.md#get).
 *
 * @throws UserFacingError when the service refused, or answered something that is not this instance
 */
export async function readDatedInstance(
	service: Pick<Service, 'send'>,
	id: number,
	query?: IDataObject,
): Promise<DatedInstance> {
	const path = `/instances/${id}/`;
	const response = await service.send({
		method: 'GET',
		path,
		query,
		subject: `instance ${id}`,
	});
	return { instance: instanceIn(response, id, false), serviceTime: serviceTime(response) };
}

/** Reads an instance, like {@link readDatedInstance}, without its time. */
export async function readInstance(
	service: Service,
	id: number,
	query?: IDataObject,
): Promise<IDataObject> {
	const { instance } = await readDatedInstance(service, id, query);
	return instance;
}
