import { fastify } from 'fastify';
import type { IDataObject } from 'n8n-workflow';

import {
	type CredentialReference,
	type Workflow,
	withCredential,
} from '../../../sandbox/n8n/workflowFile';
import { MODEL_TYPE } from './agentWorkflows';
import type { Stack } from './stack';

/** A call of one of the agent's tools, by the name that n8n gives it: the node's with `_` for blanks. */
export interface ToolCall {
	tool: string;
	arguments: IDataObject;
}

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{
		function: {
			name: string;
			description: string;
			parameters: { properties: IDataObject; required?: string[] };
		};
	}>;
	stream?: boolean;
}

const toolAnswers = ({ messages }: ChatRequest) =>
	messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));

/** The first round with a call that is not answered; agents differ in how they tell of earlier rounds. */
function nextRound(rounds: ToolCall[][], answered: number): ToolCall[] | undefined {
	let calls = 0;
	return rounds.find((round) => (calls += round.length) > answered);
}

/** What the model says: calls of tools, or its last words. */
function choice(calls: ToolCall[] | undefined, answered: number, text: string) {
	const tool_calls = calls?.map((call, index) => ({
		index,
		id: `call_${answered}_${index}`,
		type: 'function',
		function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
	}));
	const content = tool_calls ? null : text;
	const finish_reason = tool_calls ? 'tool_calls' : 'stop';
	return { message: { role: 'assistant', content, tool_calls }, finish_reason };
}

const completion = (object: string, part: object) => ({
	id: 'chatcmpl-scripted',
	object,
	created: 0,
	model: 'scripted',
	choices: [{ index: 0, ...part }],
});

/** The same answer in the form of events, which older agents ask for. */
function asEvents({ message, finish_reason }: ReturnType<typeof choice>): string {
	const parts = [
		{ delta: message, finish_reason: null },
		{ delta: {}, finish_reason },
	];
	const chunks = parts.map((part) => JSON.stringify(completion('chat.completion.chunk', part)));
	return [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

/** A server for the tests of a file that speaks OpenAI's chat completions, and says what it was told to say. */
export function useModel(stack: () => Stack) {
	let script: { rounds: ToolCall[][]; text: string } = { rounds: [], text: '' };
	let last: ChatRequest = { messages: [] };
	let credential: CredentialReference;
	const server = fastify({ forceCloseConnections: true });
	server.post<{ Body: ChatRequest }>('/v1/chat/completions', async ({ body }, reply) => {
		last = body;
		const answered = toolAnswers(body).length;
		const said = choice(nextRound(script.rounds, answered), answered, script.text);
		if (!body.stream) return completion('chat.completion', said);
		return await reply.type('text/event-stream').send(asEvents(said));
	});
	beforeAll(async () => {
		const address = await server.listen({ host: '127.0.0.1', port: 0 });
		const data = { apiKey: 'scripted', url: `${address}/v1` };
		credential = await stack().n8n.rest.createCredential('Model', 'openAiApi', data);
	});
	afterAll(async () => await server.close());
	return {
		/** Stores a workflow whose model it is. Returns its ID. */
		store: async (workflow: Workflow) =>
			await stack().store(withCredential(workflow, MODEL_TYPE, credential)),
		/** What it does in the conversations from now on: the calls of each round, then the text. */
		play(rounds: ToolCall[][], text: string) {
			script = { rounds, text };
			last = { messages: [] };
		},
		/** The tools that the agent offered last, sorted by name, and what each asks for. */
		offered: () =>
			(last.tools ?? [])
				.map(({ function: { parameters, ...tool } }) => ({
					...{ ...tool, required: parameters.required },
					all: Object.keys(parameters.properties).sort(),
				}))
				.sort((one, other) => one.name.localeCompare(other.name)),
		/** What the tools answered, as the model got to read it. */
		answers: () => toolAnswers(last),
	};
}
