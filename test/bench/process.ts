import { readFileSync, writeFileSync } from 'node:fs';

/** The number of a line such as `VmHWM:  123456 kB`, in megabytes. */
function megabytes(status: string, name: string): number | undefined {
	const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
	return found === undefined ? undefined : Number(found) / 1024;
}

function read(pid: number, name: string): number | undefined {
	try {
		return megabytes(readFileSync(`/proc/${pid}/status`, 'utf8'), name);
	} catch {
		return undefined;
	}
}

/** Lets Linux measure the peak of a process's memory anew; elsewhere it does nothing. */
export function resetPeak(pid: number): void {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		// Without Linux's /proc there is no figure, and the report says so.
	}
}

/** The most memory that a process had since `resetPeak`, in megabytes; undefined outside Linux. */
export function peakMemory(pid: number): number | undefined {
	return read(pid, 'VmHWM');
}

/** Clock ticks in a second; Linux has told programs this number on every machine for decades. */
const TICKS = 100;

/** The CPU time that a process has used so far, in milliseconds; undefined outside Linux. */
export function cpuTime(pid: number): number | undefined {
	try {
		// The name of the program, in brackets, may hold blanks.
		const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
		return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
	} catch {
		return undefined;
	}
}
