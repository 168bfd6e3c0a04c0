import { createServer } from 'node:http';

import type { Execution } from '../../sandbox/n8n/executions';
import getPort from 'get-port';

import { SEED } from '../../sandbox/service';
import { GET, itemsOf } from '../e2e/support/stack';
import { useQueue } from './support/queue';

const queue = useQueue();

/** Reads one instance on a worker that has these variables. */
async function getOnWorker(env: Record<string, string>): Promise<Partial<Execution>> {
	const { addWorkers, stopWorkers, store, start, end } = queue();
	await addWorkers(1, { env });
	const [execution = {}] = await end(await start(await store(GET, itemsOf([SEED.running]))));
	await stopWorkers();
	return execution;
}

test("n8n's protection against requests to internal addresses keeps a worker from the service unless the address is allowed", async () => {
	const protection = { N8N_SSRF_PROTECTION_ENABLED: 'true' };
	const { status, data } = await getOnWorker(protection);
	expect(status).toBe('error');
	const { error } = data?.resultData ?? {};
	expect(error?.message).toContain('The request was blocked');
	expect(error?.description).toContain('Ask your n8n admin');
	expect(queue().sandbox.control.stats().requests).toBe(0);

	const allowed = { ...protection, N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8' };
	expect((await getOnWorker(allowed)).status).toBe('success');
	expect(queue().sandbox.control.stats().byStatus).toEqual({ 200: 1 });
});

test('a proxy that a worker is told of carries the requests of the node', async () => {
	const asked: string[] = [];
	const forward = async (url: string, authorization = '') =>
		await (await fetch(url, { headers: { authorization } })).text();
	const proxy = createServer(({ url = '', headers }, response) => {
		asked.push(url);
		response.setHeader('content-type', 'application/json');
		void forward(url, headers.authorization).then((text) => response.end(text));
	});
	const port = await getPort();
	await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
	const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '' };
	const { status } = await getOnWorker(env);
	proxy.close();
	proxy.closeAllConnections();
	expect(status).toBe('success');
	expect(asked).toEqual([`${queue().sandbox.baseUrl}/instances/${SEED.running}/`]);
});
