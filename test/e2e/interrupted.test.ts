import { setTimeout as sleep } from 'node:timers/promises';

import { ID_OF_ITEM, itemsOf, oneNodeWorkflow, useStack } from './support/stack';

const stack = useStack();
const COUNT = 2_000;
const DEADLINE = '2027-03-31T17:00:00+02:00';
const UPDATE = {
	operation: 'update',
	instanceId: ID_OF_ITEM,
	updateFields: { addTags: 'moved', deadline: DEADLINE },
};

// For Bulk Delete, the tests of queue mode show it.
test(`an update of ${COUNT} that is cut off is made whole by another run, and a third one changes nothing`, async () => {
	const { n8n, sandbox, store, killAndRestart } = stack();
	const { control } = sandbox;
	const ids = control.addInstances(COUNT);
	const all = () => ids.map((id) => control.instance(id));
	const wanted = all().map((before) => ({
		...before,
		deadline: DEADLINE,
		tags: [...(before?.tags ?? []), 'moved'],
		last_updated_time: expect.any(String),
	}));
	const workflow = await store(oneNodeWorkflow(UPDATE, itemsOf(ids)));
	const ended = n8n.rest.waitForExecution(await n8n.rest.startWorkflow(workflow)).then(
		() => true,
		// n8n answers no more once it was killed.
		() => false,
	);
	while (control.stats().requests < COUNT / 2) {
		if (await Promise.race([ended, sleep(5, false)])) throw new Error('The run was too short.');
	}
	await killAndRestart();
	const done = all().filter((now) => now?.deadline === DEADLINE);
	expect(done.length).toBeGreaterThan(0);
	expect(done.length).toBeLessThan(COUNT);

	for (let runs = 0; runs < 2; runs++) {
		const { status } = await stack().n8n.rest.runWorkflow(workflow, { timeoutMs: 240_000 });
		expect(status).toBe('success');
		expect(all()).toEqual(wanted);
	}
});
