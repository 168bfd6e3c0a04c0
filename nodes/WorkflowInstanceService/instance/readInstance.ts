import type { IDataObject } from 'n8n-workflow';

import { serviceTime } from '../api/response';
import type { Service } from '../n8n/forEachItem';
import { instanceIn } from './response';

/** An instance, and when it was like that. */
export interface DatedInstance {
	instance: IDataObject;
	/** By the clock of the service, in milliseconds since 1970; undefined when it does not tell. */
	serviceTime: number | undefined;
}

/**
 * Reads an instance (docs/service-interface.md#get).
 *
 * @throws UserFacingError when the service rejected the request, or returned something that is not this instance
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
