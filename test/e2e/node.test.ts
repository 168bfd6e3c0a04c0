import { setTimeout as sleep } from 'node:timers/promises';

import {
	connect,
	type Workflow,
	withCredential,
	workflowNode,
} from '../../sandbox/n8n/workflowFile';
import { CREDENTIAL_TYPE, NODE_TYPE } from '../../sandbox/names';
import { renamable } from '../bench/tasks';
import {
	DELETE,
	GET,
	IS_OLDEST,
	itemsOf,
	jsonOf,
	oneNodeWorkflow,
	SERVICE,
	useStack,
} from './support/stack';

const stack = useStack();

test('Get of 20 items of which 3 do not exist gives 17 and 3, each paired to its own', async () => {
	const missing = [3, 9, 16];
	const twenty = Array.from({ length: 20 }, (_, index) => ({
		id: missing.includes(index) ? 9_000_000 + index : 101 + index,
		label: `item ${index}`,
	}));
	const bad = twenty.filter((_, index) => missing.includes(index));
	const good = twenty.filter((item) => !bad.includes(item));
	const execution = await stack().run(oneNodeWorkflow(GET, twenty, 'continueErrorOutput'));
	expect(jsonOf(execution).map(({ id }) => id)).toEqual(good.map(({ id }) => id));
	expect(jsonOf(execution, SERVICE, 1)).toMatchObject(
		bad.map((item) => ({
			...item,
			error: expect.stringMatching(/Not found\.$/),
		})),
	);
	expect(jsonOf(execution, 'Behind Success')).toEqual(good);
	expect(jsonOf(execution, 'Behind Errors')).toEqual(bad);
});

test('Bulk Delete in a loop deletes the items of each round, and tries one again for itself', async () => {
	const { control } = stack().sandbox;
	const match = { method: 'POST', nth: 2 };
	control.addFault({ match, action: { type: 'respond', status: 500 } });
	const { nodes, ...workflow } = oneNodeWorkflow(DELETE, itemsOf([101, 102, 101, 104, 101]));
	const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const loop = workflowNode('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 2 });
	const links = [
		{ from: 'Items', to: 'Loop' },
		{ from: 'Loop', to: 'Behind Success' },
		{ from: 'Loop', output: 1, to: SERVICE },
		{ from: SERVICE, to: 'Loop' },
	];
	const execution = await stack().run({
		...workflow,
		nodes: [loop, ...nodes.map((node) => (node.name === SERVICE ? { ...node, ...retry } : node))],
		connections: connect(links),
	});
	const sent = control.log().map(({ body }) => JSON.parse(body).ids);
	expect(sent).toEqual([[101, 102], [101, 104], [101, 104], [101]]);
	expect(jsonOf(execution, 'Behind Success').map(({ id }) => id)).toEqual([
		101, 102, 101, 104, 101,
	]);
});

test('a Get of 10,000 items by an expression leaves n8n answering others all the time', async () => {
	const { n8n, sandbox, store } = stack();
	const items = itemsOf(sandbox.control.addInstances(10_000));
	const started = await n8n.rest.startWorkflow(await store(oneNodeWorkflow(GET, items)));
	const requests = () => sandbox.control.stats().requests;
	const slow: number[] = [];
	let all = 0;
	// n8n itself stops for a moment when it hands on and saves 10,000 items, before and after.
	while (requests() < 50) await sleep(20);
	for (; requests() < items.length - 50; all++) {
		const askedAt = performance.now();
		await (await fetch(`${n8n.url}/healthz`)).text();
		const took = performance.now() - askedAt;
		if (took > 250) slow.push(took);
		await sleep(20);
	}
	expect((await n8n.rest.waitForExecution(started, 240_000)).status).toBe('success');
	expect(all).toBeGreaterThan(20);
	// The machine may be busy with other things.
	expect(slow.length).toBeLessThanOrEqual(5);
});

/** Runs workflows at the same time, each with a credential of its own. */
async function runEach(credentials: object[], workflow: (run: number) => Workflow) {
	const { rest } = stack().n8n;
	const { baseUrl, apiKey } = stack().sandbox;
	const runs = credentials.map(async (changes, index) => {
		const data = { baseUrl, apiKey, ...changes };
		const credential = await rest.createCredential(`Own ${index}`, CREDENTIAL_TYPE, data);
		const id = await rest.createWorkflow(withCredential(workflow(index), NODE_TYPE, credential));
		return await rest.runWorkflow(id, { timeoutMs: 240_000 });
	});
	return await Promise.all(runs);
}

test('three runs that spell the same Base URL in their own ways add tags at once, and none is lost', async () => {
	const { baseUrl, control } = stack().sandbox;
	const ids = await renamable(20, (count) => control.addInstances(count));
	control.setLatency(30);
	const named = baseUrl.replace('127.0.0.1', 'localhost');
	const upper = named.replace('http://localhost', 'HTTP://LocalHost');
	const spelled = [named, `${upper}//`, ` ${upper}/ `].map((url) => ({ baseUrl: url }));
	await runEach(spelled, (run) => {
		const updateFields = { addTags: `run ${run}` };
		return oneNodeWorkflow({ ...GET, operation: 'update', updateFields }, itemsOf(ids));
	});
	const tags = ids.map((id) => control.instance(id)?.tags);
	const all = ['run 0', 'run 1', 'run 2'];
	expect(tags).toEqual(ids.map(() => expect.arrayContaining(all)));
});

test('Requests per Minute holds over the runs of a minute, as the service counts them', async () => {
	const { control } = stack().sandbox;
	const work = oneNodeWorkflow(GET, itemsOf(control.addInstances(8)));
	const limited = [{ requestsPerMinute: 10 }];
	const executions = [
		...(await runEach(limited, () => work)),
		...(await runEach(limited, () => work)),
	];
	expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
	const received = control.log().map(({ receivedAt }) => receivedAt);
	// Begun in a minute; until it is received, a request may take up to a second.
	const inMinuteFrom = (start: number) =>
		received.filter((at) => at >= start && at < start + 59_000).length;
	expect(received).toHaveLength(16);
	expect(Math.max(...received.map(inMinuteFrom))).toBe(10);
});

// The form of the credential, in editor.test.ts, shows what becomes of a wrong key or address.
test.each<[string, (service: { baseUrl: string; apiKey: string }) => object, RegExp]>([
	[
		'pasted with blanks, slashes and a prefix',
		({ baseUrl, apiKey }) => ({ baseUrl: ` ${baseUrl}// `, apiKey: ` Api-Key ${apiKey}\n` }),
		/^$/,
	],
	['with no web address', () => ({ baseUrl: 'example.com/api', apiKey: 'k' }), /'Base URL'/],
	['of a host that is silent', () => ({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' }), /REFUSED/],
])('the test of a credential %s says so', async (_, data, words) => {
	const { n8n, sandbox } = stack();
	const { status, message } = await n8n.rest.testCredential(CREDENTIAL_TYPE, {
		...data(sandbox),
	});
	const isGood = words.test('');
	expect(status).toBe(isGood ? 'OK' : 'Error');
	// The oldest n8n keeps no cause of what is thrown, so it refuses in words of its own.
	if (!isGood) expect(message).toMatch(IS_OLDEST ? /./ : words);
});
