import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../n8n/ports';
import { startProgram } from './program';
import type { SystemUser } from './program';
import type { QueuePrograms } from './programs';
import type { QueueServer } from './redis';

const userNames = ['postgres', 'nobody'];
const role = 'n8n';

/** Postgres can't run as root. Then it runs as the first of these users that exists. */
function serverUser(): SystemUser | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = (flag: string, name: string) =>
		spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim();
	const name = userNames.find((one) => idOf('-u', one) !== '');
	if (name) return { uid: Number(idOf('-u', name)), gid: Number(idOf('-g', name)) };
	throw new Error(`Postgres can't run as root, and there is no user ${userNames.join(' or ')}.`);
}

interface Database {
	folder: string;
	password: string;
	user: SystemUser | undefined;
}

function createDatabase(initdb: string): Database {
	const user = serverUser();
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-postgres-'));
	const password = randomBytes(12).toString('hex');
	const passwordFile = join(folder, 'password');
	writeFileSync(passwordFile, password, { mode: 0o600 });
	if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
	const args = ['--pgdata', join(folder, 'data'), '--username', role, '--pwfile', passwordFile];
	const { status, stderr, error } = spawnSync(
		initdb,
		[...args, '--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-locale', '--no-sync'],
		{ cwd: folder, encoding: 'utf8', ...user },
	);
	rmSync(passwordFile);
	if (status === 0) return { folder, password, user };
	rmSync(folder, { recursive: true, force: true });
	throw new Error(`${initdb} failed. It wrote:\n${error?.message ?? stderr}`);
}

/** What a database on a real disk must not have: it is removed when it ends. */
const fastSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Starts a Postgres of its own with an empty database, on a free port of 127.0.0.1, with a random
 * password. Its data is in a temporary folder, and is removed when it is stopped.
 *
 * @throws when it does not start
 */
export async function startPostgres({ postgres, initdb }: QueuePrograms): Promise<QueueServer> {
	const { folder, password, user } = createDatabase(initdb);
	const port = await freePort();
	const settings = [
		`port=${port}`,
		'listen_addresses=127.0.0.1',
		'unix_socket_directories=',
		...fastSettings,
	];
	const args = ['-D', join(folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])];
	const server = await startProgram(
		// The signal that ends it without waiting for its clients.
		{ command: postgres, args, folder, stopSignal: 'SIGINT', user },
		/ready to accept connections/,
	);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: role,
			DB_POSTGRESDB_PASSWORD: password,
		},
		async stop() {
			await server.stop();
		},
	};
}
