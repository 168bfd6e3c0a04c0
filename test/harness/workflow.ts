import { readFileSync } from 'node:fs';
import {
	jsonParse,
	NodeConnectionTypes,
	type IConnections,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IPinData,
	type IWorkflowSettings,
	type NodeConnectionType,
} from 'n8n-workflow';

/** The part of an exported workflow JSON that shapes a run. */
export interface WorkflowDefinition {
	name?: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
}

/** A node's settings beside its parameters, as in its Settings tab. */
export type NodeSettings = Partial<
	Pick<
		INode,
		| 'alwaysOutputData'
		| 'disabled'
		| 'executeOnce'
		| 'maxTries'
		| 'onError'
		| 'retryOnFail'
		| 'typeVersion'
		| 'waitBetweenTries'
	>
>;

export interface Link {
	from: string;
	to: string;
	/** Number of the source's output; 1 is the error output of a node with one output. Default 0. */
	output?: number;
	/** Default `main`. */
	type?: NodeConnectionType;
}

/**
 * A node of a test workflow.
 *
 * @param type - full type name
 */
export function node(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	settings: NodeSettings = {},
): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], ...settings, parameters };
}

/** The `connections` of a workflow JSON, from a list of links. */
export function connect(links: Link[]): IConnections {
	const connections: IConnections = {};
	for (const { from, to, output = 0, type = NodeConnectionTypes.Main } of links) {
		const outputs = ((connections[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]?.push({ node: to, type, index: 0 });
	}
	return connections;
}

/** Items of plain JSON objects. */
export function toItems(items: Array<INodeExecutionData['json']>): INodeExecutionData[] {
	return items.map((json) => ({ json }));
}

/**
 * Reads an exported workflow.
 *
 * @param path - of the JSON file
 */
export function readWorkflow(path: string): WorkflowDefinition {
	return jsonParse<WorkflowDefinition>(readFileSync(path, 'utf8'));
}
