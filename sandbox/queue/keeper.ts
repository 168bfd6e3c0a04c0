// Runs a program that isn't Node.js, as a child and in the process group of this process, which ends
// together with its parent (parentWatch). Argument: what to run, as JSON.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

import { isRecord } from '../guards';
import type { KeptProgram } from './program';

const isKept = (value: unknown): value is KeptProgram =>
	isRecord(value) && typeof value.command === 'string' && Array.isArray(value.args);

const kept: unknown = JSON.parse(process.argv[2] ?? 'null');
if (!isKept(kept)) throw new Error('The argument is not a program to run.');
const { command, args, folder, stopSignal, user } = kept;

const child = spawn(command, args, { cwd: folder, stdio: 'inherit', ...user });
function end(code: number): void {
	rmSync(folder, { recursive: true, force: true });
	process.exit(code);
}

child.once('error', ({ message }) => {
	process.stderr.write(`${command} could not be started: ${message}\n`);
	end(1);
});
child.once('exit', (code) => end(code ?? 1));
process.on('SIGTERM', () => child.kill(stopSignal));
