import { emissions, publish, triggerWorkflow, unpublish } from './support/active';
import { IS_OLDEST, until, useStack } from './support/stack';

// What n8n 2.41 needs to keep what a trigger remembers in a table of its own.
const stack = useStack({
	env: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
		N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
		N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	},
});

// The oldest n8n has no such scheduler.
const inNewest = IS_OLDEST ? test.skip : test;

inNewest(
	'with durable cursors, what happens around a poll that is killed is told once',
	async () => {
		const { control } = stack().sandbox;
		const ids = control.addInstances(3);
		const [early, inPoll, whileDown] = ids;
		const complete = (id = NaN) => control.change(id, { state: 'completed' });
		const untilRead = async (count: number) => await until(() => control.stats().requests >= count);
		const parameters = { instanceIds: ids.join(), events: ['completed'] };
		const workflow = await stack().store(triggerWorkflow(parameters));
		await publish(stack(), workflow);
		await untilRead(ids.length);
		// n8n does not keep what the poll of an activation has seen: the next one is the first.
		complete(early);
		await untilRead(2 * ids.length);

		control.clearLog();
		complete(inPoll);
		control.setLatency(5_000);
		await untilRead(1);
		await stack().killAndRestart(() => void complete(whileDown));
		control.setLatency(0);
		const told = async () => (await emissions(stack(), workflow)).flat();
		await until(async () => (await told()).length >= 2);
		const instances = (await told()).map(({ eventId }) => Number.parseInt(String(eventId)));
		expect(instances.sort()).toEqual([inPoll, whileDown]);
		expect(stack().n8n.logs()).not.toContain('durable poll cursors stay disabled');
		await unpublish(stack(), workflow);
	},
	600_000,
);
