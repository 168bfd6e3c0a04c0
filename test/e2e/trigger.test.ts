import type { IDataObject } from 'n8n-workflow';

import { isRecord, messageOf } from '../../sandbox/guards';
import { type Change, type FaultAction } from '../../sandbox/service';
import { emissions, publish, triggerWorkflow, unpublish } from './support/active';
import { until, useStack } from './support/stack';

const stack = useStack();
const FIELDS = {
	completed: 'completed_time',
	aborted: 'aborted_time',
	stageChanged: 'stage',
	priorityChanged: 'priority',
	tagsChanged: 'tags',
	deadlineChanged: 'deadline',
} as const;

/** Waits until a poll has read so many instances, counted from the last time that the log was cleared. */
const untilRead = async (count: number) =>
	await until(() => (stack().sandbox.control.stats().byStatus[200] ?? 0) >= count);

/** Waits until so many runs of a workflow have ended: one that is killed takes its items with it. */
const untilEmitted = async (id: string, count: number) =>
	await until(async () => (await emissions(stack(), id)).length >= count);

/** What the trigger has emitted in all, repeats left out. */
async function emitted(id: string): Promise<IDataObject[]> {
	const items = (await emissions(stack(), id)).flat();
	return [...new Map(items.map((item) => [item.eventId, item])).values()];
}

/** What an item says of one field. */
function changeOf(changes: unknown, field: string): { from: unknown; to: unknown } {
	const change = isRecord(changes) && changes[field];
	if (!isRecord(change)) throw new Error(`No change of ${field} was emitted.`);
	return { from: change.from, to: change.to };
}

/** Moments in the spelling that n8n keeps, and lists in one order. */
function inShort(value: unknown): string {
	const list = Array.isArray(value) ? [...value].sort() : value;
	return JSON.stringify(list).replace(/\.000Z/, 'Z');
}

/** Changes instances at random, in the same way in each run of the test. */
function changer(ids: number[]): (count: number) => void {
	let seed = 1;
	const chance = (choices: number) => {
		seed = (seed * 48_271) % 2_147_483_647;
		return seed % choices;
	};
	const oneOf = <T>(values: readonly [T, ...T[]]) => values[chance(values.length)] ?? values[0];
	const changes: readonly [() => Change, ...Array<() => Change>] = [
		() => ({ state: oneOf(['running', 'running', 'completed', 'aborted'] as const) }),
		() => ({ stepsDone: chance(4) }),
		() => ({ priority: oneOf([null, 'H', 'V'] as const) }),
		() => ({ tags: ['a', 'b', 'c'].slice(chance(4)) }),
		() => ({ deadline: `2030-${10 + chance(3)}-01T00:00:00Z` }),
	];
	return (count) => {
		const { control } = stack().sandbox;
		for (let index = 0; index < count; index++) {
			control.change(ids[chance(ids.length)] ?? NaN, oneOf(changes)());
		}
		control.clearLog();
	};
}

test('the trigger emits every lasting change of 100 instances under one eventId while n8n is killed twice', async () => {
	const { control } = stack().sandbox;
	const ids = control.addInstances(100);
	const change = changer(ids);
	const known = new Map(ids.map((id) => [id, control.instance(id)]));
	const events = Object.keys(FIELDS);
	const parameters = { instanceIds: ids.join(), events, options: { keepFinished: true } };
	const workflow = await stack().store(triggerWorkflow(parameters));
	await publish(stack(), workflow);
	await untilRead(ids.length);

	change(75);
	// Activated again, it polls at once.
	await unpublish(stack(), workflow);
	await publish(stack(), workflow);
	await untilEmitted(workflow, 1);
	// Things change while n8n is down, and it polls as soon as it is back.
	for (const runs of [2, 3]) {
		await stack().killAndRestart(() => change(75));
		await untilEmitted(workflow, runs);
	}
	// The minute is over: it polls by itself.
	change(75);
	await untilEmitted(workflow, 4);

	const items = await emitted(workflow);
	for (const [event, field] of Object.entries(FIELDS)) {
		for (const id of ids) {
			const chain = items.filter((item) => String(item.eventId).startsWith(`${id}-${event}-`));
			const steps = chain.map(({ changes }) => changeOf(changes, field));
			// A moment that was taken back is no event: from one to the next it may have been null.
			const isMoment = field.endsWith('_time');
			const values = [known.get(id)?.[field], ...steps.map(({ to }) => to)];
			const now = control.instance(id)?.[field];
			expect([id, event, steps.map(({ from }) => inShort(from))]).toEqual([
				id,
				event,
				values.slice(0, -1).map(inShort),
			]);
			if (!isMoment || now !== null) expect(inShort(values.at(-1))).toEqual(inShort(now));
		}
	}
	expect(items.length).toBeGreaterThan(150);
	await unpublish(stack(), workflow);
}, 400_000);

test('the trigger survives a start of n8n during an outage, and failing instances hold up no others', async () => {
	const { control } = stack().sandbox;
	const respond = (status: number): FaultAction => ({ type: 'respond', status });
	const sick: FaultAction[] = [{ type: 'hang' }, respond(503), respond(403), respond(404)];
	const [hanging = NaN, ...ids] = control.addInstances(49);
	const good = ids.filter((_, index) => index % 8 >= sick.length);
	const mark = (tag: string) => good.forEach((id) => control.change(id, { tags: [tag] }));
	const parameters = { instanceIds: ids.join(), events: ['tagsChanged'] };
	const workflow = await stack().store(triggerWorkflow(parameters));
	await publish(stack(), workflow);
	await untilRead(ids.length);
	mark('before');
	await unpublish(stack(), workflow);
	await publish(stack(), workflow);
	// What it has seen is stored with what it tells.
	await untilEmitted(workflow, 1);
	await stack().killAndRestart(() => {
		control.addFault({ times: 0, action: respond(503) });
		mark('meanwhile');
	});
	const isLogged = (words: string) => stack().n8n.output().includes(words);
	await until(() => isLogged('The first poll failed'));
	control.clearFaults();
	for (const [index, action] of sick.entries()) {
		const sickIds = ids.filter((_, place) => place % 8 === index);
		const match = { ids: index === 0 ? [hanging, ...sickIds] : sickIds };
		control.addFault({ match, times: 0, action });
	}
	// Published while it cannot be read: n8n would give up with words of its own.
	const other = triggerWorkflow({ instanceIds: `${hanging}`, events: ['completed'] });
	const published = await stack().store(other);
	const answer = await publish(stack(), published).then(() => '', messageOf);
	await until(async () => (await emitted(workflow)).length === 2 * good.length);
	expect((await emissions(stack(), workflow)).length).toBeLessThanOrEqual(1 + 2);
	const words = `did not respond in time to the request for instance ${hanging}`;
	await until(() => answer.includes(words) || isLogged(words));
	await unpublish(stack(), published);
	await unpublish(stack(), workflow);
});
