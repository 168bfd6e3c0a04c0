import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { mockService, runNode } from '../harness';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const PROCESS = 'https://service.example/api/processes/3/';
const SETTABLE = {
	process: PROCESS,
	name: 'Old',
	deadline: null,
	priority: 'H',
	tags: ['a'],
	step_assignments: [],
};
const CURRENT = { id: 7, ...SETTABLE, stage: 'Review' };

/** What the service says of the instance when it leaves a key out. */
function without(key: string): IDataObject {
	return Object.fromEntries(Object.entries(CURRENT).filter(([name]) => name !== key));
}

describe('answers', () => {
	const service = mockService();
	const update = async (parameters: INodeParameters = { updateFields: { name: 'New' } }) =>
		await runNode({ parameters: { operation: 'update', instanceId: locator(7), ...parameters } });
	const sent = () => service.requests.filter(({ method }) => method === 'PUT');

	const answered = async (status: number, body?: string | object) => {
		service.get('/instances/7/').reply(200, CURRENT);
		service.put('/instances/7/').reply(status, body);
		return await update();
	};

	test.each([
		[200, ''],
		[200, ' \n'],
		[201, undefined],
		[202, undefined],
		[204, undefined],
	])('%d with the body %j says that it was updated', async (status, body) => {
		const { outputs, error } = await answered(status, body);
		expect(error).toBeUndefined();
		expect(outputs).toEqual([[{ json: { id: 7, updated: true }, pairedItem: { item: 0 } }]]);
	});

	test.each([200, 201, 202])('%d with the instance gives the instance', async (status) => {
		const { outputs } = await answered(status, { ...CURRENT, name: 'New' });
		expect(outputs[0]?.[0]?.json).toMatchObject({ id: 7, name: 'New' });
	});

	test.each([
		'null',
		'{}',
		'[]',
		'"ok"',
		'{"status":"ok"}',
		'OK',
		'[{"id":7}]',
		'{"id":7,"error":"Locked."}',
		'{"id":7,"errors":["No."]}',
		'{"id":7,"success":false}',
		'{"name":["Too long."]}',
	])('200 with the body %j is not taken for an instance, by Get and Update', async (body) => {
		const message = `The response for instance 7 is not what the service sends: "${body}"`;
		const { outputs, error } = await answered(200, body);
		expect(outputs).toEqual([]);
		const doubt = 'The service may have carried out the request all the same';
		expect(error).toMatchObject({ message, httpCode: '200' });
		expect(error?.description).toContain(doubt);
		service.get('/instances/7/').reply(200, body);
		const got = await runNode({ parameters: { operation: 'get', instanceId: locator(7) } });
		expect(got.error?.message).toBe(message);
		expect(got.error?.description).not.toContain(doubt);
	});

	test('500 names the instance, and says that it may be done', async () => {
		const { error } = await answered(500, '');
		expect(error?.message).toBe('The service could not handle the request for instance 7 (500)');
		expect(error?.description).toContain('The service may have carried out the request');
	});

	test('what the service sends beside the interface is not sent back', async () => {
		const beside = { owner: 5, constructor: 'x', url: 'u', error: 'e', step_ids: [1] };
		service.get('/instances/7/').reply(200, {
			...CURRENT,
			...beside,
			step_assignments: [{ step_id: 1, user_id: 2, url: 'u' }],
		});
		service.put('/instances/7/').reply(204);
		await update();
		expect(sent().map(({ body }) => body)).toEqual([
			{ ...SETTABLE, name: 'New', step_assignments: [{ step_id: 1, user_id: 2 }] },
		]);
	});

	test('null for a value that is to stay is sent as null', async () => {
		service.get('/instances/7/').reply(200, { ...CURRENT, name: null, priority: null });
		service.put('/instances/7/').reply(204);
		await update({ updateFields: { tags: 'b' } });
		expect(sent()[0]?.body).toMatchObject({ name: null, priority: null, tags: ['b'] });
	});

	test('null for a list that is to stay is sent as no list, which the interface allows', async () => {
		const current = { ...CURRENT, tags: null, step_assignments: null };
		service.get('/instances/7/').reply(200, current);
		service.put('/instances/7/').reply(204);
		await update();
		expect(sent()[0]?.body).toEqual({
			process: PROCESS,
			name: 'New',
			deadline: null,
			priority: 'H',
		});
	});

	test.each([
		['tags', 'a, b', "'Tags'"],
		['tags', [1], "'Tags'"],
		['deadline', 1_782_900_000, "'Deadline'"],
		['priority', { code: 'H' }, "'Priority'"],
		['step_assignments', [7], "'Step Assignments'"],
		['process', { id: 3 }, "'Process'"],
	])('%s read as %j is not sent back changed', async (key, value, label) => {
		service.get('/instances/7/').reply(200, { ...CURRENT, [key]: value });
		const { error } = await update();
		expect(error?.message).toContain(label);
		expect(error?.description).toContain('Nothing was changed.');
		expect(sent()).toEqual([]);
	});

	test.each([undefined, null])('a process read as %p has to be chosen', async (process) => {
		service.get('/instances/7/').reply(200, { ...CURRENT, process });
		const { error } = await update();
		expect(error?.message).toContain('did not say which process the instance belongs to');
		expect(error?.description).toContain("Choose it under 'Process'. Nothing was changed.");
		expect(sent()).toEqual([]);
	});

	const ASSIGNED = { assignment: [{ stepId: 1, userId: 2 }] };

	test.each<[key: string, label: string, clear: string, fields: INodeParameters]>([
		['name', "'Name'", 'name', { name: 'A' }],
		['name', "'Name'", 'name', { automaticNaming: true }],
		['deadline', "'Deadline'", 'deadline', { deadline: '2026-07-01T10:00:00Z' }],
		['priority', "'Priority'", 'priority', { priority: 'regular' }],
		['tags', "'Tags'", 'tags', { tags: 'a' }],
		['step_assignments', "'Step Assignments'", 'stepAssignments', { stepAssignments: ASSIGNED }],
	])(
		'%s that the read does not say cannot be kept, and %s set or cleared needs no current one (%#)',
		async (key, label, cleared, updateFields) => {
			const read = () => service.get('/instances/7/').reply(200, without(key));
			read();
			const other = key === 'name' ? { priority: 'V' } : { name: 'New' };
			const { error, outputs } = await update({ updateFields: other });
			expect(outputs).toEqual([]);
			expect(error?.message).toBe(
				`The service did not return the ${label} of the instance, so it cannot be kept`,
			);
			expect(error?.description).toContain(`Set or clear ${label} in this node`);
			expect(error?.description).toContain('Nothing was changed.');
			expect(sent()).toEqual([]);
			for (const parameters of [{ updateFields }, { clearFields: [cleared] }]) {
				read();
				service.put('/instances/7/').reply(204);
				expect((await update(parameters)).error).toBeUndefined();
			}
			expect(sent()[1]?.body).toHaveProperty(key);
		},
	);

	test('process that the read does not say is enough when it is chosen', async () => {
		service.get('/instances/7/').reply(200, without('process'));
		service.put('/instances/7/').reply(204);
		expect((await update({ process: locator(3) })).error).toBeUndefined();
	});

	test.each([
		['tags', { addTags: 'a' }],
		['tags', { removeTags: 'a' }],
		['step_assignments', { addStepAssignments: ASSIGNED }],
	])('%s that the read does not say cannot be changed by %j', async (key, updateFields) => {
		for (const unsetFields of ['keep', 'reset']) {
			service.get('/instances/7/').reply(200, without(key));
			const { error } = await update({ unsetFields, process: locator(3), updateFields });
			expect(error?.message).toMatch(
				/^The service did not return the '(Tags|Step Assignments)' of/,
			);
		}
		expect(sent()).toEqual([]);
	});

	test('reset needs no more of it than the tags that are amended', async () => {
		service.get('/instances/7/').reply(200, { id: 7, tags: ['a'] });
		service.put('/instances/7/').reply(204);
		const reset = { unsetFields: 'reset', process: locator(3), updateFields: { addTags: 'b' } };
		expect((await update(reset)).error).toBeUndefined();
		expect(sent()[0]?.body).toEqual({
			process: `${service.baseUrl}/processes/3/`,
			tags: ['a', 'b'],
		});
	});

	describe('refusals of a value that was kept', () => {
		const refused = async (body: object, parameters?: INodeParameters, current = {}) => {
			service.get('/instances/7/').reply(200, { ...CURRENT, ...current });
			service.put('/instances/7/').reply(400, body);
			const { error } = await update(parameters);
			return error?.description;
		};

		test.each([
			[
				{ priority: ['No.'] },
				'\'Priority\' was not entered in this node: "H" is its current value',
			],
			[{ detail: 'These tags are locked.' }, '\'Tags\' was not entered in this node: ["a"] is its'],
			[{ step_id: ['No.'] }, "'Step Assignments' was not entered in this node: [] is its current"],
			[
				{ deadline: ['Enter one.'] },
				"'Deadline' was not entered in this node: null is its current",
			],
		])('%j name its field, its current value and where to change it', async (body, words) => {
			const description = await refused(body);
			expect(description).toContain(words);
			expect(description).toContain(
				"Set it in 'Fields to Update', or clear it in 'Fields to Clear'",
			);
		});

		test('quote the beginning of a long one', async () => {
			const description = await refused({ tags: ['No.'] }, undefined, { tags: ['a'.repeat(200)] });
			expect(description).toMatch(/: \["a{78}… is its current value/);
		});

		test('of the process advise to choose another one', async () => {
			const description = await refused({ process: ['Archived.'] });
			expect(description).toContain(
				`'Process' was not entered in this node: "${PROCESS}" is its current value, which was kept.`,
			);
			expect(description).toContain("Choose another one under 'Process'.");
		});

		test.each([{ priority: 'V' }, { addTags: 'b' }])(
			'of the name advise automatic naming beside %j',
			async (updateFields) => {
				const description = await refused({ name: ['No.'] }, { updateFields });
				expect(description).toContain(
					'\'Name\' was not entered in this node: "Old" is its current',
				);
				expect(description).toContain("'Automatic Naming'");
			},
		);

		test.each<[object, INodeParameters]>([
			[{ name: ['No.'] }, { updateFields: { name: 'New' } }],
			[{ tags: ['No.'] }, { clearFields: ['tags'] }],
			[{ tags: ['No.'] }, { updateFields: { addTags: 'b' } }],
			[{ tags: ['No.'] }, { updateFields: { removeTags: 'a' } }],
			[{ tags: ['No.'], name: ['No.'] }, { updateFields: { name: 'New' } }],
			[{ detail: 'No.' }, { updateFields: { name: 'New' } }],
		])('%j are not meant where the user said %j', async (body, parameters) => {
			expect(await refused(body, parameters)).not.toContain('was not entered');
		});
	});
});

describe('the output', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;
	const update = async (parameters: INodeParameters) => {
		const required = {
			operation: 'update',
			instanceId: locator(ID),
			updateFields: { name: 'New' },
		};
		const { outputs } = await sandbox.run({ ...required, ...parameters });
		return outputs[0]?.[0]?.json ?? {};
	};

	test('is simplified by default, everything when raw, or what was selected', async () => {
		const simplified = await update({});
		expect(simplified).toMatchObject({ id: ID, name: 'New', priority: 'H' });
		expect(Object.keys(simplified).length).toBeLessThanOrEqual(10);
		expect(simplified).not.toHaveProperty('process_snapshot');
		expect(await update({ output: 'raw' })).toEqual(stored(sandbox, ID));
		const selected = await update({ output: 'selected', outputFields: ['stage', 'url'] });
		expect(Object.keys(selected)).toEqual(['id', 'stage', 'url']);
	});
});
