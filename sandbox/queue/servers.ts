import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';

import { type ProcessOptions, run, startProcess } from '../process';
import type { QueuePrograms } from './programs';

/** A running server with its data in a temporary folder. */
export interface QueueServer {
	/** Variables of n8n's environment, to find it. */
	env: Record<string, string>;
	/** Stops it and removes its data. */
	stop(): Promise<unknown>;
}

const readyWithinMs = 60_000;
// English, for the line that says that a server is ready.
const env = { ...process.env, LC_ALL: 'C' };

const newFolder = (name: string): string =>
	mkdtempSync(join(tmpdir(), `workflow-instance-service-${name}-`));

/**
 * Starts a server and waits until it says that it's ready.
 *
 * @returns what stops it and removes the folder that it ran in
 * @throws when it ends before, or isn't ready within a minute; the message includes its last lines
 */
async function startServer(command: string, args: string[], options: ProcessOptions) {
	let onReady = (): void => undefined;
	const ready = new Promise<void>((resolve) => (onReady = resolve));
	const onLine = (line: string) => void (/ready to accept connections/i.test(line) && onReady());
	const server = startProcess(command, args, { ...options, env, onLine });
	const stop = async () => {
		await server.stop();
		rmSync(options.cwd, { recursive: true, force: true });
	};
	const timer = setTimeout(() => void server.kill(), readyWithinMs);
	await Promise.race([ready, server.exited]).finally(() => clearTimeout(timer));
	if (!server.exit()) return stop;
	await stop();
	throw new Error(`${command} didn't start. It wrote:\n${server.output(20)}`);
}

/** Starts a Redis on a free port of 127.0.0.1, with a random password and nothing kept on disk. */
export async function startRedis({ redis }: QueuePrograms): Promise<QueueServer> {
	const folder = newFolder('redis');
	const port = await getPort();
	const password = randomBytes(12).toString('hex');
	const config = join(folder, 'redis.conf');
	// A file, because every user of the machine can read the arguments of a program.
	const lines = [`port ${port}`, 'bind 127.0.0.1', 'save ""', `requirepass ${password}`];
	writeFileSync(config, lines.join('\n'), { mode: 0o600 });
	return {
		env: {
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(port),
			QUEUE_BULL_REDIS_PASSWORD: password,
		},
		stop: await startServer(redis, [config], { cwd: folder }),
	};
}

/** Postgres can't run as root. Then it runs as the first of these users that exists. */
function serverUser(): ProcessOptions['user'] {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = (flag: string, name: string) =>
		spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim();
	const name = ['postgres', 'nobody'].find((one) => idOf('-u', one) !== '');
	if (name) return { uid: Number(idOf('-u', name)), gid: Number(idOf('-g', name)) };
	throw new Error("Postgres can't run as root, and there is no user postgres or nobody.");
}

/** For a database that is removed when it ends. */
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Starts a Postgres with an empty database, on a free port of 127.0.0.1, with a random password. */
export async function startPostgres({ postgres, initdb }: QueuePrograms): Promise<QueueServer> {
	const user = serverUser();
	const folder = newFolder('postgres');
	const data = join(folder, 'data');
	const password = randomBytes(12).toString('hex');
	const passwordFile = join(folder, 'password');
	writeFileSync(passwordFile, password, { mode: 0o600 });
	if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
	// SIGINT ends it without waiting for its clients.
	const options: ProcessOptions = { cwd: folder, env, user, stopSignal: 'SIGINT' };
	const access = ['--username', 'n8n', '--pwfile', passwordFile, '--auth', 'scram-sha-256'];
	const kind = ['--encoding', 'UTF8', '--no-locale', '--no-sync'];
	await run("The database wasn't created", initdb, ['--pgdata', data, ...access, ...kind], options);
	rmSync(passwordFile);
	const port = await getPort();
	const local = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
	const settings = [...local, ...fastSettings].flatMap((setting) => ['-c', setting]);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: password,
		},
		stop: await startServer(postgres, ['-D', data, ...settings], options),
	};
}
