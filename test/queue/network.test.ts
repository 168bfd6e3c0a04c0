import { createServer, type Server } from 'node:http';

import type { Execution } from '../../sandbox/n8n/executions';
import { freePort } from '../../sandbox/n8n/ports';
import { SEED } from '../../sandbox/service';
import { GET, itemsOf, stopAll, useQueue } from './support/queue';

const queue = useQueue();
beforeEach(() => queue().sandbox.control.reset());

/** Reads one instance on a worker that has these variables. */
async function getOnWorker(env: Record<string, string>): Promise<Execution> {
	const { addWorkers, store, start, end } = queue();
	const workers = await addWorkers(1, { env });
	const execution = await end(await start(await store(GET, itemsOf([SEED.running]))));
	await stopAll(workers);
	return execution;
}

describe("n8n's protection against requests to internal addresses, on a worker", () => {
	const N8N_SSRF_PROTECTION_ENABLED = 'true';

	test('keeps the node from a service at an internal address, and the message says whom to ask', async () => {
		const { status, data } = await getOnWorker({ N8N_SSRF_PROTECTION_ENABLED });
		expect(status).toBe('error');
		const { error } = data.resultData;
		expect(error?.message).toContain('The request was blocked');
		expect(error?.description).toContain('Ask the administrator of this n8n');
		expect(queue().sandbox.control.stats().requests).toBe(0);
	});

	test('lets it through where the address is allowed', async () => {
		const { status } = await getOnWorker({
			N8N_SSRF_PROTECTION_ENABLED,
			N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8',
		});
		expect(status).toBe('success');
		expect(queue().sandbox.control.stats().byStatus).toEqual({ 200: 1 });
	});
});

describe('a proxy that a worker is told of', () => {
	const asked: string[] = [];
	let proxy: Server;
	let port: number;
	const forward = async (url: string, authorization = '') =>
		await (await fetch(url, { headers: { authorization } })).text();
	beforeAll(async () => {
		proxy = createServer(({ url = '', headers }, response) => {
			asked.push(url);
			response.setHeader('content-type', 'application/json');
			void forward(url, headers.authorization).then((text) => response.end(text));
		});
		port = await freePort();
		await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
	});
	afterAll(() => {
		proxy.close();
		proxy.closeAllConnections();
	});

	test('carries the requests of the node', async () => {
		const { status } = await getOnWorker({
			HTTP_PROXY: `http://127.0.0.1:${port}`,
			NO_PROXY: '',
		});
		expect(status).toBe('success');
		expect(asked).toEqual([`${queue().sandbox.baseUrl}/instances/${SEED.running}/`]);
	});
});
