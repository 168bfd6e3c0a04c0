import { createHash } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';

import { NODE_TYPE } from '../../sandbox/names';
import { newWorkflow, type Workflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { emissions, publish, unpublish } from '../../test/e2e/support/active';
import { NO_DRY_RUN, recipe, SAMPLE_ROWS, WATCHED } from '../../test/e2e/support/recipe';
import { ID_OF_ITEM, locator, type Stack, until, withItems } from '../../test/e2e/support/stack';
import { forms, textsAt } from '../parametersPage';
import type { Area, Camera } from './camera';

/** A picture in the docs, and what the film shows until the editor looks like that. */
export interface Scene {
	workflow: Workflow;
	/** What the film says about it. */
	caption: string;
	/** The form that the picture shows, by its heading in docs/parameters.md. */
	form?: string;
	/** The messages that the picture shows. */
	messages?(camera: Camera): Locator;
	/** Does what the picture shows in the workflow with this ID, which is open. Returns the area to show. */
	act(camera: Camera, stack: Stack, id: string): Promise<Area>;
}

const START = 'When clicking ‘Execute workflow’';
const READ_SECONDS = 1.6;
const RESULT_SECONDS = 3;

/** A workflow of the package's nodes, one after another. */
function workflowOf(nodes: Record<string, INodeParameters>): Workflow {
	const start = workflowNode(START, 'n8n-nodes-base.manualTrigger', 1, {});
	const others = Object.entries(nodes).map(([name, given], index) => {
		const parameters = { resource: 'instance', ...given };
		return workflowNode(name, NODE_TYPE, 1, parameters, [220 * (index + 1), 0]);
	});
	// Without it, n8n's editor can't execute a second step.
	return { ...newWorkflow('My workflow', [start, ...others]), pinData: {} };
}

/** A recipe without its notes, which take most of the canvas. */
function bareRecipe(file: string, changes: Record<string, string>): Workflow {
	const { nodes, ...workflow } = recipe(file, changes);
	return { ...workflow, nodes: nodes.filter(({ type }) => !String(type).endsWith('stickyNote')) };
}

/** Shows the output, once this text is in it. A failure has no views. */
async function showOutput(camera: Camera, text: string, view = ''): Promise<void> {
	if (view !== '') await camera.output.getByText(view, { exact: true }).click();
	await camera.output.getByText(text).first().waitFor();
	await camera.show(RESULT_SECONDS);
}

/** Opens a node, executes it and shows its output. Returns the area of its form and output. */
async function execute(camera: Camera, name: string, text: string, view = ''): Promise<Area> {
	await camera.openNode(name);
	await camera.show(READ_SECONDS);
	await camera.execute();
	await showOutput(camera, text, view);
	const buttons = camera.form.getByTestId('collection-parameter-add').filter({ visible: true });
	return await camera.areaOf(buttons.last(), camera.form, camera.output);
}

const get = (id: number): INodeParameters => ({ operation: 'get', instanceId: locator(id) });
const ESCALATE: INodeParameters = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { priority: 'V', addTags: 'escalated' },
	dryRun: true,
};
/** What *Get Invoice* would return. */
const OVERDUE = [{ id: SEED.overdue, stage: 'Approval' }];
const PREVIEW = { operation: 'bulkDelete', instanceIds: '107, 108, 110', dryRun: true };

