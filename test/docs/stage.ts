import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { messageOf, textAt } from '../../sandbox/guards';
import type { Workflow } from '../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE } from '../../sandbox/names';
import { systemClock } from '../../sandbox/service';
import type { Editor } from '../e2e/support/editor';
import { type Stack, startStack } from '../e2e/support/stack';

/** Always the same data, so that what is shown differs from the last time only where the node does. */
const SAME_EACH_TIME = {
	clock: systemClock(new Date('2027-03-01T09:00:00Z')),
	port: 8090,
	env: { GENERIC_TIMEZONE: 'Europe/Berlin' },
};

/**
 * Does something with a new stack, and takes it down.
 *
 * @throws when the sandbox's port is in use
 */
export async function onStage(work: (stage: Stack) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-stage-'));
	const stage = await startStack(folder, SAME_EACH_TIME);
	try {
		await work(stage);
	} finally {
		await stage.stop();
		await stage.sandbox.close();
		rmSync(folder, { recursive: true, force: true });
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
	{ n8n: { rest }, sandbox: { baseUrl, apiKey, control }, store }: Stack,
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
	await editor.open(await store(workflow, credential));
}
