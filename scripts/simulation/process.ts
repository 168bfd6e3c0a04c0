import { createService } from '../../nodes/WorkflowInstanceService/api/apiClient';
import type { ApiMethod } from '../../nodes/WorkflowInstanceService/api/apiRequest';
import type { Clock } from '../../nodes/WorkflowInstanceService/api/clock';
import { poolFor } from '../../nodes/WorkflowInstanceService/api/pace/permitPool';
import { readThenWrite } from '../../nodes/WorkflowInstanceService/instance/update/readThenWrite';
import type { SimulatedService } from './service';

let processes = 0;

/** One n8n process, whose runs share one pool. */
export class SimulatedProcess {
	/** Different keys, so that processes share nothing. */
	private readonly apiKey = `${processes++}`;

	constructor(
		private readonly clock: Clock,
		private readonly service: SimulatedService,
		private readonly requestsPerMinute = 0,
	) {}

	/** A run of the node, with its operations on one path. All of them reject with the node's error. */
	join() {
		const { clock, service } = this;
		const pool = poolFor('http://x', this.apiKey, clock);
		const run = pool.join(this.requestsPerMinute);
		const client = createService('http://x', service.transport, pool, run, 300_000);
		const request = (method: ApiMethod, path: string) => ({ method, path, ids: [] });
		return {
			get: async (path: string) => void (await client.send(request('GET', path))),
			update: async (path: string) => {
				await readThenWrite(client, clock, request('GET', path), async (_response, send) =>
					send(request('PUT', path)),
				);
			},
			delete: async (path: string) => void (await client.send(request('POST', path))),
			leave: () => void pool.leave(run),
		};
	}
}
