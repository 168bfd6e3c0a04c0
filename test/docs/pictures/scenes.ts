import type { Workflow } from '../../../sandbox/n8n/workflowFile';
import { SEED, type SandboxHandle } from '../../../sandbox/service';
import { triggerWorkflow } from '../../e2e/support/active';
import { type Editor, SERVICE, serviceWorkflow } from '../../e2e/support/editor';
import { recipe } from '../../e2e/support/recipe';
import { type Area, canvasArea, downTo, formAndOutputArea } from './area';

/** A picture of the README, and what the film shows until it looks like that. */
export interface Scene {
	workflow: Workflow;
	/** What the film says about it. */
	caption: string;
	/** Does what the picture shows and gives the part of the page to show. */
	act(editor: Editor, sandbox: SandboxHandle): Promise<Area>;
}

/** The last thing in the form of every operation. */
const endOfForm = (editor: Editor) => editor.form.getByTestId('collection-parameter-add').first();

/** Executes the node, and shows its output once it has a text. */
async function execute(editor: Editor, view: 'Schema' | 'Table', text: string): Promise<void> {
	await editor.execute();
	await editor.click(editor.output.getByText(view, { exact: true }));
	await editor.output.getByText(text).first().waitFor();
}

/** The form of a node and its output. */
const formScene = (
	name: string,
	caption: string,
	act: (editor: Editor) => Promise<void>,
	last = endOfForm,
	workflow = serviceWorkflow({ [name]: {} }),
): Scene => ({
	workflow,
	caption,
	async act(editor) {
		await editor.openNode(name);
		await act(editor);
		return await formAndOutputArea(editor, last(editor));
	},
});

const outputParameter = (editor: Editor) => editor.parameter('output');

/** The pictures by the name of their file, without `-light.png` or `-dark.png`. */
export const SCENES: Record<string, Scene> = {
	'node-panel': {
		workflow: serviceWorkflow(),
		caption: 'Search for what you want to do',
		async act(editor) {
			await editor.search('process instance');
			await editor.found('Workflow Instance Service').click();
			const last = editor.nodePanel.getByText('Delete instances permanently');
			await last.waitFor();
			return await downTo(last, editor.nodePanel);
		},
	},
	credential: {
		workflow: serviceWorkflow(),
		caption: 'n8n tests the credential and says what to do about a rejected key',
		async act(editor, { baseUrl }) {
			const { credentialForm } = editor;
			await editor.openNode(SERVICE);
			await editor.newCredential();
			await editor.saveCredential({ baseUrl, apiKey: 'an old key' });
			await editor.showWhy();
			await credentialForm.getByText("The service rejected the 'API Key'").waitFor();
			const last = credentialForm.getByText("From your service's company settings");
			return await downTo(last, credentialForm);
		},
	},
	get: formScene('Get Instance', 'Get reads an instance by its ID or URL', async (editor) => {
		await editor.locate('instanceId', 'By ID', String(SEED.running));
		await execute(editor, 'Schema', 'Onboarding of Aiko Tanaka');
	}),
	update: formScene(
		'Update Instance',
		'Update changes only the fields you add',
		async (editor) => {
			await editor.choose('operation', 'Update');
			await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
			await editor.add('Fields to Update', 'Priority');
			await editor.choose('priority', 'Very High');
			await editor.add('Fields to Update', 'Add Tags');
			await editor.fill('addTags', 'escalated');
			await execute(editor, 'Schema', 'escalated');
		},
		outputParameter,
	),
	'dry-run': formScene(
		'Delete Instances',
		'Dry Run lists what Bulk Delete would delete',
		async (editor) => {
			await editor.choose('operation', 'Bulk Delete');
			await editor.fill('instanceIds', '107, 108, 110');
			await editor.add('Options', 'Dry Run');
			await execute(editor, 'Table', '3 items');
		},
	),
	refusal: formScene(
		'Get Instance',
		'Messages say what happened and what to do',
		async (editor) => {
			await editor.locate('instanceId', 'By ID', String(SEED.unknown));
			await editor.execute();
			await editor.output.getByTestId('node-error-message').waitFor();
		},
		outputParameter,
	),
	trigger: formScene(
		'Trigger',
		'The trigger starts a workflow when an instance changes',
		async (editor) => {
			await editor.fill('instanceIds', SEED.completedRecently.slice(0, 2).join(', '));
			await editor.choose('events', 'Stage Changed');
			await editor.page.keyboard.press('Escape');
			await execute(editor, 'Table', '2 items');
		},
		endOfForm,
		triggerWorkflow({}),
	),
	recipe: {
		workflow: recipe('update-from-table.json'),
		caption: 'Rejected rows are reported with the reason',
		async act(editor) {
			await editor.page.getByTestId('zoom-to-fit').click();
			await editor.click(editor.page.getByTestId('execute-workflow-button').first());
			await editor.node('Report').getByTestId('canvas-node-status-success').waitFor();
			return await canvasArea(editor);
		},
	},
};
