import type { IDataObject } from 'n8n-workflow';

export type ApiMethod = 'GET' | 'POST' | 'PUT';

/** One request to the service (docs/dev/service-interface.md#endpoints). */
export interface ApiRequest {
	method: ApiMethod;
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** What it is about, in the words of a message, e.g. `instance 42`, `21 instances`. */
	subject: string;
	/** Of several, which of them the service may have rejected: `one or more of 21 instances`. */
	part?: string;
	/** Whether it goes before all requests that have not begun, as the write after its read does. */
	isUrgent?: boolean;
	/** Asked right before each attempt. If it returns false, the request is withdrawn, unsent. */
	shouldSend?(): boolean;
}
