import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { isRecord, textAt } from './guards';
import { n8nFolder } from './paths';

/** The only account of a sandbox n8n. Its password is random and works on this machine alone. */
export interface Owner {
	email: string;
	password: string;
}

interface Hasher {
	hashSync(password: string, rounds: number): string;
}

const hashRounds = 10;
const ownerFile = 'owner.json';

const isHasher = (value: unknown): value is Hasher =>
	isRecord(value) && typeof value.hashSync === 'function';

/** bcrypt as n8n itself brings it, so that the hash is one that it can check. */
function loadHasher(): Hasher {
	const loaded: unknown = createRequire(join(n8nFolder, 'package.json'))('bcryptjs');
	if (isHasher(loaded)) return loaded;
	throw new Error(
		"bcryptjs was not found beside n8n. Remove 'sandbox/n8n/node_modules', start again.",
	);
}

/**
 * The owner of a user folder: made on the first call and kept in `owner.json`, so that a browser
 * stays signed in over restarts.
 * @param userFolder an existing or new folder, n8n's N8N_USER_FOLDER
 */
export function ownerOf(userFolder: string): Owner {
	const path = join(userFolder, ownerFile);
	if (existsSync(path)) {
		const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
		return {
			email: textAt(kept, 'email', ownerFile),
			password: textAt(kept, 'password', ownerFile),
		};
	}
	const owner = {
		email: 'owner@sandbox.local',
		password: `Sandbox-${randomBytes(6).toString('hex')}`,
	};
	mkdirSync(userFolder, { recursive: true });
	writeFileSync(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
	renameSync(`${path}.new`, path);
	return owner;
}

/** The environment with which n8n sets the owner up by itself, without a form. */
export function ownerEnvironment({ email, password }: Owner): Record<string, string> {
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: email,
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Sandbox',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
		N8N_INSTANCE_OWNER_PASSWORD_HASH: loadHasher().hashSync(password, hashRounds),
	};
}
