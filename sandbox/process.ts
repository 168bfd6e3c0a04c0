import { join } from 'node:path';
import { createInterface } from 'node:readline';

import execa from 'execa';

import { rootFolder } from './n8n/paths';

/** How a process ended: its exit code, or the signal that ended it. */
export interface ProcessExit {
	code: number | null;
	signal: string | null;
}

export interface ProcessOptions {
	cwd: string;
	/** The complete environment. Default: that of this process. */
	env?: NodeJS.ProcessEnv;
	/** Called with each line that the process writes. */
	onLine?: (line: string) => void;
	/** The IDs of the user and group to run as. */
	user?: { uid: number; gid: number };
}

/** A running process, which ends with this one. */
export interface OwnedProcess {
	pid: number;
	/** Settles when the process has ended; never rejects. */
	exited: Promise<ProcessExit>;
	exit(): ProcessExit | undefined;
	/** The last lines of standard output and standard error together. */
	output(lines?: number): string;
	/** Asks the process to end, kills it after `graceMs`, and waits for it. */
	stop(graceMs?: number): Promise<ProcessExit>;
	kill(): Promise<ProcessExit>;
}

const keptLines = 5_000;
const shownLines = 15;

/**
 * Starts a program. `node` and `npm` are, or run on, the Node.js of the lock file, whatever is on PATH.
 *
 * @throws when it can't be started
 */
export function startProcess(
	command: string,
	args: string[],
	{ cwd, env = process.env, onLine, user }: ProcessOptions,
): OwnedProcess {
	const child = execa(command, args, {
		cwd,
		env: { PATH: process.env.PATH, ...env },
		extendEnv: false,
		preferLocal: true,
		localDir: rootFolder,
		stdin: 'ignore',
		all: true,
		buffer: false,
		reject: false,
		...user,
	});
	const lines: string[] = [];
	const addLine = (line: string) => {
		lines.push(line);
		if (lines.length > keptLines) lines.shift();
		onLine?.(line);
	};
	if (child.all) createInterface({ input: child.all }).on('line', addLine);

	let exit: ProcessExit | undefined;
	const exited = child.then((result): ProcessExit => {
		// Undefined at run time if a signal ended the process, or it didn't start.
		const code: number | undefined = result.exitCode;
		if (code === undefined && result.signal === undefined) addLine(String(result));
		exit = { code: code ?? null, signal: result.signal ?? null };
		return exit;
	});
	return {
		pid: child.pid ?? NaN,
		exited,
		exit: () => exit,
		output: (last = keptLines) => lines.slice(-last).join('\n'),
		async stop(graceMs = 10_000) {
			child.kill('SIGTERM', { forceKillAfterTimeout: graceMs });
			return await exited;
		},
		async kill() {
			child.kill('SIGKILL');
			return await exited;
		},
	};
}

const endWithParent = join(__dirname, 'endWithParent.ts');

/** Starts a script on Node.js. It also ends if this process is killed. */
export function startNode(args: string[], options: ProcessOptions): OwnedProcess {
	return startProcess('node', ['--require', endWithParent, ...args], options);
}

/**
 * Runs a command to its end. If it's `node` or `npm`, it also ends if this process is killed.
 *
 * @param what the start of the message, e.g. `The package wasn't built`
 * @throws when it fails; the message includes its last lines
 */
export async function run(
	what: string,
	command: string,
	args: string[],
	options: ProcessOptions,
): Promise<void> {
	const { env = process.env } = options;
	// npm starts Node.js itself, so no argument reaches it. This variable has the same quotes as JSON.
	const NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(endWithParent)}`;
	// On SIGTERM, npm would spend a minute undoing what it installed, while the next start reinstalls it.
	const end = { NODE_OPTIONS, END_WITH_PARENT_BY: 'SIGKILL' };
	const child = startProcess(command, args, { ...options, env: { ...env, ...end } });
	const { code } = await child.exited;
	if (code === 0) return;
	// npm reports the reason in separate lines, among those about what it's doing.
	const lines = child.output().split('\n');
	const reasons = lines.filter((line) => line.startsWith('npm error'));
	const shown = reasons.length > 0 ? reasons.slice(0, shownLines) : lines.slice(-shownLines);
	throw new Error(`${what}: \`${[command, ...args].join(' ')}\` failed.\n${shown.join('\n')}`);
}
