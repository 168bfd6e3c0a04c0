import type { Workflow } from '../../../sandbox/n8n/workflowFile';
import { newWorkflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { SEED, type SandboxHandle } from '../../../sandbox/service';
import { example } from '../stage';
import type { FilmedEditor } from './filmedEditor';

/** One part of a film. */
export interface Chapter {
	/** What is on the canvas when it begins. */
	workflow: Workflow;
	/** Whether the user has already stored the credential. */
	hasCredential: boolean;
	act(editor: FilmedEditor, sandbox: SandboxHandle): Promise<void>;
}

/** How long a result is shown, in milliseconds. */
const LOOK_MS = 2_500;

/** A workflow that has only its trigger as yet. */
const begun = newWorkflow(
	'Instances',
	[workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {})],
	[],
);

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

async function execute(editor: FilmedEditor, result: string): Promise<void> {
	await editor.execute();
	await editor.showWhen(editor.output.getByText(result), 200);
}

const begin: Chapter = {
	workflow: begun,
	hasCredential: false,
	async act(editor, { baseUrl, apiKey }) {
		editor.say('A node for the Workflow Instance Service. Search for what you want to do');
		await editor.show(1_500);
		await addNode(editor, 'process instance', 'Get an instance');

		editor.say('The credential: the address of your service, and an API key');
		await editor.newCredential();
		await editor.saveCredential({ baseUrl, apiKey: 'an old key' });
		editor.say('n8n tests it, and says what to do about a key that is refused');
		await editor.showWhy();
		await editor.showWhen(editor.credentialForm.getByText("refused the 'API Key'"), LOOK_MS);
		await editor.saveCredential({ apiKey });
		await editor.credentialForm.waitFor({ state: 'hidden' });
		editor.say('With the right key the node is connected');
		await editor.showWhen(editor.form, 800);

		editor.say('Get reads an instance, by its number or its link');
		await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
		await execute(editor, 'Kestrel');
		await editor.click(editor.output.getByText('Schema', { exact: true }));
		await editor.show(LOOK_MS);
	},
};

/** Changes two fields in the form that is open. */
async function update(editor: FilmedEditor): Promise<void> {
	editor.say('Update changes only the fields that you add');
	await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
	await editor.add('Fields to Update', 'Priority');
	await editor.choose('priority', 'Very High');
	await editor.add('Fields to Update', 'Add Tags');
	await editor.fill('addTags', 'escalated');
	await editor.parameter('priority').scrollIntoViewIfNeeded();
	await execute(editor, 'escalated');
	editor.say('Name, stage, deadline and the other tags are as they were');
	await editor.click(editor.output.getByText('Schema', { exact: true }));
	await editor.show(LOOK_MS);
}

const updating: Chapter = {
	workflow: begun,
	hasCredential: true,
	async act(editor) {
		editor.say('Find the node by what you want to do');
		await addNode(editor, 'process instance', 'Update an instance');
		await update(editor);
	},
};

/** Lists three instances that would be deleted. */
async function dryRun(editor: FilmedEditor): Promise<void> {
	editor.say('Bulk Delete removes many instances with few requests');
	await addNode(editor, 'bulk delete', 'Delete instances permanently');
	await editor.fill('instanceIds', '107, 108, 110');
	editor.say('Dry Run first lists what would be deleted');
	await editor.add('Options', 'Dry Run');
	await execute(editor, '3 items');
	await editor.click(editor.output.getByText('Table', { exact: true }));
	await editor.show(LOOK_MS);
}

const trying: Chapter = { workflow: begun, hasCredential: true, act: dryRun };

const deleting: Chapter = {
	workflow: begun,
	hasCredential: true,
	async act(editor) {
		await dryRun(editor);
		editor.say('Without it they are deleted, here with one request');
		await editor.click(editor.parameter('dryRun'));
		await editor.execute();
		await editor.output.getByText('dryRun').first().waitFor({ state: 'hidden' });
		await editor.showWhen(editor.output.getByText('3 items'), LOOK_MS);
	},
};

const refusals: Chapter = {
	workflow: example('push-deadlines.json'),
	hasCredential: true,
	async act(editor) {
		editor.say('Many items at once: each row has an instance and its new deadline');
		await editor.page.getByTestId('zoom-to-fit').click();
		await editor.show(1_500);
		await editor.click(editor.page.getByTestId('execute-workflow-button').first());
		await editor.showWhen(editor.node('To Look At').getByTestId('canvas-node-status-success'), 800);
		editor.say('What cannot be applied comes out on a branch of its own, with the reason');
		await editor.show(1_500);
		await editor.openNode('To Look At');
		await editor.showWhen(editor.output.getByText('did not find instance'), 4_000);
	},
};

/** The whole film. */
export const FILM = [begin, updating, deleting, refusals];

/** The heart of it. */
export const ANIMATION = [updating, trying];
