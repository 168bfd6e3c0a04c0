import { SEED, type SandboxHandle } from '../../../sandbox/service';
import type { Editor } from '../../e2e/support/editor';
import { type Area, downTo, formAndOutputArea, formArea } from './area';

/** One picture of the README. */
export interface Scene {
	/** The name of the node in the workflow. */
	node: string;
	/** Does what the picture shows and gives the part of the page to show. */
	act(editor: Editor, sandbox: SandboxHandle): Promise<Area>;
}

/** The last thing in the form of every operation. */
const endOfForm = (editor: Editor) => editor.form.getByTestId('collection-parameter-add').first();

const nodePanel: Scene = {
	node: 'Get Instance',
	async act(editor) {
		await editor.search('process instance');
		await editor.found('Workflow Instance Service').click();
		const last = editor.nodePanel.getByText('Delete instances in bulk');
		await last.waitFor();
		return await downTo(last, editor.nodePanel);
	},
};

const credential: Scene = {
	node: 'Get Instance',
	async act(editor, { baseUrl }) {
		const dialog = editor.page.getByTestId('editCredential-modal');
		await editor.openNode('Get Instance');
		await editor.page.getByTestId('node-credentials-select').click();
		await editor.page.getByText('Create new credential').click();
		await dialog.getByTestId('parameter-input-baseUrl').locator('input').fill(baseUrl);
		await dialog.getByTestId('parameter-input-apiKey').locator('input').fill('an old key');
		await dialog.getByTestId('credential-save-button').click();
		await dialog.getByText('More details').click();
		const message = dialog.getByText("The service refused the 'API Key'");
		await message.waitFor();
		return await downTo(dialog.getByTestId('parameter-input-apiKey'), dialog);
	},
};

const get: Scene = {
	node: 'Get Instance',
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
	node: 'Update Instance',
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

async function chooseBulkDelete(editor: Editor): Promise<void> {
	await editor.openNode('Delete Instances');
	await editor.choose('operation', 'Bulk Delete');
	await editor.fill('instanceIds', '107, 108, 110');
}

const bulkDelete: Scene = {
	node: 'Delete Instances',
	async act(editor) {
		await chooseBulkDelete(editor);
		return await formArea(editor, endOfForm(editor));
	},
};

const dryRun: Scene = {
	node: 'Delete Instances',
	async act(editor) {
		await chooseBulkDelete(editor);
		await editor.add('Options', 'Dry Run');
		await editor.parameter('dryRun').click();
		await editor.execute();
		await editor.output.getByText('Table', { exact: true }).click();
		await editor.output.getByText('3 items').waitFor();
		return await formAndOutputArea(editor, endOfForm(editor));
	},
};

const refusal: Scene = {
	node: 'Get Instance',
	async act(editor) {
		await editor.openNode('Get Instance');
		await editor.locate('instanceId', 'By ID', String(SEED.unknown));
		await editor.execute();
		await editor.output.getByTestId('node-error-message').waitFor();
		return await formAndOutputArea(editor, editor.parameter('output'));
	},
};

/** The pictures by the name of their file, without `-light.png` or `-dark.png`. */
export const SCENES: Record<string, Scene> = {
	'node-panel': nodePanel,
	credential,
	get,
	update,
	'bulk-delete': bulkDelete,
	'dry-run': dryRun,
	refusal,
};
