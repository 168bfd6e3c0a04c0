import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { isRecord } from '../guards';

/**
 * Makes the lock file of this process unless there is one already.
 * @returns whether this process now holds the lock
 */
export function tryLock(path: string): boolean {
	mkdirSync(dirname(path), { recursive: true });
	try {
		writeFileSync(path, String(process.pid), { flag: 'wx' });
		return true;
	} catch (error) {
		if (isRecord(error) && error.code === 'EEXIST') return false;
		throw error;
	}
}

function isAlive(pid: number): boolean {
	try {
		return pid > 0 && process.kill(pid, 0);
	} catch (error) {
		return isRecord(error) && error.code === 'EPERM';
	}
}

/** The process that holds a lock; undefined when nobody does, or its holder is gone. */
export function lockHolder(path: string): number | undefined {
	const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
	return isAlive(pid) ? pid : undefined;
}

/** Gives a lock up, or removes the one of a holder that is gone. */
export function unlock(path: string): void {
	rmSync(path, { force: true });
}
