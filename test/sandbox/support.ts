import { request } from 'node:http';
import { createSandbox, type SandboxHandle, type SandboxOptions } from '../../sandbox/service';

/** What came back over HTTP. */
export interface Received {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

export interface Sent {
	method?: string;
	headers?: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
}

/** Sends one request exactly as given, on a connection of its own. */
export async function sendRaw(url: string, path: string, sent: Sent = {}): Promise<Received> {
	const { hostname, port } = new URL(url);
	const body = sent.body === undefined ? {} : { 'content-length': Buffer.byteLength(sent.body) };
	return await new Promise((resolve, reject) => {
		const outgoing = request(
			{
				hostname,
				port,
				path,
				method: sent.method ?? 'GET',
				headers: { ...body, ...sent.headers },
				agent: false,
				signal: sent.signal,
			},
			(incoming) => {
				const chunks: Buffer[] = [];
				incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
				incoming.on('error', reject);
				incoming.on('end', () =>
					resolve({
						status: incoming.statusCode ?? 0,
						headers: incoming.headers,
						text: Buffer.concat(chunks).toString(),
					}),
				);
			},
		);
		outgoing.on('error', reject);
		outgoing.end(sent.body);
	});
}

/** Reads JSON text as an object. */
export function parseObject(text: string): Record<string, unknown> {
	const value: unknown = JSON.parse(text);
	expect(value).toBeInstanceOf(Object);
	return { ...Object(value) };
}

/** A client that holds the good key. Paths are relative to the base URL. */
export function clientOf(sandbox: SandboxHandle) {
	const authorization = `Api-Key ${sandbox.apiKey}`;
	const call = async (path: string, sent: Sent = {}): Promise<Received> =>
		await sendRaw(sandbox.url, `/api${path}`, {
			...sent,
			headers: { authorization, ...sent.headers },
		});
	const sendJson = async (method: string, path: string, value: unknown): Promise<Received> =>
		await call(path, {
			method,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(value),
		});
	return {
		call,
		get: async (id: number, query = '') => await call(`/instances/${id}/${query}`),
		put: async (id: number, value: unknown) => await sendJson('PUT', `/instances/${id}/`, value),
		bulkDelete: async (value: unknown) => await sendJson('POST', '/instances/bulk/delete', value),
		process: (processId: number) => `${sandbox.baseUrl}/processes/${processId}/`,
	};
}

/** A sandbox for the tests of a file, as new for each of them, and a client of it. */
export function useSandbox(options?: SandboxOptions) {
	let sandbox: SandboxHandle;
	beforeAll(async () => {
		sandbox = await createSandbox(options);
	});
	beforeEach(() => sandbox.control.reset());
	afterAll(async () => await sandbox.close());
	return {
		get sandbox() {
			return sandbox;
		},
		get client() {
			return clientOf(sandbox);
		},
	};
}
