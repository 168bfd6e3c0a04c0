import type { IDataObject } from 'n8n-workflow';

import { serviceTime } from '../api/response';
import type { ApiRequest } from '../api/apiRequest';
import type { Service } from '../n8n/connection';
import { instanceIn } from './response';

/** An instance, and when it was like that. */
export interface DatedInstance {
	instance: IDataObject;
	/** By the clock of the service, in milliseconds since 1970; undefined when it does not tell. */
	serviceTime: number | undefined;
	/** By our clock, in milliseconds since 1970. */
	readAt: number;
}

/** What reads an instance (docs/dev/service-interface.md#get). */
export function readRequest(id: number, query?: IDataObject): ApiRequest {
	return { method: 'GET', path: `/instances/${id}/`, query, subject: `instance ${id}` };
}

/**
 * Reads an instance.
 *
 * @throws UserFacingError when the service rejected the request, or returned something that is not this instance
 */
export async function readDatedInstance(
	service: Pick<Service, 'send'>,
	id: number,
	query?: IDataObject,
): Promise<DatedInstance> {
	const response = await service.send(readRequest(id, query));
	return {
		instance: instanceIn(response, id, false),
		serviceTime: serviceTime(response),
		readAt: response.receivedAt,
	};
}

/** Reads an instance, like {@link readDatedInstance}, without its time. */
export async function readInstance(
	service: Pick<Service, 'send'>,
	id: number,
	query?: IDataObject,
): Promise<IDataObject> {
	const { instance } = await readDatedInstance(service, id, query);
	return instance;
}
