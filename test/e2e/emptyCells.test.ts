import type { IDataObject } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { SEED } from '../../sandbox/service';
import { IS_OLDEST, SERVICE, START, useStack } from './support/stack';

const FILLED = SEED.fullyFilled;
const EMPTY = SEED.running;
const UPDATE_FIELDS = {
	name: '={{ $json.name }}',
	deadline: '={{ $json.due }}',
	priority: '={{ $json.priority }}',
	addTags: '={{ $json.tags }}',
};

// Data tables are newer than the oldest n8n.
const describeTables = IS_OLDEST ? describe.skip : describe;

describeTables(
	'Update with the rows of a data table, one with a name only, one with nothing',
	() => {
		const stack = useStack();
		let tableId = '';

		beforeAll(async () => {
			const { rest } = stack().n8n;
			const project = textAt(await rest.call('GET', '/projects/personal'), 'id', 'The project');
			const tables = `/projects/${project}/data-tables`;
			const columns = [
				{ name: 'instance', type: 'number' },
				{ name: 'due', type: 'date' },
				...['name', 'priority', 'tags'].map((name) => ({ name, type: 'string' })),
			];
			const table = await rest.call('POST', tables, { name: 'Instances', columns });
			tableId = textAt(table, 'id', 'The table');
			const data = [{ instance: FILLED, name: 'New' }, { instance: EMPTY }];
			await rest.call('POST', `${tables}/${tableId}/insert`, { data, returnType: 'count' });
		});

		/** Runs it; returns the status, and what the service received. */
		async function run(emptyValues: string): Promise<{ status: string; requests: string[] }> {
			const rows = workflowNode('Rows', 'n8n-nodes-base.dataTable', 1, {
				...{ resource: 'row', operation: 'get', returnAll: true },
				dataTableId: { __rl: true, mode: 'id', value: tableId },
			});
			const service = workflowNode(SERVICE, NODE_TYPE, 1, {
				operation: 'update',
				instanceId: { __rl: true, mode: 'id', value: '={{ $json.instance }}' },
				updateFields: UPDATE_FIELDS,
				options: { emptyValues },
			});
			const links = [
				{ from: START.name, to: rows.name },
				{ from: rows.name, to: SERVICE },
			];
			const { status } = await stack().run(newWorkflow('Table', [START, rows, service], links));
			const log = stack().sandbox.control.log();
			return { status, requests: log.map(({ method, url }) => `${method} ${url}`).sort() };
		}
		const settable = (id: number): IDataObject => {
			const { last_updated_time, ...rest } = stack().sandbox.control.instance(id) ?? {};
			expect(last_updated_time).toBeDefined();
			return rest;
		};
		const [filled, empty] = [FILLED, EMPTY].map((id) => `/api/instances/${id}/`);

		test('Reject sends nothing at all', async () => {
			expect(await run('reject')).toEqual({ status: 'error', requests: [] });
		});

		test('Keep changes the name only, and writes nothing for the row with nothing', async () => {
			const before = [FILLED, EMPTY].map(settable);
			const requests = [`GET ${filled}`, `GET ${empty}`, `PUT ${filled}`].sort();
			expect(await run('keep')).toEqual({ status: 'success', requests });
			expect([FILLED, EMPTY].map(settable)).toEqual([{ ...before[0], name: 'New' }, before[1]]);
		});

		test('Clear empties what can be emptied, and keeps the tags', async () => {
			const before = [FILLED, EMPTY].map(settable);
			const requests = ['GET', 'PUT'].flatMap((method) => [
				`${method} ${filled}`,
				`${method} ${empty}`,
			]);
			expect(await run('clear')).toEqual({ status: 'success', requests: requests.sort() });
			const cleared = { deadline: null, priority: null };
			expect([FILLED, EMPTY].map(settable)).toEqual([
				{ ...before[0], ...cleared, name: 'New' },
				{ ...before[1], ...cleared, name: null },
			]);
		});
	},
);
