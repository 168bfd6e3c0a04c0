import type { Workflow } from '../../../sandbox/n8n/workflowFile';
import { SEED, type SandboxHandle } from '../../../sandbox/service';
import { triggerWorkflow } from '../../e2e/support/active';
import { type Editor, SERVICE, serviceWorkflow } from '../../e2e/support/editor';
import { example } from '../stage';
import { execute, fillUpdate } from '../steps';
import { type Area, canvasArea, downTo, formAndOutputArea } from './area';

/** One picture of the README. */
export interface Scene {
	workflow: Workflow;
	/** Does what the picture shows and gives the part of the page to show. */
	act(editor: Editor, sandbox: SandboxHandle): Promise<Area>;
}

/** The last thing in the form of every operation. */
const endOfForm = (editor: Editor) => editor.form.getByTestId('collection-parameter-add').first();

/** A picture of the form of a node and what it gave. */
const formScene = (
	name: string,
	act: (editor: Editor) => Promise<void>,
	last = endOfForm,
	workflow = serviceWorkflow({ [name]: {} }),
): Scene => ({
	workflow,
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
		async act(editor, { baseUrl }) {
			const { credentialForm } = editor;
			await editor.openNode(SERVICE);
			await editor.newCredential();
			await editor.saveCredential({ baseUrl, apiKey: 'an old key' });
			await editor.showWhy();
			await credentialForm.getByText("The service refused the 'API Key'").waitFor();
			const last = credentialForm.getByText('From the company settings of the service');
			return await downTo(last, credentialForm);
		},
	},
	get: formScene('Get Instance', async (editor) => {
		await editor.locate('instanceId', 'By ID', String(SEED.running));
		await execute(editor, 'Schema', 'Onboarding of Aiko Tanaka');
	}),
	update: formScene(
		'Update Instance',
		async (editor) => {
			await editor.choose('operation', 'Update');
			await fillUpdate(editor);
			await execute(editor, 'Schema', 'escalated');
		},
		outputParameter,
	),
	'dry-run': formScene('Delete Instances', async (editor) => {
		await editor.choose('operation', 'Bulk Delete');
		await editor.fill('instanceIds', '107, 108, 110');
		await editor.add('Options', 'Dry Run');
		await execute(editor, 'Table', '3 items');
	}),
	refusal: formScene(
		'Get Instance',
		async (editor) => {
			await editor.locate('instanceId', 'By ID', String(SEED.unknown));
			await editor.execute();
			await editor.output.getByTestId('node-error-message').waitFor();
		},
		outputParameter,
	),
	trigger: formScene(
		'Trigger',
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
		workflow: example('push-deadlines.json'),
		async act(editor) {
			await editor.page.getByTestId('zoom-to-fit').click();
			return await canvasArea(editor);
		},
	},
};
