import type { IncomingHttpHeaders } from 'node:http';

import type { ApiRequest } from './api';
import type { SandboxClock } from './clock';

/** One request as it was received. The value of the Authorization header is never kept. */
export interface LogEntry {
	method: string;
	/** The path with the query, as sent. */
	url: string;
	/** Headers with lower-case names, without `authorization`. */
	headers: IncomingHttpHeaders;
	/** Whether the Authorization header contained exactly the valid key. */
	authorized: boolean;
	/** The text of the body, as sent; empty if there was none. */
	body: string;
	/** Milliseconds since 1970. */
	receivedAt: number;
	/** The status of the response; null until there is one, and forever after a reset. */
	status: number | null;
}

const KEPT_ENTRIES = 100_000;

/** Keeps what was received and sent. */
export function createLog(clock: SandboxClock, apiKey: string) {
	let entries: LogEntry[] = [];
	let byStatus: Record<string, number> = {};
	let requests = 0;
	/** Requests being handled now, and the most ever handled at a time. */
	let [inFlight, maxInFlight] = [0, 0];
	return {
		/** Returns a function that records the end: with a status if a response is sent, otherwise without. */
		record({ method, path, headers, body }: ApiRequest): (status?: number) => void {
			const { authorization, ...others } = headers;
			const entry: LogEntry = {
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
			requests += 1;
			inFlight += 1;
			maxInFlight = Math.max(maxInFlight, inFlight);
			let isOpen = true;
			return (status) => {
				if (!isOpen) return;
				isOpen = false;
				inFlight -= 1;
				if (status === undefined) return;
				entry.status = status;
				byStatus[status] = (byStatus[status] ?? 0) + 1;
			};
		},
		list: (): LogEntry[] => entries.map((entry) => ({ ...entry })),
		/** Counters since the log was cleared; those of responses also by status, e.g. `{ 200: 12, 429: 1 }`. */
		stats: () => ({ requests, inFlight, maxInFlight, byStatus: { ...byStatus } }),
		/** Forgets the entries and counters; requests still in flight continue to count as such. */
		clear(): void {
			entries = [];
			byStatus = {};
			requests = 0;
			maxInFlight = inFlight;
		},
	};
}
