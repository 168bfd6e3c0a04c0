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
	status: 429 | 502 | 503;
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

/** A service in this process, on a virtual clock. Sends requests to it like n8n does, and counts them. */
export function simulatedService(clock: Clock, options: ServiceOptions) {
	const { latency = [20, 20], burst = 0, timeout = 300_000, capacity } = options;
	const { liftedAt = Infinity, passing = { status: 502, share: 0 } } = options;
	const { from: down = Infinity, until: up = Infinity } = options.restart ?? {};
	const limiters = (options.limits ?? []).map((limit) => new RateLimiter(limit));
	const workers = capacity && new Workers(capacity);
	const counts = { requests: 0, throttled: 0, inFlight: 0, mostInFlight: 0 };
	/** What it has received so far, by method and path. */
	const received = new Set<string>();
	/** Responses on their way, by arrival time. */
	const bursts = new Map<number, Promise<void>>();

	function throttle(method: string, now: number): Reply | undefined {
		for (const limiter of now < liftedAt ? limiters : []) {
			const rejection = limiter.rejection(now, method);
			if (rejection) return rejection;
		}
		return workers && workers.freeAt(now) > now ? capacity?.full : undefined;
	}

	function failsByChance(request: string, now: number): boolean {
		const { share, isOnce, from = 0, until = Infinity } = passing;
		const isPast = isOnce && received.has(request);
		received.add(request);
		return now >= from && now < until && !isPast && clock.chance() < share;
	}

	function receive(request: ApiRequest, now: number): Reply {
		const { method, path } = request;
		counts.requests++;
		const rejection = throttle(method, now);
		if (rejection) {
			counts.throttled++;
			return rejection;
		}
		options.onAccept?.(request, now);
		if (failsByChance(`${method} ${path}`, now)) return { status: passing.status };
		return options.failures?.get(path) ?? {};
	}

	/** Waits until a response arrives, which takes at least so long. */
	async function arrival(after: number): Promise<void> {
		if (burst === 0) return await clock.sleep(after);
		const at = Math.ceil((clock.now() + after) / burst) * burst;
		if (!bursts.has(at)) bursts.set(at, clock.sleep(at - clock.now()));
		await bursts.get(at);
	}

	async function respond(request: ApiRequest): Promise<Result> {
		const way = (latency[0] + (latency[1] - latency[0]) * clock.chance()) / 2;
		await clock.sleep(way);
		const now = clock.now();
		if (now >= down && now < up) return { networkCode: 'ECONNREFUSED', words: '' };
		const { status = 200, headers = {}, slow = 0 } = receive(request, now);
		// A request that isn't rejected and doesn't fail occupies a worker, even after the client has given up.
		const end = status === 200 ? workers?.endOf(now) : undefined;
		const rest = status === 'hangs' ? Infinity : (end ?? now) - now + way + slow;
		if (now < down && now + Math.min(rest, timeout - way) > down) {
			await clock.sleep(down - now);
			return { networkCode: 'ECONNRESET', words: '' };
		}
		const isLate = way + rest > timeout;
		await (isLate ? clock.sleep(timeout - way) : arrival(rest));
		if (isLate && !options.hasGateway) return { networkCode: 'ECONNABORTED', words: '' };
		const body = { text: '{}', json: {}, isGarbled: false, redact: String };
		return { status: isLate ? 504 : Number(status), headers, ...body };
	}

	const transport = async (request: ApiRequest): Promise<Result> => {
		counts.mostInFlight = Math.max(counts.mostInFlight, ++counts.inFlight);
		const result = await respond(request);
		counts.inFlight--;
		return result;
	};
	return { transport, counts };
}
