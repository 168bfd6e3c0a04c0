import { SEED } from '../../sandbox/service';
import { send, useSandbox } from './support';

const RUNNING = `/instances/${SEED.running}`;
const LAST = SEED.all.at(-1) ?? 0;

describe('the control of the sandbox', () => {
	const service = useSandbox();

	it('seeds instances of every state', () => {
		const { all, allRunning, allAborted, completedRecently, completedLongAgo } = SEED;
		const ended = [...allAborted, ...completedRecently, ...completedLongAgo];
		expect([...allRunning, ...ended].sort((a, b) => a - b)).toEqual(all);
		const monthAgo = new Date(service.clock.now() - 30 * 86_400_000).toISOString();
		const stateOf = (id: number) => {
			const { completed_time, aborted_time } = service.control.instance(id) ?? {};
			if (completed_time) return completed_time > monthAgo ? completedRecently : completedLongAgo;
			return aborted_time ? allAborted : allRunning;
		};
		for (const id of all) expect(stateOf(id)).toContain(id);
	});

	it('logs what was received, without the key and without the control', async () => {
		const body = '{ "ids": [101] }';
		await service.steer('GET', '/stats');
		const sent = { headers: { 'X-Trace': 'a1', 'content-type': 'text/plain' }, body };
		await service.call('POST', '/instances/bulk/delete', undefined, sent);
		await send(service.sandbox.url, 'GET', '/some?where', { headers: { authorization: 'wrong' } });
		const now = service.clock.now();
		const times = { receivedAt: now, answeredAt: now };
		const headers = expect.objectContaining({ 'x-trace': 'a1' });
		const [status, log] = await service.steer('GET', '/log');
		expect(status).toBe(200);
		expect(log).toMatchObject([
			{ seq: 1, method: 'POST', authorized: true, headers, body, status: 415, ...times },
			{ seq: 2, url: '/some?where', authorized: false, body: '', status: 404, fault: null },
		]);
		expect(JSON.stringify(log)).not.toMatch(/authorization"|Api-Key|sandbox-key|wrong/);
		expect(await service.steer('GET', '/log?since=1')).toMatchObject([200, [{ seq: 2 }]]);
		const counters = { requests: 2, inFlight: 0, maxInFlight: 1, byStatus: { 404: 1, 415: 1 } };
		expect(await service.steer('GET', '/stats')).toEqual([200, counters]);
		expect(await service.steer('DELETE', '/log')).toEqual([204, undefined]);
		expect(service.control.stats()).toMatchObject({ requests: 0, byStatus: {} });
	});

	it('changes instances as people do, and takes everything back', async () => {
		const { control } = service;
		const before = control.instance(SEED.running);
		const settings = {
			latencyMs: 1,
			rateLimit: { requests: 50, seconds: 60, retryAfter: 'pastDate' },
			snapshotShape: 'object',
			unknownIds: 'refused',
		};
		const proper = await service.steer('GET', '/settings');
		expect(await service.steer('PATCH', '/settings', settings)).toEqual([200, settings]);
		const rule = { match: { ids: [7] }, times: 0, action: { type: 'hang' } };
		expect(await service.steer('POST', '/faults', rule)).toMatchObject([201, {}]);
		expect(await service.steer('GET', '/faults')).toMatchObject([200, [{ rule }]]);
		const values = { deadline: '2030-01-01T00:00:00Z', name: 'New', priority: 'V', tags: ['a'] };
		const completed = { ...values, completed_time: new Date(service.clock.now()).toISOString() };
		const changes = { ...values, state: 'completed', stepsDone: 1 };
		expect(await service.steer('PATCH', RUNNING, changes)).toMatchObject([200, completed]);
		const aborted = { completed_time: null, aborted_time: expect.any(String), stage: 'Aborted' };
		expect(await service.steer('PATCH', RUNNING, { state: 'aborted' })).toMatchObject([
			200,
			aborted,
		]);
		expect(await service.steer('PATCH', RUNNING, { state: 'running' })).toMatchObject([
			200,
			{ name: 'New' },
		]);
		expect(await service.steer('POST', '/instances', { count: 2 })).toEqual([
			201,
			[LAST + 1, LAST + 2],
		]);
		expect(await service.steer('GET', '/instances')).toEqual([
			200,
			[...SEED.all, LAST + 1, LAST + 2],
		]);

		expect(await service.steer('POST', '/reset')).toEqual([204, undefined]);
		expect(await service.steer('GET', RUNNING)).toEqual([200, before]);
		expect(await service.steer('GET', '/settings')).toEqual(proper);
		expect([control.ids(), control.faults(), control.log()]).toEqual([SEED.all, [], []]);
	});

	it.each<[method: string, path: string, value: unknown, status: number, message: string]>([
		['PATCH', '/settings', { latency: 5 }, 400, 'additional properties'],
		['PATCH', '/settings', { latencyMs: '5' }, 400, 'must be integer'],
		['PATCH', '/settings', { rateLimit: {} }, 400, 'requests'],
		['POST', '/faults', {}, 400, "required property 'action'"],
		['POST', '/faults', { action: { type: 'explode' } }, 400, 'type'],
		['POST', '/faults', { action: { type: 'respond', status: 99 } }, 400, '>= 200'],
		['POST', '/faults', { action: { type: 'reset', status: 200 } }, 400, 'additional'],
		['POST', '/faults', { action: { type: 'reset' }, match: { path: '(' } }, 400, 'regex'],
		['POST', '/instances', { count: 20_001 }, 400, '<= 20000'],
		['PATCH', RUNNING, { state: 'lost' }, 400, 'allowed values'],
		['PATCH', RUNNING, { id: 5 }, 400, 'additional properties'],
		['PATCH', RUNNING, { process: '' }, 400, 'process'],
		['PATCH', `/instances/${SEED.unknown}`, {}, 404, 'There is no instance 999999'],
		['GET', `/instances/${SEED.unknown}`, undefined, 404, 'There is no instance 999999'],
		['GET', '/instances/x', undefined, 400, 'pattern'],
		['GET', '/else', undefined, 404, 'See GET /control'],
	])('refuses %s %s with %j', async (method, path, value, status, message) => {
		const detail = expect.stringContaining(message);
		expect(await service.steer(method, path, value)).toEqual([status, { detail }]);
	});
});
