import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../sandbox/guards';
import { asWorkflow, type Workflow, type WorkflowNode } from '../../../sandbox/n8n/workflowFile';

/** The folder of the workflows that users import. */
export const EXAMPLES = resolve(__dirname, '../../../examples');

/**
 * A workflow of the examples, by the name of its file.
 *
 * @throws when it is not an exported workflow
 */
export function recipe(file: string): Workflow {
	return asWorkflow(JSON.parse(readFileSync(resolve(EXAMPLES, file), 'utf8')), file);
}

function withNode(
	workflow: Workflow,
	name: string,
	change: (node: WorkflowNode) => WorkflowNode,
): Workflow {
	if (!workflow.nodes.some((node) => node.name === name)) throw new Error(`There is no '${name}'.`);
	const nodes = workflow.nodes.map((node) => (node.name === name ? change(node) : node));
	return { ...workflow, nodes };
}

/**
 * The recipe after its user has changed parameters of one node.
 *
 * @throws when there is no node of that name
 */
export function withParameters(workflow: Workflow, name: string, changes: IDataObject): Workflow {
	return withNode(workflow, name, (node) => {
		const parameters = isRecord(node.parameters) ? node.parameters : {};
		return { ...node, parameters: { ...parameters, ...changes } };
	});
}

/**
 * The recipe after its user has put a source of several items in the place of one node.
 *
 * @throws when there is no node of that name
 */
export function withItems(workflow: Workflow, name: string, items: IDataObject[]): Workflow {
	const jsCode = `return ${JSON.stringify(items)}.map((json) => ({ json }));`;
	return withNode(workflow, name, (node) => ({
		...node,
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode },
	}));
}
