import { createSandbox, SEED } from '../../sandbox/service';
import { RequestLog } from '../../sandbox/service/server/requestLog';
import { clientOf } from './support';

describe('the life of a sandbox', () => {
	it('listens on a free port of 127.0.0.1', async () => {
		const sandbox = await createSandbox({ apiKey: 'my own', forbiddenKey: 'theirs' });
		expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`);
		expect(sandbox.baseUrl).toBe(`${sandbox.url}/api`);
		expect([sandbox.apiKey, sandbox.forbiddenKey]).toEqual(['my own', 'theirs']);
		expect((await clientOf(sandbox).get(SEED.running)).status).toBe(200);
		await sandbox.close();
	});

	it('rejects with EADDRINUSE when the port is taken', async () => {
		const first = await createSandbox();
		await expect(createSandbox({ port: first.port })).rejects.toMatchObject({
			code: 'EADDRINUSE',
		});
		await first.close();
	});

	it('keeps sandboxes apart', async () => {
		const [first, second] = await Promise.all([createSandbox(), createSandbox()]);
		await clientOf(first).bulkDelete({ ids: SEED.all });
		expect(first.control.ids()).toEqual([]);
		expect(second.control.ids()).toEqual(SEED.all);
		expect(second.control.log()).toEqual([]);
		await Promise.all([first.close(), second.close()]);
	});

	it('closes at once, with answers hanging, being late and connections kept alive', async () => {
		const sandbox = await createSandbox();
		const client = clientOf(sandbox);
		await (await fetch(`${sandbox.url}/keep-alive`)).text();
		sandbox.control.addFault({ action: { type: 'hang' } });
		const hanging = client.get(SEED.running);
		sandbox.control.addFault({ match: { nth: 1 }, action: { type: 'delay', ms: 30_000 } });
		const late = client.get(SEED.running);
		const ended = Promise.allSettled([hanging, late]);
		while (sandbox.control.stats().inFlight < 2) {
			await new Promise((resolve) => setTimeout(resolve, 2));
		}
		const start = performance.now();
		await sandbox.close();

		expect(performance.now() - start).toBeLessThan(500);
		expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		await expect(client.get(SEED.running)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	});

	it('runs its clock on from the time given', async () => {
		const sandbox = await createSandbox({ now: new Date('2031-01-01T00:00:00Z') });
		const client = clientOf(sandbox);
		await client.put(SEED.running, { process: client.process(SEED.processes.onboarding) });
		const updated = Date.parse(sandbox.control.instance(SEED.running)?.last_updated_time ?? '');
		expect(updated - Date.parse('2031-01-01T00:00:00Z')).toBeGreaterThanOrEqual(0);
		expect(updated - Date.parse('2031-01-01T00:00:00Z')).toBeLessThan(60_000);
		await sandbox.close();
	});

	it('logs many requests without growing without end', () => {
		const log = new RequestLog();
		const request = { method: 'GET', url: '/api/instances/1/', headers: { a: 'b' }, body: '' };
		for (let count = 0; count < 150_000; count += 1) {
			log.start(request, true, true).answered(200);
		}
		const entries = log.list();
		expect(entries.length).toBeLessThanOrEqual(100_000);
		expect(entries.at(-1)?.seq).toBe(150_000);
		expect(log.stats()).toMatchObject({ requests: 150_000, inFlight: 0, maxInFlight: 1 });
	});
});
