import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { textAt } from '../../../sandbox/guards';
import type { Execution } from '../../../sandbox/n8n/executions';
import { ensureN8n } from '../../../sandbox/n8n/install';
import type { OwnedProcess } from '../../../sandbox/n8n/process';
import type { RestCall } from '../../../sandbox/n8n/restHttp';
import { newWorkflow, withCredential, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../../sandbox/names';
import {
	type Cluster,
	type ClusterWorkerOptions,
	startCluster,
} from '../../../sandbox/queue/cluster';
import { findQueuePrograms } from '../../../sandbox/queue/programs';
import { createSandbox, type SandboxHandle } from '../../../sandbox/service';
import type { OnError } from '../../e2e/support/stack';

/** The name of the package's node in the workflows of {@link Queue.store}. */
export const SERVICE = 'Service';
const RUN_TIMEOUT_MS = 240_000;

/** n8n in queue mode, without a worker yet, and the sandbox service. */
export interface Queue {
	sandbox: SandboxHandle;
	cluster: Cluster;
	/** Starts so many workers, all with the same options. */
	addWorkers(count: number, options?: ClusterWorkerOptions): Promise<OwnedProcess[]>;
	/** Stores Start → the package's node, where Start gives the items; gives the workflow's id. */
	store(parameters: INodeParameters, items: IDataObject[], onError?: OnError): Promise<string>;
	/** Starts a workflow as the editor does; gives the execution's id. */
	start(workflowId: string): Promise<string>;
	/** Waits until an execution has ended, in whatever way. */
	end(executionId: string): Promise<Execution>;
	/** The same for one that is cut off: n8n says so before it stores what the run had done. */
	endStatus(executionId: string): Promise<string>;
}

async function endStatus(call: RestCall, executionId: string): Promise<string> {
	const deadline = Date.now() + RUN_TIMEOUT_MS;
	while (Date.now() < deadline) {
		const answer = await call('GET', `/executions/${executionId}`);
		const status = textAt(answer, 'status', `Execution ${executionId}`);
		if (!['new', 'running'].includes(status)) return status;
		await sleep(100);
	}
	throw new Error(`Execution ${executionId} has not ended.`);
}

async function startQueue(folder: string, env: Record<string, string>): Promise<Queue> {
	// n8n takes minutes to install: what is missing besides is said before.
	findQueuePrograms();
	await ensureN8n();
	const cluster = await startCluster({ folder, env });
	const sandbox = await createSandbox();
	const { rest } = cluster.main;
	const { baseUrl, apiKey } = sandbox;
	const credential = await rest.createCredential('Sandbox', CREDENTIAL_TYPE, { baseUrl, apiKey });
	return {
		sandbox,
		cluster,
		addWorkers: async (count, options) =>
			await Promise.all(
				Array.from({ length: count }, async () => await cluster.addWorker(options)),
			),
		async store(parameters, items, onError = 'stopWorkflow') {
			const start = workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {});
			const own = { resource: 'instance', ...parameters };
			const service = { ...workflowNode(SERVICE, NODE_TYPE, 1, own), onError };
			const workflow = newWorkflow('Queue', [start, service], [{ from: 'Start', to: SERVICE }]);
			return await rest.createWorkflow({
				...withCredential(workflow, NODE_TYPE, credential),
				pinData: { Start: items.map((json) => ({ json })) },
			});
		},
		start: async (workflowId) => await rest.startWorkflow(workflowId),
		end: async (executionId) => await rest.waitForExecution(executionId, RUN_TIMEOUT_MS),
		endStatus: async (executionId) => await endStatus(rest.call, executionId),
	};
}

/**
 * Starts n8n in queue mode for the tests of a file, in a folder of its own, and stops it after them.
 * Each test starts the workers that it needs, which end with it.
 *
 * @param env variables of all n8n processes
 */
export function useQueue(env: Record<string, string> = {}): () => Queue {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-queue-'));
	let queue: Queue | undefined;
	beforeAll(async () => {
		queue = await startQueue(folder, env);
	}, 1_800_000);
	afterAll(async () => {
		await queue?.cluster.stop();
		await queue?.sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}, 120_000);
	return () => {
		if (queue === undefined) throw new Error('Queue mode was not started.');
		return queue;
	};
}

/** Ends workers in good order. */
export async function stopAll(workers: OwnedProcess[]): Promise<void> {
	await Promise.all(workers.map(async (worker) => await worker.stop()));
}

/** The executions that a worker says to have begun. */
export function executionsOf(worker: OwnedProcess): string[] {
	return [...worker.output().matchAll(/Worker started execution (\d+)/g)].map(([, id = '']) => id);
}

/** Says in the output of the tests what was measured. */
export function report(text: string): void {
	process.stdout.write(`${text}\n`);
}

/** An id that each item holds. */
export const ID_OF_ITEM = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
export const GET: INodeParameters = { operation: 'get', instanceId: ID_OF_ITEM };
export const DELETE: INodeParameters = { operation: 'bulkDelete', idSource: 'inputField' };
export const itemsOf = (ids: number[]): IDataObject[] => ids.map((id) => ({ id }));
