import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PACKAGE } from '../names';
import { run } from '../process';
import { communityPackagesFolder } from './environment';
import { rootFolder } from './paths';

/** Builds the package and packs it into `folder`. Returns the path of the `.tgz`. */
async function pack(folder: string): Promise<string> {
	const inRoot = { cwd: rootFolder };
	await run("The package wasn't built", 'npm', ['run', 'build'], inRoot);
	const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
	await run("The package wasn't packed", 'npm', args, inRoot);
	const [name = ''] = readdirSync(folder);
	return join(folder, name);
}

/**
 * Installs the current state of the project as a user would: built, packed, and unpacked where n8n looks
 * for it. If the variable PACKAGE_TARBALL is the path of a packed package, that one is installed, so that
 * a release is tested with the very file that is published.
 *
 * @param userFolder the folder with all of n8n's state
 * @throws when the build or `npm pack` fails, with their last lines
 */
export async function installPackage(userFolder: string): Promise<void> {
	const target = join(communityPackagesFolder(userFolder), PACKAGE);
	// Outside node_modules, where n8n would take a half-unpacked folder for a package. The next start
	// removes what an interrupted one leaves behind.
	const staging = join(dirname(target), '..', '.staging');
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(staging, { recursive: true });
	mkdirSync(dirname(target), { recursive: true });
	const tarball = process.env.PACKAGE_TARBALL ?? (await pack(staging));
	await run("The package wasn't unpacked", 'tar', ['-xzf', tarball], { cwd: staging });
	// Replaced as a whole, so that an interruption never leaves half a package.
	rmSync(target, { recursive: true, force: true });
	renameSync(join(staging, 'package'), target);
}
