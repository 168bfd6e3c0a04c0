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
	/** Advice that comes first when values are rejected, by the service's words and the keys of its JSON. */
	adviceOn?(words: string, keys: readonly string[]): string | undefined;
	onSend?(): void;
}

/** What bounds the requests of a run. */
export interface RequestLimits {
	maxConcurrentRequests: number;
	/** How often a request is sent again that is rejected while others get through. */
	maxRetries: number;
	/** How long the service may let nothing through, in milliseconds. */
	maxWait: number;
}
