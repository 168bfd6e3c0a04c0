import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { installDebianPackages } from '../debian';
import { canRun, programPaths } from '../findProgram';

/** The servers that queue mode needs besides n8n. */
export interface QueuePrograms {
	redis: string;
	postgres: string;
	/** Creates the folder of a new database. */
	initdb: string;
}

const debianPostgres = '/usr/lib/postgresql';

/** Debian keeps each version of Postgres apart and none of its servers on PATH; the newest first. */
function postgresFolders(): string[] {
	if (!existsSync(debianPostgres)) return [];
	return readdirSync(debianPostgres)
		.sort((one, other) => Number(other) - Number(one))
		.map((version) => join(debianPostgres, version, 'bin'));
}

function look(): Partial<QueuePrograms> {
	const folders = postgresFolders();
	return {
		redis: programPaths(['redis-server', 'valkey-server']).find(canRun),
		postgres: programPaths(['postgres'], folders).find(canRun),
		initdb: programPaths(['initdb'], folders).find(canRun),
	};
}

/**
 * The servers on this machine. On Debian and Ubuntu, missing ones are installed if that's possible
 * without a password.
 *
 * @throws when one is missing; the message says which, and how to install it
 */
export function findQueuePrograms(): QueuePrograms {
	const packagesFor = ({ redis, postgres, initdb }: Partial<QueuePrograms>) => [
		...(redis ? [] : ['redis-server']),
		...(postgres && initdb ? [] : ['postgresql']),
	];
	const missing = packagesFor(look());
	if (missing.length > 0) installDebianPackages(...missing);
	const { redis, postgres, initdb } = look();
	if (redis && postgres && initdb) return { redis, postgres, initdb };
	throw new Error(
		`Queue mode needs Redis and Postgres. Install ${packagesFor({ redis, postgres, initdb }).join(' and ')} ` +
			'(Debian and Ubuntu), or put redis-server, postgres and initdb on PATH.',
	);
}
