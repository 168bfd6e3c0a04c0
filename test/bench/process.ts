import { readFileSync, writeFileSync } from 'node:fs';

/** What Linux calls the memory that a process has now, and the most that it had. */
type Memory = 'VmHWM' | 'VmRSS';

/** The memory of a process, in megabytes; undefined outside Linux. */
export function memoryOf(pid: number, which: Memory = 'VmRSS'): number | undefined {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024;
	} catch {
		return undefined;
	}
}

/**
 * Lets Linux measure the peak of a process's memory from now on.
 *
 * @returns the memory that the process has now, in megabytes; undefined outside Linux
 */
export function resetPeak(pid: number): number | undefined {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		return undefined;
	}
	return peakMemory(pid);
}

/** The most memory that a process had since {@link resetPeak}, in megabytes; undefined outside Linux. */
export const peakMemory = (pid: number): number | undefined => memoryOf(pid, 'VmHWM');
