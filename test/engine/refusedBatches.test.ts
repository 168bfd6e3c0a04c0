import type { INodeParameters } from 'n8n-workflow';

import type { RunNodeOptions } from '../harness';
import { useSandbox } from './support/sandbox';

jest.setTimeout(60_000);

const ALWAYS = 0;
const FROM_FIELD: INodeParameters = { operation: 'bulkDelete', idSource: 'inputField' };
const FROM_LIST: INodeParameters = { operation: 'bulkDelete', instanceIds: '={{ $json.id }}' };

describe('Bulk Delete', () => {
	const sandbox = useSandbox();
	const { run, left } = sandbox;
	const refuse = (ids: number[] | undefined, status: number) =>
		sandbox.control.addFault({
			match: { method: 'POST', ids },
			times: ALWAYS,
			action: { type: 'respond', status, body: '{"detail":"Not these."}' },
		});
	const deleteAll = async (ids: number[], settings: Partial<RunNodeOptions>, options = {}) =>
		await run(
			{ ...FROM_FIELD, options },
			ids.map((id) => ({ id })),
			settings,
		);

	describe('of 250 IDs of which three are refused', () => {
		let ids: number[];
		let bad: number[];
		beforeEach(() => {
			ids = sandbox.control.addInstances(250);
			bad = [100, 157, 199].flatMap((place) => ids[place] ?? []);
			refuse(bad, 400);
		});

		test('says with Stop what is gone and what is not, and that Continue finds them', async () => {
			const { error, outputs } = await deleteAll(ids, {});
			const [deleted, notDeleted] = [ids.slice(0, 100), ids.slice(100)];
			expect(outputs).toEqual([]);
			expect(error?.message).toMatch(/^Batch 2 of 3: .* one or more of 100 instances /);
			expect(error?.itemIndex).toBe(100);
			expect(error?.context).toMatchObject({
				deletedIds: deleted,
				notDeletedIds: notDeleted,
				uncertainIds: [],
			});
			expect(error?.description).toContain(
				`Deleted: ${deleted.join(', ')}. Not deleted: ${notDeleted.join(', ')}. To delete the others`,
			);
			expect(error?.description).toContain(
				"set 'On Error' in the settings of this node to Continue",
			);
			expect(error?.description).toContain('(item 100)');
			expect(left(ids)).toEqual(notDeleted);
			expect(sandbox.control.stats().requests).toBe(2);
		});

		test('deletes the others with Continue, in one output, all paired', async () => {
			const { outputs } = await deleteAll(ids, { onError: 'continueRegularOutput' });
			expect(outputs).toHaveLength(1);
			expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
				ids.map((_id, item) => ({ item })),
			);
			const failed = (outputs[0] ?? []).filter(({ json }) => json.error !== undefined);
			expect(failed.map(({ json }) => json.details)).toEqual(
				bad.map((id) => expect.objectContaining({ id, item: ids.indexOf(id) })),
			);
			expect(JSON.stringify(failed)).not.toMatch(/one or more of|'On Error'/);
			expect(left(ids)).toEqual(bad);
			// Two more for each of the seven halvings that lead to an ID.
			expect(sandbox.control.stats().requests).toBeLessThanOrEqual(3 + 3 * 2 * 7);
			expect(sandbox.control.stats().maxInFlight).toBe(1);
		});

		test('has both branches right with the error output, all paired', async () => {
			const { outputs, downstream } = await deleteAll(ids, {
				onError: 'continueErrorOutput',
				downstream: '={{ $("Items").item.json.id }}',
			});
			const [success = [], errors = []] = outputs;
			const gone = ids.filter((id) => !bad.includes(id));
			expect(success.map(({ json }) => json)).toEqual(gone.map((id) => ({ id, deleted: true })));
			expect(errors.map(({ json }) => json.id)).toEqual(bad);
			for (const { json } of errors) {
				expect(json.error).toMatch(/ instance \d+ .*\S \[item \d+\]$/);
			}
			expect(downstream.success).toEqual(gone.map((value) => ({ value })));
			expect(downstream.error).toEqual(bad.map((value) => ({ value })));
		});

		test('tells them apart as well when one item names them all', async () => {
			const onError = 'continueErrorOutput';
			const { outputs } = await run(FROM_LIST, [{ id: ids }], { onError });
			const [success = [], errors = []] = outputs;
			expect(success).toHaveLength(247);
			expect(errors.map(({ json }) => json.details)).toEqual(
				bad.map((id) => expect.objectContaining({ id, item: 0 })),
			);
			for (const { pairedItem } of [...success, ...errors]) {
				expect(pairedItem).toEqual({ item: 0 });
			}
		});
	});

	test.each([
		...[400, 403, 404, 409, 422].map((status) => ({ status, requests: 1 + 2 * 3, refused: 1 })),
		...[401, 429, 500, 502].map((status) => ({ status, requests: 1, refused: 8 })),
	])(
		'of eight IDs of which one meets $status makes $requests requests, and $refused of them stay',
		async ({ status, requests, refused }) => {
			const ids = sandbox.control.addInstances(8);
			refuse(ids.slice(3, 4), status);
			const onError = 'continueRegularOutput';
			const { outputs } = await deleteAll(ids, { onError }, { maxRetries: 0 });
			expect(outputs[0]?.filter(({ json }) => json.error !== undefined)).toHaveLength(refused);
			expect(left(ids)).toHaveLength(refused);
			expect(sandbox.control.stats().requests).toBe(requests);
		},
	);

	test('takes apart with at most 200 extra requests a run, and tells what is left as refused with its batch', async () => {
		const ids = sandbox.control.addInstances(300);
		refuse(undefined, 400);
		const { outputs } = await deleteAll(ids, { onError: 'continueRegularOutput' });
		expect(sandbox.control.stats().requests).toBe(3 + 200);
		const errors = (outputs[0] ?? []).map(({ json }) => String(json.error));
		expect(errors).toHaveLength(300);
		expect(errors[0]).toContain(`values for instance ${ids[0]} (400)`);
		expect(errors[299]).toContain('values for one or more of 100 instances (400)');
		expect(left(ids)).toEqual(ids);
	});

	test.each([
		[[101], 'instance 101'],
		[[101, 102], 'one or more of 2 instances'],
	])('of %j says that the service refused %s, without counting batches', async (ids, subject) => {
		refuse(undefined, 403);
		const { error } = await deleteAll(ids, {});
		expect(error?.message).toBe(`The API key does not have access to ${subject} (403): Not these.`);
		expect(error?.description).toContain(`Not deleted: ${ids.join(', ')}.`);
		expect(error?.itemIndex).toBe(0);
	});
});
