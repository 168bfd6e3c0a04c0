import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { textAt } from '../guards';

/** The only account of a sandbox n8n. Its password is random and works on this machine alone. */
export interface Owner {
	email: string;
	password: string;
}

const ownerFile = 'owner.json';

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
