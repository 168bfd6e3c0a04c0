import type { FaultAction } from '../faults/rules';
import type { HeaderMap } from '../interface/contract';

/** A request as it came in. */
export interface ApiRequest {
	method: string;
	/** Path with query, as sent. */
	url: string;
	headers: HeaderMap;
	/** Body text, empty for none. */
	body: string;
}

/** One request as it was received. The value of the Authorization header is never kept. */
export interface LogEntry {
	/** 1 for the first request since the log was cleared. */
	seq: number;
	method: string;
	/** Path with query, as sent. */
	url: string;
	/** Headers with lower-case names, without `authorization`. */
	headers: Record<string, string | string[]>;
	/** Whether the Authorization header held exactly the good key. */
	authorized: boolean;
	/** Body text as sent, empty when there was none. */
	body: string;
	/** Milliseconds since 1970. */
	receivedAt: number;
	/** Milliseconds since 1970; null while there is no response (yet). */
	respondedAt: number | null;
	/** Status of the response; null until there is one, and forever after a reset. */
	status: number | null;
	/** The kind of misbehaviour applied, `rateLimit` included; null for a proper response. */
	fault: FaultAction['type'] | 'rateLimit' | null;
}

/** One request between its arrival and its end. */
export interface Exchange {
	entry: LogEntry;
	/** Aborted when the connection closes. */
	closed: AbortSignal;
	/**
	 * Notes the response. Call it before sending, so that the receiver finds it noted.
	 *
	 * @returns the time noted, in milliseconds since 1970
	 */
	responded(status: number): number;
}
