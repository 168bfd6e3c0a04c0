import {
	jsonParse,
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { messageOf } from '../../sandbox/guards';

export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
export const EVALUATE = 'harness.evaluate';
export const TOOL_CALLING_AGENT = 'harness.toolCallingAgent';
export const ENGINE_REQUESTING_AGENT = 'harness.engineRequestingAgent';

/** The description of a stand-in: one main input and one main output, unless the caller overrides that. */
export function describeStandIn(
	name: string,
	properties: INodeProperties[],
	overrides: Partial<INodeTypeDescription> = {},
): INodeTypeDescription {
	return {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: 'A stand-in for tests',
		defaults: { name },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties,
		...overrides,
	};
}

/** Starts a workflow, always with pinned items. */
const manualTrigger: INodeType = {
	description: describeStandIn('manualTrigger', [], { group: ['trigger'], inputs: [] }),
	trigger: async () => await Promise.resolve({}),
};

/** Each item becomes the object that the parameter `expression` evaluates to for it. */
const evaluate: INodeType = {
	description: describeStandIn('evaluate', [
		{ displayName: 'Expression', name: 'expression', type: 'string', default: '' },
	]),
	async execute() {
		const valueAt = (item: number) => Object(this.getNodeParameter('expression', item));
		return [this.getInputData().map((_, item) => ({ json: valueAt(item), pairedItem: { item } }))];
	},
};

const describeAgent = (name: string) =>
	describeStandIn(
		name,
		[
			{ displayName: 'Calls', name: 'calls', type: 'json', default: '[]' },
			{ displayName: 'Tool', name: 'tool', type: 'string', default: '' },
		],
		{ inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool] },
	);

interface Tool {
	invoke(args: IDataObject): Promise<unknown>;
}

/** The arguments of each call that the "model" makes. */
function wantedCalls(context: IExecuteFunctions): IDataObject[] {
	return jsonParse<IDataObject[]>(String(context.getNodeParameter('calls', 0)));
}

async function callTool(tool: Tool, args: IDataObject): Promise<INodeExecutionData> {
	try {
		return { json: { response: String(await tool.invoke(args)) } };
	} catch (error) {
		return { json: { thrown: messageOf(error) } };
	}
}

/**
 * An agent of the older kind (AI Agent up to 2.x, MCP Server Trigger): it gets the connected tool
 * from n8n-core and makes all its `calls` at the same time. Each returns one item, `{ response }`
 * with the text that the model would get, or `{ thrown }`.
 */
const toolCallingAgent: INodeType = {
	description: describeAgent('toolCallingAgent'),
	async execute() {
		const connected = await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
		const [tool]: [Tool] = Object(connected);
		return [await Promise.all(wantedCalls(this).map(async (args) => await callTool(tool, args)))];
	},
};

/**
 * An agent of the current kind (AI Agent 3): it requests that the engine execute the connected tool node
 * once for each of its `calls`, and is called again with the results. Each returns one item,
 * `{ response }` with the json of the tool's items.
 */
const engineRequestingAgent: INodeType = {
	description: describeAgent('engineRequestingAgent'),
	async execute(response) {
		const results = response?.actionResponses ?? [];
		const calls = wantedCalls(this);
		// The engine would repeat a request without actions forever.
		if (results.length > 0 || calls.length === 0) {
			const responses = results.map(({ data }) => data.data?.ai_tool?.[0] ?? []);
			return [responses.map((items) => ({ json: { response: items.map(({ json }) => json) } }))];
		}
		const nodeName = String(this.getNodeParameter('tool', 0));
		const actions = calls.map((input, index) => ({
			actionType: 'ExecutionNodeAction' as const,
			nodeName,
			input,
			type: NodeConnectionTypes.AiTool,
			id: `call-${index}`,
			metadata: { itemIndex: 0 },
		}));
		return { actions, metadata: {} };
	},
};

/** Nodes of n8n-nodes-base that test workflows need, and the harness' own, by full type name. */
export const standIns: Record<string, INodeType> = {
	[MANUAL_TRIGGER]: manualTrigger,
	[EVALUATE]: evaluate,
	[TOOL_CALLING_AGENT]: toolCallingAgent,
	[ENGINE_REQUESTING_AGENT]: engineRequestingAgent,
};
