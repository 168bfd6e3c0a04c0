import { spawnSync } from 'node:child_process';

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

/** Installs a package of Debian; does nothing where there is no apt-get or it may not be used. */
export function install(debianPackage: string): void {
	const before = asRoot();
	if (before === undefined || !run(['apt-get', '--version'], 'ignore')) return;
	const apt = [...before, 'apt-get', '-o', 'Acquire::Retries=3'];
	if (!run([...apt, 'update'], 'inherit')) return;
	run([...apt, 'install', '--yes', '--no-install-recommends', debianPackage], 'inherit');
}

/**
 * Makes sure that a command can be run: installs Debian's package of it where there is none.
 *
 * @param check arguments with which the command only says what it is, e.g. `['--version']`
 * @throws when it is not there afterwards; the message says what to install
 */
export function ensureInstalled(command: string, debianPackage: string, check: string[]): void {
	const isThere = () => run([command, ...check], 'ignore');
	if (isThere()) return;
	install(debianPackage);
	if (isThere()) return;
	throw new Error(
		`'${command}' was not found. Install it (Debian: apt-get install ${debianPackage}).`,
	);
}
