import { SEED } from '../../sandbox/service';
import { useSandbox } from './support';

const RUNNING = `/instances/${SEED.running}`;
const LAST = SEED.all.at(-1) ?? 0;

describe('the control of the sandbox', () => {
	const service = useSandbox();
	const { steer } = service;

	it('logs what was received, without the key and without the control', async () => {
		const body = '{ "ids": [101] }';
		await steer('GET', '/stats');
		const sent = { headers: { 'X-Trace': 'a1', 'content-type': 'text/plain' }, body };
		await service.call('POST', '/instances/bulk/delete', undefined, sent);
		await fetch(`${service.sandbox.url}/some?where`, { headers: { authorization: 'wrong' } });
		const now = service.clock.now();
		const times = { receivedAt: now, respondedAt: now };
		const headers = expect.objectContaining({ 'x-trace': 'a1' });
		const [, log] = await steer('GET', '/log');
		expect(log).toMatchObject([
			{ seq: 1, method: 'POST', authorized: true, headers, body, status: 415, ...times },
			{ seq: 2, url: '/some?where', authorized: false, body: '', status: 404, fault: null },
		]);
		expect(JSON.stringify(log)).not.toMatch(/authorization"|Api-Key|sandbox-key|wrong/);
		expect(await steer('GET', '/log?since=1')).toMatchObject([200, [{ seq: 2 }]]);
		const counters = { requests: 2, inFlight: 0, maxInFlight: 1, byStatus: { 404: 1, 415: 1 } };
		expect(await steer('GET', '/stats')).toEqual([200, counters]);
		expect(await steer('DELETE', '/log')).toEqual([204, undefined]);
		expect(service.control.stats()).toMatchObject({ requests: 0, byStatus: {} });
	});

	it('changes instances as people do, and takes everything back', async () => {
		const { control } = service;
		const before = control.instance(SEED.running);
		const rateLimit = { requests: 50, seconds: 60, retryAfter: 'pastDate' };
		const settings = { latencyMs: 1, rateLimit, snapshotShape: 'object', unknownIds: 'refused' };
		const proper = await steer('GET', '/settings');
		expect(await steer('PATCH', '/settings', settings)).toEqual([200, settings]);
		const rule = { match: { ids: [7] }, times: 0, action: { type: 'hang' } };
		expect(await steer('POST', '/faults', rule)).toMatchObject([201, {}]);
		expect(await steer('GET', '/faults')).toMatchObject([200, [{ rule }]]);
		const values = { deadline: '2030-01-01T00:00:00Z', name: 'New', priority: 'V', tags: ['a'] };
		const time = new Date(service.clock.now()).toISOString();
		const change = async (changes: object) => (await steer('PATCH', RUNNING, changes))[1];
		const completed = { ...values, completed_time: time };
		expect(await change({ ...values, state: 'completed' })).toMatchObject(completed);
		const aborted = { name: 'New', completed_time: null, stage: 'Aborted' };
		expect(await change({ state: 'aborted' })).toMatchObject(aborted);
		const reopened = { aborted_time: null, active_step_ids: [1102, 1103] };
		expect(await change({ state: 'running', stepsDone: 1 })).toMatchObject(reopened);
		const ids = [...SEED.all, LAST + 1, LAST + 2];
		expect(await steer('POST', '/instances', { count: 2 })).toEqual([201, ids.slice(-2)]);
		expect(await steer('GET', '/instances')).toEqual([200, ids]);

		expect(await steer('POST', '/reset')).toEqual([204, undefined]);
		expect(await steer('GET', RUNNING)).toEqual([200, before]);
		expect(await steer('GET', '/settings')).toEqual(proper);
		expect([control.ids(), control.faults(), control.log()]).toEqual([SEED.all, [], []]);
	});
});
