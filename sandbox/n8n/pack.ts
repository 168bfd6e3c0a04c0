import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { communityPackagesFolder } from './environment';
import { isRecord, textAt } from './guards';
import { startNpm } from './npm';
import { rootFolder } from './paths';

export const packageName = 'n8n-nodes-workflow-instance-service';

/** A packed package, as npm would publish it. */
export interface PackedPackage {
	/** Path of the `.tgz`, in a temporary folder that the caller may remove. */
	tarball: string;
	/** The files in it, relative to the package's root. */
	files: string[];
}

const shownLines = 20;

async function runNpm(args: string[], what: string): Promise<string> {
	const stdout: string[] = [];
	const child = startNpm(args, rootFolder, (line, stream) => {
		if (stream === 'stdout') stdout.push(line);
	});
	const { code } = await child.exited;
	if (code !== 0) throw new Error(`${what}. Look at the lines below:\n${child.output(shownLines)}`);
	return stdout.join('\n');
}

/** The one packed package in the answer of `npm pack --json`: a list, or (newer npm) an object. */
function readPackAnswer(text: string): { filename: string; files: string[] } {
	const answer: unknown = JSON.parse(text);
	const packed: unknown = isRecord(answer) || Array.isArray(answer) ? Object.values(answer)[0] : {};
	const files = isRecord(packed) && Array.isArray(packed.files) ? packed.files : [];
	return {
		filename: textAt(packed, 'filename', "npm pack's answer"),
		files: files.map((file: unknown) => textAt(file, 'path', "npm pack's list of files")),
	};
}

/**
 * Builds the package and packs it into a temporary folder.
 * @throws when the build or `npm pack` does not end well, with their last lines
 */
export async function pack(): Promise<PackedPackage> {
	await runNpm(['run', 'build'], 'The package was not built');
	const target = mkdtempSync(join(tmpdir(), `${packageName}-`));
	const packArgs = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
	const { filename, files } = readPackAnswer(await runNpm(packArgs, 'The package was not packed'));
	return { tarball: join(target, filename), files };
}

function extract(tarball: string, folder: string): void {
	const args = ['-xzf', tarball, '-C', folder, '--strip-components=1'];
	const { status, stderr, error } = spawnSync('tar', args, { encoding: 'utf8' });
	if (status === 0) return;
	throw new Error(`The package was not unpacked: tar said '${error?.message ?? stderr.trim()}'.`);
}

/**
 * Puts a packed package where n8n keeps the community packages that a user installs. The folder of
 * an earlier version is replaced whole, so an interruption never leaves half a package there.
 */
export function unpack(tarball: string, userFolder: string): void {
	const target = join(communityPackagesFolder(userFolder), packageName);
	const parent = dirname(target);
	// Outside node_modules, where n8n would take a half-unpacked folder for a package.
	const staging = join(parent, '..', `.unpacking-${packageName}`);
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(staging, { recursive: true });
	mkdirSync(parent, { recursive: true });
	extract(tarball, staging);
	if (readdirSync(staging).length === 0) throw new Error(`${tarball} is empty. Build it again.`);
	rmSync(target, { recursive: true, force: true });
	renameSync(staging, target);
}

/** {@link pack} and {@link unpack} in one: a user's install of the present state of the project. */
export async function packAndUnpack(userFolder: string): Promise<PackedPackage> {
	const packed = await pack();
	unpack(packed.tarball, userFolder);
	return packed;
}
