import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { ensureN8n } from '../../sandbox/n8n/install';
import { installPackage } from '../../sandbox/n8n/pack';
import { type N8n, startN8n } from '../../sandbox/n8n/server';
import {
	asWorkflow,
	type CredentialReference,
	type Workflow,
} from '../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { createSandbox, type SandboxHandle, systemClock } from '../../sandbox/service';

/** So that what is shown differs from the last time only where the node does. */
const NOW = new Date('2027-03-01T09:00:00Z');
const SANDBOX_PORT = 8090;

/** A real n8n with the packed package, and the sandbox service, always with the same data. */
export interface Stage {
	n8n: N8n;
	sandbox: SandboxHandle;
}

/**
 * Does something with a new stage, and takes it down.
 *
 * @throws when the sandbox's port is in use
 */
export async function onStage(work: (stage: Stage) => Promise<void>): Promise<void> {
	await ensureN8n();
	const userFolder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-stage-'));
	await installPackage(userFolder);
	const sandbox = await createSandbox({ clock: systemClock(NOW), port: SANDBOX_PORT });
	const n8n = await startN8n({ userFolder, env: { GENERIC_TIMEZONE: 'Europe/Berlin' } });
	try {
		await work({ n8n, sandbox });
	} finally {
		await n8n.stop();
		await sandbox.close();
		rmSync(userFolder, { recursive: true, force: true });
	}
}

/** The credential for the sandbox, as a user has stored it. */
export async function storeCredential({ n8n, sandbox }: Stage): Promise<CredentialReference> {
	const { baseUrl, apiKey } = sandbox;
	return await n8n.rest.createCredential('My service', CREDENTIAL_TYPE, { baseUrl, apiKey });
}

/** A workflow of the folder examples. */
export function example(file: string): Workflow {
	const path = resolve(__dirname, '../../examples', file);
	return asWorkflow(JSON.parse(readFileSync(path, 'utf8')), file);
}
