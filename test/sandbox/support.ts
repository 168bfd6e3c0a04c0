import { createContract, createSandbox, type SandboxHandle } from '../../sandbox/service';
import { VirtualClock } from '../harness/virtualClock';

const JSON_TYPE = { 'content-type': 'application/json' };

export type Sent = Pick<RequestInit, 'body'> & { headers?: Record<string, string> };

/** Sends one request. */
export async function send(url: string, method: string, path: string, sent: Sent = {}) {
	const response = await fetch(`${url}${path}`, { method, ...sent });
	const text = await response.text();
	const value: unknown = text === '' ? undefined : JSON.parse(text);
	return {
		status: response.status,
		headers: Object.fromEntries(response.headers),
		text,
		/** The value of a JSON body, undefined without one. */
		value,
	};
}

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
