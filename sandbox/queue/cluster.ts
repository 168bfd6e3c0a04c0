import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { communityPackagesFolder } from '../n8n/environment';
import { installPackage } from '../n8n/pack';
import type { OwnedProcess } from '../n8n/process';
import { startN8n } from '../n8n/server';
import type { N8n } from '../n8n/server';
import { startPostgres } from './postgres';
import { findQueuePrograms } from './programs';
import { startRedis } from './redis';
import { startWorker } from './worker';

export interface ClusterOptions {
	/** The folder that holds what each of the n8n processes keeps on disk, one folder for each. */
	folder: string;
	/** By default a free one. */
	port?: number;
	/** Variables for main and workers, added or in place of those set here. */
	env?: Record<string, string>;
	/** Whether this package is installed in the main process; by default it is. */
	withPackage?: boolean;
	/** Called with every line of every n8n process; `name` is `main`, `worker-1` and so on. */
	onLine?: (name: string, line: string) => void;
}

export interface ClusterWorkerOptions {
	/** The most executions that it runs at once; n8n's own default is 10. */
	concurrency?: number;
	/** Variables for this worker alone. */
	env?: Record<string, string>;
	/** Whether this package is installed in it, as every worker needs; by default it is. */
	withPackage?: boolean;
}

/** n8n in queue mode: one main process, Redis, Postgres, and as many workers as are added. */
export interface Cluster {
	main: N8n;
	/** Starts one more worker. */
	addWorker(options?: ClusterWorkerOptions): Promise<OwnedProcess>;
	/** Stops everything, the one that was started last first. */
	stop(): Promise<void>;
}

type Stop = () => Promise<unknown>;

async function stopAll(stops: Stop[]): Promise<void> {
	for (const stop of stops.reverse()) await Promise.allSettled([stop()]);
}

/** What n8n's own pages ask of every process in queue mode. */
const queueMode = {
	EXECUTIONS_MODE: 'queue',
	// Without it, runs from the editor stay in the main process; n8n 3 has no other way.
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
};

/**
 * Starts Redis, Postgres and the main process of n8n in queue mode, each on a free port of
 * 127.0.0.1, with nothing of an earlier start. Every n8n process has a folder of its own, as if on a
 * machine of its own, with the package installed in it.
 *
 * @throws when Redis or Postgres is not on this machine, or one of them does not start
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
	const programs = findQueuePrograms();
	const { folder, port, onLine, withPackage = true } = options;
	const stops: Stop[] = [];
	const folderOf = (name: string) => join(folder, name);
	const packagesOf = (name: string) => communityPackagesFolder(folderOf(name));
	try {
		const redis = await startRedis(programs.redis);
		stops.push(redis.stop);
		const postgres = await startPostgres(programs);
		stops.push(postgres.stop);
		const env = {
			...queueMode,
			...redis.env,
			...postgres.env,
			N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
			...options.env,
		};
		if (withPackage) await installPackage(folderOf('main'));
		const main = await startN8n({
			userFolder: folderOf('main'),
			port,
			env,
			onLine: (line) => onLine?.('main', line),
		});
		stops.push(main.stop);
		let workers = 0;
		return {
			main,
			async addWorker({ concurrency, withPackage = true, env: own } = {}) {
				const name = `worker-${++workers}`;
				if (withPackage) cpSync(packagesOf('main'), packagesOf(name), { recursive: true });
				const worker = await startWorker({
					userFolder: folderOf(name),
					env: { ...env, ...own },
					concurrency,
					onLine: (line) => onLine?.(name, line),
				});
				stops.push(async () => await worker.stop());
				return worker;
			},
			stop: async () => await stopAll(stops),
		};
	} catch (error) {
		await stopAll(stops);
		throw error;
	}
}
