import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';

import type { Workflow } from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { emissions, publish, unpublish } from '../../test/e2e/support/active';
import { serviceWorkflow } from '../../test/e2e/support/editor';
import { NO_DRY_RUN, recipe, SAMPLE_ROWS, WATCHED } from '../../test/e2e/support/recipe';
import { SERVICE, type Stack, until, withItems } from '../../test/e2e/support/stack';
import type { Area, Camera } from './camera';

/** A picture in the pages, and what the film shows until the editor looks like that. */
export interface Scene {
	workflow: Workflow;
	/** What the film says about it. */
	caption: string;
	/** The form that the picture shows, by its heading in docs/parameters.md, and the values in it. */
	form?: string;
	fields?: INodeParameters;
	/** The messages that the picture shows. */
	messages?(camera: Camera): Locator;
	/**
	 * Does what the picture shows.
	 *
	 * @param id that of the workflow, which is open in the editor
	 * @returns the part of the page to show
	 */
	act(camera: Camera, stack: Stack, id: string): Promise<Area>;
}

const BY_ID = { __rl: true, mode: 'id' } as const;
const READ_SECONDS = 1.6;
const RESULT_SECONDS = 3;

/** A node that is filled in already; it is opened and executed. */
function formScene(
	name: string,
	caption: string,
	form: string,
	fields: INodeParameters,
	show: (camera: Camera) => Promise<void>,
): Scene {
	return {
		workflow: serviceWorkflow({ [name]: { resource: 'instance', ...fields } }),
		caption,
		form,
		fields,
		async act(camera) {
			await camera.openNode(name);
			await camera.show(READ_SECONDS);
			await camera.execute();
			await show(camera);
			await camera.show(RESULT_SECONDS);
			const buttons = camera.form.getByTestId('collection-parameter-add');
			return await camera.formAndOutput(buttons.filter({ visible: true }).last());
		},
	};
}

/** Shows the output in one of n8n's views, once it has a text. */
async function showOutput(camera: Camera, view: 'Schema' | 'Table', text: string): Promise<void> {
	await camera.output.getByText(view, { exact: true }).click();
	await camera.output.getByText(text).first().waitFor();
}

/** A recipe without its notes, which take most of the canvas. */
function bareRecipe(file: string, changes: Record<string, string>): Workflow {
	const { nodes, ...workflow } = recipe(file, changes);
	return { ...workflow, nodes: nodes.filter(({ type }) => !String(type).endsWith('stickyNote')) };
}

/** The pictures by the name of their file, without `-light.png` or `-dark.png`. */
export const SCENES: Record<string, Scene> = {
	update: formScene(
		'Escalate Instance',
		'Update changes only the fields you add',
		'Update',
		{
			operation: 'update',
			instanceId: { ...BY_ID, value: String(SEED.fullyFilled) },
			updateFields: { priority: 'V', addTags: 'escalated' },
		},
		async (camera) => await showOutput(camera, 'Schema', 'escalated'),
	),
	'dry-run': formScene(
		'Delete Instances',
		'Dry Run lists what Bulk Delete would delete',
		'Bulk Delete',
		{ operation: 'bulkDelete', instanceIds: '107, 108, 110', dryRun: true },
		async (camera) => await showOutput(camera, 'Table', '3 items'),
	),
	recipe: {
		workflow: withItems(bareRecipe('update-from-table.json', NO_DRY_RUN), 'Get Rows', SAMPLE_ROWS),
		caption: 'Rejected rows are reported with the reason',
		messages: ({ output }) => output.locator('td'),
		async act(camera) {
			await camera.page.getByTestId('zoom-to-fit').click();
			await camera.show(READ_SECONDS);
			await camera.click(camera.page.getByTestId('execute-workflow-button').first());
			await camera.node('Report').getByTestId('canvas-node-status-success').waitFor();
			await camera.show(READ_SECONDS);
			await camera.openNode('Needs Attention');
			await showOutput(camera, 'Table', 'did not find instance');
			await camera.show(RESULT_SECONDS);
			return await camera.downTo(camera.output.locator('tr').last(), camera.output);
		},
	},
	trigger: {
		workflow: bareRecipe('notify-when-finished.json', WATCHED),
		caption: 'The trigger starts a workflow when an instance completes',
		form: 'Trigger',
		async act(camera, stack, id) {
			const { control } = stack.sandbox;
			await camera.page.getByTestId('zoom-to-fit').click();
			await camera.show(READ_SECONDS);
			await publish(stack, id);
			await until(() => control.stats().requests >= 4);
			control.change(SEED.running, { state: 'completed' });
			// Published again, it checks the instances at once.
			await unpublish(stack, id);
			await publish(stack, id);
			await until(async () => (await emissions(stack, id, 'Write Message')).length > 0);
			const executions = `${stack.n8n.url}/workflow/${id}/executions`;
			await camera.page.goto(executions, { waitUntil: 'domcontentloaded' });
			await camera.node('Write Message').getByTestId('canvas-node-status-success').waitFor();
			await camera.show(RESULT_SECONDS);
			await camera.narrow();
			await camera.openNode('When an Instance Changes');
			await showOutput(camera, 'Schema', 'completed');
			await camera.show(RESULT_SECONDS);
			return await camera.formAndOutput(camera.output.getByText('aborted_time'));
		},
	},
	'node-panel': {
		workflow: serviceWorkflow(),
		caption: 'Search for what you want to do',
		async act(camera) {
			await camera.search('process instance');
			await camera.click(camera.found('Workflow Instance Service'));
			const last = camera.nodePanel.getByText('Delete instances permanently');
			await last.waitFor();
			await camera.show(RESULT_SECONDS);
			return await camera.downTo(last, camera.nodePanel);
		},
	},
	credential: {
		workflow: serviceWorkflow(),
		caption: 'n8n tests the credential',
		form: 'Credential',
		async act(camera, { sandbox: { baseUrl, apiKey } }) {
			const { credentialForm } = camera;
			await camera.openNode(SERVICE);
			await camera.newCredential();
			await camera.saveCredential({ baseUrl, apiKey });
			await credentialForm.waitFor({ state: 'hidden' });
			await camera.page.getByTestId('credential-edit-button').click();
			await credentialForm.getByText('Connection tested successfully').waitFor();
			await camera.show(RESULT_SECONDS);
			return await camera.downTo(credentialForm.locator('input').last(), credentialForm);
		},
	},
	get: formScene(
		'Get Instance',
		'Get reads an instance by its ID or URL',
		'Get',
		{ operation: 'get', instanceId: { ...BY_ID, value: String(SEED.running) } },
		async (camera) => await showOutput(camera, 'Schema', 'Onboarding of Aiko Tanaka'),
	),
	refusal: {
		...formScene(
			'Get Instance',
			'Messages say what happened and what to do',
			'Get',
			{ operation: 'get', instanceId: { ...BY_ID, value: String(SEED.unknown) } },
			async (camera) => await camera.output.getByTestId('node-error-message').waitFor(),
		),
		messages: ({ output }) =>
			output.getByTestId('node-error-message').or(output.getByTestId('node-error-description')),
	},
};
