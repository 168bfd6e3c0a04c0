// Builds a checkout and packs it with the Node.js of its lock file and the npm of its package.json:
// whoever does that gets the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// What others may do with a file is packed too.
process.umask(0o022);

const { npm_execpath: npmScript, npm_config_user_agent: agent = '' } = process.env;

/** Runs npm in a folder, on the Node.js of its lock file where it is installed. */
export function npm(folder, args) {
	const stdio = ['ignore', 'pipe', 'inherit'];
	return execFileSync(process.execPath, [npmScript, ...args], { cwd: folder, stdio }).toString();
}

/** As `npm view <package>@<version> dist.integrity` has it. */
export function integrityOf(content) {
	return `sha512-${createHash('sha512').update(content).digest('base64')}`;
}

export function manifestOf(folder) {
	return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @returns the path of the package of the checkout in `folder`, in `destination` */
export function pack(folder, destination) {
	const { name, version, packageManager } = manifestOf(folder);
	const pinned = agent.startsWith(`${packageManager.replace('@', '/')} `)
		? []
		: ['exec', '--yes', `--package=${packageManager}`, '--', 'npm'];
	npm(folder, ['run', 'build', '--silent']);
	npm(folder, [
		...pinned,
		'pack',
		'--ignore-scripts',
		'--loglevel=error',
		'--pack-destination',
		destination,
	]);
	return join(destination, `${name}-${version}.tgz`);
}
