import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import { newWorkflow, type Workflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../../sandbox/names';
import { SERVICE, START, withItems } from './stack';

export { SERVICE };

/** n8n takes over what was dropped, or filled into a locator, a moment later. */
const TAKEN_OVER_MS = 500;

/** The node behind a node of the package. */
export const behind = (service: string) => `After ${service}`;

/**
 * A workflow as a user has it who has put the node into it: after a trigger, and before a node that
 * uses its output.
 *
 * @param services the parameters of each node of the package, by the name of the node
 * @param items what the trigger gives in place of its one empty item
 */
export function serviceWorkflow(
	services: Record<string, INodeParameters> = { [SERVICE]: {} },
	items: IDataObject[] = [],
): Workflow {
	const nodes = Object.entries(services).flatMap(([name, parameters], row) => [
		workflowNode(name, NODE_TYPE, 1, parameters, [220, row * 200]),
		workflowNode(behind(name), 'n8n-nodes-base.set', 3.4, {}, [440, row * 200]),
	]);
	const links = Object.keys(services).flatMap((name) => [
		{ from: START.name, to: name },
		{ from: name, to: behind(name) },
	]);
	const workflow = newWorkflow('My workflow', [START, ...nodes], links);
	return items.length === 0 ? workflow : withItems(workflow, START.name, items);
}

/** n8n's editor in a browser, as a user handles it. */
export class Editor {
	readonly nodePanel: Locator;
	/** The whole form of the node. */
	readonly form: Locator;
	readonly input: Locator;
	readonly output: Locator;
	/** n8n's messages in the corner. */
	readonly notices: Locator;
	/** The entries of the list that is open at the moment. */
	readonly listed: Locator;
	/** What the list that is open says when it cannot be shown. */
	readonly listError: Locator;
	/** The form of a credential. */
	readonly credentialForm: Locator;

	constructor(
		readonly page: Page,
		private readonly url: string,
	) {
		this.nodePanel = page.getByTestId('node-creator');
		this.form = page.getByTestId('node-parameters');
		this.input = page.getByTestId('ndv-input-panel');
		this.output = page.getByTestId('output-panel');
		this.notices = page.getByRole('alert');
		this.listed = page.getByTestId('rlc-item').filter({ visible: true });
		this.listError = page.getByTestId('rlc-error-container').filter({ visible: true });
		this.credentialForm = page.getByTestId('editCredential-modal');
	}

	/** Everything that is clicked here goes this way, so that a film can show the pointer. */
	async click(target: Locator): Promise<void> {
		await target.click();
	}

	async doubleClick(target: Locator): Promise<void> {
		await target.dblclick();
	}

	/** Types text in place of what an input holds. */
	async type(input: Locator, text: string): Promise<void> {
		await input.fill(text);
	}

	/** Opens a stored workflow, or a new one. */
	async open(workflowId = 'new'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`, { waitUntil: 'domcontentloaded' });
		const ready = workflowId === 'new' ? 'canvas-add-button' : 'canvas-node';
		await this.page.getByTestId(ready).first().waitFor();
	}

	/** Types words into the search of the node panel. */
	async search(words: string): Promise<void> {
		const search = this.page.getByTestId('node-creator-search-bar');
		const opener = this.page.getByTestId('node-creator-plus-button');
		if (!(await search.isVisible())) await this.click(opener);
		await this.type(search, words);
	}

	/** The node in what the node panel found. */
	found(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Opens the form of a node. */
	async openNode(name: string): Promise<void> {
		await this.doubleClick(this.node(name));
		await this.page.getByTestId('ndv').waitFor();
	}

	/** Closes the form of the node that is open, if one is. */
	async closeNode(): Promise<void> {
		const form = this.page.getByTestId('ndv');
		if (!(await form.isVisible())) return;
		await this.page.keyboard.press('Escape');
		await form.waitFor({ state: 'hidden' });
	}

	/** The input of a parameter, by its name, e.g. `output`. */
	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`);
	}

	async fill(name: string, value: string): Promise<void> {
		const input = this.parameter(name).locator('input');
		await this.type(input, value);
		await input.blur();
	}

	/** Chooses an option of a parameter by what the list shows. */
	async choose(name: string, option: string): Promise<void> {
		await this.click(this.parameter(name));
		await this.click(this.option(option));
	}

	/** Adds a field to a collection, by their labels. */
	async add(collection: string, field: string): Promise<void> {
		const parameters = this.page.getByTestId('parameter-item');
		const parameter = parameters.filter({ hasText: new RegExp(`^\\s*${collection}`) });
		await this.click(parameter.getByTestId('collection-parameter-add'));
		await this.click(this.option(field));
	}

	/** Adds a row to a form of rows, by the name of its parameter and the label of the row. */
	async addRow(name: string, row: string): Promise<void> {
		await this.click(this.page.getByTestId(`fixed-collection-${name}`).locator('input').last());
		await this.click(this.option(row));
	}

	/** Drags a field of the input panel into a parameter. */
	async drag(field: string, name: string): Promise<void> {
		await this.input.getByText(field, { exact: true }).first().hover();
		await this.page.mouse.down();
		const target = await this.parameter(name).boundingBox();
		if (target === null) throw new Error(`There is no place for ${name}.`);
		const { x, y, width, height } = target;
		await this.page.mouse.move(x + width / 2, y + height / 2, { steps: 20 });
		await this.page.mouse.up();
		await this.page.waitForTimeout(TAKEN_OVER_MS);
	}

	/** A resource locator, e.g. `stepId`, in one of the rows that have it. */
	locator(name: string, row = 0): Locator {
		return this.page.getByTestId(`resource-locator-${name}`).nth(row);
	}

	/** Opens the list of a resource locator, and searches it. */
	async openList(name: string, row = 0, words = ''): Promise<void> {
		await this.click(this.locator(name, row).getByTestId('rlc-input'));
		if (words === '') return;
		const search = '[data-test-id=rlc-search]';
		await this.type(this.page.locator(`input${search}, ${search} input`).last(), words);
	}

	async closeList(): Promise<void> {
		await this.page.keyboard.press('Escape');
		await this.listed.first().waitFor({ state: 'hidden' });
	}

	/** Chooses from the list of a resource locator what has a text. */
	async pick(name: string, entry: string, row = 0): Promise<void> {
		await this.openList(name, row);
		await this.click(this.listed.filter({ hasText: entry }).first());
		await this.listed.first().waitFor({ state: 'hidden' });
	}

	/** Fills in a resource locator, e.g. `instanceId`. */
	async locate(name: string, mode: 'By ID' | 'By URL', value: string, row = 0): Promise<void> {
		const locator = this.locator(name, row);
		const shown = locator.getByTestId('rlc-mode-selector').locator('input');
		if ((await shown.inputValue()) !== mode) {
			await this.click(shown);
			await this.click(this.option(mode));
		}
		await this.type(locator.getByTestId('rlc-input'), value);
		await locator.getByTestId('rlc-input').blur();
		await this.page.waitForTimeout(TAKEN_OVER_MS);
	}

	/** Begins a new credential for the node that is open. */
	async newCredential(): Promise<void> {
		const first = this.page.getByTestId('node-credentials-empty-state').getByRole('button');
		if (await first.isVisible()) await this.click(first);
		else {
			await this.click(this.page.getByTestId('node-credentials-select'));
			await this.click(this.page.getByText('Create new credential'));
		}
		await this.credentialForm.waitFor();
	}

	/** Fills in the fields of the credential, by their names, and saves it, which tests it. */
	async saveCredential(values: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(values)) {
			const input = this.credentialForm.getByTestId(`parameter-input-${name}`).locator('input');
			await this.type(input, value);
		}
		await this.click(this.credentialForm.getByTestId('credential-save-button'));
	}

	/** Shows the whole reason for which the test of a credential did not go through. */
	async showWhy(): Promise<void> {
		const more = this.credentialForm.getByText('More details');
		await this.credentialForm.getByText('Couldn’t connect').waitFor();
		// Only there when the reason is long for the width of the window.
		if (await more.isVisible()) await this.click(more);
	}

	/** Presses 'Execute step' for values with which n8n does not even start. */
	async tryToExecute(): Promise<void> {
		await this.click(this.page.getByTestId('ndv').getByTestId('node-execute-button').first());
	}

	/** Presses 'Execute step' and waits until n8n has started. */
	async execute(): Promise<void> {
		const started = this.page.waitForResponse(
			(response) => response.request().method() === 'POST' && /\/run\b/.test(response.url()),
		);
		await this.tryToExecute();
		await started;
	}

	/** An entry of the list that is open at the moment. */
	private option(text: string): Locator {
		const starts = new RegExp(`^\\s*${text}`);
		return this.page.getByRole('option').filter({ hasText: starts, visible: true }).first();
	}
}
