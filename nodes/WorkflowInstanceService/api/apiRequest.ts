import type { IDataObject } from 'n8n-workflow';

import type { UserFacingError } from '../values/userFacingError';

export const METHODS = ['GET', 'POST', 'PUT'] as const;
export type ApiMethod = (typeof METHODS)[number];

/** How a failed attempt is retried. */
export type Retry =
	| 'throttled' // With all like it, until Max Wait.
	| 'unavailable' // Alone, in six attempts or more. With all, if several different ones fail in a row.
	| 'unreachable' // Likewise, until Max Wait, if the service has responded before. Otherwise not.
	| 'lost'; // Once, or with all.

/** The attempts of a request, or of several that replace one another. Only `rateLimiting/serviceLimits` writes it. */
export class Attempts {
	/** How many found the service unavailable (502 and the like, no connection, or a lost one). */
	unavailable = 0;
	/** How many of them reached the service and failed by themselves, and how many of those lost their connection. */
	failed = 0;
	lost = 0;
	/** How many waits of this request alone there were. */
	retries = 0;
	/** How many were throttled while others got through. */
	throttled = 0;
	/** How long they were because of Retry-After, or for a connection, in milliseconds. */
	waited = 0;
	lastFailure?: UserFacingError;
}

/** One request to the service (docs/dev/service-interface.md#endpoints). */
export interface ApiRequest {
	method: ApiMethod;
	/** Below the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** The instances that it is about. */
	ids: readonly number[];
	/** Whether it goes before all requests that wait, as the write after its read does. */
	isUrgent?: boolean;
	/** Those of the request that it replaces. */
	attempts?: Attempts;
	/** Called once right before each attempt: whether it must not be sent any more. */
	isWithdrawn?(): boolean;
	/** Called right before each attempt. */
	onSend?(): void;
}

/** A request with its attempts, and how long it waits for a service that lets none through, in milliseconds. */
export type ScheduledRequest = ApiRequest & { attempts: Attempts; maxWait: number };

/** Thrown where a request is withdrawn before it is sent, and caught where it was (instance/update/readThenWrite.ts). */
export class Withdrawn extends Error {}
