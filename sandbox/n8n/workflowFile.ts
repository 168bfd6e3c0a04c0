import { type IConnections, type NodeConnectionType, NodeConnectionTypes } from 'n8n-workflow';

import { isRecord } from '../guards';

/** The parts of a workflow's node that the sandbox uses. */
export interface WorkflowNode extends Record<string, unknown> {
	name: string;
	type: string;
}

/** A workflow as n8n's editor exports it. */
export interface Workflow extends Record<string, unknown> {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
}

/** A stored credential, as nodes refer to it. */
export interface CredentialReference {
	id: string;
	name: string;
	type: string;
}

const isNode = (value: unknown): value is WorkflowNode =>
	isRecord(value) && typeof value.name === 'string' && typeof value.type === 'string';

const isWorkflow = (value: unknown): value is Workflow =>
	isRecord(value) &&
	typeof value.name === 'string' &&
	(value.id === undefined || typeof value.id === 'string') &&
	Array.isArray(value.nodes) &&
	value.nodes.every(isNode) &&
	isRecord(value.connections);

/**
 * Checks that a parsed JSON file is an exported workflow.
 *
 * @throws when it isn't; the message begins with `what`
 */
export function asWorkflow(value: unknown, what: string): Workflow {
	if (isWorkflow(value)) return value;
	throw new Error(`${what} is not a workflow exported from n8n. Export it again from the editor.`);
}

/**
 * The workflow with a credential in every node that can use it: those whose type begins with
 * `nodeType`, and HTTP Request nodes set to this credential type.
 */
export function withCredential<T extends Workflow>(
	workflow: T,
	nodeType: string,
	{ id, name, type }: CredentialReference,
): T {
	const uses = (node: WorkflowNode) =>
		node.type.startsWith(nodeType) ||
		(isRecord(node.parameters) && node.parameters.nodeCredentialType === type);
	const nodes = workflow.nodes.map((node) => {
		if (!uses(node)) return node;
		const others = isRecord(node.credentials) ? node.credentials : {};
		return { ...node, credentials: { ...others, [type]: { id, name } } };
	});
	return { ...workflow, nodes };
}

/** A node as in workflow files, with its name in place of an ID. */
export function workflowNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown>,
	position = [0, 0],
) {
	return { id: name, name, type, typeVersion, position, parameters };
}

/** A connection of two nodes, by their names. */
export interface Link {
	from: string;
	to: string;
	/** The index of the source's output; 1 is the error output of a node with one output. Default 0. */
	output?: number;
	type?: NodeConnectionType;
}

export function connect(links: Link[]): IConnections {
	const connections: IConnections = {};
	for (const { from, to, output = 0, type = NodeConnectionTypes.Main } of links) {
		const outputs = ((connections[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]?.push({ node: to, type, index: 0 });
	}
	return connections;
}

/** A new workflow with these nodes and connections; without connections, the nodes are in a row. */
export function newWorkflow(name: string, nodes: WorkflowNode[], links?: Link[]): Workflow {
	const sequence = nodes
		.slice(1)
		.map(({ name: to }, index) => ({ from: nodes[index]?.name ?? '', to }));
	const connections = connect(links ?? sequence);
	return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}
