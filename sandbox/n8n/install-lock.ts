import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { lockHolder, tryLock, unlock } from './lock';
import { rootFolder } from './paths';

const lockFile = join(rootFolder, 'node_modules', '.cache', 'sandbox-n8n-install.lock');
const pollMs = 1_000;
/** Longer than the time in which the children of a killed installer notice that it is gone. */
const orphansEndWithinMs = 3_000;

/**
 * Runs `work` while no other process of this machine runs it for the same checkout.
 * @param onWait called every second while another process is at it
 */
export async function withInstallLock<T>(work: () => Promise<T>, onWait: () => void): Promise<T> {
	while (!tryLock(lockFile)) {
		if (lockHolder(lockFile)) {
			onWait();
			await sleep(pollMs);
			continue;
		}
		unlock(lockFile);
		await sleep(orphansEndWithinMs);
	}
	try {
		return await work();
	} finally {
		unlock(lockFile);
	}
}
