import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asWorkflow, type Workflow, workflowNode } from '../../../sandbox/n8n/workflow-file';
import { NODE_TYPE, type OnError } from './stack';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
export const MODEL_TYPE = `${LANGCHAIN}.lmChatOpenAi`;

const connected = (names: string[], type: string, to: string) =>
	Object.fromEntries(names.map((name) => [name, { [type]: [[{ node: to, type, index: 0 }]] }]));

const fromAi = (key: string, type: string) => `={{ $fromAI('${key}', 'The ${key}', '${type}') }}`;
const instanceId = { __rl: true, mode: 'id', value: fromAi('instanceId', 'number') } as const;

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
	workflowNode(name, `${NODE_TYPE}Tool`, 1, {
		resource: 'instance',
		descriptionType: 'auto',
		...parameters,
	}),
);

const workflow = (name: string, nodes: object[], connections: object): Workflow =>
	asWorkflow({ name, nodes, connections, settings: { executionOrder: 'v1' } }, name);

/**
 * A workflow in which an AI Agent of the given version has the three operations as its tools.
 *
 * @param onError what the tools do about an item that is refused; only with Continue do agents before
 *   version 3 tell the model why
 */
export function agentWorkflow(typeVersion: number, onError: OnError = 'stopWorkflow'): Workflow {
	const nodes = [
		workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
		workflowNode('Agent', `${LANGCHAIN}.agent`, typeVersion, {
			// Before version 2 there were several kinds of agents.
			...(typeVersion < 2 && { agent: 'toolsAgent' }),
			promptType: 'define',
			text: 'Do it.',
			options: {},
		}),
		workflowNode('Model', MODEL_TYPE, 1.2, {
			model: { __rl: true, mode: 'list', value: 'scripted' },
			options: {},
		}),
		...toolNodes.map((tool) => ({ ...tool, onError })),
	];
	return workflow(`AI Agent ${typeVersion}`, nodes, {
		...connected(['Start'], 'main', 'Agent'),
		...connected(['Model'], 'ai_languageModel', 'Agent'),
		...connected(Object.keys(OPERATIONS), 'ai_tool', 'Agent'),
	});
}

/** A workflow that offers the three operations to MCP clients at `/mcp/<path>`. */
export function mcpServerWorkflow(path: string): Workflow {
	const trigger = workflowNode('Server', `${LANGCHAIN}.mcpTrigger`, 2, {
		path,
		authentication: 'none',
	});
	return workflow(
		'MCP server',
		[{ ...trigger, webhookId: path }, ...toolNodes],
		connected(Object.keys(OPERATIONS), 'ai_tool', 'Server'),
	);
}

/** A workflow in which n8n's own MCP client calls one tool of a server. */
export function mcpClientWorkflow(
	endpointUrl: string,
	tool: string,
	values: IDataObject,
): Workflow {
	const nodes = [
		workflowNode('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
		workflowNode('Client', `${LANGCHAIN}.mcpClient`, 1, {
			serverTransport: 'httpStreamable',
			endpointUrl,
			authentication: 'none',
			tool: { __rl: true, mode: 'id', value: tool },
			inputMode: 'json',
			jsonInput: JSON.stringify(values),
			options: {},
		}),
	];
	return workflow(`MCP client: ${tool}`, nodes, connected(['Start'], 'main', 'Client'));
}
