import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { lock } from 'proper-lockfile';

import { run } from '../process';
import { n8nFolder, rootFolder } from './paths';

const modulesFolder = join(n8nFolder, 'node_modules');
const markerFile = join(modulesFolder, '.sandbox-installed');
const lockfilePath = join(rootFolder, 'node_modules', '.sandbox-n8n-install.lock');
const untilFree = { forever: true, factor: 1, minTimeout: 1_000 };

export const n8nScript = join(modulesFolder, 'n8n', 'bin', 'n8n');

const nativeModules = ['sqlite3', 'isolated-vm'];
const quiet = '--no-audit --no-fund --no-update-notifier --loglevel=http'.split(' ');
const cautious = '--legacy-peer-deps --ignore-scripts --prefer-offline --fetch-retries=1'.split(
	' ',
);
/** node-gyp doesn't quote paths. */
const pathAdvice = /[\s'"&()]/.test(n8nFolder)
	? 'Move this folder to a path without spaces, quotes, & and parentheses, or else check'
	: 'Check';
const failed =
	`n8n wasn't installed. ${pathAdvice} the network connection, the disk (n8n takes about 2.5 GB), and that a ` +
	'C++ compiler, make and Python 3 are installed, then run the same command again (Debian, Ubuntu: ' +
	'apt-get install g++ make python3 python3-setuptools; macOS: xcode-select --install; Windows: ' +
	"Python and 'Desktop development with C++' of the Visual Studio Build Tools)";

/** What an installation depends on: if this changes, n8n is installed again. */
function installationKey(): string {
	const files = ['package.json', 'package-lock.json'].map((name) => join(n8nFolder, name));
	const hash = createHash('sha256').update(files.map((file) => readFileSync(file)).join(''));
	return `${hash.digest('hex')} ${process.platform}-${process.arch} node-24\n`;
}

/**
 * The folder with the C++ headers of the `node` development dependency, for compiling native modules;
 * undefined where that platform's package has none.
 */
function nodeHeaders(): string | undefined {
	const node = dirname(require.resolve('node/package.json'));
	const name = `node-${process.platform}-${process.arch}`;
	return [join(node, 'node_modules', name), join(dirname(node), name)].find((folder) =>
		existsSync(join(folder, 'include', 'node', 'node.h')),
	);
}

/** Whether the n8n of the lock file is installed completely. */
export function n8nIsInstalled(): boolean {
	return existsSync(markerFile) && readFileSync(markerFile, 'utf8') === installationKey();
}

async function install(onPhase: (phase: string) => void): Promise<void> {
	rmSync(markerFile, { force: true });
	const headers = nodeHeaders();
	const env = { ...process.env, ...(headers && { npm_config_nodedir: headers }) };
	const options = { cwd: n8nFolder, env };
	const check = nativeModules.map((name) => `require('${name}')`).join(';');
	onPhase('Downloading packages');
	await run(failed, 'npm', ['ci', ...cautious, ...quiet], options);
	onPhase('Compiling native modules');
	await run(
		failed,
		'npm',
		['rebuild', ...nativeModules, '--ignore-scripts=false', ...quiet],
		options,
	);
	await run(failed, 'node', ['--eval', check], options);
	writeFileSync(markerFile, installationKey());
}

/**
 * Makes sure that the n8n of `package-lock.json` is installed next to this file, which takes minutes the
 * first time. An interrupted installation starts over. If several processes call this, one installs.
 *
 * @param onPhase called with what it's doing, each time that changes
 * @throws when it can't be installed; the message says what to do
 */
export async function ensureN8n(onPhase: (phase: string) => void = () => undefined): Promise<void> {
	if (n8nIsInstalled()) return;
	if (!existsSync(join(n8nFolder, 'package.json'))) {
		throw new Error('SANDBOX_N8N_VERSION is not valid. Set it to newest or oldest.');
	}
	const release = await lock(n8nFolder, { lockfilePath, retries: untilFree });
	try {
		if (!n8nIsInstalled()) await install(onPhase);
	} finally {
		await release();
	}
}
