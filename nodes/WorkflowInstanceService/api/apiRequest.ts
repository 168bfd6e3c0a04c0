import type { IDataObject } from 'n8n-workflow';

export type ApiMethod = 'GET' | 'POST' | 'PUT';

/** One request to the service (docs/dev/service-interface.md#endpoints). */
export interface ApiRequest {
	method: ApiMethod;
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** The instances that it is about. */
	ids: readonly number[];
	/** Whether it goes before all requests that have not begun, as the write after its read does. */
	isUrgent?: boolean;
	/** Asked right before each attempt. If it returns false, the request is withdrawn, unsent. */
	shouldSend?(): boolean;
}

/** Instances, in the words of a message. */
export function subjectOf(ids: readonly number[]): string {
	return ids.length === 1 ? `instance ${ids[0]}` : `${ids.length} instances`;
}
