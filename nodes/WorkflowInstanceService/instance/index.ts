import { type INodeProperties, updateDisplayOptions } from 'n8n-workflow';

import { customOperation, routing } from '../n8n/entryPoints';
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

const OPERATIONS = {
	get: {
		name: 'Get',
		action: 'Get an instance',
		description: 'Read one instance per input item, including its stage, deadline, tags and times',
		operation: get,
	},
	update: {
		name: 'Update',
		action: 'Update an instance',
		description: 'Change one instance per input item, such as its deadline, priority or tags',
		operation: update,
	},
	bulkDelete: {
		name: 'Bulk Delete',
		action: 'Delete instances permanently',
		description: 'Permanently delete the instances of all input items',
		operation: bulkDelete,
	},
};

/** Set on the resource, so that n8n also calls it where it shows no operation. */
export const instanceRouting = routing(new Map(Object.entries(OPERATIONS)));

export const instanceProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['instance'] } },
		options: Object.entries(OPERATIONS).map(([value, { name, action, description }]) => ({
			name,
			value,
			action,
			description,
		})),
		default: 'get',
	},
	// A parameter of two operations is listed once, since n8n evaluates its expression for each time that it's listed.
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
export const instanceOperations = Object.fromEntries(
	Object.entries(OPERATIONS).map(([name, { operation }]) => [name, customOperation(operation)]),
);
