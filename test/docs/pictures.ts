import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { textAt } from '../../sandbox/guards';
import type { N8n } from '../../sandbox/n8n/server';
import { withCredential } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { openBrowser } from '../e2e/support/browser';
import { Editor } from '../e2e/support/editor';
import { SCENES } from './pictures/scenes';
import { onStage, run, type Stage, storeCredential } from './stage';

const FOLDER = resolve(__dirname, '../../docs/pictures');
const LARGEST_BYTES = 300_000;
/** GitHub shows a page about 830 pixels wide; two pixels of the picture for each keep it sharp. */
const LOOK = { scale: 2, width: 1400, height: 1100 };

async function take(stage: Stage, colorScheme: 'dark' | 'light') {
	const { n8n, sandbox } = stage;
	const browser = await openBrowser(n8n, { ...LOOK, colorScheme });
	try {
		const credential = await storeCredential(stage);
		for (const [scene, { workflow, act }] of Object.entries(SCENES)) {
			sandbox.control.reset();
			const editor = new Editor(await browser.newPage(), n8n.url);
			const stored = withCredential(workflow, NODE_TYPE, credential);
			await editor.open(await n8n.rest.createWorkflow(stored));
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

// Takes the pictures of the README in a real n8n, light and dark, and saves them in docs/pictures.
run(async () => {
	mkdirSync(FOLDER, { recursive: true });
	await onStage(async (stage) => {
		await take(stage, 'light');
		await removeCredentials(stage.n8n);
		await take(stage, 'dark');
	});
});
