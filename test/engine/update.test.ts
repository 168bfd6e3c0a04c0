import type { INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { useNodeRunner } from '../harness';
import { bodies, give, settableOf, stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

describe('Update', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;
	const READ = `GET /api/instances/${ID}/`;
	const WRITE = `PUT /api/instances/${ID}/`;

	const processUri = (id: number) => `${sandbox.credentials.baseUrl}/processes/${id}/`;
	const runner = useNodeRunner({ parameters: {} });
	const update = async (parameters: INodeParameters, id = ID) =>
		await runner.run({
			parameters: { operation: 'update', instanceId: locator(id), ...parameters },
			credentials: sandbox.credentials,
		});

	const ASSIGNMENTS = [
		{ step_id: 1203, user_id: 7 },
		{ step_id: 1201, user_id: 9 },
	];

	const ONE_FIELD: Array<[key: string, parameters: INodeParameters, value: () => unknown]> = [
		[
			'process',
			{ process: locator(SEED.processes.onboarding) },
			() => processUri(SEED.processes.onboarding),
		],
		['name', { updateFields: { name: 'Rechnung № 7 – ü' } }, () => 'Rechnung № 7 – ü'],
		[
			'deadline',
			{ updateFields: { deadline: '2026-07-01T10:00:00+02:00' } },
			() => '2026-07-01T10:00:00+02:00',
		],
		['priority', { updateFields: { priority: 'V' } }, () => 'V'],
		['tags', { updateFields: { tags: 'late, legal' } }, () => ['late', 'legal']],
		[
			'step_assignments',
			{
				updateFields: {
					stepAssignments: {
						assignment: [
							{ stepId: 1203, userId: 7 },
							{ stepId: 1201, userId: 9 },
						],
					},
				},
			},
			() => ASSIGNMENTS,
		],
	];

	const CLEARED: Array<[name: string, key: string, value: null | []]> = [
		['name', 'name', null],
		['deadline', 'deadline', null],
		['priority', 'priority', null],
		['tags', 'tags', []],
		['stepAssignments', 'step_assignments', []],
	];

	describe('an instance with all six fields set', () => {
		test('is really filled, so that the tests below can fail', () => {
			for (const value of Object.values(settableOf(stored(sandbox, ID)))) {
				expect(value).not.toHaveLength(0);
			}
		});

		test.each(ONE_FIELD)('updated in %s alone keeps the other five', async (key, given, value) => {
			const before = settableOf(stored(sandbox, ID));
			const { status } = await update(given);
			expect(status).toBe('success');
			expect(JSON.stringify(settableOf(stored(sandbox, ID)))).toBe(
				JSON.stringify({ ...before, [key]: value() }),
			);
			expect(Reflect.get(before, key)).not.toEqual(value());
			expect(sandbox.requests()).toEqual([READ, WRITE]);
		});

		test.each(CLEARED)('cleared in %s alone keeps the other five', async (name, key, value) => {
			const before = settableOf(stored(sandbox, ID));
			await update({ clearFields: [name] });
			expect(JSON.stringify(settableOf(stored(sandbox, ID)))).toBe(
				JSON.stringify({ ...before, [key]: value }),
			);
			expect(sandbox.requests()).toEqual([READ, WRITE]);
		});

		test('cleared in everything keeps the process alone', async () => {
			const { process } = stored(sandbox, ID);
			await update({ clearFields: CLEARED.map(([name]) => name) });
			expect(settableOf(stored(sandbox, ID))).toEqual({
				process,
				name: null,
				deadline: null,
				priority: null,
				tags: [],
				step_assignments: [],
			});
		});

		test('takes all six at once, and sends them and nothing else', async () => {
			const given = ONE_FIELD.map(([, parameters]) => parameters);
			await update({
				process: given[0]?.process,
				updateFields: Object.assign({}, ...given.map(({ updateFields }) => updateFields)),
			});
			const expected = Object.fromEntries(ONE_FIELD.map(([key, , value]) => [key, value()]));
			expect(bodies(sandbox, 'PUT')).toEqual([expected]);
			expect(settableOf(stored(sandbox, ID))).toEqual(expected);
		});

		test('reset leaves only what was given, with one request', async () => {
			await update({
				unsetFields: 'reset',
				process: locator(SEED.processes.invoiceApproval),
				updateFields: { priority: 'V' },
			});
			const process = processUri(SEED.processes.invoiceApproval);
			expect(bodies(sandbox, 'PUT')).toEqual([{ process, priority: 'V' }]);
			expect(settableOf(stored(sandbox, ID))).toEqual({
				process,
				name: '',
				deadline: null,
				priority: 'V',
				tags: [],
				step_assignments: [],
			});
			expect(sandbox.requests()).toEqual([WRITE]);
		});

		test.each(ONE_FIELD.slice(1))(
			'reset leaves %s alone when it alone is given',
			async (...row) => {
				const [key, given, value] = row;
				const process = locator(SEED.processes.invoiceApproval);
				await update({ unsetFields: 'reset', process, ...given });
				expect(bodies(sandbox, 'PUT')).toEqual([
					{ process: processUri(SEED.processes.invoiceApproval), [key]: value() },
				]);
			},
		);

		test.each([
			[{ addTags: 'late' }, ['finance', 'urgent', 'late']],
			[{ removeTags: 'finance' }, ['urgent']],
			[{ addTags: 'late', removeTags: 'urgent, unknown' }, ['finance', 'late']],
			// An expression that gives an empty list has nothing to add, but still speaks of the present tags.
			[{ addTags: '={{ [] }}' }, ['finance', 'urgent']],
			[{ removeTags: '={{ "" }}' }, ['finance', 'urgent']],
		])('reset reads the present tags for %j', async (updateFields, tags) => {
			const process = locator(SEED.processes.invoiceApproval);
			await update({ unsetFields: 'reset', process, updateFields });
			expect(sandbox.requests()).toEqual([READ, WRITE]);
			expect(settableOf(stored(sandbox, ID))).toEqual({
				process: processUri(SEED.processes.invoiceApproval),
				name: '',
				deadline: null,
				priority: null,
				tags,
				step_assignments: [],
			});
		});
	});

	describe('what was there before', () => {
		const AS_IT_IS = {
			name: '  "quoted", 名前 😀 \\ \u0000 ',
			deadline: '2026-02-28T23:59:59.123456-11:30',
			tags: [' spaced ', 'a, b', '[1]', 'a', 'a', ''],
			step_assignments: [
				{ step_id: 0, user_id: -4 },
				{ step_id: 0, user_id: -4 },
			],
		};

		test('is kept even where this node would refuse or trim it', async () => {
			await give(sandbox, ID, AS_IT_IS);
			const before = JSON.stringify(settableOf(stored(sandbox, ID)));
			await update({ process: locator(SEED.processes.invoiceApproval) });
			expect(JSON.stringify(settableOf(stored(sandbox, ID)))).toBe(before);
		});

		test('is kept when nothing was there', async () => {
			const before = settableOf(stored(sandbox, SEED.bare));
			await update({ updateFields: { name: 'Named' } }, SEED.bare);
			expect(settableOf(stored(sandbox, SEED.bare))).toEqual({ ...before, name: 'Named' });
		});

		test('is kept as it was a moment ago, for each item', async () => {
			const ids = [SEED.running, SEED.fullyFilled, SEED.overdue];
			const before = ids.map((id) => settableOf(stored(sandbox, id)));
			await runner.run({
				parameters: {
					operation: 'update',
					instanceId: locator('={{ $json.id }}'),
					updateFields: { priority: '={{ $json.priority }}' },
				},
				items: ids.map((id, index) => ({ id, priority: ['H', 'V', 'regular'][index] ?? '' })),
				credentials: sandbox.credentials,
			});
			expect(ids.map((id) => settableOf(stored(sandbox, id)))).toEqual(
				before.map((instance, index) => ({ ...instance, priority: ['H', 'V', null][index] })),
			);
			expect(sandbox.control.stats().requests).toBe(2 * ids.length);
		});

		test('stays when the service refuses the update', async () => {
			const before = stored(sandbox, ID);
			const { error } = await update({ process: locator(77) });
			expect(error?.message).toContain('There is no such workflow');
			expect(stored(sandbox, ID)).toEqual(before);
		});
	});
});
