import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { outputItems } from '../../sandbox/n8n/executions';
import { ensureN8n } from '../../sandbox/n8n/install';
import { installPackage } from '../../sandbox/n8n/pack';
import type { RestClient } from '../../sandbox/n8n/rest';
import { startN8n } from '../../sandbox/n8n/server';
import { newWorkflow, withCredential, workflowNode } from '../../sandbox/n8n/workflowFile';
import { startCluster } from '../../sandbox/queue/cluster';
import { createSandbox } from '../../sandbox/service';
import { itemsOf, START, withItems } from '../../test/e2e/support/stack';
import { PORT, type Task } from './comparisons';

/** The peak memory of a process since the last call, in megabytes; NaN if this isn't Linux. */
function takePeak(pid: number): number {
	if (process.platform !== 'linux') return NaN;
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

/** Waits by checking n8n's list of executions, since reading an execution would transfer all of its items. */
async function waitForEnd({ call }: RestClient, workflowId: string): Promise<void> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	let list = '';
	while (!/"status":"(?!new|running)/.test(list)) {
		await sleep(100);
		list = JSON.stringify(await call('GET', `/executions?limit=1&filter=${filter}`));
	}
}

/** How to start n8n, or a worker of an n8n in queue mode, and how to stop what they share. */
async function prepareN8n(folder: string, isQueue: boolean) {
	if (isQueue) {
		const { main, addWorker, stop } = await startCluster(folder);
		return { stop, start: async () => ({ ...(await addWorker()), rest: main.rest }) };
	}
	await installPackage(folder);
	return { start: async () => await startN8n({ userFolder: folder }) };
}

export type BenchStack = Awaited<ReturnType<typeof startStack>>;

/** Starts the sandbox, and a real n8n in a temporary folder, optionally in queue mode. */
export async function startStack(isQueue: boolean) {
	await ensureN8n();
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-bench-'));
	const sandbox = await createSandbox({ port: PORT });
	const n8n = await prepareN8n(folder, isQueue);
	let executor = await n8n.start();
	const { baseUrl, apiKey, control } = sandbox;
	const data = { baseUrl, apiKey };
	const credential = await executor.rest.createCredential('Sandbox', CREDENTIAL_TYPE, data);
	/** Resets the sandbox, and adds the instances of a task. Returns their IDs. */
	function addInstances({ instances, latencyMs = 0 }: Task): number[] {
		control.reset();
		control.setLatency(latencyMs);
		return control.addInstances(instances);
	}
	return {
		sandbox,
		addInstances,
		/** Runs a node on the input items of a task, and checks how many items it returned. */
		async run(task: Task, type: string, version: number, parameters: INodeParameters) {
			const { rest, pid } = executor;
			const ids = addInstances(task);
			const items = task.items?.(ids) ?? itemsOf(ids);
			const node = workflowNode('Measured', type, version, parameters);
			const workflow = withItems(newWorkflow('Benchmark', [START, node]), START.name, items);
			const id = await rest.createWorkflow(withCredential(workflow, NODE_TYPE, credential));
			takePeak(pid);
			const before = takePeak(pid);
			const executionId = await rest.startWorkflow(id);
			await waitForEnd(rest, id);
			const memory = takePeak(pid) - before;
			const execution = await rest.waitForExecution(executionId);
			const { runData, error } = execution.data.resultData;
			const returned = outputItems(execution, node.name).length;
			if (execution.status !== 'success' || returned !== task.instances) {
				throw new Error(error?.message ?? `${returned} items instead of ${task.instances}`);
			}
			return {
				/** n8n's own execution time of the node, in milliseconds. */
				time: runData[node.name]?.[0]?.executionTime ?? NaN,
				/** By how much the peak memory of the process exceeded that before the run, in megabytes. */
				memory,
				/** How much n8n stored of the execution, in megabytes. */
				stored: execution.storedBytes / 1_000_000,
			};
		},
		/** Restarts the process that executes, so that its memory contains nothing from earlier runs. */
		async restart() {
			await executor.stop();
			executor = await n8n.start();
		},
		async stop() {
			await executor.stop();
			await n8n.stop?.();
			await sandbox.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
