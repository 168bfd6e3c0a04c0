import type { IDataObject } from 'n8n-workflow';

import type { UserFacingError } from '../values/userFacingError';
import type { ServiceResponse } from './response';

export const METHODS = ['GET', 'POST', 'PUT'] as const;
export type ApiMethod = (typeof METHODS)[number];

/** Why a failed attempt is retried, and how. */
export type RetryReason =
	| 'throttled' // With all like it, until Max Wait.
	| 'unavailable' // Alone, in six attempts or more. With all, if several different ones fail in a row.
	| 'unreachable' // Likewise, until Max Wait, if the service has responded before. Otherwise as timedOut.
	| 'lost' // Alone, once. With all, until Max Wait.
	| 'timedOut'; // Not at all. Five in a row, then Max Wait without a response: all like it end.

/** The attempts of a request, or of several that replace one another. Only `rateLimiting/retryPolicy` writes it. */
export class Attempts {
	/** How many failed, except those that were throttled. After each, an update reads again. */
	failures = 0;
	/** Of those that reached the service, how many failed alone (6 at most, or 20), and lost their connection (2). */
	failuresAlone = 0;
	lostAlone = 0;
	/** How often it waited alone, and how long of that by Retry-After, or for a connection: Max Wait at most, in milliseconds. */
	waitsAlone = 0;
	waitedForService = 0;
	throttledWhileOthersPassed = 0;
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
	/** The attempts of the request that it replaces. */
	attempts?: Attempts;
	/** Whether the JSON of a rejection says that something was changed. */
	reportsChange?(json: unknown): boolean;
	/** Called right before each attempt: whether it must not be sent. Then `Withdrawn` is thrown instead. */
	isWithdrawn?(): boolean;
	/** Called right before each attempt. */
	onSend?(): void;
}

/** A request with its attempts, and how long it waits for a service that lets none through, in milliseconds. */
export type ScheduledRequest = ApiRequest & { attempts: Attempts; maxWait: number };

/** Why an attempt has no 2xx response, how to retry it, and how long the service says to wait, in milliseconds. */
export type FailedAttempt = { error: UserFacingError; retry?: RetryReason; retryAfter: number };

/** What came of an attempt: a 2xx response, or a failure. */
export type AttemptOutcome = { response: ServiceResponse } | FailedAttempt;

/** Why requests wait, in milliseconds. */
export interface Wait {
	/** What is left of the time that the service says to wait; 0 if it doesn't say. */
	retryIn: number;
	/** How long none has got through; 0 if one has. */
	stalled: number;
	/** How long until 'Requests per Minute' lets another one start. */
	untilMinuteLimit?: number;
	/** What made requests wait most recently. */
	failure?: UserFacingError;
}

/** Thrown instead of sending a write whose read is outdated, so that it is read again (instance/update/readThenWrite.ts). */
export class Withdrawn extends Error {}
