import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { asWorkflow, type Workflow } from '../../../sandbox/n8n/workflowFile';

/** The folder of the workflows that users import. */
export const EXAMPLES = resolve(__dirname, '../../../examples');

/**
 * A workflow of the examples, by the name of its file.
 *
 * @throws when it is not an exported workflow
 */
export function recipe(file: string): Workflow {
	const text = readFileSync(resolve(EXAMPLES, file), 'utf8');
	return asWorkflow(JSON.parse(text), file);
}

/**
 * The recipe after its user has changed parameters of one node.
 *
 * @throws when there is no node of that name
 */
export function withParameters(workflow: Workflow, name: string, changes: IDataObject): Workflow {
	if (!workflow.nodes.some((node) => node.name === name)) throw new Error(`There is no '${name}'.`);
	const nodes = workflow.nodes.map((node) => {
		const parameters = { ...Object(node.parameters), ...changes };
		return node.name === name ? { ...node, parameters } : node;
	});
	return { ...workflow, nodes };
}

/** The recipe with items of its user in place of those that one node gives. */
export function withItems(workflow: Workflow, name: string, items: IDataObject[]): Workflow {
	return { ...workflow, pinData: { [name]: items.map((json) => ({ json })) } };
}
