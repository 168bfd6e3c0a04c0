import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { canRun, programPaths } from '../findProgram';

/** The servers that queue mode needs beside n8n. */
export interface QueuePrograms {
	redis: string;
	postgres: string;
	/** Makes the folder of a new database. */
	initdb: string;
}

/** Debian's packages of them. */
export const QUEUE_PACKAGES = ['redis-server', 'postgresql'];

const debianPostgres = '/usr/lib/postgresql';

/** Debian keeps each version of Postgres apart and none of its servers on PATH; the newest first. */
function postgresFolders(): string[] {
	if (!existsSync(debianPostgres)) return [];
	return readdirSync(debianPostgres)
		.sort((one, other) => Number(other) - Number(one))
		.map((version) => join(debianPostgres, version, 'bin'));
}

/**
 * The servers that are installed on this machine.
 *
 * @throws when one is missing; the message says which, and how to install it
 */
export function findQueuePrograms(): QueuePrograms {
	const redis = programPaths(['redis-server', 'valkey-server']).find(canRun);
	const postgres = programPaths(['postgres'], postgresFolders()).find(canRun);
	const initdb = programPaths(['initdb'], postgresFolders()).find(canRun);
	if (redis && postgres && initdb) return { redis, postgres, initdb };
	const missing = [redis ? [] : ['Redis'], postgres && initdb ? [] : ['Postgres']].flat();
	throw new Error(
		`Queue mode needs Redis and Postgres, and this was not found: ${missing.join(' and ')}. Install ` +
			`it with \`npm run queue:install\` (Debian and Ubuntu, as root: ${QUEUE_PACKAGES.join(' and ')}), ` +
			'or put redis-server, postgres and initdb on PATH.',
	);
}
