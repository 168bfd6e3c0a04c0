import { SEED } from '../../sandbox/service';
import { sendRaw, useSandbox } from './support';

describe('the control of the sandbox', () => {
	const service = useSandbox({ now: new Date('2026-07-01T10:00:00Z') });

	describe('log', () => {
		it('keeps what was received, without the key', async () => {
			const before = Date.now();
			const body = '{ "ids": [101] }';
			await service.client.call('/instances/bulk/delete', {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'X-Trace': 'a1' },
				body,
			});
			await sendRaw(service.sandbox.url, '/api/instances/101/?inject_values=true', {
				headers: { authorization: 'Api-Key wrong' },
			});
			const [first, second] = service.sandbox.control.log();

			expect(first).toMatchObject({
				seq: 1,
				method: 'POST',
				url: '/api/instances/bulk/delete',
				authorized: true,
				body,
				status: 204,
				fault: null,
			});
			expect(first?.headers).toMatchObject({ 'x-trace': 'a1' });
			expect(first?.receivedAt).toBeGreaterThanOrEqual(before);
			expect(first?.answeredAt).toBeGreaterThanOrEqual(first?.receivedAt ?? Infinity);
			expect(second).toMatchObject({
				seq: 2,
				url: '/api/instances/101/?inject_values=true',
				authorized: false,
				body: '',
				status: 401,
			});
			expect(JSON.stringify(service.sandbox.control.log())).not.toMatch(
				/authorization|Api-Key|sandbox-key/,
			);
		});

		it('keeps requests that could not be read or belong nowhere, and no control requests', async () => {
			await fetch(`${service.sandbox.url}/control/stats`);
			await fetch(`${service.sandbox.url}/somewhere`);
			await service.client.call('/instances/101/', {
				method: 'PUT',
				headers: { 'content-type': 'nonsense' },
				body: 'x',
			});
			expect(service.sandbox.control.log().map(({ url, status }) => [url, status])).toEqual([
				['/somewhere', 404],
				['/api/instances/101/', 415],
			]);
		});
	});

	describe('instances', () => {
		it('adds as many as asked for, and forgets them on reseed', async () => {
			const ids = service.sandbox.control.addInstances(20_000);
			expect(ids).toHaveLength(20_000);
			expect(ids[0]).toBe((SEED.all.at(-1) ?? 0) + 1);
			expect(service.sandbox.control.ids()).toHaveLength(SEED.all.length + 20_000);
			expect((await service.client.get(ids.at(-1) ?? 0)).status).toBe(200);

			service.sandbox.control.reseed();
			expect(service.sandbox.control.ids()).toEqual(SEED.all);
		});

		it('refuses numbers out of bounds', () => {
			for (const count of [0, -1, 1.5, 20_001, NaN]) {
				expect(() => service.sandbox.control.addInstances(count)).toThrow(RangeError);
			}
		});
	});

	it('takes everything back on reset', async () => {
		const { control } = service.sandbox;
		const before = control.instance(SEED.running);
		await service.client.put(SEED.running, {
			process: service.client.process(SEED.processes.onboarding),
		});
		await service.client.bulkDelete({ ids: SEED.completedLongAgo });
		control.configure({ latencyMs: 5, rateLimit: { perSecond: 9 }, snapshotShape: 'array' });
		control.addFault({ action: { type: 'hang' } });
		control.reset();

		expect(control.instance(SEED.running)).toEqual(before);
		expect(control.ids()).toEqual(SEED.all);
		expect(control.faults()).toEqual([]);
		expect(control.log()).toEqual([]);
		expect(control.settings()).toEqual({
			latencyMs: 0,
			rateLimit: null,
			snapshotShape: 'text',
			unknownIds: 'passedOver',
		});
	});

	it('changes the settings given, or none when one is out of bounds', () => {
		const { control } = service.sandbox;
		control.configure({ latencyMs: 5 });
		control.configure({ snapshotShape: 'object' });
		const changed = {
			latencyMs: 5,
			rateLimit: null,
			snapshotShape: 'object',
			unknownIds: 'passedOver',
		};
		expect(control.settings()).toEqual(changed);
		expect(() => control.configure({ latencyMs: -1, snapshotShape: 'text' })).toThrow(RangeError);
		expect(() => control.setRateLimit({ perSecond: 0.5 })).toThrow(RangeError);
		expect(control.settings()).toEqual(changed);
	});

	describe('over HTTP', () => {
		const call = async (method: string, path: string, value?: unknown) => {
			const { status, text } = await sendRaw(service.sandbox.url, `/control${path}`, {
				method,
				...(value === undefined
					? {}
					: { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }),
			});
			const answer: unknown = text === '' ? undefined : JSON.parse(text);
			return { status, answer };
		};

		it('reads and changes the settings', async () => {
			const settings = {
				latencyMs: 1,
				rateLimit: { perSecond: 50, retryAfter: 'pastDate' },
				snapshotShape: 'object',
				unknownIds: 'refused',
			};
			expect(await call('PATCH', '/settings', settings)).toEqual({ status: 200, answer: settings });
			expect((await call('GET', '/settings')).answer).toEqual(settings);
			expect(service.sandbox.control.settings()).toEqual(settings);
			const unlimited = await call('PATCH', '/settings', { rateLimit: null });
			expect(unlimited.answer).toEqual({ ...settings, rateLimit: null });
		});

		it('adds, lists and removes rules', async () => {
			const rule = {
				match: { method: 'GET', path: '/instances/', nth: 1, ids: [SEED.running] },
				times: 2,
				action: { type: 'applyThen', then: { type: 'respond', status: 500, body: 'x' } },
			};
			expect(await call('POST', '/faults', rule)).toMatchObject({ status: 201 });
			expect((await service.client.get(SEED.running)).status).toBe(500);
			expect((await call('GET', '/faults')).answer).toMatchObject([{ rule, applied: 1 }]);
			expect((await call('DELETE', '/faults')).status).toBe(204);
			expect((await service.client.get(SEED.running)).status).toBe(200);
		});

		it.each([
			['/settings', { latency: 5 }, 'additional properties'],
			['/settings', { latencyMs: '5' }, 'must be integer'],
			['/settings', { latencyMs: 10_000_000 }, 'latencyMs must be'],
			['/settings', { rateLimit: {} }, 'perSecond'],
		])('refuses PATCH %s with %j', async (path, value, message) => {
			const { status, answer } = await call('PATCH', path, value);
			expect(status).toBe(400);
			expect(answer).toEqual({ detail: expect.stringContaining(message) });
		});

		it.each([
			[{}, "required property 'action'"],
			[{ action: { type: 'explode' } }, 'type'],
			[{ action: { type: 'respond' } }, "required property 'status'"],
			[{ action: { type: 'respond', status: 99 } }, 'from 200 to 599'],
			[{ action: { type: 'reset', status: 200 } }, 'additional properties'],
			[{ action: { type: 'applyThen', then: { type: 'delay', ms: 1 } } }, 'type'],
			[{ action: { type: 'reset' }, match: { path: '(' } }, 'regular expression'],
		])('refuses the rule %j', async (rule, message) => {
			const { status, answer } = await call('POST', '/faults', rule);
			expect(status).toBe(400);
			expect(answer).toEqual({ detail: expect.stringContaining(message) });
			expect(service.sandbox.control.faults()).toEqual([]);
		});

		it('adds, lists and shows instances, and seeds again', async () => {
			const { answer } = await call('POST', '/instances', { count: 2 });
			const last = SEED.all.at(-1) ?? 0;
			expect(answer).toEqual([last + 1, last + 2]);
			expect((await call('GET', '/instances')).answer).toEqual([...SEED.all, last + 1, last + 2]);
			expect((await call('GET', `/instances/${SEED.running}`)).answer).toEqual(
				service.sandbox.control.instance(SEED.running),
			);
			expect((await call('GET', `/instances/${SEED.unknown}`)).status).toBe(404);
			expect((await call('GET', '/instances/x')).status).toBe(400);
			expect((await call('POST', '/instances', { count: 20_001 })).status).toBe(400);
			expect((await call('POST', '/reseed')).status).toBe(204);
			expect((await call('GET', '/instances')).answer).toEqual(SEED.all);
		});

		it('changes an instance as people do, and reopens one', async () => {
			const path = `/instances/${SEED.running}`;
			const before = service.sandbox.control.instance(SEED.running);
			const values = { deadline: '2030-01-01T00:00:00Z', name: 'New', priority: 'V', tags: ['a'] };
			const changes = { ...values, state: 'completed', stepsDone: 1 };
			const { answer } = await call('PATCH', path, changes);
			expect(answer).toMatchObject({ ...values, completed_time: expect.any(String) });
			expect(answer).not.toMatchObject({ last_updated_time: before?.last_updated_time });
			expect((await call('PATCH', path, { state: 'aborted' })).answer).toMatchObject({
				completed_time: null,
				aborted_time: expect.any(String),
				stage: 'Aborted',
			});
			expect(
				(await call('PATCH', path, { state: 'running', priority: null })).answer,
			).toMatchObject({
				completed_time: null,
				aborted_time: null,
				priority: null,
			});
			expect((await call('PATCH', `/instances/${SEED.unknown}`, {})).status).toBe(404);
			expect((await call('PATCH', path, { state: 'lost' })).status).toBe(400);
			expect((await call('PATCH', path, { id: 5 })).status).toBe(400);
		});

		it('shows and clears the log and the counters, and resets everything', async () => {
			await service.client.get(SEED.running);
			await service.client.get(SEED.unknown);
			expect((await call('GET', '/log')).answer).toMatchObject([{ seq: 1 }, { seq: 2 }]);
			expect((await call('GET', '/log?since=1')).answer).toMatchObject([{ status: 404 }]);
			expect((await call('GET', '/stats')).answer).toMatchObject({
				requests: 2,
				maxInFlight: 1,
				byStatus: { 200: 1, 404: 1 },
			});
			expect((await call('DELETE', '/log')).status).toBe(204);
			expect((await call('GET', '/stats')).answer).toEqual({
				requests: 0,
				inFlight: 0,
				maxInFlight: 0,
				byStatus: {},
			});
			service.sandbox.control.setLatency(5);
			expect((await call('POST', '/reset')).status).toBe(204);
			expect(service.sandbox.control.settings().latencyMs).toBe(0);
		});
	});
});
