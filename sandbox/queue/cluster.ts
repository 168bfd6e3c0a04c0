import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import getPort from 'get-port';

import { communityPackagesFolder, n8nEnvironment } from '../n8n/environment';
import { n8nScript } from '../n8n/install';
import { installPackage } from '../n8n/pack';
import { type N8n, startN8n, waitUntilReady } from '../n8n/server';
import { type OwnedProcess, startNode } from '../process';
import { findQueuePrograms } from './programs';
import { startPostgres, startRedis } from './servers';

export interface ClusterOptions {
	/** The folder with what each of the n8n processes keeps on disk, one folder for each. */
	folder: string;
	/** By default a free one. */
	port?: number;
	/** Variables for main and workers, added or in place of those set here. */
	env?: Record<string, string>;
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

/** What n8n's docs ask of every process in queue mode. */
const queueMode = {
	EXECUTIONS_MODE: 'queue',
	// Without it, runs from the editor stay in the main process; n8n 3 has no other way.
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
};

/** Starts a worker of n8n and waits until it takes jobs. */
async function startWorker(
	userFolder: string,
	concurrency: number,
	env: Record<string, string>,
	onLine: (line: string) => void,
): Promise<OwnedProcess> {
	mkdirSync(userFolder, { recursive: true });
	const port = await getPort();
	const worker = startNode([n8nScript, 'worker', `--concurrency=${concurrency}`], {
		cwd: userFolder,
		env: n8nEnvironment(userFolder, {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_PORT: String(await getPort()),
			...env,
		}),
		onLine,
	});
	try {
		await waitUntilReady([`http://127.0.0.1:${port}/healthz/readiness`], worker);
		return worker;
	} catch (error) {
		await worker.kill();
		throw error;
	}
}

/**
 * Starts Redis, Postgres and the main process of n8n in queue mode, each on a free port of
 * 127.0.0.1, with nothing of an earlier start. Every n8n process has a folder of its own, as if on a
 * machine of its own, with the package installed in it.
 *
 * @throws when Redis or Postgres is not on this machine, or one of them does not start
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
	const { folder, port, onLine } = options;
	const programs = findQueuePrograms();
	const stops: Array<() => Promise<unknown>> = [];
	const stop = async () => {
		for (const one of stops.reverse()) await Promise.allSettled([one()]);
	};
	const folderOf = (name: string) => join(folder, name);
	const packagesOf = (name: string) => communityPackagesFolder(folderOf(name));
	try {
		const redis = await startRedis(programs);
		stops.push(redis.stop);
		const postgres = await startPostgres(programs);
		stops.push(postgres.stop);
		const N8N_ENCRYPTION_KEY = randomBytes(16).toString('hex');
		const env = { ...queueMode, ...redis.env, ...postgres.env, N8N_ENCRYPTION_KEY, ...options.env };
		const userFolder = folderOf('main');
		await installPackage(userFolder);
		const main = await startN8n({
			userFolder,
			port,
			env,
			onLine: (line) => onLine?.('main', line),
		});
		stops.push(main.stop);
		let workers = 0;
		return {
			main,
			async addWorker({ concurrency = 10, withPackage = true, env: own } = {}) {
				const name = `worker-${++workers}`;
				if (withPackage) cpSync(packagesOf('main'), packagesOf(name), { recursive: true });
				const worker = await startWorker(folderOf(name), concurrency, { ...env, ...own }, (line) =>
					onLine?.(name, line),
				);
				stops.push(async () => await worker.stop());
				return worker;
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
