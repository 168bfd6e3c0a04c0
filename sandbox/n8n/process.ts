import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeBinary, pathWithNode } from './paths';

/** How a process ended: its exit code, or the signal that ended it. */
export interface ProcessExit {
	code: number | null;
	signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
	cwd: string;
	/** The whole environment of the process apart from PATH, which is always set. */
	env: NodeJS.ProcessEnv;
	/** Called with each line that the process writes. */
	onLine?: (line: string) => void;
}

/** A running Node.js process that leads a process group of its own. */
export interface OwnedProcess {
	pid: number;
	/** Settles when the process has ended; never rejects. */
	exited: Promise<ProcessExit>;
	/** The exit, once the process has ended. */
	exit(): ProcessExit | undefined;
	/** The last lines of standard output and standard error together. */
	output(lines?: number): string;
	/** Asks the process to end (SIGTERM), ends its group by force after `graceMs`, waits for it. */
	stop(graceMs?: number): Promise<ProcessExit>;
	/** Ends the process and its group at once (SIGKILL) and waits for it. */
	kill(): Promise<ProcessExit>;
}

const keptLines = 5_000;
const defaultGraceMs = 10_000;
const running = new Set<OwnedProcess>();

function killGroup(pid: number): void {
	if (process.platform === 'win32') {
		spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
		return;
	}
	try {
		process.kill(-pid, 'SIGKILL');
	} catch {
		// The group is already empty.
	}
}

// The last resort for an exit that nobody prepared; after a kill of this process no handler runs at
// all, and then parentWatch ends the group.
process.on('exit', () => {
	for (const { pid } of running) killGroup(pid);
});

/** Ends every process that was started here and still runs, with all their children. */
export async function killAllProcesses(): Promise<void> {
	await Promise.all([...running].map(async (owned) => await owned.kill()));
}

/**
 * Starts a script on the Node.js of {@link nodeBinary}, in a process group of its own.
 * @param args the script's path and its arguments
 * @throws when the process cannot be started at all
 */
export function startNode(args: string[], options: ProcessOptions): OwnedProcess {
	const child = spawn(nodeBinary(), ['--require', join(__dirname, 'parentWatch.ts'), ...args], {
		cwd: options.cwd,
		env: { ...options.env, PATH: pathWithNode() },
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	});
	child.once('error', () => {});
	const { pid } = child;
	if (pid === undefined) throw new Error(`${nodeBinary()} could not be started.`);

	const lines: string[] = [];
	const takeLine = (line: string) => {
		lines.push(line);
		if (lines.length > keptLines) lines.shift();
		options.onLine?.(line);
	};
	for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', takeLine);

	let exit: ProcessExit | undefined;
	const exited = new Promise<ProcessExit>((resolve) => {
		child.once('close', (code, signal) => {
			exit = { code, signal };
			running.delete(owned);
			resolve(exit);
		});
	});
	// What the leader started may still hold its output streams open, and 'close' waits for those.
	child.once('exit', () => killGroup(pid));

	const owned: OwnedProcess = {
		pid,
		exited,
		exit: () => exit,
		output: (last = keptLines) => lines.slice(-last).join('\n'),
		async stop(graceMs = defaultGraceMs) {
			child.kill('SIGTERM');
			const ended = await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
			return ended ?? (await owned.kill());
		},
		async kill() {
			if (!exit) killGroup(pid);
			return await exited;
		},
	};
	running.add(owned);
	return owned;
}
