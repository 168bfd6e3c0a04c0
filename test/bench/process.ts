import { readFileSync, writeFileSync } from 'node:fs';

const PEAK = /^VmHWM:\s+(\d+) kB/m;

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
export function peakMemory(pid: number): number | undefined {
	try {
		const kilobytes = PEAK.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
		return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
	} catch {
		return undefined;
	}
}
