import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isRecord, textAt } from '../guards';
import { type RestCall, waitForExecution } from './executions';
import { asWorkflow, type CredentialReference, type Workflow } from './workflowFile';

/** The only account of a sandbox n8n. Its password is random and works on this machine alone. */
export interface Owner {
	email: string;
	password: string;
}

export type RestClient = Awaited<ReturnType<typeof connectRest>>;

export const authCookieName = 'n8n-auth';
const requestTimeoutMs = 30_000;
const writtenKeys = ['name', 'nodes', 'connections', 'settings', 'pinData', 'meta'];

/** The owner of a user folder, kept in `owner.json`, so that a browser stays signed in over restarts. */
export function ownerOf(userFolder: string): Owner {
	const path = join(userFolder, 'owner.json');
	if (!existsSync(path)) {
		const password = `Sandbox-${randomBytes(6).toString('hex')}`;
		const owner: Owner = { email: 'owner@sandbox.local', password };
		writeFileSync(path, JSON.stringify(owner), { mode: 0o600 });
	}
	const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
	return { email: textAt(kept, 'email', path), password: textAt(kept, 'password', path) };
}

async function send(
	url: string,
	method: string,
	cookie: string,
	body: unknown,
	deadline = Date.now() + requestTimeoutMs,
): Promise<Response> {
	const response = await fetch(url, {
		method,
		// n8n closes a connection that is kept alive while it's busy with a long run.
		headers: { 'content-type': 'application/json', connection: 'close', cookie },
		body: body === undefined ? undefined : JSON.stringify(body),
		signal: AbortSignal.timeout(requestTimeoutMs),
	});
	if (response.ok) return response;
	// On a busy machine, n8n briefly loses touch with its database, and processes nothing in the meantime.
	if (response.status === 503 && Date.now() < deadline) {
		await sleep(500);
		return await send(url, method, cookie, body, deadline);
	}
	const text = await response.text();
	// n8n also sends a stack trace.
	const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
	throw new Error(`n8n responded with ${response.status} to ${method} ${url}: ${message}`);
}

const restCall =
	(url: string, cookie: string): RestCall =>
	async (method, path, body) => {
		const response: unknown = await (await send(`${url}/rest${path}`, method, cookie, body)).json();
		return isRecord(response) && 'data' in response ? response.data : response;
	};

/** Creates the owner's account in an n8n that has none yet, like the form that it shows at first. */
async function ensureOwner(call: RestCall, owner: Owner): Promise<void> {
	const settings = await call('GET', '/settings');
	const management = isRecord(settings) ? settings.userManagement : undefined;
	if (!isRecord(management) || management.showSetupOnFirstLoad !== true) return;
	await call('POST', '/owner/setup', { ...owner, firstName: 'Sandbox', lastName: 'Owner' });
}

/**
 * Signs in, and returns the cookie. No browser ID is sent, so n8n doesn't bind the session to one and
 * its cookie works in any browser of this machine.
 */
async function signIn(url: string, { email, password }: Owner): Promise<string> {
	const login = { emailOrLdapLoginId: email, password };
	const { headers } = await send(`${url}/rest/login`, 'POST', '', login);
	const cookie = new RegExp(`${authCookieName}=([^;]+)`).exec(headers.getSetCookie().join('; '));
	if (cookie?.[1]) return cookie[1];
	throw new Error('Signing in to n8n failed. Remove the folder .n8n and start again.');
}

const workflowBody = (workflow: Workflow) =>
	Object.fromEntries(Object.entries(workflow).filter(([key]) => writtenKeys.includes(key)));

/** A hash of everything that users can change in a stored workflow. */
function hashOf(stored: unknown): string {
	const isArchived = isRecord(stored) && stored.isArchived === true;
	const text = JSON.stringify({
		...workflowBody(asWorkflow(stored, 'What n8n stored')),
		isArchived,
	});
	return createHash('sha256').update(text).digest('hex');
}

/**
 * Signs in to a running n8n.
 *
 * @param url n8n's own address, without a slash at the end
 * @throws when n8n rejects the owner
 */
export async function connectRest(url: string, owner: Owner) {
	await ensureOwner(restCall(url, ''), owner);
	const authCookie = await signIn(url, owner);
	const call = restCall(url, `${authCookieName}=${authCookie}`);
	const createCredential = async (
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<CredentialReference> => {
		const response = await call('POST', '/credentials', { name, type, data });
		return { id: textAt(response, 'id', name), name, type };
	};
	const contentHash = async (id: string): Promise<string | undefined> => {
		const response = await call('GET', `/workflows/${id}/exists`);
		if (!isRecord(response) || response.exists !== true) return undefined;
		return hashOf(await call('GET', `/workflows/${id}`));
	};
	const startWorkflow = async (id: string): Promise<string> => {
		const { nodes } = asWorkflow(await call('GET', `/workflows/${id}`), `Workflow ${id}`);
		const trigger = nodes.find(({ type }) => /trigger$/i.test(type))?.name;
		const body = { triggerToStartFrom: { name: trigger } };
		const response = await call('POST', `/workflows/${id}/run`, body);
		return textAt(response, 'executionId', `The start of workflow ${id}`);
	};
	return {
		call,
		/** The value of the `n8n-auth` cookie, for a browser context. */
		authCookie,
		createCredential,
		/** Replaces the data of the credential of that name and type, or creates it. */
		async saveCredential(...[name, type, data]: Parameters<typeof createCredential>) {
			const response = await call('GET', '/credentials');
			const found = (Array.isArray(response) ? response : []).find(
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
		/** The hash of a stored workflow; undefined if n8n doesn't have the workflow. */
		contentHash,
		/** Stores a workflow under its own ID, in place of the one that has it. Returns its hash. */
		async saveWorkflow(workflow: Workflow & { id: string }, exists: boolean) {
			const { id } = workflow;
			const body = workflowBody(workflow);
			if (exists) return hashOf(await call('PATCH', `/workflows/${id}`, body));
			return hashOf(await call('POST', '/workflows', { ...body, id }));
		},
		/** Starts a manual run from the first trigger, and returns the execution's ID. */
		startWorkflow,
		runWorkflow: async (id: string) => await waitForExecution(call, await startWorkflow(id)),
		waitForExecution: async (id: string) => await waitForExecution(call, id),
	};
}
