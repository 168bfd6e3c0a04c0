import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import type { Result } from '../../nodes/WorkflowInstanceService/api/response';
import { type RateLimit, RateLimiter } from '../../sandbox/service/rateLimit';

/** What comes of a request. */
export interface Reply {
	/** Default 200. */
	status?: number | 'hangs';
	headers?: Record<string, string>;
	/** How many milliseconds longer than usual it takes. */
	slow?: number;
}

export interface ServiceOptions {
	/** The least and the most that a response takes, in milliseconds. Default 20. */
	latency?: [least: number, most: number];
	/** Responses arrive together, every so many milliseconds. Default 0: each by itself. */
	burst?: number;
	limit?: RateLimit;
	/** By path, what always comes of a request within the limit. Default: success. */
	failures?: ReadonlyMap<string, Reply>;
}

/** A service in this process, on a virtual clock. */
export class SimulatedService {
	/** How many requests it received, and how many of them the limit rejected. */
	requests = 0;
	throttled = 0;
	private readonly limiter: RateLimiter | undefined;
	/** Responses on their way, by when they arrive. */
	private readonly bursts = new Map<number, Promise<void>>();

	constructor(
		private readonly clock: Clock,
		private readonly options: ServiceOptions,
	) {
		this.limiter = options.limit && new RateLimiter(options.limit);
	}

	/** Sends a request, as n8n does. */
	readonly transport = async (request: ApiRequest): Promise<Result> => {
		const { latency = [20, 20] } = this.options;
		const way = (latency[0] + (latency[1] - latency[0]) * this.clock.chance()) / 2;
		await this.clock.sleep(way);
		const { status = 200, headers = {}, slow = 0 } = this.receive(request);
		// n8n gives up after five minutes.
		await (status === 'hangs' ? this.clock.sleep(300_000) : this.arrival(way + slow));
		if (status === 'hangs') return { networkCode: 'ECONNABORTED', words: '' };
		return { status, headers, text: '{}', json: {}, isGarbled: false, redact: String };
	};

	private receive({ method, path }: ApiRequest): Reply {
		this.requests++;
		const rejection = this.limiter?.rejection(this.clock.now(), method);
		if (rejection !== undefined) this.throttled++;
		return rejection ?? this.options.failures?.get(path) ?? {};
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
