import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type Execution, outputItems } from '../../../sandbox/n8n/executions';
import { ensureN8n } from '../../../sandbox/n8n/install';
import { installPackage } from '../../../sandbox/n8n/pack';
import { startN8n } from '../../../sandbox/n8n/server';
import {
	newWorkflow,
	type Workflow,
	withCredential,
	workflowNode,
} from '../../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../../sandbox/names';
import { createSandbox, type SandboxHandle } from '../../../sandbox/service';

/** Whether the n8n of the tests is the oldest one, whose own words and habits differ here and there. */
export const IS_OLDEST = process.env.N8N_VERSION === 'oldest';

/** The name of the package's node in {@link oneNodeWorkflow}. */
export const SERVICE = 'Service';

export type OnError = 'continueErrorOutput' | 'continueRegularOutput' | 'stopWorkflow';

export interface StackOptions {
	/** The API key of the sandbox; default: its own. */
	apiKey?: string;
	/** Variables for n8n's environment. */
	env?: Record<string, string>;
}

/** The json of each item that a node gave in its last run. */
export const jsonOf = (execution: Execution, node = SERVICE, output = 0): IDataObject[] =>
	outputItems(execution, node, output).map(({ json }) => json);

/** An id that each item holds. */
export const ID_OF_ITEM = { __rl: true, mode: 'id', value: '={{ $json.id }}' } as const;
export const GET = { operation: 'get', instanceId: ID_OF_ITEM };
export const DELETE = { operation: 'bulkDelete', idSource: 'inputField', idField: 'id' };
export const itemsOf = (ids: number[]): IDataObject[] => ids.map((id) => ({ id }));

/**
 * Items, which gives them, → the package's node, with a node behind each of its outputs that gives
 * the paired item of Items.
 */
export function oneNodeWorkflow(
	parameters: INodeParameters,
	items: IDataObject[],
	onError: OnError = 'stopWorkflow',
): Workflow {
	const paired = { mode: 'raw', jsonOutput: "={{ $('Items').item.json }}", options: {} };
	const service = workflowNode(SERVICE, NODE_TYPE, 1, { resource: 'instance', ...parameters });
	const nodes = [
		workflowNode('Items', 'n8n-nodes-base.manualTrigger', 1, {}),
		{ ...service, onError },
		workflowNode('Behind Success', 'n8n-nodes-base.set', 3.4, paired),
		workflowNode('Behind Errors', 'n8n-nodes-base.set', 3.4, paired),
	];
	const links = [
		{ from: 'Items', to: SERVICE },
		{ from: SERVICE, to: 'Behind Success' },
		{ from: SERVICE, to: 'Behind Errors', output: 1 },
	];
	const pinData = { Items: items.map((json) => ({ json })) };
	return { ...newWorkflow('One node', nodes, links), pinData };
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
	const last = Date.now() + 150_000;
	while (!(await isSo())) {
		if (Date.now() > last) throw new Error('It did not come about.');
		await sleep(20);
	}
}

async function startStack(folder: string, { apiKey: key, env }: StackOptions) {
	await ensureN8n();
	await installPackage(folder);
	const sandbox = await createSandbox({ apiKey: key });
	const start = async () => await startN8n({ userFolder: folder, env });
	let n8n = await start();
	const { baseUrl, apiKey } = sandbox;
	const data = { baseUrl, apiKey };
	const credential = await n8n.rest.createCredential('Sandbox', CREDENTIAL_TYPE, data);
	const store = async (workflow: Workflow) =>
		await n8n.rest.createWorkflow(withCredential(workflow, NODE_TYPE, credential));
	return {
		get n8n() {
			return n8n;
		},
		/** The folder that holds all of n8n's state. */
		folder,
		sandbox,
		credential,
		/** Stores a workflow with the credential in the package's nodes; gives its id. */
		store,
		/** Stores a workflow and runs it, from its first trigger unless one is named. */
		run: async (workflow: Workflow, trigger?: string) =>
			await n8n.rest.runWorkflow(await store(workflow), { trigger, timeoutMs: 240_000 }),
		/** Ends n8n at once, as a power cut does, and starts it again on what it had stored, after a task. */
		async killAndRestart(meanwhile: () => void = () => undefined) {
			await n8n.kill();
			meanwhile();
			n8n = await start();
		},
		stop: async () => await n8n.stop(),
	};
}

/** A real n8n with the packed package, and the sandbox service. */
export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * Starts what the tests of a file share, in a folder of its own, and stops it after them. The sandbox
 * is as new for each test.
 */
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

/** A stack for the tests of a file. */
export const useStack = (options: StackOptions = {}): (() => Stack) =>
	useStarted(async (folder) => await startStack(folder, options));
