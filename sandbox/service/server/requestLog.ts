import type { FaultAction } from '../faults/rules';
import type { HeaderMap } from '../interface/contract';
import type { ApiRequest } from './operations';

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
	/** Milliseconds since the epoch. */
	receivedAt: number;
	/** Milliseconds since the epoch; null while there is no answer (yet). */
	answeredAt: number | null;
	/** Status answered; null while there is no answer (yet), and for good after a reset. */
	status: number | null;
	/** The kind of misbehaviour applied, `rateLimit` included; null for a proper answer. */
	fault: FaultAction['type'] | 'rateLimit' | null;
}

/** Counters since the log was cleared. */
export interface SandboxStats {
	requests: number;
	/** Requests under `/api` being handled now. */
	inFlight: number;
	/** Most requests under `/api` ever handled at a time. */
	maxInFlight: number;
	/** Answers per status, such as `{ "200": 12, "429": 1 }`. */
	byStatus: Record<string, number>;
}

const MOST_ENTRIES = 100_000;
const DROPPED_AT_ONCE = 10_000;

/** One request between its arrival and its end. */
export interface Exchange {
	entry: LogEntry;
	/** Notes the answer; to be called before it is sent, so that whoever receives it finds it noted. */
	answered(status: number): void;
	/** The request is over, answered or not. Further calls change nothing. */
	ended(): void;
}

function withoutKey(headers: HeaderMap): LogEntry['headers'] {
	const kept: LogEntry['headers'] = {};
	for (const [name, value] of Object.entries(headers)) {
		if (name !== 'authorization' && value !== undefined) kept[name] = value;
	}
	return kept;
}

/** Keeps what was received and answered; appending is all that it does for a request. */
export class RequestLog {
	private entries: LogEntry[] = [];
	private requests = 0;
	private inFlight = 0;
	private maxInFlight = 0;
	private byStatus: Record<string, number> = {};

	/**
	 * Notes a request.
	 *
	 * @param isApi whether it counts as one in flight
	 */
	start(request: ApiRequest, authorized: boolean, isApi: boolean): Exchange {
		this.requests += 1;
		const entry: LogEntry = {
			seq: this.requests,
			method: request.method,
			url: request.url,
			headers: withoutKey(request.headers),
			authorized,
			body: request.body,
			receivedAt: Date.now(),
			answeredAt: null,
			status: null,
			fault: null,
		};
		this.append(entry);
		if (isApi) this.enter();
		let isOver = false;
		const ended = () => {
			if (isApi && !isOver) this.inFlight -= 1;
			isOver = true;
		};
		const answered = (status: number) => {
			entry.status = status;
			entry.answeredAt = Date.now();
			this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
			ended();
		};
		return { entry, answered, ended };
	}

	list(): LogEntry[] {
		return this.entries.map((entry) => ({ ...entry }));
	}

	stats(): SandboxStats {
		const { requests, inFlight, maxInFlight } = this;
		return { requests, inFlight, maxInFlight, byStatus: { ...this.byStatus } };
	}

	/** Forgets the entries and counters; requests still in flight stay counted as such. */
	clear(): void {
		this.entries = [];
		this.requests = 0;
		this.maxInFlight = this.inFlight;
		this.byStatus = {};
	}

	private append(entry: LogEntry): void {
		if (this.entries.length >= MOST_ENTRIES) this.entries.splice(0, DROPPED_AT_ONCE);
		this.entries.push(entry);
	}

	private enter(): void {
		this.inFlight += 1;
		this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
	}
}
