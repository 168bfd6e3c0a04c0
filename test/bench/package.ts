import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

import { nodeBinary, npmScript } from '../../sandbox/n8n/paths';
import { packedIn } from '../pack/npm-pack';
import { median } from './stats';

/** What does not depend on a run in n8n. */
export interface PackageFacts {
	/** Bytes of the tarball. */
	packed: number;
	/** Bytes of the files in it. */
	unpacked: number;
	files: number;
	/** Milliseconds to load node and credential in a new process, n8n-workflow being loaded. */
	load: number[];
}

const ROOT = resolve(__dirname, '../..');
const LOADS = 15;

function runNode(args: string[]): string {
	const { status, stdout, stderr } = spawnSync(nodeBinary(), args, {
		cwd: ROOT,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(stderr);
	return stdout;
}

function numberAt(value: Record<string, unknown>, key: string): number {
	const found = value[key];
	if (typeof found !== 'number') throw new Error(`npm pack gave no ${key}.`);
	return found;
}

function loadTime(): number {
	const files = ['nodes/WorkflowInstanceService/WorkflowInstanceService.node.js'];
	files.push('credentials/WorkflowInstanceServiceApi.credentials.js');
	const script = `
		require('n8n-workflow');
		const start = performance.now();
		for (const file of ${JSON.stringify(files)}) require(${JSON.stringify(`${join(ROOT, 'dist')}/`)} + file);
		process.stdout.write(String(performance.now() - start));`;
	return Number(runNode(['-e', script]));
}

/**
 * Measures the package that is built in `dist`.
 *
 * @throws Error when it is not built
 */
export function measurePackage(): PackageFacts {
	const packed = packedIn(
		runNode([npmScript(), 'pack', '--dry-run', '--json', '--ignore-scripts']),
	);
	return {
		packed: numberAt(packed, 'size'),
		unpacked: numberAt(packed, 'unpackedSize'),
		files: numberAt(packed, 'entryCount'),
		load: Array.from({ length: LOADS }, loadTime),
	};
}

/** e.g. `31.2 kB`. */
export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** The median load time, e.g. `6.1 ms`. */
export const loadText = ({ load }: PackageFacts): string => `${median(load).toFixed(1)} ms`;
