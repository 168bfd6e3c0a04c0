import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import type { Result } from '../../nodes/WorkflowInstanceService/api/retry';
import type { History, Limit } from './histories';

/** n8n's time limit for a request. */
const TIMEOUT_MS = 300_000;

/** Counts requests as services do: in a bucket, in the last so many seconds, or by the clock. */
export class RateLimit {
	private readonly admitted: number[] = [];

	private emptyAt = 0;

	constructor(private readonly limit: Limit | undefined) {}

	/** How long until it admits another request, in milliseconds. */
	waitAt(now: number): number {
		if (this.limit === undefined) return 0;
		const { kind, count, per } = this.limit;
		const first = this.admitted.at(-count) ?? -Infinity;
		const freeAt = {
			bucket: this.emptyAt - per + per / count,
			sliding: first + per,
			fixed: (Math.floor(first / per) + 1) * per,
		}[kind];
		return Math.max(0, Math.ceil(freeAt - now - 1e-6));
	}

	admit(now: number): void {
		if (this.limit === undefined) return;
		this.admitted.push(now);
		this.emptyAt = Math.max(this.emptyAt, now) + this.limit.per / this.limit.count;
	}
}

/** The service of a history. Requests for sick instances count for its limit as others do. */
export class SimulatedService {
	requests = 0;

	private readonly limit: RateLimit;

	constructor(
		private readonly history: History,
		private readonly clock: Clock,
	) {
		this.limit = new RateLimit(history.limit);
	}

	async respond({ path }: ApiRequest): Promise<Result> {
		const { clock, limit } = this;
		const [least, most] = this.history.latency;
		const way = (least + (most - least) * clock.chance()) / 2;
		this.requests++;
		await clock.sleep(way);
		const wait = limit.waitAt(clock.now());
		if (wait > 0) {
			await clock.sleep(way);
			return this.response(429, this.retryAfter(wait - way));
		}
		limit.admit(clock.now());
		const { status, retryAfter } = this.history.sick.get(path) ?? { status: 200 };
		await clock.sleep(status === 'hangs' ? TIMEOUT_MS : way);
		if (status === 'hangs') return { networkCode: 'ECONNABORTED', words: '' };
		return this.response(status, retryAfter);
	}

	/** @param wait in milliseconds from now */
	private retryAfter(wait: number): string | undefined {
		const date = (time: number) => new Date(Math.ceil(time / 1000) * 1000).toUTCString();
		return {
			seconds: String(Math.ceil(wait / 1000)),
			date: date(this.clock.now() + wait),
			past: date(this.clock.now() - 5_000),
			zero: '0',
			none: undefined,
		}[this.history.retryAfter];
	}

	private response(status: number, retryAfter?: string): Result {
		const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
		const [receivedAt, quotable] = [this.clock.now(), () => ''];
		return { status, headers, receivedAt, text: '{}', isGarbled: false, quotable };
	}
}
