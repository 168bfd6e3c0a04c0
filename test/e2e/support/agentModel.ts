import { fastify } from 'fastify';
import type { IDataObject } from 'n8n-workflow';

import {
	type CredentialReference,
	type Workflow,
	withCredential,
} from '../../../sandbox/n8n/workflowFile';
import type { Stack } from './stack';

const MODEL_TYPE = '@n8n/n8n-nodes-langchain.lmChatOpenAi';

/** A call of one of the agent's tools, by its name in n8n: the node's name with `_` for blanks. */
interface ToolCall {
	tool: string;
	arguments: IDataObject;
}

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{
		function: {
			name: string;
			description: string;
			parameters: { properties: IDataObject };
		};
	}>;
}

/** A response of the model: tool calls, or its final text. */
function completion(calls: ToolCall[] | undefined, round: number, text: string) {
	const tool_calls = calls?.map((call, index) => ({
		index,
		id: `call_${round}_${index}`,
		type: 'function',
		function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
	}));
	const message = { role: 'assistant', content: tool_calls ? null : text, tool_calls };
	const choice = { index: 0, message, finish_reason: tool_calls ? 'tool_calls' : 'stop' };
	return { id: 'scripted', object: 'chat.completion', model: 'scripted', choices: [choice] };
}

/** A server for the tests of a file that imitates OpenAI's chat completions, and replies with what the test sets. */
export function useModel(stack: () => Stack) {
	let script: { rounds: ToolCall[][]; text: string } = { rounds: [], text: '' };
	let requests: ChatRequest[] = [];
	let credential: CredentialReference;
	const server = fastify({ forceCloseConnections: true });
	server.post<{ Body: ChatRequest }>('/v1/chat/completions', ({ body }, reply) => {
		const round = requests.push(body) - 1;
		void reply.send(completion(script.rounds[round], round, script.text));
	});
	beforeAll(async () => {
		const address = await server.listen({ host: '127.0.0.1', port: 0 });
		const data = { apiKey: 'scripted', url: `${address}/v1` };
		credential = await stack().n8n.rest.createCredential('Model', 'openAiApi', data);
	});
	afterAll(async () => await server.close());
	return {
		store: async (workflow: Workflow) =>
			await stack().store(withCredential(workflow, MODEL_TYPE, credential)),
		/** Sets what it does in conversations from now on: the calls in each round, then the text. */
		play(rounds: ToolCall[][], text: string) {
			script = { rounds, text };
			requests = [];
		},
		/** The tools that the agent offered most recently, sorted by name, with the parameters of each. */
		offered: () =>
			(requests.at(-1)?.tools ?? [])
				.map(({ function: { name, description, parameters } }) => {
					return { name, description, parameters: Object.keys(parameters.properties).sort() };
				})
				.sort((one, other) => one.name.localeCompare(other.name)),
		/** The responses of the tools, as the model read them. */
		responses: () =>
			(requests.at(-1)?.messages ?? [])
				.filter(({ role }) => role === 'tool')
				.map(({ content }) => String(content)),
	};
}
