import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import type { Result } from '../../nodes/WorkflowInstanceService/api/response';
import type { History, Limit } from './histories';

/** Counts requests as services do. */
export class RateLimit {
	private readonly counted: number[] = [];

	private emptyAt = 0;

	constructor(private readonly limit: Omit<Limit, 'retryAfter'> | undefined) {}

	/** How long until it admits another request, in milliseconds. */
	waitAt(now: number): number {
		if (this.limit === undefined) return 0;
		const { kind, count, per } = this.limit;
		const first = this.counted.at(-count) ?? -Infinity;
		const freeAt = {
			leaky: this.emptyAt - per + per / count,
			sliding: first + per,
			fixed: (Math.floor(first / per) + 1) * per,
		}[kind];
		return Math.max(0, Math.ceil(freeAt - now - 1e-6));
	}

	/** Takes note of a request. */
	count(now: number): void {
		if (this.limit === undefined) return;
		this.counted.push(now);
		this.emptyAt = Math.max(this.emptyAt, now) + this.limit.per / this.limit.count;
	}
}

/** The service of a history. */
export class SimulatedService {
	requests = 0;

	/** How many of them the limit rejected. */
	rejected = 0;

	private readonly limit: RateLimit;

	constructor(
		private readonly history: History,
		private readonly clock: Clock,
	) {
		this.limit = new RateLimit(history.limit);
	}

	async respond({ method, path }: ApiRequest): Promise<Result> {
		const { clock } = this;
		const [least, most] = this.history.latency;
		const way = (least + (most - least) * clock.chance()) / 2;
		this.requests++;
		await clock.sleep(way);
		const wait = this.waitFor(method);
		if (wait > 0) {
			this.rejected++;
			await clock.sleep(way);
			return this.response(429, this.retryAfter(wait - way));
		}
		const illness = this.history.illnesses.get(path);
		if (illness === 'hangs') {
			await clock.sleep(this.history.timeout - way);
			return { networkCode: 'ECONNABORTED', words: '' };
		}
		await clock.sleep(way);
		if (illness === undefined) return this.response(200);
		if (!('slow' in illness)) return this.response(illness.status, illness.retryAfter);
		await clock.sleep(illness.slow);
		return this.response(200);
	}

	/** How long the limit keeps a request waiting, which it counts. */
	private waitFor(method: ApiRequest['method']): number {
		const { limit } = this.history;
		if (limit?.isOfWrites && method === 'GET') return 0;
		const now = this.clock.now();
		const wait = this.limit.waitAt(now);
		const countsRejected = limit?.countsRejected === true && limit.kind !== 'leaky';
		if (wait === 0 || countsRejected) this.limit.count(now);
		return wait;
	}

	/** @param wait in milliseconds from now */
	private retryAfter(wait: number): string | undefined {
		const date = (time: number) => new Date(Math.ceil(time / 1000) * 1000).toUTCString();
		return {
			seconds: String(Math.ceil(wait / 1000)),
			date: date(this.clock.now() + wait),
			past: date(this.clock.now() - 5_000),
			short: '1',
			zero: '0',
			none: undefined,
		}[this.history.limit?.retryAfter ?? 'none'];
	}

	private response(status: number, retryAfter?: string): Result {
		const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
		return { status, headers, text: '{}', isGarbled: false, quotable: () => '' };
	}
}
