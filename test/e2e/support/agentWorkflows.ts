import { type IDataObject, type INodeParameters, NodeConnectionTypes } from 'n8n-workflow';

import { newWorkflow, type Workflow, workflowNode } from '../../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../../sandbox/names';
import { locator, START, withItems } from './stack';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
export const MODEL_TYPE = `${LANGCHAIN}.lmChatOpenAi`;

const fromAi = (key: string, type: string) => `={{ $fromAI('${key}', 'The ${key}', '${type}') }}`;
const instanceId = locator(fromAi('instanceId', 'number'));

/** The three operations as tools, each with what the model fills in. */
const OPERATIONS: Record<string, INodeParameters> = {
	'Look Up': { operation: 'get', instanceId },
	Change: {
		operation: 'update',
		instanceId,
		updateFields: { priority: fromAi('priority', 'string'), addTags: fromAi('tags', 'string') },
	},
	Remove: { operation: 'bulkDelete', instanceIds: fromAi('ids', 'string') },
};

const toolNodes = Object.entries(OPERATIONS).map(([name, parameters]) =>
	workflowNode(name, `${NODE_TYPE}Tool`, 1, { descriptionType: 'auto', ...parameters }),
);

/** A workflow that offers the three operations to MCP clients at `/mcp/<path>`. */
export function mcpServerWorkflow(path: string): Workflow {
	const trigger = workflowNode('Server', `${LANGCHAIN}.mcpTrigger`, 2, {
		path,
		authentication: 'none',
	});
	const links = toolNodes.map(({ name }) => ({
		from: name,
		to: 'Server',
		type: NodeConnectionTypes.AiTool,
	}));
	return newWorkflow('MCP server', [{ ...trigger, webhookId: path }, ...toolNodes], links);
}

/** A workflow in which n8n's own MCP client calls one tool of a server. */
export function mcpClientWorkflow(
	endpointUrl: string,
	tool: string,
	values: IDataObject,
): Workflow {
	const client = workflowNode('Client', `${LANGCHAIN}.mcpClient`, 1, {
		serverTransport: 'httpStreamable',
		endpointUrl,
		authentication: 'none',
		tool: locator(tool),
		inputMode: 'json',
		jsonInput: JSON.stringify(values),
		options: {},
	});
	return newWorkflow(`MCP client: ${tool}`, [START, client]);
}

/** A workflow whose Chat Trigger is to receive a message when the workflow is run. */
export const withMessage = (workflow: Workflow, chatInput: string): Workflow =>
	withItems(workflow, 'When chat message received', [
		{ sessionId: 's', action: 'sendMessage', chatInput },
	]);
