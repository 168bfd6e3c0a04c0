import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { type Execution, outputItems } from '../../../sandbox/n8n/executions';
import { ensureN8n } from '../../../sandbox/n8n/install';
import { installPackage } from '../../../sandbox/n8n/pack';
import { type N8n, startN8n } from '../../../sandbox/n8n/server';
import {
	asWorkflow,
	type CredentialReference,
	newWorkflow,
	type Workflow,
	withCredential,
	workflowNode,
} from '../../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../../sandbox/names';
import { createSandbox, type SandboxHandle } from '../../../sandbox/service';

/** Whether the n8n of the tests is the oldest one, whose own words and habits differ here and there. */
export const IS_OLDEST = process.env.N8N_VERSION === 'oldest';
const EXAMPLES = resolve(__dirname, '../../../examples');

export type OnError = 'continueErrorOutput' | 'continueRegularOutput' | 'stopWorkflow';

/** What one node gave in a run in the real n8n. */
export interface NodeOutcome {
	execution: Execution;
	success: INodeExecutionData[];
	errors: INodeExecutionData[];
	/** The json of what the nodes behind either output resolved for the paired item of `Items`. */
	behind: { success: IDataObject[]; errors: IDataObject[] };
}

export interface StackOptions {
	/** The API key of the sandbox; default: its own. */
	apiKey?: string;
	/** Variables for n8n's environment. */
	env?: Record<string, string>;
}

/** A real n8n with the packed package, and the sandbox service. */
export interface Stack {
	readonly n8n: N8n;
	/** The folder that holds all of n8n's state. */
	folder: string;
	sandbox: SandboxHandle;
	/** The files of the installed package. */
	packageFiles: string[];
	credential: CredentialReference;
	/** An example workflow with the credential in its nodes, stored in n8n; gives its id. */
	importExample(file: string): Promise<string>;
	/** Stores a workflow with the credential in the package's nodes; gives its id. */
	store(workflow: Workflow): Promise<string>;
	/** Ends n8n at once, as a power cut does, and starts it again on what it had stored, after a task. */
	killAndRestart(meanwhile?: () => void): Promise<void>;
	/** Runs the package's node on items. */
	run(parameters: INodeParameters, items: IDataObject[], onError?: OnError): Promise<NodeOutcome>;
}

const PAIRED = {
	mode: 'raw',
	jsonOutput: "={{ $('Items').item.json }}",
	options: {},
};

/** Start → Items → the package's node, with one node behind each of its outputs. */
export function oneNodeWorkflow(
	parameters: INodeParameters,
	items: IDataObject[],
	onError: OnError = 'stopWorkflow',
): Workflow {
	const jsCode = `return ${JSON.stringify(items)}.map((json) => ({ json }));`;
	const service = workflowNode('Service', NODE_TYPE, 1, { resource: 'instance', ...parameters });
	return newWorkflow(
		'One node',
		[
			workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
			workflowNode('Items', 'n8n-nodes-base.code', 2, { jsCode }),
			{ ...service, onError },
			workflowNode('Behind Success', 'n8n-nodes-base.set', 3.4, PAIRED),
			workflowNode('Behind Errors', 'n8n-nodes-base.set', 3.4, PAIRED),
		],
		[
			{ from: 'Start', to: 'Items' },
			{ from: 'Items', to: 'Service' },
			{ from: 'Service', to: 'Behind Success' },
			{ from: 'Service', to: 'Behind Errors', output: 1 },
		],
	);
}

async function startStack(folder: string, { apiKey: key, env }: StackOptions): Promise<Stack> {
	await ensureN8n();
	const packageFiles = await installPackage(folder);
	const sandbox = await createSandbox({ apiKey: key });
	const start = async () => await startN8n({ userFolder: folder, env });
	let n8n = await start();
	const { baseUrl, apiKey } = sandbox;
	const credential = await n8n.rest.createCredential('Sandbox', CREDENTIAL_TYPE, {
		baseUrl,
		apiKey,
	});
	const store = async (workflow: Workflow) =>
		await n8n.rest.createWorkflow(withCredential(workflow, NODE_TYPE, credential));
	return {
		get n8n() {
			return n8n;
		},
		folder,
		sandbox,
		packageFiles,
		credential,
		store,
		importExample: async (file) =>
			await store(asWorkflow(JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')), file)),
		async killAndRestart(meanwhile = () => undefined) {
			await n8n.kill();
			meanwhile();
			n8n = await start();
		},
		async run(parameters, items, onError = 'stopWorkflow') {
			const id = await store(oneNodeWorkflow(parameters, items, onError));
			const execution = await n8n.rest.runWorkflow(id, { timeoutMs: 240_000 });
			const jsonOf = (name: string) => outputItems(execution, name).map(({ json }) => json);
			return {
				execution,
				success: outputItems(execution, 'Service'),
				errors: outputItems(execution, 'Service', 1),
				behind: { success: jsonOf('Behind Success'), errors: jsonOf('Behind Errors') },
			};
		},
	};
}

/**
 * Starts a stack for the tests of a file, in a folder of its own, and stops it after them. The
 * sandbox is as new for each test.
 */
export function useStack(options: StackOptions = {}): () => Stack {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-e2e-'));
	let stack: Stack | undefined;
	beforeAll(async () => {
		stack = await startStack(folder, options);
	}, 1_800_000);
	beforeEach(() => stack?.sandbox.control.reset());
	afterAll(async () => {
		await stack?.n8n.stop();
		await stack?.sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}, 60_000);
	return () => {
		if (stack === undefined) throw new Error('The stack was not started.');
		return stack;
	};
}
