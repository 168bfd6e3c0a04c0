import { waitForExecution } from './executions';
import type { Execution } from './executions';
import { isRecord, textAt } from '../guards';
import type { Owner } from './owner';
import { signIn } from './restHttp';
import type { RestCall } from './restHttp';
import { asWorkflow } from './workflowFile';
import type { CredentialReference, Workflow } from './workflowFile';

export interface RunOptions {
	/** The trigger to start from; by default the workflow's first one. */
	trigger?: string;
	/** Runs up to and with this node only, as 'Execute step' in the editor does. */
	destination?: string;
	/** How long the run may take, by default 60,000. */
	timeoutMs?: number;
}

/** What n8n's credential test said. */
export interface CredentialTest {
	status: string;
	message: string;
}

/** What can be done with a running n8n, signed in as its owner. */
export interface RestClient {
	/** Any other call of n8n's internal REST interface, path without `/rest`. */
	call: RestCall;
	/** The value of the `n8n-auth` cookie, for a browser context. */
	authCookie: string;
	createCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<CredentialReference>;
	/** Replaces the data of the credential of that name and type, or creates it. */
	saveCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<CredentialReference>;
	/** Runs the credential's test; n8n keeps the data as 'Tested credential'. */
	testCredential(type: string, data: Record<string, unknown>): Promise<CredentialTest>;
	/** Stores a workflow as a new one and returns its ID. */
	createWorkflow(workflow: Workflow): Promise<string>;
	/** Stores a workflow under its own id, in place of the one that has it. */
	saveWorkflow(workflow: Workflow & { id: string }): Promise<string>;
	/** Starts a manual run and returns the execution's ID. */
	startWorkflow(id: string, options?: RunOptions): Promise<string>;
	/** Starts a manual run and waits for its end. */
	runWorkflow(id: string, options?: RunOptions): Promise<Execution>;
	waitForExecution(id: string, timeoutMs?: number): Promise<Execution>;
}

const writtenKeys = ['name', 'nodes', 'connections', 'settings', 'pinData', 'meta'];

const workflowBody = (workflow: Workflow) =>
	Object.fromEntries(Object.entries(workflow).filter(([key]) => writtenKeys.includes(key)));

const isTrigger = ({ type }: { type: string }) => /trigger$/i.test(type);

async function startBody(call: RestCall, id: string, options: RunOptions): Promise<unknown> {
	const destinationNode = options.destination
		? { nodeName: options.destination, mode: 'inclusive' }
		: undefined;
	const stored = asWorkflow(await call('GET', `/workflows/${id}`), `Workflow ${id}`);
	const name = options.trigger ?? stored.nodes.find(isTrigger)?.name;
	if (!name && !destinationNode) throw new Error(`Workflow '${stored.name}' has no trigger node.`);
	return { destinationNode, triggerToStartFrom: name ? { name } : undefined };
}

async function startWorkflow(call: RestCall, id: string, options: RunOptions): Promise<string> {
	const answer = await call('POST', `/workflows/${id}/run`, await startBody(call, id, options));
	return textAt(answer, 'executionId', `The start of workflow ${id}`);
}

async function findCredential(call: RestCall, name: string, type: string) {
	const answer = await call('GET', '/credentials');
	const stored: unknown[] = Array.isArray(answer) ? answer : [];
	return stored.find((one) => isRecord(one) && one.name === name && one.type === type);
}

async function saveCredential(
	call: RestCall,
	name: string,
	type: string,
	data: Record<string, unknown>,
): Promise<CredentialReference> {
	const found = await findCredential(call, name, type);
	const answer = found
		? await call('PATCH', `/credentials/${textAt(found, 'id', name)}`, { name, type, data })
		: await call('POST', '/credentials', { name, type, data });
	return { id: textAt(answer, 'id', name), name, type };
}

/** Replaces a stored workflow; one that somebody archived in the editor comes back. */
async function replaceWorkflow(call: RestCall, id: string, body: unknown): Promise<unknown> {
	const stored = await call('GET', `/workflows/${id}`);
	if (isRecord(stored) && stored.isArchived === true) {
		await call('POST', `/workflows/${id}/unarchive`, {});
	}
	return await call('PATCH', `/workflows/${id}`, body);
}

async function saveWorkflow(call: RestCall, workflow: Workflow & { id: string }): Promise<string> {
	const { id, name } = workflow;
	const answer = await call('GET', `/workflows/${id}/exists`);
	const exists = isRecord(answer) && answer.exists === true;
	const body = workflowBody(workflow);
	const saved = exists
		? await replaceWorkflow(call, id, body)
		: await call('POST', '/workflows', { ...body, id });
	return textAt(saved, 'id', name);
}

/**
 * Signs in to a running n8n.
 * @param url n8n's own address, without a slash at the end
 * @throws when n8n rejects the owner
 */
export async function connectRest(url: string, owner: Owner): Promise<RestClient> {
	const { call, authCookie } = await signIn(url, owner);
	return {
		call,
		authCookie,
		async createCredential(name, type, data) {
			const answer = await call('POST', '/credentials', { name, type, data });
			return { id: textAt(answer, 'id', name), name, type };
		},
		saveCredential: async (name, type, data) => await saveCredential(call, name, type, data),
		async testCredential(type, data) {
			// Older versions only test a credential that is stored.
			const { id, name } = await saveCredential(call, 'Tested credential', type, data);
			const credentials = { id, name, type, data };
			const answer = await call('POST', '/credentials/test', { credentials });
			return {
				status: textAt(answer, 'status', 'The credential test'),
				message: textAt(answer, 'message', 'The credential test'),
			};
		},
		async createWorkflow(workflow) {
			return textAt(await call('POST', '/workflows', workflowBody(workflow)), 'id', workflow.name);
		},
		saveWorkflow: async (workflow) => await saveWorkflow(call, workflow),
		startWorkflow: async (id, options = {}) => await startWorkflow(call, id, options),
		async runWorkflow(id, options = {}) {
			const executionId = await startWorkflow(call, id, options);
			return await waitForExecution(call, executionId, options.timeoutMs);
		},
		waitForExecution: async (id, timeoutMs) => await waitForExecution(call, id, timeoutMs),
	};
}
