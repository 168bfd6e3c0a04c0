import { connect, workflowNode } from '../../sandbox/n8n/workflowFile';
import { DELETE, GET, itemsOf, jsonOf, oneNodeWorkflow, SERVICE, useStack } from './support/stack';

const stack = useStack();

test('Bulk Delete in a loop deletes only the items of each round, also when it retries one', async () => {
	const { control } = stack().sandbox;
	const match = { method: 'POST', nth: 2 };
	control.addFault({ match, action: { type: 'respond', status: 500 } });
	const { nodes, ...workflow } = oneNodeWorkflow(DELETE, itemsOf([101, 102, 101, 104, 101]));
	const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const loop = workflowNode('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 2 });
	const execution = await stack().run({
		...workflow,
		nodes: [loop, ...nodes.map((node) => (node.name === SERVICE ? { ...node, ...retry } : node))],
		connections: connect([
			{ from: 'Start', to: 'Loop' },
			{ from: 'Loop', output: 1, to: SERVICE },
			{ from: SERVICE, to: 'Loop' },
		]),
	});
	const sent = control.log().map(({ body }) => JSON.parse(body).ids);
	expect(sent).toEqual([[101, 102], [101, 104], [101, 104], [101]]);
	expect(jsonOf(execution, 'Loop').map(({ id }) => id)).toEqual([101, 102, 101, 104, 101]);
});

test('three simultaneous runs with different spellings of a Base URL add tags to the same instances without losing one', async () => {
	const { n8n, sandbox, store, addCredential } = stack();
	const { baseUrl, control } = sandbox;
	const ids = control.addInstances(20);
	control.setLatency(30);
	const named = baseUrl.replace('127.0.0.1', 'localhost');
	const upper = named.replace('http://localhost', 'HTTP://LocalHost');
	const runs = [named, `${upper}//`, ` ${upper}/ `].map(async (spelled, run) => {
		const parameters = { ...GET, operation: 'update', updateFields: { addTags: `run ${run}` } };
		const workflow = oneNodeWorkflow(parameters, itemsOf(ids));
		const id = await store(workflow, await addCredential({ baseUrl: spelled }));
		return await n8n.rest.runWorkflow(id, { timeoutMs: 240_000 });
	});
	await Promise.all(runs);
	const tags = ids.map((id) => control.instance(id)?.tags);
	const all = ['run 0', 'run 1', 'run 2'];
	expect(tags).toEqual(ids.map(() => expect.arrayContaining(all)));
});

test('ten of 1,000 instances that always respond with 503 hold up neither the others nor another run', async () => {
	const { control } = stack().sandbox;
	control.setLatency(20);
	const [ids, others] = [control.addInstances(1_000), control.addInstances(500)];
	const match = { ids: ids.filter((_, index) => index % 100 === 50) };
	control.addFault({ match, times: 0, action: { type: 'respond', status: 503 } });
	const [execution, other] = await Promise.all([
		stack().run(oneNodeWorkflow(GET, itemsOf(ids), 'continueErrorOutput')),
		stack().run(oneNodeWorkflow(GET, itemsOf(others))),
	]);
	expect(jsonOf(other)).toHaveLength(500);
	expect([0, 1].map((output) => jsonOf(execution, SERVICE, output).length)).toEqual([990, 10]);
	const asked = control.log().map(({ url }) => Number(/(\d+)\/$/.exec(url)?.[1]));
	expect(asked.length).toBeLessThanOrEqual(500 + 1_300);
	const lastOf = (some: number[]) => asked.map((id) => some.includes(id)).lastIndexOf(true);
	expect(lastOf(others)).toBeLessThan(lastOf(match.ids));
});
