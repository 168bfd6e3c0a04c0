import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The memory of a process, in megabytes; undefined outside Linux.
 *
 * @param which what it has now, or the most that it had since {@link resetPeak}
 */
export function memoryOf(pid: number, which: 'now' | 'peak' = 'now'): number | undefined {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		const pattern = which === 'now' ? /^VmRSS:\s+(\d+) kB/m : /^VmHWM:\s+(\d+) kB/m;
		return Number(pattern.exec(status)?.[1]) / 1_024;
	} catch {
		return undefined;
	}
}

/** Lets Linux measure the peak of a process's memory from now on. Does nothing elsewhere. */
export function resetPeak(pid: number): void {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		// Then no memory is measured.
	}
}
