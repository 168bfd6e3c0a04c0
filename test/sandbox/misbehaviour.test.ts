import { createSandbox, type FaultAction, type RateLimit, SEED } from '../../sandbox/service';
import { type Received, send, type Sent, useSandbox } from './support';

const httpDate = (time: number) => new Date(time).toUTCString();
const RUNNING = `/instances/${SEED.running}/`;

describe('the misbehaviour of the sandbox', () => {
	const service = useSandbox();
	const { clock } = service;
	const get = async (id = SEED.running, sent?: Sent) =>
		await service.call('GET', `/instances/${id}/`, undefined, sent);
	const remove = async (ids = [SEED.running]) =>
		await service.call('POST', '/instances/bulk/delete', { ids });
	const statuses = async (count: number, id?: number) => {
		const received: number[] = [];
		while (received.length < count) received.push((await get(id)).status);
		return received;
	};
	const outcomeOf = async (sent: Promise<Received>) =>
		await sent.then(
			({ status, text }) => `${status} ${text}`.trim(),
			(cause: unknown) => String(Reflect.get(Object(cause), 'code')),
		);
	const teapot = { type: 'respond', status: 418 } as const;
	const location = 'https://elsewhere.example/';

	it.each<[action: FaultAction, outcome: unknown, isDone: boolean]>([
		[{ type: 'respond', status: 502, body: '<h1>Bad</h1>' }, '502 <h1>Bad</h1>', false],
		[{ type: 'reset' }, 'ECONNRESET', false],
		[{ type: 'redirect', location }, '302', false],
		[{ type: 'redirect', status: 308, location }, '308', false],
		[{ type: 'emptyBody', status: 500 }, '500', false],
		[{ type: 'resetDuring' }, 'ECONNRESET', true],
		[{ type: 'truncate' }, expect.stringMatching(/^200 \{"[^}]*$/), true],
		[{ type: 'delay', ms: 60_000 }, '204', true],
		[{ type: 'applyThen', then: { type: 'respond', status: 500, body: '{}' } }, '500 {}', true],
		[{ type: 'applyThen', then: { type: 'reset' } }, 'ECONNRESET', true],
	])('%j is met as %j, the work being done: %p', async (action, outcome, isDone) => {
		service.control.addFault({ action });
		expect(await outcomeOf(remove())).toEqual(outcome);
		expect(service.control.instance(SEED.running) === undefined).toBe(isDone);
		expect(service.control.log()).toMatchObject([{ fault: action.type }]);
		expect(service.control.stats().inFlight).toBe(0);
	});

	it('responds with the headers given, and the time of its clock', async () => {
		const headers = { 'Retry-After': '7' };
		service.control.addFault({ action: { ...teapot, headers, contentType: 'a/b' } });
		const date = httpDate(clock.now());
		const expected = { 'retry-after': '7', 'content-type': 'a/b', date };
		expect((await get()).headers).toMatchObject(expected);
		service.control.addFault({ action: { type: 'redirect', location } });
		expect((await get()).headers).toMatchObject({ location, date });
		expect((await get()).headers.date).toBe(date);
	});

	it('hangs until the connection closes', async () => {
		service.control.addFault({ action: { type: 'hang' } });
		const giveUp = new AbortController();
		const hanging = outcomeOf(get(SEED.running, { signal: giveUp.signal }));
		while (service.control.stats().inFlight === 0) await clock.sleep(0);
		giveUp.abort();
		expect(await hanging).toBe('ABORT_ERR');
		expect(service.control.log()).toMatchObject([{ status: null, fault: 'hang' }]);
		while (service.control.stats().inFlight > 0) await clock.sleep(0);
	});

	it('takes its time', async () => {
		service.control.setLatency(300);
		service.control.addFault({ action: { type: 'delay', ms: 700 } });
		const start = clock.now();
		await get();
		expect(clock.now() - start).toBe(1000);
		expect(service.control.log()).toMatchObject([{ receivedAt: start, answeredAt: start + 1000 }]);
	});

	it('applies rules in their order, as often as told', async () => {
		service.control.addFault({ match: { nth: 2 }, times: 2, action: teapot });
		service.control.addFault({ action: { type: 'respond', status: 500 } });
		expect(await statuses(5)).toEqual([500, 418, 418, 200, 200]);
		expect(service.control.faults()).toEqual([]);
		service.control.addFault({ times: 0, action: teapot });
		expect(await statuses(3)).toEqual([418, 418, 418]);
		expect(service.control.faults()).toMatchObject([{ matched: 3, applied: 3 }]);
		service.control.clearFaults();
		expect(await statuses(1)).toEqual([200]);
	});

	it.each([{ method: 'post' }, { path: /bulk\/delete$/ }, { path: 'bulk/delete$' }])(
		'matches by %p',
		async (match) => {
			service.control.addFault({ match, action: teapot });
			expect(await statuses(1)).toEqual([200]);
			expect((await remove()).status).toBe(418);
		},
	);

	it('has instances that are sick, in the path and in the body', async () => {
		service.control.addFault({ match: { ids: [102, 104] }, times: 0, action: teapot });
		expect(await statuses(2)).toEqual([200, 200]);
		expect(await statuses(2, 104)).toEqual([418, 418]);
		expect((await remove([103, 102])).status).toBe(418);
		expect((await remove([103])).status).toBe(204);
		expect((await send(service.sandbox.url, 'GET', '/instances/104/')).status).toBe(404);
	});

	it.each([
		[{ requests: 3 }, 1],
		[{ requests: 20, seconds: 10 }, 10],
		[{ requests: 100, seconds: 60 }, 60],
	])('limits the rate to %j', async (limit, seconds) => {
		service.control.setRateLimit(limit);
		const all = await Promise.all(
			Array.from({ length: limit.requests + 2 }, async () => await get()),
		);
		const refused = all.filter(({ status }) => status === 429);
		expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(
			Array.from({ length: 2 }, () => String(seconds)),
		);
		expect(service.control.log().filter(({ fault }) => fault === 'rateLimit')).toHaveLength(2);
		await clock.sleep(seconds * 1000 - 1);
		expect(await statuses(1)).toEqual([429]);
		await clock.sleep(1);
		expect(await statuses(limit.requests + 1)).toEqual([...all.slice(2).map(() => 200), 429]);
	});

	it.each<[Partial<RateLimit>, name: string, hint: (now: number) => string | undefined]>([
		[{}, 'retry-after', () => '1'],
		[{ retryAfterSeconds: 120 }, 'retry-after', () => '120'],
		[{ retryAfter: 'none' }, 'retry-after', () => undefined],
		[{ retryAfter: 'zero' }, 'retry-after', () => '0'],
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

	it.each([
		['text', /^"/],
		['object', /^\{/],
		['array', /^\[/],
	] as const)('shows the snapshot fields as %s', async (shape, beginning) => {
		service.control.setSnapshotShape(shape);
		const process = service.process(SEED.processes.onboarding);
		for (const { value } of [await get(), await service.call('PUT', RUNNING, { process })]) {
			const { process_snapshot, step_deadlines } = Object(value);
			expect(JSON.stringify(process_snapshot)).toMatch(beginning);
			expect(JSON.stringify(step_deadlines)).toMatch(beginning);
		}
	});

	it('closes at once, whatever hangs or is late', async () => {
		const sandbox = await createSandbox();
		sandbox.control.addFault({ action: { type: 'hang' } });
		sandbox.control.addFault({ action: { type: 'delay', ms: 30_000 } });
		const path = `/api${RUNNING}`;
		const sent = [1, 2].map(async () => await outcomeOf(send(sandbox.url, 'GET', path)));
		while (sandbox.control.stats().inFlight < 2) await clock.sleep(0);
		await sandbox.close();
		expect(await Promise.all(sent)).toEqual(['ECONNRESET', 'ECONNRESET']);
		expect(await outcomeOf(send(sandbox.url, 'GET', path))).toBe('ECONNREFUSED');
	});
});
