import { NodeConnectionTypes, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { connect } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { type RunOptions, runWorkflow } from './execute';
import { ENGINE_REQUESTING_AGENT, MANUAL_TRIGGER, TOOL_CALLING_AGENT } from './standIns';
import { node, type NodeSettings } from './workflow';

const SOURCE = 'Items';
const AGENT = 'Agent';
const TOOL = 'Service';

interface ToolRunOptions extends RunOptions, NodeSettings {
	/** What the model fills in is written as `={{ $fromAI('name', 'description', 'type') }}`. */
	parameters: INodeParameters;
	/** What the model fills in, by name, for each call of the tool. All calls are made at once. */
	calls: IDataObject[];
	items: IDataObject[];
	/**
	 * `call`: the agent calls the node through n8n-core's tool wrapper, with the arguments as the
	 * one item of an `ai_tool` input (AI Agent up to 2.x, MCP Server Trigger). `request`: it asks
	 * the engine to execute the node (AI Agent 3).
	 */
	agent: 'call' | 'request';
}

/** Runs the node as a tool of an AI agent, in n8n's engine. A stand-in plays the agent. */
export async function runAsTool(options: ToolRunOptions) {
	const { parameters, calls, items, agent, credentials, signal, ...settings } = options;
	const agentType = agent === 'call' ? TOOL_CALLING_AGENT : ENGINE_REQUESTING_AGENT;
	const workflow = {
		nodes: [
			node(SOURCE, MANUAL_TRIGGER),
			node(AGENT, agentType, { tool: TOOL, calls: JSON.stringify(calls) }),
			node(TOOL, `${NODE_TYPE}Tool`, parameters, { waitBetweenTries: 1, ...settings }),
		],
		connections: connect([
			{ from: SOURCE, to: AGENT },
			{ from: TOOL, to: AGENT, type: NodeConnectionTypes.AiTool },
		]),
		pinData: { [SOURCE]: items.map((json) => ({ json })) },
	};
	const run = await runWorkflow(workflow, { credentials, signal });
	const [responses = []] = run.node(AGENT).outputs;
	return {
		...run.node(TOOL),
		/**
		 * What the model gets for each call. `response`: for `call` the tool's text, for `request` the
		 * json of its items. `thrown`: the error that the tool threw at the agent (`call` only).
		 */
		responses: responses.map(({ json }) => json),
	};
}
