import type { SandboxClock } from '../clock';
import type { HeaderMap } from '../interface/contract';
import type { ApiRequest, Exchange, LogEntry } from './exchange';

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

const MOST_ENTRIES = 100_000;
const DROPPED_AT_ONCE = 10_000;

function withoutKey(headers: HeaderMap): LogEntry['headers'] {
	const kept: LogEntry['headers'] = {};
	for (const [name, value] of Object.entries(headers)) {
		if (name !== 'authorization' && value !== undefined) kept[name] = value;
	}
	return kept;
}

/** Keeps what was received and sent; appending is all that it does for a request. */
export class RequestLog {
	private entries: LogEntry[] = [];
	private requests = 0;
	private inFlight = 0;
	private maxInFlight = 0;
	private byStatus: Record<string, number> = {};

	constructor(private readonly clock: SandboxClock) {}

	/**
	 * Notes a request.
	 *
	 * @param isApi whether it counts as one in flight, until the response or the end of its connection
	 * @param closed aborted when the connection closes
	 */
	start(request: ApiRequest, authorized: boolean, isApi: boolean, closed: AbortSignal): Exchange {
		this.requests += 1;
		const entry: LogEntry = {
			seq: this.requests,
			method: request.method,
			url: request.url,
			headers: withoutKey(request.headers),
			authorized,
			body: request.body,
			receivedAt: this.clock.now(),
			respondedAt: null,
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
		closed.addEventListener('abort', ended);
		const responded = (status: number) => {
			const time = this.clock.now();
			entry.status = status;
			entry.respondedAt = time;
			this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
			ended();
			return time;
		};
		return { entry, closed, responded };
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
