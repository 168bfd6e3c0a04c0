import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { type OpenBrowser, openBrowser } from './browser';
import { Editor } from './editor';
import { useStack } from './stack';

/** Where the tests leave a picture of the editor as each of them ended, e.g. to see why it did not pass. */
const PICTURES = resolve(__dirname, '../../../coverage/editor');

/**
 * n8n's editor in a browser for the tests of a describe, with the stack behind it.
 *
 * @returns `openEditor` opens a stored workflow, or a new one, in a new page
 */
export function useEditor() {
	const stack = useStack();
	let browser: OpenBrowser | undefined;

	beforeAll(async () => {
		mkdirSync(PICTURES, { recursive: true });
		browser = await openBrowser(stack().n8n);
	});
	afterEach(async () => {
		const name = (expect.getState().currentTestName ?? '').replace(/\W+/g, '-').toLowerCase();
		await browser?.page()?.screenshot({ path: join(PICTURES, `${name}.png`) });
	});
	afterAll(async () => await browser?.close());

	async function openEditor(workflowId?: string): Promise<Editor> {
		if (browser === undefined) throw new Error('The browser was not started.');
		const editor = new Editor(await browser.newPage(), stack().n8n.url);
		await editor.open(workflowId);
		return editor;
	}
	return { stack, openEditor };
}
