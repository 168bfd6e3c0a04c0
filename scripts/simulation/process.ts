import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import type { ApiRequest } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import { PermitPool } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import type { SimulatedClock } from './clock';
import type { SimulatedService } from './service';

const DEFAULTS = { maxRetries: 4, maxConcurrentRequests: 100, maxWait: 300_000 };

/** One n8n process, whose runs share one pool. */
export class SimulatedProcess {
	private pool: PermitPool | undefined;

	constructor(
		private readonly clock: SimulatedClock,
		private readonly service: SimulatedService,
		private readonly requestsPerMinute: number,
	) {}

	/** A run of the node, with its operations on one path. */
	join() {
		const { clock, service } = this;
		const pool = (this.pool ??= new PermitPool(clock, undefined, () => (this.pool = undefined)));
		const run = pool.join(this.requestsPerMinute);
		const transport = service.respond.bind(service);
		const api = createApiClient('http://x', transport, pool, run, { continues: true });
		const client = api.within(DEFAULTS);
		const oneByOne = api.within({ ...DEFAULTS, maxConcurrentRequests: 1 });
		const of = (method: ApiRequest['method'], path: string) => ({ method, path, subject: path });
		return {
			get: async (path: string) => void (await client.send(of('GET', path))),
			update: async (path: string) =>
				void (await client.readThenWrite(of('GET', path), () => of('PUT', path))),
			delete: async (path: string) => void (await oneByOne.send(of('POST', path))),
			leave: () => pool.leave(run),
		};
	}
}
