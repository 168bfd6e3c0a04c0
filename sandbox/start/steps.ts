import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import getPort from 'get-port';
import { lock } from 'proper-lockfile';

import { isRecord } from '../guards';
import { ensureN8n, n8nIsInstalled } from '../n8n/install';
import { installPackage } from '../n8n/pack';
import { rootFolder } from '../n8n/paths';
import type { RestClient } from '../n8n/rest';
import { type N8n, startN8n } from '../n8n/server';
import { withCredential } from '../n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../names';
import { createSandbox, DEFAULT_PORT, type SandboxHandle } from '../service';
import { atEnd, say, step } from './progress';
import type { TourRun } from './tour';
import {
	importWorkflows,
	type OwnService,
	readOnlyTour,
	readRecipes,
	readTour,
	type StoredWorkflow,
} from './workflows';

/** The folder that keeps n8n's state from one start to the next. */
const stateFolder = join(rootFolder, '.n8n');
export const logFile = join(stateFolder, 'n8n.log');

export interface Started {
	n8n: N8n;
	sandbox?: SandboxHandle;
	/** Undefined if it was skipped. */
	tour?: TourRun;
	/** The names of workflows that were not imported again, since a user had edited or archived them. */
	kept: string[];
	/** Whether the tour is one of them. */
	isTourKept: boolean;
}

/** If a start is killed, its lock expires after ten seconds. By then its children have ended, too. */
const untilAbandoned = { retries: 11, factor: 1, minTimeout: 1_000 };
const reportEveryMs = 15_000;

const isLocked = (error: unknown) => isRecord(error) && error.code === 'ELOCKED';

async function holdStartLock(): Promise<void> {
	mkdirSync(stateFolder, { recursive: true });
	const lockfilePath = join(stateFolder, 'running.lock');
	const held = lock(stateFolder, { lockfilePath }).catch(async (error: unknown) => {
		if (!isLocked(error)) throw error;
		say(
			'Another `npm start` is running here, or was just ended. Waiting up to 11 seconds for it …',
		);
		return await lock(stateFolder, { lockfilePath, retries: untilAbandoned });
	});
	const release = await held.catch((error: unknown) => {
		if (!isLocked(error)) throw error;
		throw new Error('Another `npm start` is running here. Stop it with Ctrl-C first.');
	});
	atEnd(release);
}

async function installN8n(): Promise<void> {
	if (n8nIsInstalled()) return;
	await step('Install n8n (first time only, 4 to 6 minutes)', async () => {
		let phase = 'Waiting for another installation';
		const startedAt = Date.now();
		const report = () => say(`  ${phase} … ${Math.round((Date.now() - startedAt) / 1_000)} s`);
		const timer = setInterval(report, reportEveryMs);
		await ensureN8n((next) => (phase = next)).finally(() => clearInterval(timer));
	});
}

async function choosePort(preferred: number): Promise<{ port: number; note: string }> {
	const port = await getPort({ port: getPort.makeRange(preferred, preferred + 100) });
	const note = port === preferred ? `port ${port}` : `port ${port}, because ${preferred} is in use`;
	return { port, note };
}

async function startSandbox(): Promise<SandboxHandle> {
	const { port, note } = await choosePort(DEFAULT_PORT);
	return await step(`Start the sandbox service (${note})`, async () => {
		const sandbox = await createSandbox({ port });
		atEnd(sandbox.close);
		return sandbox;
	});
}

async function startEditor(userFolder: string): Promise<N8n> {
	const { port, note } = await choosePort(5678);
	return await step(`Start n8n (${note})`, async () => {
		const log = createWriteStream(logFile, { flags: 'w' });
		const onLine = (line: string) => void log.write(`${line}\n`);
		// n8n's own default is New York, wherever the machine is.
		const env = { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone };
		const n8n = await startN8n({ userFolder, port, env, onLine });
		atEnd(n8n.stop);
		return n8n;
	});
}

/** With your own service, the tour only reads the instance that you set. Without one, there is no tour. */
function tourFor(service: OwnService | undefined): StoredWorkflow | undefined {
	if (!service) return readTour();
	return service.instanceId === undefined ? undefined : readOnlyTour(service.instanceId);
}

/** Runs the tour, unless it was kept: once edited, it could do anything, so only the user may run it. */
export async function runTour(
	rest: RestClient,
	workflow: StoredWorkflow,
	kept: string[],
): Promise<TourRun | undefined> {
	if (kept.includes(workflow.name)) return undefined;
	const execution = await step('Run the tour', async () => await rest.runWorkflow(workflow.id));
	return { workflow, execution };
}

/**
 * Starts everything, and shows how long each step took.
 *
 * @param service your own service, in place of the sandbox
 */
export async function startAll(service?: OwnService): Promise<Started> {
	// No workflow for the sandbox may find the key of your service, or be published next to it.
	const userFolder = service ? join(stateFolder, 'own-service') : stateFolder;
	await holdStartLock();
	await installN8n();
	await step('Build, pack and install the node', async () => await installPackage(userFolder));
	const sandbox = service ? undefined : await startSandbox();
	const n8n = await startEditor(userFolder);
	const { rest } = n8n;
	const tour = tourFor(service);
	const kept = await step('Set up the credential and workflows', async () => {
		const name = `Workflow Instance Service (${service ? 'your service' : 'sandbox'})`;
		const { baseUrl = '', apiKey = '' } = service ?? sandbox ?? {};
		const credential = await rest.saveCredential(name, CREDENTIAL_TYPE, { baseUrl, apiKey });
		const workflows = [...readRecipes(service === undefined), ...(tour ? [tour] : [])];
		const signed = workflows.map((workflow) => withCredential(workflow, NODE_TYPE, credential));
		return await importWorkflows(rest, signed, join(userFolder, 'imported.json'));
	});
	const run = tour && (await runTour(rest, tour, kept));
	return { n8n, sandbox, kept, isTourKept: tour !== undefined && !run, tour: run };
}
