import {
	jsonParse,
	NodeConnectionTypes,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import { messageOf } from '../../../sandbox/guards';
import { describeStandIn } from './describe';

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

function isTool(value: unknown): value is Tool {
	return typeof value === 'object' && value !== null && 'invoke' in value;
}

/** The arguments of each call that the "model" makes. */
function wantedCalls(context: IExecuteFunctions): IDataObject[] {
	return jsonParse<IDataObject[]>(String(context.getNodeParameter('calls', 0)));
}

async function callTool(tool: Tool, args: IDataObject): Promise<INodeExecutionData> {
	try {
		return { json: { response: String(await tool.invoke(args)) } };
	} catch (error) {
		const description = error instanceof NodeOperationError ? error.description : undefined;
		return { json: { thrown: { message: messageOf(error), description } } };
	}
}

/**
 * An agent of the older kind (AI Agent up to 2.x, MCP Server Trigger): it asks n8n-core for the
 * connected tool and makes its `calls` of it at the same time. Each gives one item, `{ response }`
 * with the text that the model would get, or `{ thrown }`.
 */
export const toolCallingAgent: INodeType = {
	description: describeAgent('toolCallingAgent'),
	async execute() {
		const tools: unknown = await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
		const tool: unknown = Array.isArray(tools) ? tools[0] : undefined;
		if (!isTool(tool)) throw new NodeOperationError(this.getNode(), 'No tool is connected');
		return [await Promise.all(wantedCalls(this).map(async (args) => await callTool(tool, args)))];
	},
};

/**
 * An agent of the present kind (AI Agent 3): it asks the engine to execute the connected tool node
 * once for each of its `calls`, and is called again with the results. Each gives one item,
 * `{ response }` with the json of the tool's items.
 */
export const engineRequestingAgent: INodeType = {
	description: describeAgent('engineRequestingAgent'),
	async execute(answer) {
		const results = answer?.actionResponses ?? [];
		const calls = wantedCalls(this);
		// The engine would ask again and again on a request without actions.
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
