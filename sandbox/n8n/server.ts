import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import getPort from 'get-port';

import { type OwnedProcess, type ProcessExit, startNode } from '../process';
import { n8nEnvironment } from './environment';
import { n8nIsInstalled, n8nScript } from './install';
import { connectRest, type RestClient } from './rest';
import { type Owner, ownerOf } from './signIn';

export interface N8nOptions {
	/** The folder that holds all of n8n's state; made when it does not exist. */
	userFolder: string;
	/** By default a free one. */
	port?: number;
	/** Environment variables that are added or that replace the sandbox's own. */
	env?: Record<string, string>;
	/** Called with every line that n8n writes. */
	onLine?: (line: string) => void;
}

/** A running n8n. */
export interface N8n {
	url: string;
	pid: number;
	owner: Owner;
	rest: RestClient;
	/** What n8n wrote: its last 5,000 lines, or the last `lines` ones. */
	logs(lines?: number): string;
	/** Asks n8n to shut down, ends it by force after 10 seconds, and waits for its end. */
	stop(): Promise<ProcessExit>;
	/** Kills n8n; its task runner ends by itself. */
	kill(): Promise<ProcessExit>;
	/** Settles when n8n has ended, for whatever reason. */
	exited: Promise<ProcessExit>;
}

const pollMs = 100;
const shownLines = 20;
// The first start creates the database, which is slow on a busy machine.
const readyWithinMs = 120_000;

async function answers(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
		return response.ok;
	} catch {
		return false;
	}
}

/**
 * Waits until an n8n process answers at all of these addresses.
 * @throws when it ends before, or is not ready in time; the message holds its last lines
 */
export async function waitUntilReady(urls: string[], server: OwnedProcess): Promise<void> {
	const deadline = Date.now() + readyWithinMs;
	while (Date.now() < deadline) {
		const exit = server.exit();
		if (exit) {
			const how = exit.signal ?? `exit code ${exit.code}`;
			throw new Error(
				`n8n stopped while starting (${how}). It wrote:\n${server.output(shownLines)}`,
			);
		}
		const answered = await Promise.all(urls.map(answers));
		if (answered.every(Boolean)) return;
		await sleep(pollMs);
	}
	const seconds = readyWithinMs / 1_000;
	throw new Error(`n8n wasn't ready after ${seconds} s. It wrote:\n${server.output(shownLines)}`);
}

async function launch(options: N8nOptions, port: number): Promise<OwnedProcess> {
	const env = n8nEnvironment(options.userFolder, {
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(await getPort()),
		...options.env,
	});
	const { onLine } = options;
	return startNode([n8nScript, 'start'], { cwd: options.userFolder, env, onLine });
}

/**
 * Starts a real n8n on 127.0.0.1, with an owner and without any question asked, and waits until it
 * answers. Stop it with {@link N8n.stop}.
 * @throws when it is not installed, ends while starting, or is not ready in time; the message holds
 *   its last lines
 */
export async function startN8n(options: N8nOptions): Promise<N8n> {
	if (!n8nIsInstalled())
		throw new Error('n8n is not installed. Run `npm start` once, or ensureN8n().');
	mkdirSync(options.userFolder, { recursive: true });
	const port = options.port ?? (await getPort());
	const owner = ownerOf(options.userFolder);
	const url = `http://127.0.0.1:${port}`;
	const server = await launch(options, port);
	try {
		// Older versions say that they are ready before their REST interface is.
		await waitUntilReady([`${url}/healthz/readiness`, `${url}/rest/settings`], server);
		return {
			url,
			pid: server.pid,
			owner,
			rest: await connectRest(url, owner),
			logs: (lines) => server.output(lines),
			stop: async () => await server.stop(),
			kill: async () => await server.kill(),
			exited: server.exited,
		};
	} catch (error) {
		await server.kill();
		throw error;
	}
}
