import { setTimeout as sleep } from 'node:timers/promises';

import { renamable } from '../bench/tasks';
import { DELETE, ID_OF_ITEM, itemsOf, oneNodeWorkflow, useStack } from './support/stack';

const stack = useStack();
const COUNT = 2_000;
const DEADLINE = '2027-03-31T17:00:00+02:00';
const UPDATE = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags: 'moved', deadline: DEADLINE },
};

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

test.each([
	['an update', UPDATE, 0, COUNT / 2],
	// Slow enough that the run still goes on when it is cut off.
	['a deletion', DELETE, 100, 5],
])(
	`%s of ${COUNT} that is cut off is made whole by another run, and a third one changes nothing`,
	async (...row) => {
		const [, parameters, latency, requests] = row;
		const { sandbox, store } = stack();
		const { control } = sandbox;
		const ids = await renamable(COUNT, (count) => control.addInstances(count));
		const isUpdate = parameters === UPDATE;
		const wanted = ids.map((id) => {
			const before = control.instance(id);
			const tags = [...(before?.tags ?? []), 'moved'];
			const last_updated_time = expect.any(String);
			return isUpdate ? { ...before, deadline: DEADLINE, tags, last_updated_time } : undefined;
		});
		const all = () => ids.map((id) => control.instance(id));
		const others = control.ids().filter((id) => !ids.includes(id));
		control.setLatency(latency);
		const workflow = await store(oneNodeWorkflow(parameters, itemsOf(ids)));
		await killAfter(requests, workflow);
		const done = all().filter((now) => (isUpdate ? now?.deadline === DEADLINE : now === undefined));
		expect(done.length).toBeGreaterThan(0);
		expect(done.length).toBeLessThan(COUNT);

		control.setLatency(0);
		for (let runs = 0; runs < 2; runs++) {
			const { status } = await stack().n8n.rest.runWorkflow(workflow, { timeoutMs: 240_000 });
			expect(status).toBe('success');
			expect(all()).toEqual(wanted);
		}
		expect(control.ids()).toEqual(expect.arrayContaining(others));
	},
);
