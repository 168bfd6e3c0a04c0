import { type INodeParameters, NodeHelpers } from 'n8n-workflow';

import { SEED } from '../../sandbox/service';
import { NODE_TYPE } from '../harness';
import { loadPackage, types } from '../harness/typeRegistry';
import { stored } from './support/instances';
import { locator, useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

/**
 * The parameters as n8n keeps them in a workflow, without what is the default, or as it fills them in
 * before a run (docs/n8n-engine.md).
 */
function parametersOf(parameters: INodeParameters, withDefaults: boolean): INodeParameters {
	const { description } = types.getByName(NODE_TYPE);
	const node = { typeVersion: 1 };
	const { properties } = description;
	return (
		NodeHelpers.getNodeParameters(properties, parameters, withDefaults, false, node, description) ??
		{}
	);
}
const saved = (parameters: INodeParameters) => parametersOf(parameters, false);
const filledIn = (parameters: INodeParameters) => parametersOf(parameters, true);

/** The default of a field or option, as the editor adds it. */
function added(collection: string, name: string): INodeParameters {
	const { properties } = types.getByName(NODE_TYPE).description;
	for (const { name: own, options = [] } of properties) {
		const option = options.find((each) => own === collection && each.name === name);
		if (option !== undefined && 'default' in option) return { [name]: option.default ?? null };
	}
	throw new Error(`There is no '${name}' in '${collection}'`);
}

describe('What n8n saves of the node', () => {
	const sandbox = useSandbox();
	const ID = SEED.fullyFilled;
	const { run } = sandbox;
	const DELETION = { operation: 'bulkDelete', instanceIds: '101' };
	const UPDATE = { operation: 'update', instanceId: locator(ID) };
	const ASSIGNMENTS = [
		['stepAssignments', 'Step Assignments'],
		['addStepAssignments', 'Add Step Assignments'],
		['removeStepAssignments', 'Remove Step Assignments'],
	] as const;

	beforeAll(loadPackage);

	describe('Dry Run', () => {
		test('is on when it is added, is saved so although that is the default, and holds', async () => {
			const option = added('options', 'dryRun');
			expect(option).toEqual({ dryRun: true });
			const kept = saved({ ...DELETION, options: option });
			expect(kept).toEqual({ ...DELETION, options: { dryRun: true } });
			const { outputs } = await run(kept);
			expect(outputs[0]?.map(({ json }) => json)).toEqual([
				{ id: 101, deleted: false, dryRun: true },
			]);
			expect(sandbox.requests()).toEqual([]);
		});

		test('that was turned off is saved as off', async () => {
			const kept = saved({ ...DELETION, options: { dryRun: false } });
			expect(kept).toEqual({ ...DELETION, options: { dryRun: false } });
			await run(kept);
			expect(sandbox.control.instance(101)).toBeUndefined();
		});

		test('that was not added is not filled in, so that it is off', async () => {
			expect(saved({ ...DELETION, options: {} }).options).toEqual({});
			expect(filledIn(DELETION).options).toEqual({});
			expect(filledIn({ ...DELETION, options: { batchSize: 5 } }).options).toEqual({
				batchSize: 5,
			});
			await run(DELETION);
			expect(sandbox.control.instance(101)).toBeUndefined();
		});
	});

	describe('Automatic Naming', () => {
		test('is on when it is added, and is saved so although that is the default', async () => {
			const updateFields = added('updateFields', 'automaticNaming');
			const kept = saved({ ...UPDATE, updateFields });
			expect(kept.updateFields).toEqual({ automaticNaming: true });
			const { error } = await run(kept);
			expect(error).toBeUndefined();
			expect(sandbox.log().at(-1)?.body).not.toContain('"name"');
		});

		test('that was not added is not filled in, so that the name is kept', async () => {
			const { name } = stored(sandbox, ID);
			const kept = saved({ ...UPDATE, updateFields: { priority: 'V' } });
			// Nor are step assignments.
			expect(filledIn(kept).updateFields).toEqual({ priority: 'V' });
			await run(kept);
			expect(stored(sandbox, ID)).toMatchObject({ name, priority: 'V' });
		});
	});

	describe.each(ASSIGNMENTS)('%s', (field, label) => {
		test('begins with one row, and is refused by name when that was not filled in', async () => {
			const before = stored(sandbox, ID);
			const updateFields = added('updateFields', field);
			expect(updateFields).toEqual({ [field]: { assignment: [{ stepId: '', userId: '' }] } });
			const kept = saved({ ...UPDATE, updateFields });
			expect(kept.updateFields).toEqual({ [field]: { assignment: [{}] } });
			expect(filledIn(kept).updateFields).toEqual(updateFields);
			const { error } = await run(kept);
			expect(error?.message).toBe(`'Step ID' in '${label}' is empty`);
			expect(sandbox.requests()).toEqual([]);
			expect(stored(sandbox, ID)).toEqual(before);
		});

		test('is as filled in otherwise, without a row more', async () => {
			const rows = { assignment: [{ stepId: 1201, userId: 7 }] };
			const list = { list: [{ assignments: '={{ [] }}' }] };
			for (const value of [rows, list, { ...rows, ...list }]) {
				const kept = saved({ ...UPDATE, updateFields: { [field]: value } });
				expect(filledIn(kept).updateFields).toEqual({ [field]: value });
			}
		});
	});
});
