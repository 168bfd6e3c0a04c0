import { messageOf } from '../../sandbox/guards';
import { emissions, publish, triggerWorkflow, unpublish } from './support/active';
import { until, useStack } from './support/stack';

const stack = useStack();

test('the trigger emits each change under one eventId, even if n8n is killed and the service is down when it restarts', async () => {
	const { control } = stack().sandbox;
	const ids = control.addInstances(50);
	const hanging = ids[25] ?? NaN;
	const tag = (name: string) => ids.forEach((id) => control.change(id, { tags: [name] }));
	const parameters = { instanceIds: ids.join(), events: ['tagsChanged'] };
	const workflow = await stack().store(triggerWorkflow(parameters));
	/** Everything that it has emitted, without repeats. */
	const emitted = async () => {
		const items = (await emissions(stack(), workflow)).flat();
		return [...new Map(items.map((item) => [item.eventId, item])).values()];
	};
	const isLogged = (words: string) => stack().n8n.output().includes(words);

	await publish(stack(), workflow);
	await until(() => control.stats().byStatus[200] === ids.length);
	tag('first');
	// When published again, it polls at once.
	await unpublish(stack(), workflow);
	await publish(stack(), workflow);
	await until(async () => (await emitted()).length === ids.length);

	await stack().killAndRestart(() => {
		control.addFault({ times: 0, action: { type: 'respond', status: 503 } });
		tag('second');
	});
	await until(() => isLogged('The first check failed'));
	control.clearFaults();
	control.addFault({ match: { ids: [hanging] }, times: 0, action: { type: 'hang' } });
	// If it were published while it can't be read, n8n would give up in its own words.
	const other = await stack().store(triggerWorkflow({ instanceIds: `${hanging}` }));
	const refusal = await publish(stack(), other).then(() => '', messageOf);

	await until(async () => (await emitted()).length === 2 * ids.length - 1);
	const expected = ids.flatMap((id) => [
		[id, { from: [], to: ['first'] }],
		...(id === hanging ? [] : [[id, { from: ['first'], to: ['second'] }]]),
	]);
	const items = (await emitted()).map(Object);
	const said = items.map(({ instance, changes }) => [instance.id, changes.tags]);
	expect(said.sort(([one], [another]) => one - another)).toEqual(expected);
	const words = `did not respond in time to the request for instance ${hanging}`;
	await until(() => refusal.includes(words) || isLogged(words));
	await unpublish(stack(), other);
	await unpublish(stack(), workflow);
});
