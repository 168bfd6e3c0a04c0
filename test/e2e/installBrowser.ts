import { spawnSync } from 'node:child_process';

import { messageOf } from '../../sandbox/guards';
import { findBrowser, NO_BROWSER } from './support/findBrowser';

const run = (command: string[], stdio: 'ignore' | 'inherit'): boolean => {
	const [program = '', ...args] = command;
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	return spawnSync(program, args, { stdio, env }).status === 0;
};

/** What a command has to begin with to install packages; undefined where that is not allowed. */
function asRoot(): string[] | undefined {
	if (process.getuid?.() === 0) return [];
	// Without a question for the password, which nobody may be there to answer.
	return run(['sudo', '-n', 'true'], 'ignore')
		? ['sudo', '-n', '--preserve-env=DEBIAN_FRONTEND']
		: undefined;
}

/** Installs Debian's Chromium; false where there is no apt-get or it may not be used. */
function install(): boolean {
	const before = asRoot();
	if (before === undefined || !run(['apt-get', '--version'], 'ignore')) return false;
	const apt = [...before, 'apt-get', '-o', 'Acquire::Retries=3'];
	return (
		run([...apt, 'update'], 'inherit') &&
		run([...apt, 'install', '--yes', '--no-install-recommends', 'chromium'], 'inherit')
	);
}

function haveBrowser(): string {
	if (findBrowser() === undefined) install();
	const browser = findBrowser();
	if (browser === undefined) throw new Error(NO_BROWSER);
	return browser;
}

try {
	process.stdout.write(`${haveBrowser()}\n`);
} catch (error) {
	process.stderr.write(`${messageOf(error)}\n`);
	process.exitCode = 1;
}
