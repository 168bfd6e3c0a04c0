import { once } from 'node:events';
import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

import { createContract, createSandbox, type SandboxHandle } from '../../sandbox/service';
import { VirtualClock } from '../harness/virtualClock';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends one request exactly as given, on a connection of its own. */
export async function send(
	url: string,
	method: string,
	path: string,
	sent: { headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
) {
	const { hostname, port } = new URL(url);
	const { body, signal } = sent;
	const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
	const headers = { ...length, ...sent.headers };
	const options: RequestOptions = { hostname, port, method, path, headers, agent: false, signal };
	const outgoing = request(options).end(body);
	const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
	if (incoming === undefined) throw new Error('There is no response.');
	const received = await text(incoming);
	return {
		status: incoming.statusCode ?? 0,
		headers: incoming.headers,
		text: received,
		/** The value of a JSON body, undefined without one. */
		get value(): unknown {
			return received === '' ? undefined : JSON.parse(received);
		},
	};
}

export type Sent = Parameters<typeof send>[3];
export type Received = Awaited<ReturnType<typeof send>>;

/** A sandbox for the tests of a file, as new for each of them, on a clock that waits for nobody. */
export function useSandbox() {
	let sandbox: SandboxHandle;
	const clock = new VirtualClock();
	beforeAll(async () => {
		sandbox = await createSandbox({ clock });
	});
	beforeEach(() => sandbox.control.reset());
	afterAll(async () => await sandbox.close());
	const call = async (method: string, path: string, value?: unknown, sent: Sent = {}) =>
		await send(sandbox.url, method, `/api${path}`, {
			body: value === undefined ? undefined : JSON.stringify(value),
			...sent,
			headers: { authorization: `Api-Key ${sandbox.apiKey}`, ...JSON_TYPE, ...sent.headers },
		});
	return {
		clock,
		get sandbox() {
			return sandbox;
		},
		get control() {
			return sandbox.control;
		},
		process: (id: number) => `${sandbox.baseUrl}/processes/${id}/`,
		/** Sends a request below `/api`, with the good key and JSON unless told otherwise. */
		call,
		/** The same, of which the response has to be as the description has it. */
		async checked(...[method, path, ...rest]: Parameters<typeof call>): Promise<Received> {
			const received = await call(method, path, ...rest);
			const { status, value: body } = received;
			const response = { method, path: `/api${path}`, status, body };
			expect(createContract().validateResponse(response)).toEqual([]);
			return received;
		},
		/** Sends a request below `/control`. Returns the status and the value of the response. */
		async steer(method: string, path: string, value?: unknown): Promise<[number, unknown]> {
			const sent = value === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(value) };
			const received = await send(sandbox.url, method, `/control${path}`, sent);
			return [received.status, received.value];
		},
	};
}
