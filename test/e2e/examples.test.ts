import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { outputItems } from '../../sandbox/n8n/executions';
import { textAt } from '../../sandbox/guards';
import { SEED } from '../../sandbox/service';
import { useStack } from './support/stack';

const stack = useStack();
const run = async (file: string, trigger?: string) =>
	await stack().n8n.rest.runWorkflow(await stack().importExample(file), { trigger });

test('all examples are tested here', () => {
	const files = readdirSync(resolve(__dirname, '../../examples'));
	expect(files.filter((file) => file.endsWith('.json')).sort()).toEqual([
		'ai-agent.json',
		'nightly-clean-up.json',
		'push-deadlines.json',
		'read-instance.json',
		'tag-and-prioritise.json',
		'tour.json',
	]);
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

test('a webhook tags and prioritises, in production', async () => {
	const { n8n, sandbox } = stack();
	const id = await stack().importExample('tag-and-prioritise.json');
	const stored = await n8n.rest.call('GET', `/workflows/${id}`);
	const versionId = textAt(stored, 'versionId', 'The workflow');
	await n8n.rest.call('POST', `/workflows/${id}/activate`, { versionId });
	const send = async (body: object) => {
		const response = await fetch(`${n8n.url}/webhook/tag-and-prioritise`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: response.status, body: await response.json() };
	};
	// n8n registers the webhook a moment after it has answered.
	for (let tries = 0; tries < 50 && (await send({})).status === 404; tries++) await sleep(100);
	const before = sandbox.control.instance(101);
	expect(await send({ id: 101, tags: ['vip', 'renewal'], urgent: true })).toMatchObject({
		status: 200,
		body: { id: 101, priority: 'V' },
	});
	expect(sandbox.control.instance(101)).toMatchObject({
		name: before?.name,
		deadline: before?.deadline,
		priority: 'V',
		tags: [...(before?.tags ?? []), 'vip', 'renewal'],
	});
	expect(await send({ id: 'abc', tags: [] })).toMatchObject({
		status: 422,
		body: { reason: expect.stringContaining("'Instance'") },
	});
});

test('the AI agent is imported as it is', async () => {
	expect(await stack().importExample('ai-agent.json')).toEqual(expect.any(String));
});
