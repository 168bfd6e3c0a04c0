import type { IDataObject, NodeParameterValueType } from 'n8n-workflow';

import { textAt } from '../../sandbox/guards';
import { newWorkflow, workflowNode } from '../../sandbox/n8n/workflowFile';
import { NODE_TYPE } from '../../sandbox/names';
import { IS_OLDEST, jsonOf, locator, START, useStack } from './support/stack';

/** A cell of the row, or a column that the table doesn't have. */
const CELL = '={{ $json[$json.column] }}';
const ROWS = [
	{ column: 'value' },
	{ column: 'value', value: '' },
	{ column: 'value', value: ' \n' },
	{ column: 'none' },
];
const ROW = { action: 'reassign', stepId: locator('1101'), userId: locator(CELL) };

/** A field of each form, and what Clear changes. The name of the node is that of the field. */
const FIELDS: Array<[field: string, given: NodeParameterValueType, cleared?: IDataObject]> = [
	['name', CELL, { name: null }],
	['deadline', CELL, { deadline: null }],
	['priority', CELL, { priority: null }],
	['process', locator(CELL)],
	['addTags', CELL],
	['stepAssignments', CELL, { step_assignments: [] }],
	['changeSteps', { change: [ROW] }],
];
const FILLED = {
	name: 'Filled',
	deadline: '2030-01-01T00:00:00Z',
	priority: 'H',
	tags: ['a', 'b'],
	step_assignments: [{ step_id: 1101, user_id: 42 }],
};

// Data tables are newer than the oldest n8n.
(IS_OLDEST ? describe.skip : describe)(
	'Update of a field of each form with null, empty, blank and missing cells',
	() => {
		const stack = useStack();
		let tableId = '';

		beforeAll(async () => {
			const { rest } = stack().n8n;
			const project = textAt(await rest.call('GET', '/projects/personal'), 'id', 'The project');
			const tables = `/projects/${project}/data-tables`;
			const columns = ['column', 'value'].map((name) => ({ name, type: 'string' }));
			tableId = textAt(await rest.call('POST', tables, { name: 'Cells', columns }), 'id', 'It');
			await rest.call('POST', `${tables}/${tableId}/insert`, { data: ROWS, returnType: 'count' });
		});

		test.each<[emptyValues: string, requests: string[], changes: boolean]>([
			['reject', [], false],
			['keep', ['GET'], false],
			['clear', ['GET', 'PUT'], true],
		])('%s', async (emptyValues, requests, changes) => {
			const { control } = stack().sandbox;
			const ids = control.addInstances(FIELDS.length);
			ids.forEach((id) => control.change(id, FILLED));
			const process = control.instance(ids[0] ?? NaN)?.process;
			const rows = workflowNode('Rows', 'n8n-nodes-base.dataTable', 1, {
				...{ resource: 'row', operation: 'get', returnAll: true },
				dataTableId: locator(tableId),
			});
			const updates = FIELDS.map(([field, given], index) => ({
				...workflowNode(field, NODE_TYPE, 1, {
					operation: 'update',
					instanceId: locator(String(ids[index])),
					updateFields: { [field]: given },
					options: { emptyValues },
				}),
				onError: 'continueErrorOutput',
			}));
			const links = updates.map(({ name }) => ({ from: rows.name, to: name }));
			const execution = await stack().run(
				newWorkflow('Cells', [START, rows, ...updates], [{ from: 'Start', to: 'Rows' }, ...links]),
			);
			const log = control.log().map(({ method, url }) => `${method} ${url}`);
			for (const [index, [field, , cleared]] of FIELDS.entries()) {
				const id = ids[index] ?? NaN;
				const own = cleared === undefined ? requests.slice(0, 1) : requests;
				const sent = ROWS.flatMap(() => own).map((method) => `${method} /api/instances/${id}/`);
				expect([field, log.filter((line) => line.includes(`/${id}/`))]).toEqual([field, sent]);
				const wanted = { ...FILLED, process, ...(changes && cleared) };
				expect([field, control.instance(id)]).toMatchObject([field, wanted]);
				const [output, says] =
					emptyValues === 'reject'
						? [1, { error: expect.stringContaining(' is empty') }]
						: [0, { id }];
				expect(jsonOf(execution, field, output)).toEqual(
					ROWS.map(() => expect.objectContaining(says)),
				);
			}
		});
	},
);