/** The pictures, by their file names without `-light.png` or `-dark.png`. */
export const SCENES: Record<string, Scene> = {
	update: {
		workflow: withItems(
			workflowOf({ 'Get Invoice': get(SEED.overdue), 'Escalate Invoice': ESCALATE }),
			'Get Invoice',
			OVERDUE,
		),
		caption: 'Update changes only the fields you add. Dry Run shows how.',
		form: 'Update',
		act: async (camera) => await execute(camera, 'Escalate Invoice', 'escalated', 'Schema'),
	},
	'dry-run': {
		workflow: workflowOf({ 'Delete Instances': PREVIEW }),
		caption: 'Dry Run lists what Bulk Delete would delete',
		form: 'Bulk Delete',
		act: async (camera) => await execute(camera, 'Delete Instances', '3 items', 'Table'),
	},
	recipe: {
		workflow: withItems(recipe('update-from-table.json', NO_DRY_RUN), 'Get Rows', SAMPLE_ROWS),
		caption: 'Rejected rows are reported with the reason',
		async act(camera) {
			await camera.page.getByTestId('zoom-to-fit').click();
			await camera.show(READ_SECONDS);
			await camera.click(camera.page.getByTestId('execute-workflow-button').first());
			await camera.node('Report').getByTestId('canvas-node-status-success').waitFor();
			await camera.show(READ_SECONDS);
			await camera.openNode('Needs Attention');
			await showOutput(camera, 'did not find instance', 'Table');
			await camera.closeNode();
			const { page } = camera;
			const lowest = page.getByTestId('sticky').filter({ hasText: 'Combines all rejected rows' });
			const all = await page.locator('.vue-flow__node').all();
			const { x, y, width, height } = await camera.areaOf(lowest, ...all);
			// The names of nodes are wider than the nodes.
			return { x: x - 40, y: y - 12, width: width + 120, height: height + 12 };
		},
	},
	trigger: {
		workflow: bareRecipe('notify-when-finished.json', WATCHED),
		caption: 'The trigger starts a workflow when an instance completes',
		form: 'Trigger',
		async act(camera, stack, id) {
			await camera.page.getByTestId('zoom-to-fit').click();
			await camera.show(READ_SECONDS);
			await publish(stack, id);
			await until(() => stack.sandbox.control.stats().requests >= 4);
			stack.sandbox.control.change(SEED.running, { state: 'completed' });
			// When published again, it checks the instances at once.
			await unpublish(stack, id);
			await publish(stack, id);
			await until(async () => (await emissions(stack, id, 'Write Message')).length > 0);
			const executions = `${stack.n8n.url}/workflow/${id}/executions`;
			await camera.page.goto(executions, { waitUntil: 'domcontentloaded' });
			await camera.openNode('When an Instance Changes');
			await showOutput(camera, 'completed', 'Schema');
			const last = camera.form.getByText('No properties');
			return await camera.areaOf(last, camera.form, camera.output);
		},
	},
	'node-panel': {
		workflow: workflowOf({}),
		caption: 'Search for what you want to do',
		async act(camera) {
			await camera.search('process instance');
			await camera.click(camera.found('Workflow Instance Service'));
			await camera.click(camera.nodePanel.getByText(/^Triggers \(/));
			const last = camera.nodePanel.getByTestId('node-creator-item-name').last();
			await last.waitFor();
			await camera.show(RESULT_SECONDS);
			return await camera.areaOf(last, camera.nodePanel);
		},
	},
	credential: {
		workflow: workflowOf({ 'Get Instance': get(SEED.running) }),
		caption: 'n8n tests the credential',
		form: 'Credential',
		async act(camera) {
			const { credentialForm } = camera;
			await camera.openNode('Get Instance');
			await camera.click(camera.page.getByTestId('credential-edit-button'));
			await credentialForm.getByText('Connection tested successfully').waitFor();
			// Readers don't have the sandbox's URL.
			const url = credentialForm.getByTestId('parameter-input-baseUrl').locator('input');
			await url.evaluate((input) => Object.assign(input, { value: 'https://example.com/api' }));
			await camera.show(RESULT_SECONDS);
			return await camera.areaOf(credentialForm.locator('input').last(), credentialForm);
		},
	},
	refusal: {
		workflow: workflowOf({ 'Get Instance': get(SEED.unknown) }),
		caption: 'Messages say what happened and what to do',
		form: 'Get',
		messages: ({ output }) =>
			output.getByTestId('node-error-message').or(output.getByTestId('node-error-description')),
		act: async (camera) => await execute(camera, 'Get Instance', 'did not find instance'),
	},
};

/** A hash of the texts that a picture shows: those of its form in its current state, and messages. */
export function shownBy({ form = '' }: Scene, messages: string[] = []): string {
	const texts = textsAt(forms()[form], 'displayName', 'hint', 'placeholder');
	return createHash('sha256')
		.update(JSON.stringify([texts, messages]))
		.digest('hex')
		.slice(0, 16);
}
