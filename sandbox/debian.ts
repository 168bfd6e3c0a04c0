import { spawnSync } from 'node:child_process';

const run = (command: string[], stdio: 'ignore' | 'inherit'): boolean => {
	const [program = '', ...args] = command;
	return spawnSync(program, args, { stdio }).status === 0;
};

/** What a command has to begin with to run as root; undefined where that is not allowed. */
function asRoot(): string[] | undefined {
	if (process.getuid?.() === 0) return [];
	// Without a question for the password, which nobody may be there to answer.
	return run(['sudo', '-n', 'true'], 'ignore') ? ['sudo', '-n'] : undefined;
}

/** Debian asks this file whether a service may be started; a machine's own answer is left alone. */
const SCRIPT = `
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
	printf '#!/bin/sh\\nexit 101\\n' > $policy
	chmod +x $policy
	trap 'rm -f $policy' EXIT
	trap 'exit 130' HUP INT TERM
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o Acquire::Retries=3 update &&
	apt-get -o Acquire::Retries=3 install --yes --no-install-recommends "$@"`;

/**
 * Installs packages of Debian or Ubuntu, and keeps the services among them from being started.
 *
 * @returns false where there is no apt-get, it may not be used, or it did not end well
 */
export function installDebianPackages(...names: string[]): boolean {
	const before = asRoot();
	if (before === undefined || !run(['apt-get', '--version'], 'ignore')) return false;
	return run([...before, 'sh', '-c', SCRIPT, 'install', ...names], 'inherit');
}
