import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import { type Execution, outputItems } from '../../../sandbox/n8n/executions';
import { ensureN8n } from '../../../sandbox/n8n/install';
import { installPackage } from '../../../sandbox/n8n/pack';
import { type N8nOptions, startN8n } from '../../../sandbox/n8n/server';
import {
	newWorkflow,
	type Workflow,
	withCredential,
	workflowNode,
} from '../../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../../sandbox/names';
import { createSandbox, type SandboxHandle, type SandboxOptions } from '../../../sandbox/service';

/** Whether the tests use the oldest n8n, whose own words and behavior differ here and there. */
export const IS_OLDEST = process.env.SANDBOX_N8N_VERSION === 'oldest';

/** The name of the package's node in {@link oneNodeWorkflow}. */
export const SERVICE = 'Service';

/** The json of each item that a node returned in its last run. */
export const jsonOf = (execution: Execution, node = SERVICE, output = 0): IDataObject[] =>
	outputItems(execution, node, output).map(({ json }) => json);

export const locator = (value: number | string, mode = 'id') => ({ __rl: true, mode, value });
/** The ID in each item. */
export const ID_OF_ITEM = locator('={{ $json.id }}');
export const GET = { operation: 'get', instanceId: ID_OF_ITEM };
export const DELETE = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };
export const itemsOf = (ids: number[]): IDataObject[] => ids.map((id) => ({ id }));

/** The trigger of workflows that are run by hand. */
export const START = workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {});

/** A workflow with items instead of those that one of its nodes returns. */
export const withItems = (workflow: Workflow, node: string, items: IDataObject[]): Workflow => ({
	...workflow,
	pinData: { [node]: items.map((json) => ({ json })) },
});

/** Start, which returns the items → the package's node. */
export function oneNodeWorkflow(
	parameters: INodeParameters,
	items: IDataObject[],
	onError: OnError = 'stopWorkflow',
): Workflow {
	const service = workflowNode(SERVICE, NODE_TYPE, 1, { resource: 'instance', ...parameters });
	return withItems(newWorkflow('One node', [START, { ...service, onError }]), START.name, items);
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
	const last = Date.now() + 150_000;
	while (!(await isSo())) {
		if (Date.now() > last) throw new Error('It did not come about.');
		await sleep(20);
	}
}

type StackOptions = Pick<N8nOptions, 'env'> & SandboxOptions;

/** Starts a real n8n with the packed package, and the sandbox service. */
export async function startStack(folder: string, { env, ...options }: StackOptions) {
	await ensureN8n();
	await installPackage(folder);
	const sandbox = await createSandbox(options);
	const start = async () => await startN8n({ userFolder: folder, env });
	let n8n = await start();
	const { baseUrl, apiKey } = sandbox;
	const data = { baseUrl, apiKey };
	const credential = await n8n.rest.createCredential('My service', CREDENTIAL_TYPE, data);
	const store = async (workflow: Workflow) =>
		await n8n.rest.createWorkflow(withCredential(workflow, NODE_TYPE, credential));
	return {
		get n8n() {
			return n8n;
		},
		folder,
		sandbox,
		/** Stores a workflow with a credential in the package's nodes. Returns its ID. */
		store,
		run: async (workflow: Workflow) => await n8n.rest.runWorkflow(await store(workflow)),
		/** Ends n8n like a power cut would, and starts it again with what it had stored. */
		async killAndRestart(meanwhile: () => void) {
			await n8n.kill();
			meanwhile();
			n8n = await start();
		},
		stop: async () => await n8n.stop(),
	};
}

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** Starts what the tests of a file share, and stops it after them. The sandbox is reset for each test. */
export function useStarted<T extends { sandbox: SandboxHandle; stop(): Promise<unknown> }>(
	start: (folder: string) => Promise<T>,
): () => T {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-'));
	let started: T | undefined;
	beforeAll(async () => {
		started = await start(folder);
	}, 1_800_000);
	beforeEach(() => started?.sandbox.control.reset());
	afterAll(async () => {
		await started?.stop();
		await started?.sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}, 120_000);
	return () => {
		if (started === undefined) throw new Error('It was not started.');
		return started;
	};
}

export const useStack = (options: StackOptions = {}): (() => Stack) =>
	useStarted(async (folder) => await startStack(folder, options));
