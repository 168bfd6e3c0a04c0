import type { IDataObject } from 'n8n-workflow';

import type { UserFacingError } from '../values/userFacingError';
import type { ServiceResponse } from './response';

export const METHODS = ['GET', 'POST', 'PUT'] as const;
export type ApiMethod = (typeof METHODS)[number];

/** Why a failed attempt is retried, and how. */
export type RetryReason =
	| 'throttled' // All of its method wait, until Max Wait.
	| 'unavailable' // It waits alone, for 6 attempts, or 20. After five different ones in a row, all wait, until Max Wait.
	| 'unreachable' // The same, but alone until Max Wait. Before the service has sent any status, like timedOut.
	| 'lost' // The same, but alone only once.
	| 'timedOut'; // Never retried. After five different ones in a row, others of its method wait, until Max Wait.

/** The attempts of a request, or of several that replace one another. Only `rateLimiting/retryPolicy` changes it. */
export class Attempts {
	/** How many failed, not counting those that were throttled. After each failure, an update reads again. */
	failures = 0;
	/** How many reached the service and failed alone (6 or 20 at most), and how many of these lost the connection (2). */
	failuresAlone = 0;
	lostAlone = 0;
	/** How often it waited alone, and for how many milliseconds by Retry-After or for a connection (Max Wait at most). */
	waitsAlone = 0;
	waitedForService = 0;
	/** When the first one that failed alone started, in milliseconds of the monotonic clock. */
	failingSince?: number;
	throttledWhileOthersPassed = 0;
	lastFailure?: UserFacingError;
}

/** One request to the service (docs/dev/service-interface.md#endpoints). */
export interface ApiRequest {
	method: ApiMethod;
	/** What follows the base URL, e.g. `/instances/42/`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	/** The instances that it is about. */
	ids: readonly number[];
	/** Whether it goes ahead of all waiting requests, as a write does after its read. */
	isUrgent?: boolean;
	/** For how long it's retried alone, in milliseconds. Default: for as many attempts as any other. */
	retriesFor?: number;
	/** The attempts of the request that it replaces. */
	attempts?: Attempts;
	/** Whether the JSON of a rejection reports that something was changed. */
	reportsChange?(json: unknown): boolean;
	/** Called right before each attempt. If it returns true, nothing is sent, and `Withdrawn` is thrown. */
	isWithdrawn?(): boolean;
	/** Called right before each attempt. */
	onSend?(): void;
}

/** A request with its attempts, and how long it waits while the service lets nothing through, in milliseconds. */
export type ScheduledRequest = ApiRequest & { attempts: Attempts; maxWait: number };

/** Why an attempt has no 2xx response, how to retry it, and how long the service says to wait, in milliseconds. */
export type FailedAttempt = { error: UserFacingError; retry?: RetryReason; retryAfter: number };

/** What came of an attempt: a 2xx response, or a failure. */
export type AttemptOutcome = { response: ServiceResponse } | FailedAttempt;

/** Why requests wait, in milliseconds. */
export interface Wait {
	/** What remains of the wait that the service asked for; 0 if it asked for none. */
	retryIn: number;
	/** How long no request has gotten through; 0 if one has. */
	stalled: number;
	/** How long until 'Requests per Minute' lets another one start. */
	untilMinuteLimit?: number;
	/** What made requests wait most recently. */
	failure?: UserFacingError;
}

/** Thrown instead of sending a write whose read is outdated. Then it's read again (instance/update/readThenWrite.ts). */
export class Withdrawn extends Error {}
