import { join } from 'node:path';

import { rootFolder } from '../n8n/paths';
import { startNode } from '../n8n/process';
import type { OwnedProcess } from '../n8n/process';

/** A system user, by numbers. */
export interface SystemUser {
	uid: number;
	gid: number;
}

/** A program that is not Node.js. */
export interface KeptProgram {
	/** Its path. */
	command: string;
	args: string[];
	/** The folder of its data, in which it starts; removed when it has ended. */
	folder: string;
	/** What asks it to end in good order. */
	stopSignal: NodeJS.Signals;
	/** By default the user of this process. */
	user?: SystemUser;
}

const readyWithinMs = 60_000;
const shownLines = 20;

/**
 * Starts a server that is not Node.js and waits until it says that it is ready. It ends with this
 * process, whichever way that ends.
 *
 * @param ready found in the line by which it says so
 * @throws when it ends before, or is not ready within a minute; the message holds its last lines
 */
export async function startProgram(program: KeptProgram, ready: RegExp): Promise<OwnedProcess> {
	let onReady = () => {};
	const isReady = new Promise<string>((resolve) => {
		onReady = () => resolve('');
	});
	// English, for the line that says that it is ready.
	const env = { ...process.env, LC_ALL: 'C' };
	const kept = startNode(
		['--import', 'tsx', join(__dirname, 'keeper.ts'), JSON.stringify(program)],
		{ cwd: rootFolder, env, onLine: (line) => ready.test(line) && onReady() },
	);
	let timer: NodeJS.Timeout | undefined;
	const tooLate = new Promise<string>((resolve) => {
		timer = setTimeout(() => resolve('was not ready after a minute'), readyWithinMs);
	});
	const ended = kept.exited.then(({ code }) => `ended while starting (exit code ${code})`);
	const trouble = await Promise.race([isReady, ended, tooLate]).finally(() => clearTimeout(timer));
	if (trouble === '') return kept;
	await kept.kill();
	throw new Error(`${program.command} ${trouble}. It wrote:\n${kept.output(shownLines)}`);
}
