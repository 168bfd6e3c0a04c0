import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether there is a program at a path, and it may be run. */
export function canRun(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** The path of a program by one of its names, on PATH or otherwise in other folders. */
export function findProgram(names: string[], folders: string[] = []): string | undefined {
	const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
	const paths = [...onPath, ...folders].flatMap((folder) =>
		names.map((name) => join(folder, name)),
	);
	return paths.find(canRun);
}

const run = (command: string[], stdio: 'ignore' | 'inherit'): boolean => {
	const [program = '', ...args] = command;
	return spawnSync(program, args, { stdio }).status === 0;
};

/** The prefix of a command that runs it as root; undefined if that isn't allowed. */
function asRoot(): string[] | undefined {
	if (process.getuid?.() === 0) return [];
	// Never prompts for a password: nobody may be there to enter it.
	return run(['sudo', '-n', 'true'], 'ignore') ? ['sudo', '-n'] : undefined;
}

/** Debian runs this file to decide whether a service may start. An existing one isn't changed. */
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
 * Installs packages on Debian or Ubuntu without starting their services.
 *
 * @returns false if there's no apt-get, it may not be used, or it failed
 */
export function installDebianPackages(...names: string[]): boolean {
	const before = asRoot();
	if (before === undefined || !run(['apt-get', '--version'], 'ignore')) return false;
	return run([...before, 'sh', '-c', SCRIPT, 'install', ...names], 'inherit');
}
