import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import type fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';

export type ValueOf<T> = T extends fc.Arbitrary<infer V> ? V : never;
export type Instance = Record<string, unknown>;

interface Request {
	method: string;
	id: number;
	sent: string;
}

/** Responds to a request: with a status, 0 for a lost connection, and a body. */
export type Handler = (request: Request) => [status: number, content: string];

/** Runs one server for the tests of a file. */
export function useServer() {
	let rounds = 0;
	let handler: Handler = () => [0, ''];
	const respond = ({ method = '', url = '' }: IncomingMessage, sent: string) => {
		const [, round, id] = /^\/(\d+)\/api\/[a-z]+\/(\w+)/.exec(url) ?? [];
		// Requests that were in flight when an earlier round was stopped get no response.
		if (round !== String(rounds)) return [0, ''] as const;
		return handler({ method, id: Number(id), sent });
	};
	const server = createServer((request, response) => {
		void text(request).then((sent) => {
			const [status, content] = respond(request, sent);
			// The time is by the node's clock, which may be virtual.
			response.sendDate = false;
			if (status === 0) return response.destroy();
			const type = /^[[{]/.test(content) ? 'application/json' : 'text/html';
			const location = status === 302 && { location: 'https://elsewhere.example/' };
			return response.writeHead(status, { 'content-type': type, ...location }).end(content);
		});
	});
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	/** Starts a round with its own handler. Returns the credential for it. */
	return (next: Handler) => {
		handler = next;
		const address = server.address();
		const port = typeof address === 'object' ? address?.port : undefined;
		return { baseUrl: `http://127.0.0.1:${String(port)}/${++rounds}/api`, apiKey: 'the-key' };
	};
}

/** The input items that an item is paired to. */
export const inputsOf = ({ pairedItem = [] }: INodeExecutionData): number[] =>
	[pairedItem].flat().map((paired) => (typeof paired === 'number' ? paired : paired.item));
