import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import getPort from 'get-port';

import { type OwnedProcess, startNode } from '../process';
import { n8nEnvironment } from './environment';
import { n8nIsInstalled, n8nScript } from './install';
import { connectRest, type Owner, ownerOf, type RestClient } from './rest';

export interface N8nOptions {
	/** The folder with everything that the process keeps on disk; created if it doesn't exist. */
	userFolder: string;
	/** Environment variables to add, or to replace the sandbox's own. */
	env?: Record<string, string>;
	onLine?: (line: string) => void;
	/** By default a free one. */
	port?: number;
}

export interface N8n extends OwnedProcess {
	url: string;
	owner: Owner;
	rest: RestClient;
}

const pollMs = 100;
const shownLines = 20;
// The first start creates the database, which takes long on a busy machine.
const readyWithinMs = 240_000;

async function responds(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
		return response.ok;
	} catch {
		return false;
	}
}

async function waitUntilReady(urls: string[], server: OwnedProcess): Promise<void> {
	const fail = (what: string): never => {
		throw new Error(`${what}. It wrote:\n${server.output(shownLines)}`);
	};
	const deadline = Date.now() + readyWithinMs;
	while (Date.now() < deadline) {
		const exit = server.exit();
		if (exit) fail(`n8n stopped while starting (${exit.signal ?? `exit code ${exit.code}`})`);
		const responses = await Promise.all(urls.map(responds));
		if (responses.every(Boolean)) return;
		await sleep(pollMs);
	}
	fail(`n8n wasn't ready after ${readyWithinMs / 1_000} s`);
}

/**
 * Starts a process of n8n and waits until it responds at all of these URLs.
 *
 * @param command a command of n8n's program, e.g. `start`
 * @throws when it ends before that, or isn't ready in time; the message includes its last lines
 */
export async function startN8nProcess(
	command: string[],
	urls: string[],
	{ userFolder, env, onLine }: N8nOptions,
): Promise<OwnedProcess> {
	if (!n8nIsInstalled()) {
		throw new Error('n8n is not installed. Run `npm start` once, or ensureN8n().');
	}
	mkdirSync(userFolder, { recursive: true });
	const brokerPort = { N8N_RUNNERS_BROKER_PORT: String(await getPort()) };
	const child = startNode([n8nScript, ...command], {
		cwd: userFolder,
		env: n8nEnvironment(userFolder, { ...brokerPort, ...env }),
		onLine,
	});
	try {
		await waitUntilReady(urls, child);
		return child;
	} catch (error) {
		await child.kill();
		throw error;
	}
}

/** Starts a real n8n on 127.0.0.1, with an owner and without any prompts, and waits until it responds. */
export async function startN8n(options: N8nOptions): Promise<N8n> {
	const { userFolder, port = await getPort(), env } = options;
	const url = `http://127.0.0.1:${port}`;
	// Older versions say that they are ready before their REST interface is.
	const urls = [`${url}/healthz/readiness`, `${url}/rest/settings`];
	const server = await startN8nProcess(['start'], urls, {
		...options,
		env: { N8N_PORT: String(port), ...env },
	});
	const owner = ownerOf(userFolder);
	return { ...server, url, owner, rest: await connectRest(url, owner) };
}
