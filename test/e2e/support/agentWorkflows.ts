import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	type Link,
	newWorkflow,
	type Workflow,
	workflowNode,
} from '../../../sandbox/n8n/workflowFile';
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

const toolLinks = (to: string): Link[] =>
	Object.keys(OPERATIONS).map((from) => ({ from, to, type: 'ai_tool' }));

/** A workflow in which an AI Agent of the given version has the three operations as its tools. */
export function agentWorkflow(typeVersion: number): Workflow {
	const nodes = [
		START,
		workflowNode('Agent', `${LANGCHAIN}.agent`, typeVersion, {
			promptType: 'define',
			text: 'Do it.',
			options: {},
		}),
		workflowNode('Model', MODEL_TYPE, 1.2, {
			model: locator('scripted', 'list'),
			options: {},
		}),
		// Only with Continue do agents before version 3 tell the model why something was refused.
		...toolNodes.map((tool) => ({ ...tool, onError: 'continueRegularOutput' })),
	];
	return newWorkflow(`AI Agent ${typeVersion}`, nodes, [
		{ from: START.name, to: 'Agent' },
		{ from: 'Model', to: 'Agent', type: 'ai_languageModel' },
		...toolLinks('Agent'),
	]);
}

/** A workflow that offers the three operations to MCP clients at `/mcp/<path>`. */
export function mcpServerWorkflow(path: string): Workflow {
	const trigger = workflowNode('Server', `${LANGCHAIN}.mcpTrigger`, 2, {
		path,
		authentication: 'none',
	});
	const nodes = [{ ...trigger, webhookId: path }, ...toolNodes];
	return newWorkflow('MCP server', nodes, toolLinks('Server'));
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
