import './endWithParent';

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

import { fastify } from 'fastify';

import { messageOf } from './guards';
import { authCookieName } from './n8n/rest';
import type { N8n } from './n8n/server';
import { describeSandbox } from './service/command';
import { atEnd, say, stopAll } from './start/progress';
import { logFile, startAll, type Started } from './start/steps';
import { reasonOf, tourReport } from './start/tour';
import { instanceIdVariable, readOwnService, serviceVariables } from './start/workflows';

const USAGE = `Usage: npm start [-- --once]

Builds and packs the node, starts the sandbox service and a real n8n with the node installed (at first it
installs n8n, which takes 4 to 6 minutes and 2.5 GB), sets up a credential and the example workflows,
runs the tour, and keeps the editor open until Ctrl-C.

  --once   stops after the tour
  --help   shows this help

To use your own service instead of the sandbox, set
${serviceVariables}.
The tour then only reads the instance whose ID is in ${instanceIdVariable}.`;

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 };
/** npm forwards Ctrl-C to its script, which then receives it twice in quick succession. */
const repeatedWithinMs = 1_000;

let stopping: Promise<void> | undefined;

/** Stops everything on signals such as Ctrl-C. A second Ctrl-C ends this process immediately. */
function stopOnSignals(): void {
	let firstAt: number | undefined;
	const stop = (signal: keyof typeof EXIT_CODES) => {
		const exit = () => process.exit(EXIT_CODES[signal]);
		if (firstAt !== undefined && Date.now() - firstAt > repeatedWithinMs) exit();
		if (firstAt !== undefined) return;
		firstAt = Date.now();
		say('\nStopping …', true);
		stopping ??= stopAll();
		void stopping.finally(exit);
	};
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.on(signal, () => stop(signal));
	// Node.js ignores SIGPIPE. Instead, writing fails when nobody reads the output anymore, as with `| head`.
	process.stdout.on('error', () => stop('SIGPIPE'));
}

/** Shows how the tour went. Returns true if it succeeded. */
function showTour({ tour, isTourKept, sandbox }: Started): boolean {
	if (isTourKept) {
		say('\nThe tour was skipped, because it was edited or archived. You can run it in the editor.');
		return false;
	}
	if (!tour) {
		say(`\nThe tour was skipped. To run it, set ${instanceIdVariable} to the ID of an instance`);
		say('that it may read, then start again.');
		return false;
	}
	say(`\n${tour.workflow.name}\n${tourReport(tour)}`);
	const isSuccess = tour.execution.status === 'success';
	if (isSuccess) say('The tour succeeded: every step did what it should.');
	else say(`The tour stopped early: ${reasonOf(tour)}\nn8n's log is in ${logFile}.`);
	if (!isSuccess && !sandbox)
		say(`To change the credential, set ${serviceVariables}, then start again.`);
	return isSuccess;
}

/**
 * Serves a link that opens the editor already signed in, since n8n has no sign-in without a form. It
 * has a random part, so that other web pages and other users of the machine can't use it.
 */
async function serveEditorLink({ url, rest }: N8n, path: string): Promise<string> {
	const secretPath = `/open/${randomBytes(8).toString('hex')}`;
	// Cookies belong to a host, whatever the port, so n8n receives this one on its own port.
	const cookie = `${authCookieName}=${rest.authCookie}; Path=/; HttpOnly; SameSite=Lax`;
	const headers = { 'set-cookie': cookie, 'cache-control': 'no-store' };
	const server = fastify({ forceCloseConnections: true });
	server.get(secretPath, async (_, reply) => await reply.headers(headers).redirect(url + path));
	const address = await server.listen({ host: '127.0.0.1', port: 0 });
	atEnd(async () => await server.close());
	return address + secretPath;
}

/** Which workflows were not imported again, and how to get the originals back. */
function showKept(kept: string[]): void {
	if (kept.length === 0) return;
	say(
		'\nThese workflows were edited, archived, or imported by an older version, so they were kept:',
	);
	for (const name of kept) say(`  ${name}`);
	say('To get an original back, archive and delete the workflow in the editor, then start again.');
}

async function stayOpen({ n8n, tour, sandbox }: Started): Promise<void> {
	const path = tour
		? `/workflow/${tour.workflow.id}/executions/${tour.execution.id}`
		: '/home/workflows';
	const link = await serveEditorLink(n8n, path);
	if (sandbox) say(`\n${describeSandbox(sandbox)}`);
	say(`\nThe editor, already signed in:  ${link}`);
	say(`Or sign in at ${n8n.url} as ${n8n.owner.email} with ${n8n.owner.password}`);
	say('Press Ctrl-C to stop everything.');
	const { code } = await n8n.exited;
	if (stopping) return;
	throw new Error(
		`n8n stopped unexpectedly (exit code ${code}). Its last lines:\n${n8n.output(20)}`,
	);
}

function readOptions() {
	const flag = { type: 'boolean', default: false } as const;
	try {
		return parseArgs({ options: { once: flag, help: { ...flag, short: 'h' } } }).values;
	} catch (error) {
		throw new Error(`${messageOf(error)}\n\n${USAGE}`);
	}
}

/** @returns the exit code */
async function main(): Promise<number> {
	const { once, help } = readOptions();
	if (help) {
		say(USAGE);
		return 0;
	}
	const started = await startAll(readOwnService(process.env));
	const isSuccess = showTour(started);
	showKept(started.kept);
	if (!once) await stayOpen(started);
	else if (isSuccess) say('To see it in the editor, run: npm start');
	return isSuccess ? 0 : 1;
}

stopOnSignals();
main()
	.catch((error: unknown) => {
		// While everything is being stopped, failures are a consequence of that.
		if (!stopping) process.stderr.write(`\n${messageOf(error)}\n`);
		return 1;
	})
	.then(async (exitCode) => {
		// If a signal arrived first, its handler ends the process with its own exit code.
		if (stopping) return;
		stopping = stopAll();
		await stopping;
		process.exit(exitCode);
	});
