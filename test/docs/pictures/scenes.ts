import type { Workflow } from '../../../sandbox/n8n/workflowFile';
import { SEED, type SandboxHandle } from '../../../sandbox/service';
import { triggerWorkflow } from '../../e2e/support/active';
import { type Editor, serviceWorkflow } from '../../e2e/support/editor';
import { example } from '../stage';
import { type Area, canvasArea, downTo, formAndOutputArea } from './area';

/** One picture of the README. */
export interface Scene {
	workflow: Workflow;
	/** Does what the picture shows and gives the part of the page to show. */
	act(editor: Editor, sandbox: SandboxHandle): Promise<Area>;
}

/** A workflow with one node of the package, with nothing filled in. */
const oneNode = (name: string) => serviceWorkflow({ [name]: {} });

/** The last thing in the form of every operation. */
const endOfForm = (editor: Editor) => editor.form.getByTestId('collection-parameter-add').first();

const nodePanel: Scene = {
	workflow: oneNode('Get Instance'),
	async act(editor) {
		await editor.search('process instance');
		await editor.found('Workflow Instance Service').click();
		const last = editor.nodePanel.getByText('Delete instances permanently');
		await last.waitFor();
		return await downTo(last, editor.nodePanel);
	},
};

const credential: Scene = {
	workflow: oneNode('Get Instance'),
	async act(editor, { baseUrl }) {
		const { credentialForm } = editor;
		await editor.openNode('Get Instance');
		await editor.newCredential();
		await editor.saveCredential({ baseUrl, apiKey: 'an old key' });
		await editor.showWhy();
		await credentialForm.getByText("The service refused the 'API Key'").waitFor();
		const last = credentialForm.getByText('From the company settings of the service');
		return await downTo(last, credentialForm);
	},
};

const get: Scene = {
	workflow: oneNode('Get Instance'),
	async act(editor) {
		await editor.openNode('Get Instance');
		await editor.locate('instanceId', 'By ID', String(SEED.running));
		await editor.execute();
		await editor.output.getByText('Schema', { exact: true }).click();
		await editor.output.getByText('Onboarding of Aiko Tanaka').waitFor();
		return await formAndOutputArea(editor, endOfForm(editor));
	},
};

const update: Scene = {
	workflow: oneNode('Update Instance'),
	async act(editor) {
		await editor.openNode('Update Instance');
		await editor.choose('operation', 'Update');
		await editor.locate('instanceId', 'By ID', String(SEED.fullyFilled));
		await editor.add('Fields to Update', 'Priority');
		await editor.choose('priority', 'Very High');
		await editor.add('Fields to Update', 'Add Tags');
		await editor.fill('addTags', 'escalated');
		await editor.execute();
		await editor.output.getByText('Schema', { exact: true }).click();
		await editor.output.getByText('escalated').waitFor();
		return await formAndOutputArea(editor, editor.parameter('output'));
	},
};

const dryRun: Scene = {
	workflow: oneNode('Delete Instances'),
	async act(editor) {
		await editor.openNode('Delete Instances');
		await editor.choose('operation', 'Bulk Delete');
		await editor.fill('instanceIds', '107, 108, 110');
		await editor.add('Options', 'Dry Run');
		await editor.execute();
		await editor.output.getByText('Table', { exact: true }).click();
		await editor.output.getByText('3 items').waitFor();
		return await formAndOutputArea(editor, endOfForm(editor));
	},
};

const refusal: Scene = {
	workflow: oneNode('Get Instance'),
	async act(editor) {
		await editor.openNode('Get Instance');
		await editor.locate('instanceId', 'By ID', String(SEED.unknown));
		await editor.execute();
		await editor.output.getByTestId('node-error-message').waitFor();
		return await formAndOutputArea(editor, editor.parameter('output'));
	},
};

const trigger: Scene = {
	workflow: triggerWorkflow({}),
	async act(editor) {
		await editor.openNode('Trigger');
		await editor.fill('instanceIds', SEED.completedRecently.slice(0, 2).join(', '));
		await editor.choose('events', 'Stage Changed');
		await editor.page.keyboard.press('Escape');
		await editor.execute();
		await editor.output.getByText('Table', { exact: true }).click();
		await editor.output.getByText('2 items').waitFor();
		return await formAndOutputArea(editor, endOfForm(editor));
	},
};

const recipe: Scene = {
	workflow: example('push-deadlines.json'),
	async act(editor) {
		await editor.page.getByTestId('zoom-to-fit').click();
		return await canvasArea(editor);
	},
};

/** The pictures by the name of their file, without `-light.png` or `-dark.png`. */
export const SCENES: Record<string, Scene> = {
	'node-panel': nodePanel,
	credential,
	get,
	update,
	'dry-run': dryRun,
	refusal,
	trigger,
	recipe,
};
