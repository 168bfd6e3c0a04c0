import type { INodeParameters } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import { newWorkflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../../sandbox/names';
import { SERVICE, START } from './stack';

/** n8n only registers what was filled into a locator a moment later. */
const TAKEN_OVER_MS = 500;
/** How long an added field may take to appear before it's added again. */
const SHOWN_WITHIN_MS = 10_000;

/** The node after the package's node. */
export const behind = (service: string) => `After ${service}`;

/** Start → a node of the package with these parameters → a node that uses its output. */
export function serviceWorkflow(services: Record<string, INodeParameters> = { [SERVICE]: {} }) {
	const nodes = Object.entries(services).flatMap(([name, parameters], row) => [
		workflowNode(name, NODE_TYPE, 1, parameters, [220, row * 200]),
		workflowNode(behind(name), 'n8n-nodes-base.set', 3.4, {}, [440, row * 200]),
	]);
	const links = Object.keys(services).flatMap((name) => [
		{ from: START.name, to: name },
		{ from: name, to: behind(name) },
	]);
	return newWorkflow('My workflow', [START, ...nodes], links);
}

async function isShown(target: Locator): Promise<boolean> {
	const shown = target.waitFor({ timeout: SHOWN_WITHIN_MS });
	return await shown.then(
		() => true,
		() => false,
	);
}

/** n8n's editor in a browser, used like a user would. Fields are found by their names, lists by what they show. */
export class Editor {
	readonly nodePanel: Locator;
	readonly form: Locator;
	readonly input: Locator;
	readonly output: Locator;
	readonly credentialForm: Locator;
	readonly listed: Locator;
	/** Why the open list can't be shown. */
	readonly listError: Locator;

	constructor(
		readonly page: Page,
		private readonly url: string,
	) {
		this.nodePanel = page.getByTestId('node-creator');
		this.form = page.getByTestId('node-parameters');
		this.input = page.getByTestId('ndv-input-panel');
		this.output = page.getByTestId('output-panel');
		this.credentialForm = page.getByTestId('editCredential-modal');
		this.listed = page.getByTestId('rlc-item').filter({ visible: true });
		this.listError = page.getByTestId('rlc-error-container').filter({ visible: true });
	}

	/**
	 * All clicks go through this, so that a film can show the pointer.
	 *
	 * @throws with the text of the page, since tests usually fail where nobody sees it
	 */
	async click(target: Locator, clickCount = 1): Promise<void> {
		try {
			await target.click({ clickCount });
		} catch (error) {
			const shown = await this.page.locator('body').innerText();
			throw new Error(`The page shows:\n${shown}`, { cause: error });
		}
	}

	async open(workflowId = 'new'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}`, { waitUntil: 'domcontentloaded' });
		const ready = workflowId === 'new' ? 'canvas-add-button' : 'canvas-node';
		await this.page.getByTestId(ready).first().waitFor();
	}

	async search(words: string): Promise<void> {
		const search = this.page.getByTestId('node-creator-search-bar');
		const opener = this.page.getByTestId('node-creator-plus-button');
		if (!(await search.isVisible())) await this.click(opener);
		await search.fill(words);
	}

	found(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<void> {
		await this.click(this.node(name), 2);
		await this.page.getByTestId('ndv').waitFor();
	}

	async closeNode(): Promise<void> {
		await this.page.keyboard.press('Escape');
		await this.page.getByTestId('ndv').waitFor({ state: 'hidden' });
	}

	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`);
	}

	async fill(name: string, value: string): Promise<void> {
		const input = this.parameter(name).locator('input, textarea');
		await input.fill(value);
		await input.blur();
	}

	async choose(name: string, option: string): Promise<void> {
		await this.click(this.parameter(name));
		await this.click(this.option(option));
	}

	/** Adds a field to a collection, by their labels. Like a user, tries again if n8n misses the choice. */
	async add(collection: string, field: string): Promise<void> {
		const parameters = this.page.getByTestId('parameter-item');
		const parameter = parameters.filter({ hasText: new RegExp(`^\\s*${collection}`) });
		const added = parameter.getByText(field, { exact: true }).first();
		const option = this.option(field);
		do {
			if (!(await option.isVisible()))
				await this.click(parameter.getByTestId('collection-parameter-add'));
			await this.click(option);
		} while (!(await isShown(added)));
	}

	/** A resource locator, in one of the rows with that locator. */
	locator(name: string, row = 0): Locator {
		return this.page.getByTestId(`resource-locator-${name}`).nth(row);
	}

	/** Opens the list of a resource locator, and searches it. */
	async openList(name: string, row = 0, words = ''): Promise<void> {
		await this.click(this.locator(name, row).getByTestId('rlc-input'));
		if (words === '') return;
		// Otherwise, the whole list might appear after the words have been filled in.
		await this.listed.first().waitFor();
		const search = '[data-test-id=rlc-search]';
		await this.page.locator(`input${search}, ${search} input`).last().fill(words);
	}

	async pick(name: string, entry: string, row = 0): Promise<void> {
		await this.openList(name, row);
		await this.click(this.listed.filter({ hasText: entry }).first());
		await this.listed.first().waitFor({ state: 'hidden' });
	}

	/** Sets a resource locator to By ID, and fills it in. */
	async enterId(name: string, id: number, row = 0): Promise<void> {
		const locator = this.locator(name, row);
		const mode = locator.getByTestId('rlc-mode-selector').locator('input');
		if ((await mode.inputValue()) !== 'By ID') {
			await this.click(mode);
			await this.click(this.option('By ID'));
		}
		const input = locator.getByTestId('rlc-input');
		await input.fill(String(id));
		await input.blur();
		await this.page.waitForTimeout(TAKEN_OVER_MS);
	}

	/** Starts a new credential for the open node. */
	async newCredential(): Promise<void> {
		await this.click(this.page.getByTestId('node-credentials-select'));
		await this.click(this.page.getByText('Create new credential'));
		await this.credentialForm.waitFor();
	}

	/** Fills in the credential and saves it, which tests it. */
	async saveCredential(values: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(values)) {
			await this.credentialForm.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
		}
		await this.click(this.credentialForm.getByTestId('credential-save-button'));
	}

	/** Selects 'Execute step'. If values are invalid, n8n doesn't even start. */
	async tryToExecute(): Promise<void> {
		await this.click(this.page.getByTestId('ndv').getByTestId('node-execute-button').first());
	}

	/** Executes the step, and waits until n8n has started. */
	async execute(): Promise<void> {
		const started = this.page.waitForResponse(
			(response) => response.request().method() === 'POST' && /\/run\b/.test(response.url()),
		);
		await this.tryToExecute();
		await started;
	}

	private option(text: string): Locator {
		const starts = new RegExp(`^\\s*${text}`);
		return this.page.getByRole('option').filter({ hasText: starts, visible: true }).first();
	}
}
