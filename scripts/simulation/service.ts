import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import type { Result } from '../../nodes/WorkflowInstanceService/api/response';
import { type RateLimit, RateLimiter } from '../../sandbox/service/rateLimit';

/** What comes of a request. */
export interface Reply {
	/** Default 200. `lost` is a connection that breaks, `hangs` one without a response. */
	status?: number | 'hangs' | 'lost';
	headers?: Record<string, string>;
	/** How many milliseconds longer than usual it takes. */
	slow?: number;
}

/** A request that the service has received, and when, in milliseconds. */
export interface Sent extends Pick<ApiRequest, 'method' | 'path'> {
	at: number;
	reply: Reply;
}

export interface ServiceOptions {
	/** The least and the most that a response takes, in milliseconds. Default 20. */
	latency?: [least: number, most: number];
	/** If it's not 0, responses arrive together, every so many milliseconds. */
	burst?: number;
	/** When n8n gives up a request that hangs, in milliseconds. Default 300,000. */
	timeout?: number;
	limit?: RateLimit;
	/** What it replies to a request within the limit, knowing those before. Default: success. */
	replyTo?(request: Omit<Sent, 'reply'>, log: readonly Sent[]): Reply;
}

/** A service in this process, on a virtual clock. */
export class SimulatedService {
	readonly log: Sent[] = [];

	/** How many requests the limit rejected. */
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
		const { clock, options } = this;
		const { latency = [20, 20], timeout = 300_000 } = options;
		const way = (latency[0] + (latency[1] - latency[0]) * clock.chance()) / 2;
		await clock.sleep(way);
		const { status = 200, headers = {}, slow = 0 } = this.receive(request);
		if (status === 'hangs') {
			await clock.sleep(timeout - way);
			return { networkCode: 'ECONNABORTED', words: '' };
		}
		await this.arrival(way + slow);
		if (status === 'lost') return { networkCode: 'ECONNRESET', words: '' };
		return { status, headers, text: '{}', isGarbled: false, quotable: () => '' };
	};

	private receive({ method, path }: ApiRequest): Reply {
		const sent = { at: this.clock.now(), method, path };
		const rejection = this.limiter?.rejection(sent.at, method);
		if (rejection !== undefined) this.throttled++;
		const reply = rejection ?? this.options.replyTo?.(sent, this.log) ?? {};
		this.log.push({ ...sent, reply });
		return reply;
	}

	private async arrival(after: number): Promise<void> {
		const { clock, bursts, options } = this;
		const { burst = 0 } = options;
		if (burst === 0) return await clock.sleep(after);
		const at = Math.ceil((clock.now() + after) / burst) * burst;
		const arrives = bursts.get(at) ?? clock.sleep(at - clock.now());
		bursts.set(at, arrives);
		await arrives;
	}
}
