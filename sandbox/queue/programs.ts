import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { canRun, programPaths } from '../findProgram';

/** The servers that queue mode needs besides n8n. */
export interface QueuePrograms {
	redis: string;
	postgres: string;
	/** Makes the folder of a new database. */
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

type Found = Partial<QueuePrograms>;

function look(): Found {
	const folders = postgresFolders();
	return {
		redis: programPaths(['redis-server', 'valkey-server']).find(canRun),
		postgres: programPaths(['postgres'], folders).find(canRun),
		initdb: programPaths(['initdb'], folders).find(canRun),
	};
}

/** What is missing, by its name and by the name of its package in Debian. */
function missing({ redis, postgres, initdb }: Found) {
	return [
		...(redis ? [] : [{ name: 'Redis', debian: 'redis-server' }]),
		...(postgres && initdb ? [] : [{ name: 'Postgres', debian: 'postgresql' }]),
	];
}

/** Debian's packages of those servers that are not on this machine. */
export const missingPackages = (): string[] => missing(look()).map(({ debian }) => debian);

/**
 * The servers that are installed on this machine.
 *
 * @throws when one is missing; the message says which, and how to install it
 */
export function findQueuePrograms(): QueuePrograms {
	const found = look();
	const { redis, postgres, initdb } = found;
	if (redis && postgres && initdb) return { redis, postgres, initdb };
	const listOf = (key: 'name' | 'debian') =>
		missing(found)
			.map((one) => one[key])
			.join(' and ');
	throw new Error(
		`Queue mode needs Redis and Postgres. Not found: ${listOf('name')}. Install it ` +
			`with \`npm run queue:install\` (Debian and Ubuntu, as root: ${listOf('debian')}), or put ` +
			'redis-server, postgres and initdb on PATH.',
	);
}
