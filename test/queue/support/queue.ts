import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ensureN8n } from '../../../sandbox/n8n/install';
import type { OwnedProcess } from '../../../sandbox/process';
import { withCredential } from '../../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../../sandbox/names';
import { type ClusterWorkerOptions, startCluster } from '../../../sandbox/queue/cluster';
import { findQueuePrograms } from '../../../sandbox/queue/servers';
import { createSandbox } from '../../../sandbox/service';
import { ID_OF_ITEM, oneNodeWorkflow, useStarted } from '../../e2e/support/stack';

/** n8n in queue mode, without a worker yet, and the sandbox service. */
async function startQueue(folder: string, env: Record<string, string>) {
	// n8n takes minutes to install, so anything else that is missing is reported first.
	findQueuePrograms();
	await ensureN8n();
	const cluster = await startCluster(folder, env);
	const sandbox = await createSandbox();
	const { rest } = cluster.main;
	const { baseUrl, apiKey } = sandbox;
	const credential = await rest.createCredential('Sandbox', CREDENTIAL_TYPE, { baseUrl, apiKey });
	const start = async (...ids: string[]) =>
		await Promise.all(ids.map(async (id) => await rest.startWorkflow(id)));
	const workers: OwnedProcess[] = [];
	const end = async (ids: string[]) =>
		await Promise.all(ids.map(async (id) => await rest.waitForExecution(id)));
	return {
		sandbox,
		cluster,
		/** Starts `count` workers, all with the same options. */
		async addWorkers(count: number, options?: ClusterWorkerOptions) {
			const add = async () => await cluster.addWorker(options);
			const added = await Promise.all(Array.from({ length: count }, add));
			workers.push(...added);
			return added;
		},
		/** Shuts down all workers gracefully. */
		stopWorkers: async () =>
			await Promise.all(workers.splice(0).map(async (worker) => await worker.stop())),
		/** Stores a workflow of the package's node; returns its ID. */
		async store(parameters: INodeParameters, items: IDataObject[]) {
			const workflow = oneNodeWorkflow(parameters, items);
			return await rest.createWorkflow(withCredential(workflow, NODE_TYPE, credential));
		},
		/** Starts a workflow as the editor does, each time that it is listed; returns the executions' IDs. */
		start,
		/** Waits until executions have ended in any way. */
		end,
		/** Starts workflows, waits until they end, and expects all to succeed. */
		async succeed(...ids: string[]) {
			const executions = await end(await start(...ids));
			expect(executions.map(({ status }) => status)).toEqual(ids.map(() => 'success'));
			return executions;
		},
		stop: cluster.stop,
	};
}

/**
 * n8n in queue mode for the tests of a file. Each test starts the workers that it needs, which end
 * with it.
 *
 * @param env variables of all n8n processes
 */
export function useQueue(env: Record<string, string> = {}) {
	const queue = useStarted(async (folder) => await startQueue(folder, env));
	afterEach(async () => await queue().stopWorkers());
	return queue;
}

/** The parameters of an Update that adds tags. */
export const adding = (addTags: string) => ({
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags },
});

/** The executions that a worker reports as started. */
export function executionsOf(worker: OwnedProcess): string[] {
	return [...worker.output().matchAll(/Worker started execution (\d+)/g)].map(([, id = '']) => id);
}
