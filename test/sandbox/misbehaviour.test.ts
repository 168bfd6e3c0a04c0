import { SEED } from '../../sandbox/service';
import { useSandbox } from './support';

/** What each kind of fault does is in docs/reliability.md, which the engine tests hold against the sandbox. */
describe('the misbehaviour of the sandbox', () => {
	const service = useSandbox();
	const { clock } = service;
	const get = async (id = SEED.running) => await service.call('GET', `/instances/${id}/`);
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

	it('limits the rate', async () => {
		service.control.setRateLimit({ requests: 3, seconds: 10 });
		expect(await statuses(4)).toEqual([200, 200, 200, 429]);
		expect(service.control.log().at(-1)).toMatchObject({ fault: 'rateLimit' });
		await clock.sleep(9_999);
		expect((await get()).headers['retry-after']).toBe('1');
		await clock.sleep(1);
		expect(await statuses(4)).toEqual([200, 200, 200, 429]);
	});
});
