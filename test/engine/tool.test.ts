import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { runAsTool } from '../harness';
import { bodies, settableOf, stored } from './support/instances';
import { parametersWith } from './support/operations';
import { CONTINUE, locator, respond, useSandbox } from './support/sandbox';

/** As n8n's button writes it. */
const ai = (name: string, type = 'string') =>
	`={{ $fromAI('${name}', \`What it is\`, '${type}') }}`;

/** Input items of the agent itself, which don't concern the tool. */
const OF_THE_AGENT = [
	{ id: SEED.aborted, ids: [SEED.aborted], name: 'of the agent' },
	{ id: SEED.completed },
	{ id: SEED.bare, chatInput: 'Hello' },
];

const GET: INodeParameters = { operation: 'get', instanceId: locator(ai('id', 'number')) };
const UPDATE: INodeParameters = {
	operation: 'update',
	instanceId: locator(ai('id', 'number')),
	updateFields: { name: ai('name'), addTags: ai('tags') },
};
const BULK_DELETE: INodeParameters = { operation: 'bulkDelete', instanceIds: ai('ids') };

describe.each(['call', 'request'] as const)('As a tool of an agent that makes a %s', (agent) => {
	const sandbox = useSandbox();
	const run = async (parameters: INodeParameters, calls: IDataObject[], settings = {}) => {
		const { credentials } = sandbox;
		const items = OF_THE_AGENT;
		return await runAsTool({ parameters, calls, agent, items, credentials, ...settings });
	};
	const ID = SEED.fullyFilled;
	const present = (id = ID) => settableOf(stored(sandbox, id));
	/** What models fill in to say that there is no value; undefined leaves the argument out. */
	const NOTHING = [
		...[undefined, null, '', ' ', [], '[]', '[ ]', 'null', 'undefined', 'None', 'N/A'],
		...[['null'], '["none"]', 'None.', 'null, null', '\u200bnull', '""'],
	];
	const parameters = parametersWith('update', ai('value'), ai('id', 'number'));
	const fields = parameters.filter(([path]) => /^(updateFields|clearFields)/.test(path));
	test.each(fields)('Update keeps %s if the model fills in nothing', async (path, given) => {
		const ids = sandbox.control.addInstances(NOTHING.length);
		for (const id of ids) sandbox.control.change(id, present());
		const before = ids.map(present);
		const calls = ids.map((id, index) => {
			const value = NOTHING[index];
			return value === undefined ? { id } : { id, value };
		});
		const options = { emptyValues: 'clear' };
		const { tasks } = await run({ ...given, options }, calls, CONTINUE);
		expect(JSON.stringify(tasks.map(({ hints }) => hints))).not.toContain('No item has a value');
		// Older agents themselves reject a call in which a value is missing or has another type.
		const isCalled = (index: number) => agent === 'request' || typeof NOTHING[index] === 'string';
		const after = before.map((instance, index) => ({
			...instance,
			...(path !== 'updateFields.name' && isCalled(index) && { name: 'New' }),
		}));
		expect(ids.map(present)).toEqual(after);
	});

	test('Update changes what each call asks for, and reassigns the step that the model fills in', async () => {
		const stepId = { ...locator(ai('step', 'number')), cachedResultName: 'Approve' };
		const userId = locator(ai('user', 'number'));
		const changeSteps = { change: [{ action: 'reassign', stepId, userId }] };
		const [first, second] = present().step_assignments;
		const call = { id: ID, name: 'A', step: first?.step_id, user: 7, clear: 'deadline, tags' };
		const calls = [call, { ...call, id: SEED.running, name: 'None, yet', step: 1101 }];
		const updateFields = { name: ai('name'), changeSteps };
		await run({ ...UPDATE, updateFields, clearFields: ai('clear') }, calls);
		const step_assignments = [{ ...first, user_id: 7 }, second];
		expect(present()).toMatchObject({ name: 'A', step_assignments, deadline: null, tags: [] });
		expect(present(SEED.running).name).toBe('None, yet');
	});

	const ADD_ROW = { action: 'add', stepId: locator(ai('step')), userId: locator(ai('user')) };
	const ADD = { ...UPDATE, updateFields: { changeSteps: { change: [ADD_ROW] } } };
	const IN_PART = "={{ 'Invoice ' + $fromAI('name', '', 'string', '') }}";
	const DUE = "={{ DateTime.fromISO($fromAI('due', '', 'string', '')).toISO() }}";
	const BRACES = "={{ 'Dear ' + '{'.repeat(2) + 'name' + '}'.repeat(2) }}";
	const ROW = { change: [{ ...ADD_ROW, action: ai('action') }] };
	test.each<[what: string, updateFields: INodeParameters, filledIn: IDataObject, name: string]>([
		['an entry of a list', { name: 'None', tags: [ai('tag')] }, { tag: 'none' }, 'None'],
		['a deadline whose expression fails', { name: 'A', deadline: DUE }, { due: 'null' }, 'A'],
		[
			'not a name with such a word',
			{ name: IN_PART },
			{ name: 'undefined behavior' },
			'Invoice undefined behavior',
		],
		[
			'a row with only an action',
			{ name: 'A', changeSteps: ROW },
			{ action: 'add', step: '', user: '' },
			'A',
		],
		['not braces of the user', { name: BRACES }, {}, 'Dear {{name}}'],
	])('Update knows what is no value: %s', async (_what, updateFields, filledIn, name) => {
		const before = present();
		await run({ ...UPDATE, updateFields }, [{ id: ID, ...filledIn }]);
		expect(present()).toEqual({ ...before, name });
	});

	test.each<[string, INodeParameters, IDataObject, string]>([
		['Get', GET, { id: -1 }, "'Instance'"],
		['Get', { ...GET, instanceId: locator(ai('id')) }, { id: '' }, 'the URL of an instance.'],
		['Update', ADD, { id: ID, step: '1201', user: 'none' }, "'User' in row 1 of"],
		['Bulk Delete', BULK_DELETE, { ids: '1,234' }, 'may be one ID or several'],
	])('%s says what it cannot use, and sends nothing', async (_, parameters, call, words) => {
		const { responses, error, tasks } = await run(parameters, [call]);
		expect(JSON.stringify(responses)).toContain(words);
		expect(error).toBeUndefined();
		expect(tasks).toHaveLength(1);
		expect(sandbox.requests()).toEqual([]);
	});

	test.each<[rejection: object, said: RegExp, unsaid: RegExp]>([
		[{ name: ['Too short.'] }, /Too short\..*Correct what the service reports/, /settings of/],
		[{ tags: ['No.'] }, /Update sent the current 'Tags'/, /Replace Tags|Fields to Clear/],
	])('Update lets the model read about %j what it can do', async (rejection, said, unsaid) => {
		sandbox.fault(respond(400, rejection), { method: 'PUT' });
		const { responses } = await run({ ...UPDATE, updateFields: { name: ai('name') } }, [
			{ id: ID, name: 'A' },
		]);
		expect(JSON.stringify(responses)).toMatch(said);
		expect(JSON.stringify(responses)).not.toMatch(unsaid);
	});

	test.each([400, 500])('Bulk Delete advises no setting of nodes after a %d', async (status) => {
		sandbox.fault(respond(status, { detail: 'No.' }), { times: 0 });
		const { responses, error } = await run(BULK_DELETE, [{ ids: '101, 102' }]);
		const words = JSON.stringify([responses, error?.message, error?.description]);
		expect(words).toContain('No.');
		expect(words).not.toContain('in the settings of this node');
	});

	test.each([
		'{{ $json.name }}',
		'={{ $json.name }}',
		'About {{ name }}',
		'$("Set").item.json.name',
	])('Update rejects %j, which no model can have evaluated', async (name) => {
		const { responses } = await run(UPDATE, [{ id: ID, name, tags: 'x' }]);
		const words = JSON.stringify(responses);
		expect(words).toContain("'Name' looks like an expression");
		expect(words).toContain('Enter the value itself, without {{ }} and $json.');
		expect(words).not.toContain('switch the field to Expression');
		expect(sandbox.requests()).toEqual([]);
	});

	test.each<[string, INodeParameters, IDataObject, string]>([
		['a deadline', { updateFields: { deadline: ai('value') } }, { value: '31.12.2026' }, 'ISO'],
		['tags', { updateFields: { tags: ai('value') } }, { value: "['a', 'b']" }, 'a JSON list'],
		['a step', { updateFields: ADD.updateFields }, { step: '9', user: '7' }, 'Choose a step'],
		['the ID', {}, { id: '-1' }, 'Enter a whole number above zero'],
	])('Update gives a model no advice on the node about %s', async (_, own, call, advice) => {
		const parameters = { ...UPDATE, updateFields: { tags: 'a' }, instanceId: locator(ai('id')) };
		const { responses } = await run({ ...parameters, ...own }, [{ id: `${ID}`, ...call }]);
		const words = JSON.stringify(responses);
		expect(words).toContain(advice);
		expect(words).not.toMatch(/\{\{|xpression|Split Out|'Replace Step Assignments'/);
		expect(bodies(sandbox, 'PUT')).toEqual([]);
	});

	test('Update tells the model that it changed nothing', async () => {
		const { responses } = await run(UPDATE, [{ id: ID, name: 'none', tags: '' }]);
		expect(JSON.stringify(responses)).toContain('Nothing was changed, since no field had a value.');
		expect(bodies(sandbox, 'PUT')).toEqual([]);
	});

	test('The model does not choose the operation', async () => {
		const parameters = { ...BULK_DELETE, operation: ai('operation') };
		await run(parameters, [{ ids: '101', operation: 'bulkDelete' }], CONTINUE);
		expect(sandbox.requests()).toEqual([]);
	});

	test('Bulk Delete does what one call asks for, even if another is rejected', async () => {
		await run(BULK_DELETE, [{ ids: 'everything' }, { ids: '101' }], CONTINUE);
		expect(bodies(sandbox, 'POST')).toEqual([{ ids: [101] }]);
	});

	test.each<[operation: string, parameters: INodeParameters]>([
		['Bulk Delete', BULK_DELETE],
		['Update', UPDATE],
	])('%s sends nothing if the model asks for a dry run that the tool lacks', async (...row) => {
		const call = { id: ID, name: 'A', tags: '', ids: '101' };
		const flat = [{ dryRun: true }, { dry_run: 'True' }, { 'Dry Run': 1 }, { isDryRun: 'yes' }];
		const requests = [...flat, { options: { dryRun: true } }, { parameters: { dry_run: true } }];
		const calls = requests.map((dryRun) => ({ ...call, ...dryRun }));
		const { responses } = await run(row[1], calls);
		// Older agents leave out what the tool doesn't ask for.
		if (agent === 'call') return;
		const said = JSON.stringify(responses).match(/This tool can't do a dry run/g);
		expect(said).toHaveLength(requests.length);
		expect(sandbox.requests()).toEqual([]);
		await run(row[1], [{ ...call, dryRun: false, options: { dryRun: 'no' } }]);
		expect(sandbox.requests()).not.toEqual([]);
	});

	test('Bulk Delete tells the model nothing that only the builder can do', async () => {
		const misplaced = { ...BULK_DELETE, options: { dryRun: true } };
		const { responses } = await run(misplaced, [{ ids: '101' }]);
		expect(JSON.stringify(responses)).toContain("'Dry Run' is off, but also set under 'Options'");
		expect(JSON.stringify(responses)).not.toContain('JSON of the node');
		expect(sandbox.requests()).toEqual([]);
	});

	test('Bulk Delete takes the ID in a column', async () => {
		await run({ ...BULK_DELETE, instanceIds: '={{ $json.id }}' }, [{ id: 102 }]);
		// An older agent evaluates it on its own item.
		const id = agent === 'call' ? SEED.aborted : 102;
		expect(bodies(sandbox, 'POST')).toEqual([{ ids: [id] }]);
	});

	const PREVIEW = { id: 103, deleted: false, dryRun: true, found: true };
	const WORDS_OF_ROWS = "={{ $fromAI('ids', 'instance ids, id list', 'string') }}";
	test.each<[own: IDataObject, instanceIds?: string]>([
		[{ error: 'Too slow', details: { item: 0 }, id: 102 }],
		[{ ...PREVIEW, data: [PREVIEW] }],
		[{ id: 102, instance_id: 105 }, WORDS_OF_ROWS],
	])('Bulk Delete takes the IDs of the model, whatever the agent has: %j', async (...row) => {
		const [own, instanceIds = ai('ids')] = row;
		await run({ ...BULK_DELETE, instanceIds }, [{ ids: '102', ...own }]);
		expect(bodies(sandbox, 'POST')).toEqual([{ ids: [102] }]);
	});
});
