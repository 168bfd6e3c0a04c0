import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { textAt } from '../../../sandbox/guards';
import { ensureN8n } from '../../../sandbox/n8n/install';
import { installPackage } from '../../../sandbox/n8n/pack';
import { type N8n, startN8n } from '../../../sandbox/n8n/server';
import { withCredential } from '../../../sandbox/n8n/workflowFile';
import { createSandbox, type SandboxHandle } from '../../../sandbox/service';
import { openBrowser } from '../../e2e/support/browser';
import { Editor } from '../../e2e/support/editor';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../../sandbox/names';
import { SCENES } from './scenes';

const FOLDER = resolve(__dirname, '../../../docs/pictures');
const LARGEST_BYTES = 300_000;
/** GitHub shows a page about 830 pixels wide; two pixels of the picture for each keep it sharp. */
const LOOK = { scale: 2, width: 1400, height: 1100 };
/** So that the pictures differ from the last ones only where the node does. */
const NOW = new Date('2027-03-01T09:00:00Z');
const SANDBOX_PORT = 8090;

async function take(n8n: N8n, sandbox: SandboxHandle, colorScheme: 'dark' | 'light') {
	const { baseUrl, apiKey } = sandbox;
	const { rest, url } = n8n;
	const browser = await openBrowser(n8n, { ...LOOK, colorScheme });
	try {
		const credential = await rest.createCredential('My service', CREDENTIAL_TYPE, {
			baseUrl,
			apiKey,
		});
		for (const [scene, { workflow, act }] of Object.entries(SCENES)) {
			sandbox.control.reset();
			const editor = new Editor(await browser.newPage(), url);
			const stored = withCredential(workflow, NODE_TYPE, credential);
			await editor.open(await rest.createWorkflow(stored));
			const clip = await act(editor, sandbox);
			const path = join(FOLDER, `${scene}-${colorScheme}.png`);
			await editor.page.screenshot({ path, clip, animations: 'disabled', caret: 'hide' });
			const { size } = statSync(path);
			if (size > LARGEST_BYTES) throw new Error(`${path} has ${size} bytes. Show less in it.`);
			process.stdout.write(`${path}: ${Math.round(size / 1_000)} kB\n`);
		}
	} finally {
		await browser.close();
	}
}

/** Whatever the scenes have created, so that they find things as before once more. */
async function removeCredentials({ rest }: N8n): Promise<void> {
	const stored = await rest.call('GET', '/credentials');
	for (const one of Array.isArray(stored) ? stored : []) {
		await rest.call('DELETE', `/credentials/${textAt(one, 'id', 'A credential')}`);
	}
}

/**
 * Takes the pictures of the README in a real n8n, light and dark, and saves them in docs/pictures.
 *
 * @throws when there is no browser, or the sandbox's port is in use
 */
export async function takePictures(): Promise<void> {
	await ensureN8n();
	mkdirSync(FOLDER, { recursive: true });
	const userFolder = mkdtempSync(join(tmpdir(), 'workflow-instance-service-pictures-'));
	await installPackage(userFolder);
	const sandbox = await createSandbox({ now: NOW, port: SANDBOX_PORT });
	const n8n = await startN8n({ userFolder, env: { GENERIC_TIMEZONE: 'Europe/Berlin' } });
	try {
		await take(n8n, sandbox, 'light');
		await removeCredentials(n8n);
		await take(n8n, sandbox, 'dark');
	} finally {
		await n8n.stop();
		await sandbox.close();
		rmSync(userFolder, { recursive: true, force: true });
	}
}
