import type { IncomingHttpHeaders } from 'node:http';

import type { ApiRequest } from './api';
import type { SandboxClock } from './clock';

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
	/** Status of the response; null until there is one, and forever after a reset. */
	status: number | null;
}

/** Counters since the log was cleared. */
export interface SandboxStats {
	requests: number;
	/** Requests being handled now. */
	inFlight: number;
	/** Most requests ever handled at a time. */
	maxInFlight: number;
	/** Responses per status, such as `{ "200": 12, "429": 1 }`. */
	byStatus: Record<string, number>;
}

const KEPT_ENTRIES = 100_000;

/** Keeps what was received and sent. */
export function createLog(clock: SandboxClock, apiKey: string) {
	let entries: LogEntry[] = [];
	const stats: SandboxStats = { requests: 0, inFlight: 0, maxInFlight: 0, byStatus: {} };
	return {
		/** Returns what notes the end: with a status before a response is sent, else without. */
		begin({ method, path, headers, body }: ApiRequest): (status?: number) => void {
			const { authorization, ...others } = headers;
			const entry: LogEntry = {
				seq: ++stats.requests,
				method,
				url: path,
				headers: others,
				authorized: authorization === `Api-Key ${apiKey}`,
				body,
				receivedAt: clock.now(),
				status: null,
			};
			entries.push(entry);
			if (entries.length > KEPT_ENTRIES) entries.shift();
			stats.maxInFlight = Math.max(stats.maxInFlight, ++stats.inFlight);
			let isOpen = true;
			return (status) => {
				if (!isOpen) return;
				isOpen = false;
				stats.inFlight -= 1;
				if (status === undefined) return;
				entry.status = status;
				stats.byStatus[status] = (stats.byStatus[status] ?? 0) + 1;
			};
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
