import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { limiterCount } from '../../../nodes/WorkflowInstanceService/api/concurrencyLimiter';
import { SEED } from '../../../sandbox/service';
import { createTrigger, type TriggerOptions } from '../../harness';
import { useSandbox } from '../support/sandbox';
import { skipPauses } from '../support/time';

const sandbox = useSandbox();
afterEach(() => {
	jest.restoreAllMocks();
	expect(limiterCount()).toBe(0);
});

const IDS = [SEED.running, SEED.fullyFilled, SEED.bare];
const watch = async (parameters: INodeParameters, options: Partial<TriggerOptions> = {}) =>
	await createTrigger({
		credentials: sandbox.credentials,
		...options,
		parameters: { instanceIds: IDS.join(', '), ...parameters },
	});
const events = (items: IDataObject[] | null) => items?.map(({ event }) => event);
const requested = () => sandbox.requests().map((line) => Number(/(\d+)\/$/.exec(line)?.[1]));
const complete = (id: number) => sandbox.control.change(id, { state: 'completed' });
const requireItems = (items: IDataObject[] | null): IDataObject[] => {
	if (items === null) throw new Error('Nothing was emitted');
	return items;
};

describe('an active trigger', () => {
	test('remembers at the first poll, then tells each event once', async () => {
		const trigger = await watch({});
		expect(await trigger.activate()).toBeNull();
		expect(await trigger.poll()).toBeNull();
		complete(SEED.running);
		const { completed_time } = sandbox.control.instance(SEED.running) ?? {};
		expect(await trigger.poll()).toEqual([
			{
				event: 'completed',
				eventId: expect.stringMatching(/^101-completed-[0-9a-f]{16}$/),
				changes: { completed_time: { from: null, to: completed_time } },
				instance: expect.objectContaining({ id: SEED.running, completed_time }),
			},
		]);
		expect(await trigger.poll()).toBeNull();
	});

	test('tells again what was lost, with the same eventId, when n8n ended before it had saved', async () => {
		const trigger = await watch({ events: ['completed', 'stageChanged'] });
		await trigger.activate();
		complete(SEED.running);
		const saved = trigger.saved();
		const first = requireItems(await trigger.poll());
		expect(events(first)).toEqual(['completed', 'stageChanged']);
		expect(trigger.saved()).not.toEqual(saved);
		const lost = await watch({ events: ['completed', 'stageChanged'] });
		await lost.restart();
		expect(await lost.poll()).toBeNull();
	});
});
