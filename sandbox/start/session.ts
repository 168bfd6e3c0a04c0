import { createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Execution } from '../n8n/executions';
import { rootFolder } from '../n8n/paths';
import { startN8n } from '../n8n/server';
import type { N8n } from '../n8n/server';
import { withCredential } from '../n8n/workflowFile';
import type { CredentialReference } from '../n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../names';
import { startCluster } from '../queue/cluster';
import type { Cleanup } from './cleanup';
import type { Target } from './target';
import { readExamples, readOnlyTour } from './workflows';
import type { StoredWorkflow } from './workflows';

/** The folder that keeps n8n's state from one start to the next. */
export const stateFolder = join(rootFolder, '.n8n');
export const logFile = join(stateFolder, 'n8n.log');

const credentialNames = {
	sandbox: 'Workflow Instance Service (sandbox)',
	service: 'Workflow Instance Service (your service)',
};

/** Where the node finds its service. */
export interface ServiceAccess {
	baseUrl: string;
	apiKey: string;
}

/** The tour after its run. */
export interface TourRun {
	workflow: StoredWorkflow;
	execution: Execution;
}

/** Starts n8n on the state folder. */
export async function startEditor(cleanup: Cleanup, port: number): Promise<N8n> {
	const log = createWriteStream(logFile, { flags: 'w' });
	const n8n = await startN8n({
		userFolder: stateFolder,
		port,
		onLine: (line) => log.write(`${line}\n`),
	});
	cleanup.add(async () => await n8n.stop());
	return n8n;
}

/**
 * Starts n8n in queue mode with two workers, on new databases each time.
 *
 * @returns the main process
 */
export async function startQueueEditor(cleanup: Cleanup, port: number): Promise<N8n> {
	const log = createWriteStream(logFile, { flags: 'w' });
	const folder = join(stateFolder, 'queue');
	// It belongs to the databases of the last start, which are gone.
	rmSync(folder, { recursive: true, force: true });
	const cluster = await startCluster({
		folder,
		port,
		onLine: (name, line) => log.write(`${name}: ${line}\n`),
	});
	cleanup.add(cluster.stop);
	await Promise.all([cluster.addWorker(), cluster.addWorker()]);
	return cluster.main;
}

async function storeForSandbox(n8n: N8n, credential: CredentialReference): Promise<StoredWorkflow> {
	const { tour, others } = readExamples();
	for (const workflow of [...others, tour]) {
		await n8n.rest.saveWorkflow(withCredential(workflow, NODE_TYPE, credential));
	}
	return tour;
}

/**
 * The examples change and delete instances whose IDs were chosen for the sandbox. On a real service
 * they get no credential, so that running one is a deliberate choice.
 */
async function storeForService(
	n8n: N8n,
	credential: CredentialReference,
	instanceId: number | undefined,
): Promise<StoredWorkflow | undefined> {
	const { tour, others } = readExamples();
	for (const workflow of [...others, tour]) await n8n.rest.saveWorkflow(workflow);
	if (instanceId === undefined) return undefined;
	const reading = readOnlyTour(instanceId);
	await n8n.rest.saveWorkflow(withCredential(reading, NODE_TYPE, credential));
	return reading;
}

/**
 * Stores the credential, the example workflows and the tour in a running n8n, replacing those of an
 * earlier start.
 * @returns the tour, or undefined for a service without an instance ID
 */
export async function storeWorkflows(
	n8n: N8n,
	target: Target,
	{ baseUrl, apiKey }: ServiceAccess,
): Promise<StoredWorkflow | undefined> {
	const name = credentialNames[target.kind];
	const credential = await n8n.rest.saveCredential(name, CREDENTIAL_TYPE, { baseUrl, apiKey });
	return target.kind === 'sandbox'
		? await storeForSandbox(n8n, credential)
		: await storeForService(n8n, credential, target.instanceId);
}
