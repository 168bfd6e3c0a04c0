import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';

import { type ProcessOptions, run, startProcess } from '../process';
import { findProgram, installDebianPackages } from '../programs';

const readyWithinMs = 60_000;
// In English, so that the line that says that a server is ready is recognized.
const env = { ...process.env, LC_ALL: 'C' };

/** Debian has a folder for each version of Postgres, and no server on PATH. The newest comes first. */
function postgresFolders(): string[] {
	const root = '/usr/lib/postgresql';
	const versions = existsSync(root) ? readdirSync(root) : [];
	return versions
		.sort((one, other) => Number(other) - Number(one))
		.map((version) => join(root, version, 'bin'));
}

function find() {
	const redis = findProgram(['redis-server', 'valkey-server']);
	const postgres = findProgram(['postgres'], postgresFolders());
	const initdb = findProgram(['initdb'], postgresFolders());
	return redis && postgres && initdb ? { redis, postgres, initdb } : undefined;
}

/**
 * The servers that queue mode needs besides n8n. On Debian and Ubuntu, they are installed if one is missing
 * and that's possible without a password.
 *
 * @throws when one is missing; the message says how to install them
 */
export function findQueuePrograms() {
	if (!find()) installDebianPackages('redis-server', 'postgresql');
	const programs = find();
	if (programs) return programs;
	throw new Error(
		'Queue mode needs Redis and Postgres. Install redis-server and postgresql (Debian and Ubuntu), ' +
			'or put redis-server, postgres and initdb on PATH.',
	);
}

/** A new folder with a file that only its owner can read, since arguments of programs are public. */
function folderWith(name: string, text: string) {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-queue-'));
	const file = join(folder, name);
	writeFileSync(file, text, { mode: 0o600 });
	return { folder, file };
}

/**
 * Starts a server and waits until it says that it's ready.
 *
 * @returns a function that stops it and removes the folder that it ran in
 * @throws when it ends before that, or isn't ready within a minute; the message includes its last lines
 */
async function startServer(command: string, args: string[], options: ProcessOptions) {
	let onReady = (): void => undefined;
	const ready = new Promise<void>((resolve) => (onReady = resolve));
	const onLine = (line: string) => void (/ready to accept connections/i.test(line) && onReady());
	const server = startProcess(command, args, { ...options, onLine });
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

/**
 * Starts a Redis on a free port of 127.0.0.1, with a random password and nothing kept on disk.
 *
 * @returns the variables that tell n8n where it is, and a function that stops it
 */
export async function startRedis() {
	const port = await getPort();
	const password = randomBytes(12).toString('hex');
	const lines = [`port ${port}`, 'bind 127.0.0.1', 'save ""', `requirepass ${password}`];
	const { folder, file } = folderWith('redis.conf', lines.join('\n'));
	return {
		env: {
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(port),
			QUEUE_BULL_REDIS_PASSWORD: password,
		},
		stop: await startServer(findQueuePrograms().redis, [file], { cwd: folder, env }),
	};
}

/** Postgres refuses to run as root. In that case, it runs as the user that its package has created. */
function serverUser(): ProcessOptions['user'] {
	if (process.getuid?.() !== 0) return undefined;
	const [uid = NaN, gid = NaN] = ['-u', '-g'].map((flag) =>
		parseInt(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
	);
	if (uid > 0) return { uid, gid };
	throw new Error("Postgres can't run as root, and there is no user postgres.");
}

/** Starts a Postgres with an empty database, on a free port of 127.0.0.1, with a random password. */
export async function startPostgres() {
	const { postgres, initdb } = findQueuePrograms();
	const user = serverUser();
	const port = await getPort();
	const password = randomBytes(12).toString('hex');
	const { folder, file } = folderWith('password', password);
	if (user) for (const path of [folder, file]) chownSync(path, user.uid, user.gid);
	const options = { cwd: folder, env, user };
	const data = ['-D', join(folder, 'data')];
	const access = ['--username', 'n8n', '--pwfile', file, '--auth', 'scram-sha-256'];
	const kind = ['--encoding', 'UTF8', '--no-locale', '--no-sync'];
	await run("The database wasn't created", initdb, [...data, ...access, ...kind], options);
	const settings = [
		...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='],
		// Enough for a database that is removed when it ends.
		...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
	].flatMap((setting) => ['-c', setting]);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: password,
		},
		stop: await startServer(postgres, [...data, ...settings], options),
	};
}
