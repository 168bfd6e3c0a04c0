import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import { MinuteLimit } from '../../nodes/WorkflowInstanceService/api/pace/minuteLimit';
import { PermitPool } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import type { SimulatedClock } from './clock';
import type { SimulatedService } from './service';

const DEFAULTS = { maxRetries: 4, maxConcurrentRequests: 100, maxWait: 300_000 };

/** One n8n process, whose runs share one pool. */
export class SimulatedProcess {
	private pool: PermitPool | undefined;

	private readonly minute = new MinuteLimit();

	constructor(
		private readonly clock: SimulatedClock,
		private readonly service: SimulatedService,
		requestsPerMinute: number,
	) {
		this.minute.limits.push(requestsPerMinute);
	}

	/** A run of the node, with its operations on one path. */
	join() {
		const { clock, service } = this;
		this.pool ??= new PermitPool(clock, this.minute, () => (this.pool = undefined));
		const run = this.pool.join();
		const transport = service.respond.bind(service);
		const client = createApiClient('http://x', transport, run, { continues: true }, clock);
		const of = (method: ApiRequest['method'], path: string) => ({ method, path, subject: path });
		return {
			get: async (path: string) => void (await client.send(of('GET', path), DEFAULTS)),
			update: async (path: string) =>
				void (await client.readThenWrite(of('GET', path), () => of('PUT', path), DEFAULTS)),
			delete: async (path: string) => void (await client.send(of('POST', path), DEFAULTS)),
			leave: run.leave,
		};
	}
}
