import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { messageOf, textAt } from '../../sandbox/guards';
import { ensureN8n } from '../../sandbox/n8n/install';
import { installPackage } from '../../sandbox/n8n/pack';
import { type N8n, startN8n } from '../../sandbox/n8n/server';
import { asWorkflow, withCredential, type Workflow } from '../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { createSandbox, type SandboxHandle, systemClock } from '../../sandbox/service';
import type { Editor } from '../e2e/support/editor';

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

/** Runs a command; what it throws is shown, and makes the command fail. */
export function run(main: () => Promise<void>): void {
	main().catch((error: unknown) => {
		process.stderr.write(`${messageOf(error)}\n`);
		process.exitCode = 1;
	});
}

/**
 * Opens a workflow with the only credential, for the sandbox, in its nodes, on the data that the sandbox
 * begins with.
 */
export async function openWorkflow(
	{ n8n: { rest }, sandbox: { baseUrl, apiKey, control } }: Stage,
	editor: Editor,
	workflow: Workflow,
): Promise<void> {
	control.reset();
	const before = await rest.call('GET', '/credentials');
	for (const one of Array.isArray(before) ? before : []) {
		await rest.call('DELETE', `/credentials/${textAt(one, 'id', 'A credential')}`);
	}
	const data = { baseUrl, apiKey };
	const credential = await rest.createCredential('My service', CREDENTIAL_TYPE, data);
	const stored = withCredential(workflow, NODE_TYPE, credential);
	await editor.open(await rest.createWorkflow(stored));
}

/** A workflow of the folder examples. */
export function example(file: string): Workflow {
	const path = resolve(__dirname, '../../examples', file);
	return asWorkflow(JSON.parse(readFileSync(path, 'utf8')), file);
}
