import { mkdirSync } from 'node:fs';

import { n8nEnvironment } from '../n8n/environment';
import { n8nScript } from '../n8n/install';
import { freePort } from '../n8n/ports';
import { startNode } from '../n8n/process';
import type { OwnedProcess } from '../n8n/process';
import { waitUntilReady } from '../n8n/server';

export interface WorkerOptions {
	/** The folder that holds the packages of this worker. */
	userFolder: string;
	/** Variables of queue mode: where Redis and Postgres are, and the encryption key. */
	env: Record<string, string>;
	/** The most executions that it runs at once; n8n's own default is 10. */
	concurrency?: number;
	/** Called with every line that the worker writes. */
	onLine?: (line: string) => void;
}

const defaultConcurrency = 10;

/**
 * Starts a worker of n8n on 127.0.0.1 and waits until it takes jobs.
 *
 * @throws when it ends while starting, or is not ready in time; the message holds its last lines
 */
export async function startWorker(options: WorkerOptions): Promise<OwnedProcess> {
	const { userFolder, concurrency = defaultConcurrency, onLine } = options;
	mkdirSync(userFolder, { recursive: true });
	const port = await freePort();
	const env = n8nEnvironment(userFolder, {
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		...options.env,
	});
	const args = [n8nScript, 'worker', `--concurrency=${concurrency}`];
	const worker = startNode(args, { cwd: userFolder, env, onLine });
	try {
		await waitUntilReady([`http://127.0.0.1:${port}/healthz/readiness`], worker);
		return worker;
	} catch (error) {
		await worker.kill();
		throw error;
	}
}
