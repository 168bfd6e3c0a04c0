import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import getPort from 'get-port';

import { messageOf } from '../guards';
import { communityPackagesFolder } from '../n8n/environment';
import { installPackage } from '../n8n/pack';
import { startN8n, startN8nProcess } from '../n8n/server';
import { startPostgres, startRedis } from './servers';

export interface ClusterWorkerOptions {
	/** How many executions it runs at once, at most; n8n's own default is 10. */
	concurrency?: number;
	/** Variables for this worker alone. */
	env?: Record<string, string>;
}

/** What n8n's docs require for every process in queue mode. */
const queueMode = {
	EXECUTIONS_MODE: 'queue',
	// Without it, runs from the editor stay in the main process. In n8n 3, it's the only way.
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
};

/**
 * Starts Redis, Postgres and the main process of n8n in queue mode, each on a free port of
 * 127.0.0.1, with nothing left over from an earlier start. Every n8n process has its own folder, as if
 * it were on its own machine, with the package installed in it.
 *
 * @param folder contains these folders
 * @param env variables for main and workers, to add or to replace those set here
 * @throws when Redis or Postgres is not on this machine, or one of them does not start
 */
export async function startCluster(folder: string, env: Record<string, string> = {}) {
	const started: Array<{ stop(): Promise<unknown> }> = [];
	const keep = <T extends { stop(): Promise<unknown> }>(one: T): T => {
		started.push(one);
		return one;
	};
	const stop = async () => {
		for (const one of started.reverse()) await Promise.allSettled([one.stop()]);
	};
	const userFolder = join(folder, 'main');
	try {
		const redis = keep(await startRedis());
		const postgres = keep(await startPostgres());
		const N8N_ENCRYPTION_KEY = randomBytes(16).toString('hex');
		const shared = { ...queueMode, ...redis.env, ...postgres.env, N8N_ENCRYPTION_KEY, ...env };
		await installPackage(userFolder);
		let workers = 0;
		return {
			main: keep(await startN8n({ userFolder, env: shared })),
			/** Starts one more worker, and waits until it takes jobs. */
			async addWorker(workerOptions: ClusterWorkerOptions = {}) {
				const { concurrency = 10, env: own } = workerOptions;
				const ownFolder = join(folder, `worker-${++workers}`);
				// Every process needs its own.
				const target = communityPackagesFolder(ownFolder);
				cpSync(communityPackagesFolder(userFolder), target, { recursive: true });
				const start = async () => {
					const port = await getPort();
					const health = {
						QUEUE_HEALTH_CHECK_ACTIVE: 'true',
						QUEUE_HEALTH_CHECK_PORT: String(port),
						N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
					};
					return await startN8nProcess(
						['worker', `--concurrency=${concurrency}`],
						[`http://127.0.0.1:${port}/healthz/readiness`],
						{ userFolder: ownFolder, env: { ...health, ...shared, ...own } },
					);
				};
				// Others may take a free port before n8n listens on it.
				const startElsewhere = async (error: unknown) => {
					if (!messageOf(error).includes('already in use')) throw error;
					return await start();
				};
				return keep(await start().catch(startElsewhere));
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
