import { connect, workflowNode } from '../../sandbox/n8n/workflowFile';
import { renamable } from '../bench/tasks';
import { DELETE, GET, itemsOf, jsonOf, oneNodeWorkflow, SERVICE, useStack } from './support/stack';

const stack = useStack();

test('Bulk Delete in a loop deletes the items of each round, and tries one again for itself', async () => {
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

test('three runs that spell the same Base URL in their own ways add tags at once, and none is lost', async () => {
	const { n8n, sandbox, store, addCredential } = stack();
	const { baseUrl, control } = sandbox;
	const ids = await renamable(20, (count) => control.addInstances(count));
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
