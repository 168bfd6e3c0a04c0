import type { IDataObject } from 'n8n-workflow';

import type { Subject } from './errors';
import type { Holder } from './keyedLock';
import type { ServiceResponse } from './response';

/** One request to the service (docs/dev/service-interface.md#endpoints). */
export interface ApiRequest extends Subject {
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** Who has the lock on what it is about, if anyone needs one. */
	holder?: Holder;
	/** What its body was made of. */
	renewal?: Renewal;
	/** Called each time that it is sent. */
	onSend?(): void;
}

/**
 * What a body was made of, and how to make it again: what others change meanwhile must not be undone. So
 * it is read again when it is no longer fresh, and when the request was pushed back.
 */
export interface Renewal {
	/** When it was read, in milliseconds since 1970. */
	readAt: number;
	/** How long nobody is likely to have changed it, in milliseconds. */
	freshFor: number;
	/** Reads it again. */
	request: ApiRequest;
	/** @throws UserFacingError when what was read cannot be used */
	bodyOf(response: ServiceResponse): IDataObject;
}
