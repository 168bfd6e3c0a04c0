import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import type { Instance } from '../../sandbox/service';
import { addNamedInstances } from './support/instances';
import { oneNodeWorkflow, useStack } from './support/stack';

const stack = useStack();
const COUNT = 2_000;

/** Starts a workflow, and ends n8n at once as soon as the service has answered so many requests. */
async function killAfter(requests: number, workflow: string): Promise<void> {
	const { n8n, sandbox, killAndRestart } = stack();
	const ended = n8n.rest.waitForExecution(await n8n.rest.startWorkflow(workflow)).then(
		() => true,
		// n8n answers no more once it was killed.
		() => false,
	);
	while (sandbox.control.stats().requests < requests) {
		if (await Promise.race([ended, sleep(5, false)])) throw new Error('The run was too short.');
	}
	await killAndRestart();
}

const store = async (parameters: INodeParameters, ids: number[]) =>
	await stack().store(
		oneNodeWorkflow(
			parameters,
			ids.map((id) => ({ id })),
		),
	);

const run = async (workflow: string) =>
	await stack().n8n.rest.runWorkflow(workflow, { timeoutMs: 240_000 });

describe(`an update of ${COUNT} items that is cut off`, () => {
	const DEADLINE = '2027-03-31T17:00:00+02:00';
	const all = (ids: number[]) => ids.map((id) => stack().sandbox.control.instance(id));
	const asWanted = (before: Array<Instance | undefined>) =>
		before.map((instance) => ({
			...instance,
			deadline: DEADLINE,
			tags: [...(instance?.tags ?? []), 'moved'],
			last_updated_time: expect.any(String),
		}));

	test('is made whole by another run, and a third one changes nothing', async () => {
		const { control } = stack().sandbox;
		const ids = addNamedInstances(control, COUNT);
		const before = all(ids);
		const workflow = await store(
			{
				operation: 'update',
				instanceId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				updateFields: { addTags: 'moved', deadline: DEADLINE },
			},
			ids,
		);
		await killAfter(COUNT / 2, workflow);
		const moved = all(ids).filter((instance) => instance?.tags.includes('moved'));
		expect(moved.length).toBeGreaterThan(0);
		expect(moved.length).toBeLessThan(COUNT);

		for (let runs = 0; runs < 2; runs++) {
			expect((await run(workflow)).status).toBe('success');
			expect(all(ids)).toEqual(asWanted(before));
		}
	});
});

describe(`a deletion of ${COUNT} instances that is cut off`, () => {
	test('is finished by another run, and a third one deletes nothing else', async () => {
		const { control } = stack().sandbox;
		const others = control.ids();
		const ids = control.addInstances(COUNT);
		// Slow enough that the run still goes on when it is cut off.
		control.setLatency(100);
		const workflow = await store({ operation: 'bulkDelete', idSource: 'inputField' }, ids);
		await killAfter(5, workflow);
		const left = control.ids().length - others.length;
		expect(left).toBeGreaterThan(0);
		expect(left).toBeLessThan(COUNT);

		control.setLatency(0);
		for (let runs = 0; runs < 2; runs++) {
			expect((await run(workflow)).status).toBe('success');
			expect(control.ids()).toEqual(others);
		}
	});
});
