import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

import { isRecord } from '../../sandbox/guards';
import { nodeBinary, npmScript } from '../../sandbox/n8n/paths';

/** What npm would publish. */
export interface PackageSize {
	/** Bytes of the tarball. */
	packed: number;
	/** Bytes of the files in it. */
	unpacked: number;
	files: number;
}

const ROOT = resolve(__dirname, '../..');

/** The one package in the output of `npm pack --json`: of a list, or (newer npm) of an object. */
function packedIn(output: string): Record<string, unknown> {
	const parsed: unknown = JSON.parse(output);
	const packed: unknown = isRecord(parsed) || Array.isArray(parsed) ? Object.values(parsed)[0] : {};
	if (isRecord(packed)) return packed;
	throw new Error('npm packed nothing.');
}

function numberAt(value: Record<string, unknown>, key: string): number {
	const found = value[key];
	if (typeof found !== 'number') throw new Error(`npm pack gave no ${key}.`);
	return found;
}

/**
 * Measures the package that is built in `dist`.
 *
 * @throws Error when it is not built
 */
export function measurePackage(): PackageSize {
	const args = [npmScript(), 'pack', '--dry-run', '--json', '--ignore-scripts'];
	const { status, stdout, stderr } = spawnSync(nodeBinary(), args, { cwd: ROOT, encoding: 'utf8' });
	if (status !== 0) throw new Error(stderr);
	const packed = packedIn(stdout);
	return {
		packed: numberAt(packed, 'size'),
		unpacked: numberAt(packed, 'unpackedSize'),
		files: numberAt(packed, 'entryCount'),
	};
}
