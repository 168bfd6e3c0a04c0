import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';

import getPort from 'get-port';
import { Listr, type ListrTask, PRESET_TIMER } from 'listr2';

import { ensureN8n, n8nIsInstalled } from '../n8n/install';
import { installPackage } from '../n8n/pack';
import { rootFolder } from '../n8n/paths';
import { type N8n, startN8n } from '../n8n/server';
import { withCredential } from '../n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../names';
import { startCluster } from '../queue/cluster';
import { findQueuePrograms } from '../queue/servers';
import { createSandbox, DEFAULT_PORT } from '../service';
import type { TourRun } from './tour';
import { type OwnService, readExamples, readOnlyTour, type StoredWorkflow } from './workflows';

/** The folder that keeps n8n's state from one start to the next. */
export const stateFolder = join(rootFolder, '.n8n');
export const logFile = join(stateFolder, 'n8n.log');

/** What the steps have started so far. */
export interface Progress {
	access?: { baseUrl: string; apiKey: string };
	/** The port of the sandbox. */
	sandboxPort?: number;
	n8n?: N8n;
	tour?: TourRun;
}

/** Remembers what to stop at the end; the last one added is stopped first. */
export type AtEnd = (stop: () => Promise<unknown>) => void;

type Step = ListrTask<Progress>;

/** A terminal redraws progress in place. Elsewhere, every report is a new line. */
const reportEveryMs = process.stdout.isTTY ? 1_000 : 15_000;

async function choosePort(preferred: number): Promise<{ port: number; note: string }> {
	const port = await getPort({ port: getPort.makeRange(preferred, preferred + 100) });
	const note = port === preferred ? `port ${port}` : `port ${port}, because ${preferred} is in use`;
	return { port, note };
}

const installStep: Step = {
	title: 'Install n8n (first time only, 4 to 6 minutes)',
	async task(_, task) {
		if (n8nIsInstalled()) {
			task.title = 'n8n is installed';
			return;
		}
		const started = Date.now();
		let last = '';
		const timer = setInterval(() => {
			task.output = `${Math.round((Date.now() - started) / 1_000)} s: ${last.slice(0, 60)}`;
		}, reportEveryMs);
		await ensureN8n((line) => (last = line)).finally(() => clearInterval(timer));
	},
};

const packStep: Step = {
	title: 'Build, pack and install the node',
	task: async () => await installPackage(stateFolder),
};

const serviceStep = (service: OwnService | undefined, atEnd: AtEnd): Step => ({
	title: service ? `Use the service at ${service.baseUrl}` : 'Start the sandbox service',
	async task(progress, task) {
		progress.access = service;
		if (service) return;
		const { port, note } = await choosePort(DEFAULT_PORT);
		const { baseUrl, apiKey, close } = await createSandbox({ port });
		atEnd(close);
		progress.access = { baseUrl, apiKey };
		progress.sandboxPort = port;
		task.title += ` (${note})`;
	},
});

async function startQueue(port: number, onLine: (line: string) => void, atEnd: AtEnd) {
	const folder = join(stateFolder, 'queue');
	// It belongs to the databases of the last start, which are gone.
	rmSync(folder, { recursive: true, force: true });
	const { main, addWorker, stop } = await startCluster({ folder, port, onLine });
	atEnd(stop);
	await Promise.all([addWorker(), addWorker()]);
	return main;
}

const n8nStep = (inQueueMode: boolean, atEnd: AtEnd): Step => ({
	title: inQueueMode ? 'Start Redis, Postgres, and n8n with two workers' : 'Start n8n',
	async task(progress, task) {
		const { port, note } = await choosePort(5678);
		const log = createWriteStream(logFile, { flags: 'w' });
		const onLine = (line: string) => void log.write(`${line}\n`);
		progress.n8n = inQueueMode
			? await startQueue(port, onLine, atEnd)
			: await startN8n({ userFolder: stateFolder, port, onLine });
		atEnd(progress.n8n.stop);
		task.title += ` (${note})`;
	},
});

/**
 * Stores the credential, the example workflows and the tour, replacing those of an earlier start. The
 * examples change and delete instances whose IDs were chosen for the sandbox: on your service they
 * get no credential, so that running one is a deliberate choice.
 *
 * @returns the tour, or undefined for a service without an instance ID
 */
async function storeWorkflows({ n8n, access }: Progress, service: OwnService | undefined) {
	if (!n8n || !access) throw new Error('n8n and the service have to be started first.');
	const { rest } = n8n;
	const { baseUrl, apiKey } = access;
	const name = `Workflow Instance Service (${service ? 'your service' : 'sandbox'})`;
	const credential = await rest.saveCredential(name, CREDENTIAL_TYPE, { baseUrl, apiKey });
	const signed = (workflow: StoredWorkflow) => withCredential(workflow, NODE_TYPE, credential);
	const { tour, others } = readExamples();
	for (const workflow of [...others, tour]) {
		await rest.saveWorkflow(service ? workflow : signed(workflow));
	}
	if (!service) return { rest, tour };
	if (service.instanceId === undefined) return undefined;
	const reading = readOnlyTour(service.instanceId);
	await rest.saveWorkflow(signed(reading));
	return { rest, tour: reading };
}

const tourStep = (service: OwnService | undefined): Step => ({
	title: 'Set up the credential and workflows, and run the tour',
	async task(progress, task) {
		const stored = await storeWorkflows(progress, service);
		if (!stored) {
			task.skip('Credential and workflows are set up. No instance ID was set for the tour');
			return;
		}
		const { rest, tour: workflow } = stored;
		progress.tour = { workflow, execution: await rest.runWorkflow(workflow.id) };
	},
});

/**
 * Starts everything, step by step, and shows how long each step took.
 *
 * @param service your own, in place of the sandbox
 * @param inQueueMode whether n8n runs with workers, which needs Redis and Postgres
 * @throws when a step fails
 */
export async function runSteps(
	service: OwnService | undefined,
	inQueueMode: boolean,
	atEnd: AtEnd,
): Promise<Progress> {
	if (inQueueMode) findQueuePrograms();
	const steps = [
		installStep,
		...(inQueueMode ? [] : [packStep]),
		serviceStep(service, atEnd),
		n8nStep(inQueueMode, atEnd),
		tourStep(service),
	];
	const timer = { timer: PRESET_TIMER };
	const list = new Listr<Progress, 'default', 'simple'>(steps, {
		ctx: {},
		registerSignalListeners: false,
		renderer: 'default',
		fallbackRenderer: 'simple',
		rendererOptions: { ...timer, collapseSkips: false, showErrorMessage: false },
		fallbackRendererOptions: timer,
	});
	return await list.run();
}
