import { readFileSync } from 'node:fs';

/**
 * The memory that a process has, in megabytes.
 *
 * @throws Error where there is no Linux `/proc`
 */
export function memoryOf(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
