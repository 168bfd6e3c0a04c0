import { createApiClient } from '../../nodes/WorkflowInstanceService/api/apiClient';
import type { ApiMethod } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import { PermitPool } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import type { SimulatedService } from './service';

const LIMITS = { maxRetries: 4, maxConcurrentRequests: 100 };

/** One n8n process, whose runs share one pool. */
export class SimulatedProcess {
	private pool: PermitPool | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly service: SimulatedService,
		private readonly requestsPerMinute = 0,
	) {}

	/** A run of the node, with its operations on one path. All of them reject with the node's error. */
	join(maxWait = 300_000) {
		const { clock, service } = this;
		const pool = (this.pool ??= new PermitPool(clock, undefined, () => (this.pool = undefined)));
		const run = pool.join(this.requestsPerMinute);
		const api = createApiClient('http://x', service.transport, pool, run, { continues: true });
		const client = api.within({ ...LIMITS, maxWait });
		const oneByOne = api.within({ ...LIMITS, maxWait, maxConcurrentRequests: 1 });
		const request = (method: ApiMethod, path: string) => ({ method, path, subject: path });
		return {
			get: async (path: string) => void (await client.send(request('GET', path))),
			update: async (path: string) =>
				void (await client.readThenWrite(request('GET', path), () => request('PUT', path))),
			/** One batch after another. */
			delete: async (path: string) => void (await oneByOne.send(request('POST', path))),
			/** Refuses what still waits. */
			close: () => pool.close(run),
			leave: () => pool.leave(run),
		};
	}
}
