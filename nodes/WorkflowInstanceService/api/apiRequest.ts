import type { IDataObject } from 'n8n-workflow';

import type { Subject } from './errors';

/** One request to the service (docs/dev/service-interface.md#endpoints). */
export interface ApiRequest extends Subject {
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Called each time that it is sent. */
	onSend?(): void;
}

/** What bounds the requests of a run. */
export interface RequestLimits {
	/** Most requests of the run in flight. */
	maxConcurrentRequests: number;
	/** How often a request is sent again that is rejected while others get through. */
	maxRetries: number;
	/** How long the service may let nothing through, in milliseconds. */
	maxWait: number;
}
