import { isRecord } from './guards';

/** A node of a workflow, as far as the sandbox looks at it. */
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
 * @param what names the file in the message
 * @throws when it is not
 */
export function asWorkflow(value: unknown, what: string): Workflow {
	if (isWorkflow(value)) return value;
	throw new Error(`${what} is not a workflow that n8n exported. Export it again from the editor.`);
}

/**
 * The workflow with a credential in every node that can use it: those of the package
 * `nodeTypePrefix`, and HTTP Request nodes set to this credential type.
 */
export function withCredential<T extends Workflow>(
	workflow: T,
	nodeTypePrefix: string,
	{ id, name, type }: CredentialReference,
): T {
	const uses = (node: WorkflowNode) =>
		node.type.startsWith(nodeTypePrefix) ||
		(isRecord(node.parameters) && node.parameters.nodeCredentialType === type);
	const nodes = workflow.nodes.map((node) => {
		if (!uses(node)) return node;
		const others = isRecord(node.credentials) ? node.credentials : {};
		return { ...node, credentials: { ...others, [type]: { id, name } } };
	});
	return { ...workflow, nodes };
}

/** A node as workflow files hold it, called by its name in the place of an id. */
export function workflowNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown>,
) {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}
