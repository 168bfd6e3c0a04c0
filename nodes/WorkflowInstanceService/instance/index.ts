import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { customOperation, onlyOperations, routing } from '../n8n/entryPoints';
import { dryRun, dryRunNotice } from '../n8n/parameters';
import { bulkDelete, bulkDeleteForm, bulkDeleteOptions } from './bulkDelete';
import { get, getOptions } from './get';
import { instanceId } from './locators';
import { outputForm } from './output';
import { clearFields, updateFields, updateOptions } from './update/changes';
import { update } from './update/update';

export { instanceLists } from './lists';

function shownFor(operation: string[], properties: INodeProperties[]): INodeProperties[] {
	return updateDisplayOptions({ show: { resource: ['instance'], operation } }, properties);
}

const operations: INodePropertyOptions[] = [
	{
		name: 'Get',
		value: 'get',
		action: 'Get an instance',
		description: 'Read one instance per input item, including its stage, deadline, tags and times',
		routing: routing(get),
	},
	{
		name: 'Update',
		value: 'update',
		action: 'Update an instance',
		description: 'Change one instance per input item, such as its deadline, priority or tags',
		routing: routing(update),
	},
	{
		name: 'Bulk Delete',
		value: 'bulkDelete',
		action: 'Delete instances permanently',
		description: 'Permanently delete the instances of all input items',
		routing: routing(bulkDelete),
	},
];

export const instanceProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['instance'] } },
		routing: onlyOperations(operations),
		options: operations,
		default: 'get',
	},
	// What two operations have is listed once: n8n evaluates its expression each time that it is listed.
	...shownFor(['get', 'update'], [instanceId]),
	...shownFor(['update'], [updateFields, clearFields]),
	...shownFor(['update', 'bulkDelete'], [dryRunNotice]),
	...shownFor(['bulkDelete'], bulkDeleteForm),
	...shownFor(['update', 'bulkDelete'], [dryRun]),
	...shownFor(['get', 'update'], outputForm),
	...shownFor(['update'], [updateOptions]),
	...shownFor(['get'], [getOptions]),
	...shownFor(['bulkDelete'], [bulkDeleteOptions]),
];

/** The same operations for workflow executions, which call each once with all items. */
export const instanceOperations = {
	get: customOperation(get),
	update: customOperation(update),
	bulkDelete: customOperation(bulkDelete),
};
