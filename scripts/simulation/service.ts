import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import type { Result } from '../../nodes/WorkflowInstanceService/api/response';
import { type RateLimit, RateLimiter } from '../../sandbox/service/rateLimit';

/** What happens to a request. */
export interface Reply {
	/** Default 200. */
	status?: number | 'hangs';
	headers?: Record<string, string>;
	/** By how many milliseconds it takes longer than usual. */
	slow?: number;
}

/** Attempts that fail by chance, or only the first one for each instance and method. Times are in milliseconds. */
export interface PassingFailures {
	status: 502 | 503;
	share: number;
	isOnce?: boolean;
	from?: number;
	until?: number;
}

/** How many requests it works on at a time, and how long on each, in milliseconds. */
export interface Capacity {
	workers: number;
	takes: number;
	/** Until then, it has 20 times as many workers. */
	fastUntil?: number;
	/** What happens to a request if no worker is free. Default: it waits for one. */
	full?: Reply;
}

export interface ServiceOptions {
	/** The shortest and the longest time that a response takes, in milliseconds. Default 20. */
	latency?: [least: number, most: number];
	/** At which interval responses arrive together, in milliseconds. Default 0: each by itself. */
	burst?: number;
	/** A request is throttled by the first one that it exceeds. */
	limits?: RateLimit[];
	/** The time after which there are no limits, in milliseconds. Default: never. */
	liftedAt?: number;
	passing?: PassingFailures;
	capacity?: Capacity;
	/** After how many milliseconds the client gives up. Default: five minutes, like n8n. */
	timeout?: number;
	/** Whether a gateway gives up instead, with a 504. */
	hasGateway?: boolean;
	/** When it restarts, in milliseconds. What is in flight is lost, and new connections are refused. */
	restart?: { from: number; until: number };
	/** By path, what always happens to a request within the limits. Default: it succeeds. */
	failures?: ReadonlyMap<string, Reply>;
	/** Called with each request that no limit throttles, and the time. */
	onAccept?(request: ApiRequest, now: number): void;
}

/** Works on requests in the order in which they arrive (FIFO). Times are in milliseconds. */
export class Workers {
	/** When the requests are done, in order. */
	private readonly ends: number[] = [];

	constructor(private readonly capacity: Capacity) {}

	/** When a worker is free for a request that arrives at this time. */
	freeAt(now: number): number {
		const { workers, fastUntil = 0 } = this.capacity;
		const busy = this.ends.filter((end) => end > now);
		return busy.at(now < fastUntil ? -20 * workers : -workers) ?? now;
	}

	/** Accepts a request that arrives at this time. Returns when it will be done. */
	endOf(now: number): number {
		const end = this.freeAt(now) + this.capacity.takes;
		this.ends.push(end);
		if (this.ends.length > 1_000) this.ends.shift();
		return end;
	}
}

/** A service in this process, on a virtual clock. */
export class SimulatedService {
	/** How many requests it received, and how many of them were throttled. */
	requests = 0;
	throttled = 0;
	mostInFlight = 0;
	private inFlight = 0;
	private readonly limiters: RateLimiter[];
	private readonly workers: Workers | undefined;
	/** What it has received so far, by method and path. */
	private readonly received = new Set<string>();
	/** Responses on their way, by arrival time. */
	private readonly bursts = new Map<number, Promise<void>>();

	constructor(
		private readonly clock: Clock,
		private readonly options: ServiceOptions,
	) {
		this.limiters = (options.limits ?? []).map((limit) => new RateLimiter(limit));
		this.workers = options.capacity && new Workers(options.capacity);
	}

	/** Sends a request, as n8n does. */
	readonly transport = async (request: ApiRequest): Promise<Result> => {
		const { latency = [20, 20], timeout = 300_000 } = this.options;
		this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
		const way = (latency[0] + (latency[1] - latency[0]) * this.clock.chance()) / 2;
		await this.clock.sleep(way);
		const { from = Infinity, until = Infinity } = this.options.restart ?? {};
		if (this.clock.now() >= from && this.clock.now() < until) {
			this.inFlight--;
			return { networkCode: 'ECONNREFUSED', words: '' };
		}
		const { status = 200, headers = {}, slow = 0 } = this.receive(request);
		const now = this.clock.now();
		// A request that isn't rejected and doesn't fail occupies a worker, even after the client has given up.
		const end = status === 200 ? this.workers?.endOf(now) : undefined;
		const rest = status === 'hangs' ? Infinity : (end ?? now) - now + way + slow;
		const isLate = way + rest > timeout;
		const isReset = now < from && now + Math.min(rest, timeout - way) > from;
		if (isReset) await this.clock.sleep(from - now);
		else await (isLate ? this.clock.sleep(timeout - way) : this.arrival(rest));
		this.inFlight--;
		if (isReset) return { networkCode: 'ECONNRESET', words: '' };
		if (isLate && !this.options.hasGateway) return { networkCode: 'ECONNABORTED', words: '' };
		return {
			status: isLate ? 504 : Number(status),
			headers,
			text: '{}',
			json: {},
			isGarbled: false,
			redact: String,
		};
	};

	private receive(request: ApiRequest): Reply {
		const { method, path } = request;
		this.requests++;
		const now = this.clock.now();
		const isLifted = now >= (this.options.liftedAt ?? Infinity);
		for (const limiter of isLifted ? [] : this.limiters) {
			const rejection = limiter.rejection(now, method);
			if (rejection === undefined) continue;
			this.throttled++;
			return rejection;
		}
		const full = this.options.capacity?.full;
		if (full && Number(this.workers?.freeAt(now)) > now) {
			this.throttled++;
			return full;
		}
		this.options.onAccept?.(request, now);
		return this.passing(`${method} ${path}`, now) ?? this.options.failures?.get(path) ?? {};
	}

	private passing(key: string, now: number): Reply | undefined {
		const passing: Partial<PassingFailures> = this.options.passing ?? {};
		const { status, share = 0, isOnce, from = 0, until = Infinity } = passing;
		const isPast = isOnce && this.received.has(key);
		this.received.add(key);
		const isFailing = now >= from && now < until && !isPast && this.clock.chance() < share;
		return isFailing ? { status } : undefined;
	}

	private async arrival(after: number): Promise<void> {
		const { burst = 0 } = this.options;
		if (burst === 0) return await this.clock.sleep(after);
		const now = this.clock.now();
		const at = Math.ceil((now + after) / burst) * burst;
		if (!this.bursts.has(at)) this.bursts.set(at, this.clock.sleep(at - now));
		await this.bursts.get(at);
	}
}
