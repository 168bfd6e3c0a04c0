import { createSandbox, type FaultRule, type RateLimit, SEED } from '../../sandbox/service';
import { send, useSandbox } from './support';

const httpDate = (time: number) => new Date(time).toUTCString();
const RUNNING = `/instances/${SEED.running}/`;

/** What each kind of fault does is in docs/reliability.md, which the engine tests hold against the sandbox. */
describe('the misbehaviour of the sandbox', () => {
	const service = useSandbox();
	const { clock } = service;
	const get = async (id = SEED.running) => await service.call('GET', `/instances/${id}/`);
	const remove = async (...ids: number[]) =>
		await service.call('POST', '/instances/bulk/delete', { ids });
	const statuses = async (count: number) => {
		const received: number[] = [];
		while (received.length < count) received.push((await get()).status);
		return received;
	};
	const teapot = { type: 'respond', status: 418 } as const;

	it('applies rules in their order, as often as told', async () => {
		service.control.addFault({ match: { nth: 2 }, times: 2, action: teapot });
		service.control.addFault({ action: { type: 'respond', status: 500 } });
		expect(await statuses(5)).toEqual([500, 418, 418, 200, 200]);
		expect(service.control.faults()).toEqual([]);
		service.control.addFault({ times: 0, action: teapot });
		expect(await statuses(2)).toEqual([418, 418]);
		service.control.clearFaults();
		expect(await statuses(1)).toEqual([200]);
	});

	it.each<[NonNullable<FaultRule['match']>, ...statuses: number[]]>([
		[{ method: 'post' }, 200, 200, 418, 418],
		[{ path: /instances.102/ }, 200, 418, 204, 204],
		[{ ids: [102, 104] }, 200, 418, 204, 418],
	])('makes those sick that match %p', async (match, ...expected) => {
		service.control.addFault({ match, times: 0, action: teapot });
		const sent = [await get(), await get(102), await remove(103), await remove(105, 104)];
		expect(sent.map(({ status }) => status)).toEqual(expected);
	});

	it('limits the rate', async () => {
		service.control.setRateLimit({ requests: 3, seconds: 10 });
		expect(await statuses(4)).toEqual([200, 200, 200, 429]);
		expect(service.control.log().at(-1)).toMatchObject({ fault: 'rateLimit' });
		await clock.sleep(9_999);
		expect((await get()).headers['retry-after']).toBe('1');
		await clock.sleep(1);
		expect(await statuses(4)).toEqual([200, 200, 200, 429]);
	});

	it.each<[Partial<RateLimit>, name: string, hint: (now: number) => string | undefined]>([
		[{ retryAfter: 'none' }, 'retry-after', () => undefined],
		[{ retryAfter: 'date' }, 'retry-after', (now) => httpDate(now + 1000)],
		[{ retryAfter: 'pastDate' }, 'retry-after', (now) => httpDate(now - 365 * 86_400_000)],
		[{ retryAfter: 'RateLimit-Reset', retryAfterSeconds: 7 }, 'ratelimit-reset', () => '7'],
		[{ retryAfter: 'X-RateLimit-Reset' }, 'x-ratelimit-reset', (now) => String(now / 1000 + 1)],
	])('tells the wait by %j', async (limit, name, hint) => {
		await clock.sleep(1000 - (clock.now() % 1000));
		service.control.setRateLimit({ requests: 0, ...limit });
		const { status, headers } = await service.checked('GET', RUNNING);
		expect([status, headers[name]]).toEqual([429, hint(clock.now())]);
	});

	it('closes at once, whatever hangs or is late', async () => {
		const sandbox = await createSandbox();
		sandbox.control.addFault({ action: { type: 'hang' } });
		sandbox.control.addFault({ action: { type: 'delay', ms: 30_000 } });
		const codeOfGet = async () =>
			await send(sandbox.url, 'GET', `/api${RUNNING}`).catch(({ cause }) => Object(cause).code);
		const codes = [codeOfGet(), codeOfGet()];
		while (sandbox.control.stats().inFlight < 2) await clock.sleep(0);
		await sandbox.close();
		expect(await Promise.all(codes)).toEqual([expect.any(String), expect.any(String)]);
		expect(await codeOfGet()).toBe('ECONNREFUSED');
	});
});
