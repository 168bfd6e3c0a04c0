import type { IncomingHttpHeaders } from 'node:http';

import type { SandboxClock } from './clock';
import type { ContractRequest } from './contract';
import type { FaultAction } from './faults';

/** One request as it was received. The value of the Authorization header is never kept. */
export interface LogEntry {
	/** 1 for the first request since the log was cleared. */
	seq: number;
	method: string;
	/** Path with query, as sent. */
	url: string;
	/** Headers with lower-case names, without `authorization`. */
	headers: IncomingHttpHeaders;
	/** Whether the Authorization header contained exactly the valid key. */
	authorized: boolean;
	/** Body text as sent, empty when there was none. */
	body: string;
	/** Milliseconds since 1970. */
	receivedAt: number;
	/** Milliseconds since 1970; null while there is no response (yet). */
	respondedAt: number | null;
	/** Status of the response; null until there is one, and forever after a reset. */
	status: number | null;
	/** The kind of misbehavior applied, `rateLimit` included; null for a proper response. */
	fault: FaultAction['type'] | 'rateLimit' | null;
}

/** Counters since the log was cleared. */
export interface SandboxStats {
	requests: number;
	/** Requests under `/api` being handled now. */
	inFlight: number;
	/** Most requests under `/api` ever handled at a time. */
	maxInFlight: number;
	/** Responses per status, such as `{ "200": 12, "429": 1 }`. */
	byStatus: Record<string, number>;
}

/** One request between its arrival and its end. */
export interface Exchange {
	entry: LogEntry;
	/** Notes the response, before it is sent. Returns the time noted, in milliseconds since 1970. */
	responded(status: number): number;
	/** Notes that the connection has closed. */
	closed(): void;
}

const KEPT_ENTRIES = 100_000;

/** Keeps what was received and sent. */
export function createRequestLog(clock: SandboxClock, apiKey: string) {
	let entries: LogEntry[] = [];
	const stats: SandboxStats = { requests: 0, inFlight: 0, maxInFlight: 0, byStatus: {} };
	return {
		begin({ method, path, headers, body = '' }: ContractRequest, isApi: boolean): Exchange {
			const { authorization, ...others } = headers;
			const entry: LogEntry = {
				seq: ++stats.requests,
				method,
				url: path,
				headers: others,
				authorized: authorization === `Api-Key ${apiKey}`,
				body,
				receivedAt: clock.now(),
				respondedAt: null,
				status: null,
				fault: null,
			};
			entries.push(entry);
			if (entries.length > KEPT_ENTRIES) entries = entries.slice(KEPT_ENTRIES / 10);
			let isOpen = isApi;
			if (isApi) stats.maxInFlight = Math.max(stats.maxInFlight, ++stats.inFlight);
			const closed = () => {
				if (isOpen) stats.inFlight -= 1;
				isOpen = false;
			};
			const responded = (status: number) => {
				const time = clock.now();
				Object.assign(entry, { status, respondedAt: time });
				stats.byStatus[status] = (stats.byStatus[status] ?? 0) + 1;
				closed();
				return time;
			};
			return { entry, responded, closed };
		},
		list: (): LogEntry[] => entries.map((entry) => ({ ...entry })),
		stats: (): SandboxStats => ({ ...stats, byStatus: { ...stats.byStatus } }),
		/** Forgets the entries and counters; requests still in flight stay counted as such. */
		clear(): void {
			entries = [];
			Object.assign(stats, { requests: 0, maxInFlight: stats.inFlight, byStatus: {} });
		},
	};
}
