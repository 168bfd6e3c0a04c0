import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isRecord } from '../../sandbox/guards';
import { freePort } from '../../sandbox/n8n/ports';
import { startNode } from '../../sandbox/n8n/process';
import { DEFAULT_KEY } from '../../sandbox/service';

/** The sandbox service in a process of its own, so that it shares no thread with a client. */
export interface ServiceProcess {
	/** Ends in `/api`. */
	baseUrl: string;
	apiKey: string;
	/** Seeded instances only, no latency, counters at zero; then adds instances and gives their ids. */
	prepare(instances: number, latencyMs: number): Promise<number[]>;
	/** How many requests were received since {@link prepare}. */
	requests(): Promise<number>;
	stop(): Promise<void>;
}

const SCRIPT = resolve(__dirname, '../../sandbox/service/main.ts');
const READY_WITHIN_MS = 60_000;
/** The sandbox adds no more at once. */
const MOST_ADDED = 20_000;

function isNumbers(value: unknown): value is number[] {
	return Array.isArray(value) && value.every((one) => typeof one === 'number');
}

async function answers(url: string): Promise<boolean> {
	return await fetch(url).then(
		({ ok }) => ok,
		() => false,
	);
}

/**
 * Starts the sandbox service on a free port of 127.0.0.1.
 *
 * @throws Error when it does not answer within a minute
 */
export async function startService(): Promise<ServiceProcess> {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const args = ['--import', 'tsx', SCRIPT, '--port', String(port)];
	const child = startNode(args, { cwd: resolve(__dirname, '../..'), env: process.env });
	const control = async (method: string, path: string, body?: object): Promise<unknown> => {
		const response = await fetch(`${url}/control${path}`, {
			method,
			...(body && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
		if (!response.ok) throw new Error(`The sandbox answered ${response.status} to ${path}.`);
		return response.status === 204 ? undefined : await response.json();
	};
	const add = async (count: number): Promise<number[]> => {
		const ids = await control('POST', '/instances', { count: Math.min(count, MOST_ADDED) });
		if (!isNumbers(ids)) throw new Error('The sandbox gave no ids.');
		return count > MOST_ADDED ? [...ids, ...(await add(count - MOST_ADDED))] : ids;
	};
	const deadline = Date.now() + READY_WITHIN_MS;
	while (!(await answers(`${url}/control`))) {
		if (child.exit() ?? Date.now() > deadline) {
			await child.kill();
			throw new Error(`The sandbox did not start. It wrote:\n${child.output(20)}`);
		}
		await sleep(100);
	}
	return {
		baseUrl: `${url}/api`,
		apiKey: DEFAULT_KEY,
		async prepare(instances, latencyMs) {
			await control('POST', '/reset');
			const ids = await add(instances);
			await control('PATCH', '/settings', { latencyMs });
			return ids;
		},
		async requests() {
			const stats = await control('GET', '/stats');
			return isRecord(stats) ? Number(stats.requests) : NaN;
		},
		async stop() {
			await child.stop();
		},
	};
}
