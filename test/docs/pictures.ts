import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { openBrowser } from '../e2e/support/browser';
import { Editor } from '../e2e/support/editor';
import type { Stack } from '../e2e/support/stack';
import { SCENES } from './pictures/scenes';
import { onStage, openWorkflow, run } from './stage';

const FOLDER = resolve(__dirname, '../../docs/pictures');
const LARGEST_BYTES = 300_000;
/** GitHub shows a page about 830 pixels wide; two pixels of the picture for each keep it sharp. */
const LOOK = { deviceScaleFactor: 2, viewport: { width: 1400, height: 1100 } };

async function take(stage: Stack, colorScheme: 'dark' | 'light') {
	const browser = await openBrowser(stage.n8n, { ...LOOK, colorScheme });
	try {
		for (const [scene, { workflow, act }] of Object.entries(SCENES)) {
			const editor = new Editor(await browser.newPage(), stage.n8n.url);
			await openWorkflow(stage, editor, workflow);
			const clip = await act(editor, stage.sandbox);
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

// Takes the pictures of the README in a real n8n, light and dark, and saves them in docs/pictures.
run(async () => {
	mkdirSync(FOLDER, { recursive: true });
	await onStage(async (stage) => {
		await take(stage, 'light');
		await take(stage, 'dark');
	});
});
