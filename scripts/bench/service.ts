import { resolve } from 'node:path';

import { isRecord } from '../../sandbox/guards';
import getPort from 'get-port';

import { startNode } from '../../sandbox/process';
import { waitUntilReady } from '../../sandbox/n8n/server';
import { DEFAULT_KEY, type SandboxControl } from '../../sandbox/service';
import { callControl } from '../../sandbox/service/command';

const ROOT = resolve(__dirname, '../..');

/**
 * Starts the sandbox service on a free port of 127.0.0.1, in a process of its own, so that it shares
 * no thread with a client.
 *
 * @throws Error when it does not respond in time
 */
export async function startService() {
	const port = await getPort();
	const url = `http://127.0.0.1:${port}`;
	const args = ['--import', 'tsx', 'sandbox/service/main.ts', '--port', String(port)];
	const child = startNode(args, { cwd: ROOT, env: process.env });
	const control = async (name: keyof SandboxControl, ...values: unknown[]): Promise<unknown> =>
		await callControl(url, name, values);
	await waitUntilReady([`${url}/control`], child);
	return {
		/** Ends in `/api`. */
		baseUrl: `${url}/api`,
		apiKey: DEFAULT_KEY,
		/** Seeded instances only, no latency, counters at zero; then adds instances and gives their ids. */
		async prepare(instances: number, latencyMs = 0) {
			await control('reset');
			const ids = await control('addInstances', instances);
			await control('setLatency', latencyMs);
			return Array.isArray(ids) ? ids.map(Number) : [];
		},
		/** How many requests were received since the last `prepare`. */
		async requests() {
			const stats = await control('stats');
			return isRecord(stats) ? Number(stats.requests) : NaN;
		},
		stop: async () => await child.stop(),
	};
}
