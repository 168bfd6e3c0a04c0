import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { mockService, runNode } from '../harness';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

/** A whole parameter as an expression, where the form would hold a structure. */
const whole = (code: string) => `={{ ${code} }}`;

describe('An expression for a whole parameter', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;
	const run = async (parameters: INodeParameters, items: IDataObject[] = [{ id: ID }]) =>
		await sandbox.run(parameters, items);
	const update = async (parameters: INodeParameters) =>
		await run({ operation: 'update', instanceId: locator(ID), ...parameters });

	test('may give the instance', async () => {
		const { outputs } = await run({ operation: 'get', instanceId: whole('$json.id') });
		expect(outputs[0]?.[0]?.json.id).toBe(ID);
	});

	test('may give the link of the instance', async () => {
		const items = [{ url: stored(sandbox, ID).url }];
		const { outputs } = await run({ operation: 'get', instanceId: whole('$json.url') }, items);
		expect(outputs[0]?.[0]?.json.id).toBe(ID);
	});

	test('that gives another link is refused, with the word which one it is', async () => {
		const items = [{ process: stored(sandbox, ID).process }];
		const parameters = { operation: 'get', instanceId: whole('$json.process') };
		const { error } = await run(parameters, items);
		expect(error?.message).toMatch(/ in 'Instance' is a link to a process, not to an instance$/);
		expect(sandbox.requests()).toEqual([]);
	});

	test('may give the process', async () => {
		const { error } = await update({ process: whole(String(SEED.processes.onboarding)) });
		expect(error).toBeUndefined();
		expect(stored(sandbox, ID).process).toMatch(
			new RegExp(`/processes/${SEED.processes.onboarding}/$`),
		);
	});

	// n8n makes an empty form out of it.
	test.each(['{ name: "New" }', 'null', '"tags"', '["tags"]', 'undefined'])(
		'that gives %s for the fields to update changes nothing',
		async (code) => {
			const { error } = await update({ updateFields: whole(code) });
			expect(error?.message).toBe('Nothing to update was chosen');
			expect(sandbox.requests()).toEqual([]);
		},
	);

	test.each([
		['output', { operation: 'get' }, "'Output'"],
		['unsetFields', { operation: 'update', updateFields: { name: 'New' } }, "'Other Fields'"],
		['idSource', { operation: 'bulkDelete', instanceIds: '1' }, "'ID Source'"],
		['idField', { operation: 'bulkDelete', idSource: 'inputField' }, "'ID Field'"],
	])('that finds nothing for %s is refused', async (name, parameters, label) => {
		const { error } = await run({
			instanceId: locator(ID),
			...parameters,
			[name]: whole('null'),
		});
		expect(error?.message).toContain(label);
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('What a service may send', () => {
	const service = mockService();
	const PROCESS = 'https://service.example/api/processes/3/';

	const GET_RAW = { operation: 'get', instanceId: locator(7), output: 'raw' };

	test('a field named error comes out under another name', async () => {
		const instance = { id: 7, name: 'A', process: PROCESS };
		service.get('/instances/7/').reply(200, { ...instance, error: 'Overdue' });
		const { outputs, error } = await runNode({ parameters: GET_RAW });
		expect(error).toBeUndefined();
		expect(outputs[0]?.[0]?.json).toEqual({ ...instance, service_error: 'Overdue' });
	});

	test('tags that are null count as none when some are added', async () => {
		const kept = { process: PROCESS, name: null, deadline: null, priority: null };
		const current = { id: 7, ...kept, tags: null, step_assignments: [] };
		service.get('/instances/7/').reply(200, current);
		service
			.put('/instances/7/', { ...kept, tags: ['new'], step_assignments: [] })
			.reply(200, { ...current, tags: ['new'] });
		const { error } = await runNode({
			parameters: {
				operation: 'update',
				instanceId: locator(7),
				updateFields: { addTags: 'new', removeTags: 'old' },
			},
		});
		expect(error).toBeUndefined();
	});
});

describe('A very long list of IDs', () => {
	const sandbox = useSandbox();

	test('is cut short in words and whole in the facts', async () => {
		const ids = sandbox.control.addInstances(1_500);
		sandbox.control.addFault({ match: { nth: 2 }, action: { type: 'respond', status: 400 } });
		const { error } = await sandbox.run({ operation: 'bulkDelete', instanceIds: ids.join(',') });
		const [, shown = '', more] =
			/Not deleted: ([\d, ]+) and (\d+) more\./.exec(error?.description ?? '') ?? [];
		const named = shown.split(', ').map(Number);
		expect(named).toEqual(ids.slice(100, 100 + named.length));
		expect(named.length + Number(more)).toBe(1_400);
		expect(shown.length).toBeLessThanOrEqual(5_000);
		expect(shown.length).toBeGreaterThan(4_980);
		expect(error?.context).toMatchObject({ notDeletedIds: ids.slice(100) });
	});
});
