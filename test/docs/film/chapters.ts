import { newWorkflow, type Workflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { SEED, type SandboxHandle } from '../../../sandbox/service';
import { example } from '../stage';
import { execute, fillUpdate } from '../steps';
import type { FilmedEditor } from './filmedEditor';

/** One part of a film: what is on the canvas when it begins, and what is done. */
export interface Chapter {
	workflow: Workflow;
	/** Whether the user has yet to store the credential. */
	isNew?: true;
	act(editor: FilmedEditor, sandbox: SandboxHandle): Promise<void>;
}

/** How long a result is shown, in milliseconds. */
const LOOK_MS = 2_500;

const trigger = workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {});
const workflow = newWorkflow('Instances', [trigger], []);

/** Puts the node behind the trigger. */
async function addNode(editor: FilmedEditor, words: string, action: string): Promise<void> {
	await editor.click(editor.node('Start').getByTestId('canvas-handle-plus'));
	await editor.search(words);
	await editor.click(editor.found('Workflow Instance Service'));
	await editor.click(editor.nodePanel.getByText(action));
	await editor.form.waitFor();
	await editor.moveForm();
	await editor.show(600);
}

const begin: Chapter = {
	workflow,
	isNew: true,
	async act(editor, { baseUrl, apiKey }) {
		await editor.say('A node for the Workflow Instance Service. Search for what you want to do');
		await editor.show(1_500);
		await addNode(editor, 'process instance', 'Get an instance');
		await editor.say('The credential: the address of your service, and an API key');
		await editor.newCredential();
		await editor.saveCredential({ baseUrl, apiKey: 'an old key' });
		await editor.say('n8n tests it, and says what to do about a key that is refused');
		await editor.showWhy();
		await editor.showWhen(editor.credentialForm.getByText("refused the 'API Key'"), LOOK_MS);
		await editor.saveCredential({ apiKey });
		await editor.credentialForm.waitFor({ state: 'hidden' });
		await editor.say('With the right key the node is connected');
		await editor.showWhen(editor.form, 800);
		await editor.say('Get reads an instance, by its ID or its URL');
		await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
		await execute(editor, 'Schema', 'Kestrel');
		await editor.show(LOOK_MS);
	},
};

const update: Chapter = {
	workflow,
	async act(editor) {
		await editor.say('Find the node by what you want to do');
		await addNode(editor, 'process instance', 'Update an instance');
		await editor.say('Update changes only the fields that you add');
		await fillUpdate(editor);
		await editor.parameter('priority').scrollIntoViewIfNeeded();
		await execute(editor, 'Schema', 'escalated');
		await editor.say('Name, stage, deadline and the other tags are as they were');
		await editor.show(LOOK_MS);
	},
};

const dryRun: Chapter = {
	workflow,
	async act(editor) {
		await editor.say('Bulk Delete removes many instances with few requests');
		await addNode(editor, 'bulk delete', 'Delete instances permanently');
		await editor.fill('instanceIds', '107, 108, 110');
		await editor.say('Dry Run first lists what would be deleted');
		await editor.add('Options', 'Dry Run');
		await execute(editor, 'Table', '3 items');
		await editor.show(LOOK_MS);
	},
};

const deletion: Chapter = {
	workflow,
	async act(editor, sandbox) {
		await dryRun.act(editor, sandbox);
		await editor.say('Without it they are deleted, here with one request');
		await editor.click(editor.parameter('dryRun'));
		await editor.execute();
		await editor.output.getByText('dryRun').first().waitFor({ state: 'hidden' });
		await editor.showWhen(editor.output.getByText('3 items'), LOOK_MS);
	},
};

const refusals: Chapter = {
	workflow: example('push-deadlines.json'),
	async act(editor) {
		await editor.say('Many items at once: each row has an instance and its new deadline');
		await editor.page.getByTestId('zoom-to-fit').click();
		await editor.show(1_500);
		await editor.click(editor.page.getByTestId('execute-workflow-button').first());
		await editor.showWhen(editor.node('To Look At').getByTestId('canvas-node-status-success'), 800);
		await editor.say('What cannot be applied comes out on a branch of its own, with the reason');
		await editor.show(1_500);
		await editor.openNode('To Look At');
		await editor.showWhen(editor.output.getByText('did not find instance'), 4_000);
	},
};

/** The whole film, and the heart of it. */
export const FILM = [begin, update, deletion, refusals];
export const ANIMATION = [update, dryRun];
