import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { PACKAGE } from '../names';
import { communityPackagesFolder } from './environment';
import { startNpm } from './npm';
import { rootFolder } from './paths';

const shownLines = 20;

async function runNpm(args: string[], what: string): Promise<void> {
	const child = startNpm(args, rootFolder);
	const { code } = await child.exited;
	if (code !== 0) throw new Error(`${what}. See the lines below:\n${child.output(shownLines)}`);
}

function tar(args: string[]): string {
	const { status, stdout, stderr, error } = spawnSync('tar', args, { encoding: 'utf8' });
	if (status === 0) return stdout;
	throw new Error(`The package couldn't be unpacked: ${error?.message ?? stderr.trim()}`);
}

/** Builds the package and packs it into `folder`. Returns the path of the `.tgz`. */
async function pack(folder: string): Promise<string> {
	await runNpm(['run', 'build'], 'The package was not built');
	const packArgs = ['pack', '--ignore-scripts', '--pack-destination', folder];
	await runNpm(packArgs, 'The package was not packed');
	const [name = ''] = readdirSync(folder);
	return join(folder, name);
}

/**
 * Puts a packed package where n8n keeps the community packages that a user installs. The folder of
 * an earlier version is replaced whole, so an interruption never leaves half a package there.
 */
function unpack(tarball: string, userFolder: string): void {
	const target = join(communityPackagesFolder(userFolder), PACKAGE);
	const parent = dirname(target);
	// Outside node_modules, where n8n would take a half-unpacked folder for a package.
	const staging = join(parent, '..', `.unpacking-${PACKAGE}`);
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(staging, { recursive: true });
	mkdirSync(parent, { recursive: true });
	tar(['-xzf', tarball, '-C', staging, '--strip-components=1']);
	if (readdirSync(staging).length === 0) throw new Error(`${tarball} is empty. Build it again.`);
	rmSync(target, { recursive: true, force: true });
	renameSync(staging, target);
}

/**
 * A user's install of the present state of the project: built, packed, and unpacked where n8n looks
 * for it. Where the variable PACKAGE_TARBALL names a packed package, that one is installed: a
 * release is tested with the very file that is published.
 * @param userFolder the folder that holds all of n8n's state
 * @returns the files of the package, relative to its root
 * @throws when the build or `npm pack` fails, with their last lines
 */
export async function installPackage(userFolder: string): Promise<string[]> {
	const folder = mkdtempSync(join(tmpdir(), `${PACKAGE}-`));
	try {
		const tarball = process.env.PACKAGE_TARBALL ?? (await pack(folder));
		unpack(tarball, userFolder);
		const entries = tar(['-tzf', tarball]).trim().split('\n');
		return entries.map((entry) => entry.replace(/^package\//, ''));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
