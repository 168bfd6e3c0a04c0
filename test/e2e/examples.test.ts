import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { outputItems } from '../../sandbox/n8n/executions';
import { isRecord } from '../../sandbox/guards';
import { asWorkflow, type WorkflowNode } from '../../sandbox/n8n/workflowFile';
import { SEED } from '../../sandbox/service';
import { emissions, publish, unpublish } from './support/active';
import { EXAMPLES, recipe, withItems, withParameters } from './support/recipe';
import { useStack } from './support/stack';

const stack = useStack();
const run = async (file: string, trigger?: string) =>
	await stack().n8n.rest.runWorkflow(await stack().importExample(file), { trigger });

const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));

test('all examples are tested, here or in recipes.test.ts', () => {
	expect(files.sort()).toEqual([
		'ai-agent.json',
		'approve-deletion.json',
		'nightly-clean-up.json',
		'push-deadlines.json',
		'read-instance.json',
		'tag-and-prioritise.json',
		'tell-when-finished.json',
		'tour.json',
		'update-from-table.json',
		'wait-until-finished.json',
		'watch-list.json',
	]);
});

/** What a node or a note covers on the canvas. */
function areaOf({ name, type, parameters, position }: WorkflowNode) {
	const [x = NaN, y = NaN] = Array.isArray(position) ? position.map(Number) : [];
	const area = (left: number, right: number, bottom: number) => ({
		name,
		left: x + left,
		top: y,
		right: x + right,
		bottom: y + bottom,
	});
	if (type.endsWith('stickyNote')) {
		const { width, height } = isRecord(parameters) ? parameters : {};
		return area(0, Number(width), Number(height));
	}
	// The name stands below a node, up to 192 wide; in a node with sub-nodes it stands inside.
	return /(agent|HitlTool)$/.test(type) ? area(0, 260, 130) : area(-48, 144, 150);
}

test.each(files)('%s holds no credential, and nothing lies on anything else', (file) => {
	const { nodes } = recipe(file);
	expect(nodes.filter((node) => 'credentials' in node)).toEqual([]);
	const areas = nodes.map(areaOf);
	expect(areas.filter(({ right, bottom }) => Number.isNaN(right + bottom))).toEqual([]);
	const overlaps = areas.flatMap((one, index) =>
		areas
			.slice(index + 1)
			.filter(({ left, right }) => one.left < right && left < one.right)
			.filter(({ top, bottom }) => one.top < bottom && top < one.bottom)
			.map((other) => `${one.name} and ${other.name}`),
	);
	expect(overlaps).toEqual([]);
});

test('the tour reads, updates, reads again and deletes', async () => {
	const { control } = stack().sandbox;
	const before = control.instance(102);
	const execution = await run('tour.json');
	expect(execution.status).toBe('success');
	const after = control.instance(102);
	expect(after).toEqual({
		...before,
		deadline: expect.any(String),
		tags: [...(before?.tags ?? []), 'tour'],
		last_updated_time: expect.any(String),
	});
	expect(after?.deadline).not.toBe(before?.deadline);
	expect(control.instance(107)).toBeUndefined();
	expect(control.instance(108)).toBeUndefined();
	expect(outputItems(execution, 'Get Deleted', 1)).toHaveLength(2);
	expect((await run('tour.json')).status).toBe('success');
	expect(control.instance(102)?.tags).toEqual(after?.tags);
});

test('one instance is read with its snapshot', async () => {
	const execution = await run('read-instance.json');
	const [item] = outputItems(execution, 'Get Instance');
	expect(item?.json).toMatchObject({ id: 101, process_snapshot: expect.any(Object) });
});

test('the nightly clean-up lists what it would delete, and deletes nothing', async () => {
	const before = stack().sandbox.control.ids();
	const execution = await run('nightly-clean-up.json', 'Try It Now');
	expect(execution.status).toBe('success');
	const listed = outputItems(execution, 'Delete Old Instances').map(({ json }) => json);
	const old = SEED.completedLongAgo.filter((id) => id <= 124);
	expect(listed).toEqual(old.map((id) => ({ id, deleted: false, dryRun: true })));
	expect(outputItems(execution, 'Could Not Be Read').map(({ json }) => json.id)).toEqual([9000001]);
	expect(stack().sandbox.control.ids()).toEqual(before);
});

test('the nightly clean-up deletes from a list of its own once Dry Run is off', async () => {
	const { n8n, sandbox } = stack();
	const [old = 0, recent = 0] = [SEED.completedLongAgo[1], SEED.completedRecently[1]];
	const rows = [old, SEED.unknown, recent].map((instance, index) => ({ id: index + 1, instance }));
	const listed = withItems(recipe('nightly-clean-up.json'), 'One Item per Instance', rows);
	const instanceId = { __rl: true, mode: 'id', value: '={{ $json.instance }}' };
	const named = withParameters(listed, 'Get Instance', { instanceId });
	const options = { dryRun: false, onEmpty: 'nothing' };
	const id = await stack().store(withParameters(named, 'Delete Old Instances', { options }));
	const execution = await n8n.rest.runWorkflow(id, { trigger: 'Try It Now' });
	expect(outputItems(execution, 'Delete Old Instances').map(({ json }) => json)).toEqual([
		{ id: old, deleted: true },
	]);
	expect(sandbox.control.instance(old)).toBeUndefined();
	expect(sandbox.control.instance(recent)).toBeDefined();
	await publish(stack(), id);
});

