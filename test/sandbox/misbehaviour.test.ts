import {
	createSandbox,
	type FaultAction,
	type FaultRule,
	type RateLimit,
	SEED,
} from '../../sandbox/service';
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
	const statuses = async (count: number) => {
		const received: number[] = [];
		while (received.length < count) received.push((await get()).status);
		return received;
	};
	const outcomeOf = async (sent: Promise<Received>) =>
		await sent.then(
			({ status, text }) => `${status} ${text}`.trim(),
			({ code }: NodeJS.ErrnoException) => code,
		);
	const teapot = { type: 'respond', status: 418 } as const;
	const location = 'https://elsewhere.example/';

	it.each<[action: FaultAction, outcome: unknown, isDone: boolean]>([
		[{ type: 'respond', status: 502, body: '<h1>Bad</h1>' }, '502 <h1>Bad</h1>', false],
		[{ type: 'reset' }, 'ECONNRESET', false],
		[{ type: 'emptyBody', status: 500 }, '500', false],
		[{ type: 'resetDuring' }, 'ECONNRESET', true],
		[{ type: 'truncate' }, expect.stringMatching(/^200 \{"[^}]*$/), true],
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
		service.control.addFault({ action: { type: 'redirect', location } });
		const date = httpDate(clock.now());
		const expected = { 'retry-after': '7', 'content-type': 'a/b', date };
		expect((await get()).headers).toMatchObject(expected);
		expect(await get()).toMatchObject({ status: 302, headers: { location, date } });
	});

	it('hangs until the connection closes', async () => {
		service.control.addFault({ action: { type: 'hang' } });
		const sleep = jest.spyOn(clock, 'sleep');
		const giveUp = new AbortController();
		const hanging = outcomeOf(get(SEED.running, { signal: giveUp.signal }));
		while (service.control.stats().inFlight === 0) await clock.sleep(0);
		giveUp.abort();
		expect(await hanging).toBe('ABORT_ERR');
		while (service.control.stats().inFlight > 0) await clock.sleep(0);
		expect(sleep).toHaveBeenCalledWith(Infinity, expect.objectContaining({ aborted: true }));
		sleep.mockRestore();
		expect(service.control.log()).toMatchObject([{ status: null, fault: 'hang' }]);
	});

	it('takes its time, in one sleep', async () => {
		service.control.setLatency(300);
		service.control.addFault({ action: { type: 'delay', ms: 700 } });
		const start = clock.now();
		await get();
		expect(clock.slept.at(-1)).toBe(1000);
		expect(service.control.log()).toMatchObject([{ receivedAt: start, respondedAt: start + 1000 }]);
	});

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
		const sent = [await get(), await get(102), await remove([103]), await remove([105, 104])];
		expect(sent.map(({ status }) => status)).toEqual(expected);
	});

	it.each([
		[{ requests: 3 }, 1],
		[{ requests: 20, seconds: 10 }, 10],
	])('limits the rate to %j', async (limit, seconds) => {
		service.control.setRateLimit(limit);
		const allowed = Array.from({ length: limit.requests }, () => 200);
		expect(await statuses(limit.requests + 1)).toEqual([...allowed, 429]);
		expect(service.control.log().at(-1)).toMatchObject({ fault: 'rateLimit' });
		await clock.sleep(seconds * 1000 - 1);
		expect((await get()).headers['retry-after']).toBe('1');
		await clock.sleep(1);
		expect(await statuses(limit.requests + 1)).toEqual([...allowed, 429]);
	});

	it.each<[Partial<RateLimit>, name: string, hint: (now: number) => string | undefined]>([
		[{}, 'retry-after', () => '1'],
		[{ retryAfterSeconds: 120 }, 'retry-after', () => '120'],
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

	it.each([
		['text', /^\{"process".*,"process_snapshot":"/],
		['object', /"process_snapshot":\{.*,"step_deadlines":\{/],
		['array', /"process_snapshot":\[.*,"step_deadlines":\[/],
	] as const)('shows the snapshot fields as %s', async (shape, body) => {
		service.control.setSnapshotShape(shape);
		const process = service.process(SEED.processes.onboarding);
		expect((await get()).text).toMatch(body);
		expect((await service.call('PUT', RUNNING, { process })).text).toMatch(body);
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
