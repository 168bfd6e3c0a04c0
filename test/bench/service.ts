import { resolve } from 'node:path';

import { isRecord } from '../../sandbox/guards';
import { freePort } from '../../sandbox/n8n/ports';
import { startNode } from '../../sandbox/n8n/process';
import { waitUntilReady } from '../../sandbox/n8n/server';
import { DEFAULT_KEY } from '../../sandbox/service';

const ROOT = resolve(__dirname, '../..');
/** The sandbox adds no more at once. */
const MOST_ADDED = 20_000;

/**
 * Starts the sandbox service on a free port of 127.0.0.1, in a process of its own, so that it shares
 * no thread with a client.
 *
 * @throws Error when it does not respond in time
 */
export async function startService() {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const args = ['--import', 'tsx', 'sandbox/service/main.ts', '--port', String(port)];
	const child = startNode(args, { cwd: ROOT, env: process.env });
	const control = async (method: string, path: string, body?: object): Promise<unknown> => {
		const headers = { 'content-type': 'application/json' };
		const content = body && { headers, body: JSON.stringify(body) };
		const response = await fetch(`${url}/control${path}`, { method, ...content });
		if (!response.ok) throw new Error(`The sandbox responded ${response.status} to ${path}.`);
		return response.status === 204 ? undefined : await response.json();
	};
	await waitUntilReady([`${url}/control`], child);
	return {
		/** Ends in `/api`. */
		baseUrl: `${url}/api`,
		apiKey: DEFAULT_KEY,
		/** Seeded instances only, no latency, counters at zero; then adds instances and gives their ids. */
		async prepare(instances: number, latencyMs = 0) {
			await control('POST', '/reset');
			const ids: number[] = [];
			while (ids.length < instances) {
				const count = Math.min(instances - ids.length, MOST_ADDED);
				const added = await control('POST', '/instances', { count });
				if (!Array.isArray(added) || added.length < count) throw new Error('Nothing was added.');
				ids.push(...added.map(Number));
			}
			await control('PATCH', '/settings', { latencyMs });
			return ids;
		},
		/** How many requests were received since the last `prepare`. */
		async requests() {
			const stats = await control('GET', '/stats');
			return isRecord(stats) ? Number(stats.requests) : NaN;
		},
		stop: async () => await child.stop(),
	};
}