test('deadlines are pushed, and what could not be is listed with the reason', async () => {
	const { control } = stack().sandbox;
	const execution = await run('push-deadlines.json');
	expect(outputItems(execution, 'Done').map(({ json }) => json.id)).toEqual([101, 102, 104]);
	expect(outputItems(execution, 'To Look At').map(({ json }) => json)).toEqual([
		{
			id: 9000001,
			wanted: '2027-03-31',
			reason: expect.stringContaining('Not found.'),
			advice: expect.any(String),
		},
	]);
	expect(control.instance(104)?.deadline).toBe('2027-03-31T17:00:00+02:00');
	expect(control.instance(101)?.deadline).toMatch(/^2027-03-31T00:00:00(Z|[+-]\d\d:\d\d)$/);
});

test('deadlines are pushed from any source with the same columns', async () => {
	const { control } = stack().sandbox;
	const rows = [SEED.running, SEED.unknown].map((id) => ({ id, deadline: '2027-06-30' }));
	const { rest } = stack().n8n;
	const workflow = withItems(recipe('push-deadlines.json'), 'One Item per Row', rows);
	const renamed = JSON.stringify(workflow).replaceAll('One Item per Row', 'Google Sheets');
	const id = await stack().store(asWorkflow(JSON.parse(renamed), 'push-deadlines.json'));
	const execution = await rest.runWorkflow(id);
	expect(control.instance(SEED.running)?.deadline).toMatch(/^2027-06-30T00:00:00/);
	expect(outputItems(execution, 'To Look At').map(({ json }) => json)).toEqual([
		expect.objectContaining({ id: SEED.unknown, wanted: '2027-06-30' }),
	]);
});

describe('a webhook, in production,', () => {
	const send = async (body: object) => {
		const response = await fetch(`${stack().n8n.url}/webhook/tag-and-prioritise`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: response.status, body: await response.json() };
	};
	beforeAll(async () => {
		await publish(stack(), await stack().importExample('tag-and-prioritise.json'));
		// n8n registers the webhook a moment after it has answered.
		for (let tries = 0; tries < 50 && (await send({})).status === 404; tries++) await sleep(100);
	});

	test('tags and prioritizes', async () => {
		const { control } = stack().sandbox;
		const before = control.instance(101);
		expect(await send({ id: 101, tags: ['vip', 'renewal'], urgent: true })).toMatchObject({
			status: 200,
			body: { id: 101, priority: 'V' },
		});
		const tags = [...(before?.tags ?? []), 'vip', 'renewal'];
		const { name, deadline } = before ?? {};
		expect(control.instance(101)).toMatchObject({ name, deadline, priority: 'V', tags });
		expect((await send({ id: 101, tags: [] })).status).toBe(200);
		expect(control.instance(101)).toMatchObject({ name, deadline, priority: null, tags });
	});

	test('answers why it changed nothing', async () => {
		expect(await send({ id: 'abc', tags: [] })).toMatchObject({
			status: 422,
			body: { reason: expect.stringContaining("'Instance'") },
		});
	});

	test('loses nothing of many calls at once within one process', async () => {
		const { control } = stack().sandbox;
		control.setLatency(20);
		const tags = Array.from({ length: 8 }, (_, index) => `tag ${index}`);
		const before = control.instance(101)?.tags ?? [];
		await Promise.all(tags.map(async (tag) => await send({ id: 101, tags: [tag] })));
		const after = [...(control.instance(101)?.tags ?? [])];
		expect(after.sort()).toEqual([...before, ...tags].sort());
	});
});

test('someone is told when an instance is finished or overdue', async () => {
	const { control } = stack().sandbox;
	const id = await stack().importExample('tell-when-finished.json');
	const samples = outputItems(await stack().n8n.rest.runWorkflow(id), 'Tell Someone');
	expect(samples.map(({ json }) => json.eventId)).toEqual([
		'101-completed-sample',
		'102-completed-sample',
		'104-overdue-sample',
		'106-completed-sample',
	]);
	control.clearLog();
	await publish(stack(), id);
	while ((control.stats().byStatus[200] ?? 0) < 4) await sleep(100);
	await sleep(1_000);
	control.change(101, { state: 'completed' });
	control.change(102, { deadline: '2020-01-01T00:00:00Z' });
	await unpublish(stack(), id);
	await publish(stack(), id);
	let told = await emissions(stack(), id, 'Tell Someone');
	// The first execution is that of the sample.
	for (; told.length < 2; told = await emissions(stack(), id, 'Tell Someone')) await sleep(200);
	expect(told[1]?.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^Instance 101 \(.+\) is completed\. Stage: \w/),
		expect.stringMatching(/^Instance 102 \(.+\) has been overdue since 2020-01-01/),
	]);
	await unpublish(stack(), id);
});
