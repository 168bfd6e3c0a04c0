import { isRecord, textAt } from '../guards';
import { waitForExecution } from './executions';
import { type Owner, type RestCall, signIn } from './signIn';
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

/** What can be done with a running n8n, signed in as its owner. */
export type RestClient = Awaited<ReturnType<typeof connectRest>>;

const writtenKeys = ['name', 'nodes', 'connections', 'settings', 'pinData', 'meta'];

const workflowBody = (workflow: Workflow) =>
	Object.fromEntries(Object.entries(workflow).filter(([key]) => writtenKeys.includes(key)));

async function startWorkflow(call: RestCall, id: string, options: RunOptions): Promise<string> {
	const { destination, trigger } = options;
	const destinationNode = destination ? { nodeName: destination, mode: 'inclusive' } : undefined;
	const stored = asWorkflow(await call('GET', `/workflows/${id}`), `Workflow ${id}`);
	const name = trigger ?? stored.nodes.find(({ type }) => /trigger$/i.test(type))?.name;
	if (!name && !destinationNode) throw new Error(`Workflow '${stored.name}' has no trigger node.`);
	const body = { destinationNode, triggerToStartFrom: name ? { name } : undefined };
	const answer = await call('POST', `/workflows/${id}/run`, body);
	return textAt(answer, 'executionId', `The start of workflow ${id}`);
}

/** Replaces a stored workflow; one that somebody archived in the editor comes back. */
async function replaceWorkflow(call: RestCall, id: string, body: unknown): Promise<void> {
	const stored = await call('GET', `/workflows/${id}`);
	if (isRecord(stored) && stored.isArchived === true) {
		await call('POST', `/workflows/${id}/unarchive`, {});
	}
	await call('PATCH', `/workflows/${id}`, body);
}

/**
 * Signs in to a running n8n.
 *
 * @param url n8n's own address, without a slash at the end
 * @throws when n8n rejects the owner
 */
export async function connectRest(url: string, owner: Owner) {
	const { call, authCookie } = await signIn(url, owner);
	const createCredential = async (
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<CredentialReference> => {
		const answer = await call('POST', '/credentials', { name, type, data });
		return { id: textAt(answer, 'id', name), name, type };
	};
	return {
		/** Any other call of n8n's internal REST interface, path without `/rest`. */
		call,
		/** The value of the `n8n-auth` cookie, for a browser context. */
		authCookie,
		createCredential,
		/** Replaces the data of the credential of that name and type, or creates it. */
		async saveCredential(...[name, type, data]: Parameters<typeof createCredential>) {
			const answer = await call('GET', '/credentials');
			const found = (Array.isArray(answer) ? answer : []).find(
				(one: unknown) => isRecord(one) && one.name === name && one.type === type,
			);
			if (!found) return await createCredential(name, type, data);
			const id = textAt(found, 'id', name);
			await call('PATCH', `/credentials/${id}`, { name, type, data });
			return { id, name, type };
		},
		/** Stores a workflow as a new one and returns its ID. */
		async createWorkflow(workflow: Workflow): Promise<string> {
			return textAt(await call('POST', '/workflows', workflowBody(workflow)), 'id', workflow.name);
		},
		/** Stores a workflow under its own ID, in place of the one that has it. */
		async saveWorkflow(workflow: Workflow & { id: string }): Promise<void> {
			const { id } = workflow;
			const answer = await call('GET', `/workflows/${id}/exists`);
			const body = workflowBody(workflow);
			if (isRecord(answer) && answer.exists === true) await replaceWorkflow(call, id, body);
			else await call('POST', '/workflows', { ...body, id });
		},
		/** Starts a manual run and returns the execution's ID. */
		startWorkflow: async (id: string, options: RunOptions = {}) =>
			await startWorkflow(call, id, options),
		/** Starts a manual run and waits for its end. */
		async runWorkflow(id: string, options: RunOptions = {}) {
			const executionId = await startWorkflow(call, id, options);
			return await waitForExecution(call, executionId, options.timeoutMs);
		},
		waitForExecution: async (id: string, timeoutMs?: number) =>
			await waitForExecution(call, id, timeoutMs),
	};
}
