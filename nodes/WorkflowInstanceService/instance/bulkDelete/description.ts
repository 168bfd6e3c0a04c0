import type { INodeProperties } from 'n8n-workflow';

import type { NumberOption } from '../../n8n/parameters';
import { maxRetries, maxWait } from '../../n8n/requestLimits';

export const batchSize: NumberOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'The maximum number of instances to delete with one request',
};

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether to only list the instances that would be deleted, without deleting anything. The first 100 are read, so that the list shows their name and stage.',
	builderHint: {
		propertyHint:
			'Leave the option out to delete. Without it instances are deleted permanently; set to true, nothing is.',
	},
};

export const onEmpty: INodeProperties = {
	displayName: 'If There Are No IDs',
	name: 'onEmpty',
	type: 'options',
	options: [
		{
			name: 'Stop',
			value: 'error',
			description: 'Stop the workflow, for deletions that must find something',
		},
		{
			name: 'Do Nothing',
			value: 'nothing',
			description: 'Return no items, for clean-ups that often find nothing',
		},
	],
	default: 'error',
	description: 'What to do when there are no IDs to delete',
};

const permanentNotice: INodeProperties = {
	displayName:
		'Deleted instances cannot be brought back. To see first what would be deleted, use Dry Run in the options.',
	name: 'permanentNotice',
	type: 'notice',
	default: '',
	displayOptions: { hide: { '/options.dryRun': [true] } },
};

const dryRunNotice: INodeProperties = {
	displayName:
		'Dry Run is on: nothing is deleted. The output lists what would be deleted. Turn it off in the options to delete.',
	name: 'dryRunNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { '/options.dryRun': [true] } },
};

export const idSource: INodeProperties = {
	displayName: 'ID Source',
	name: 'idSource',
	type: 'options',
	options: [
		{
			name: 'List',
			value: 'list',
			description: 'Enter the IDs, or an expression that returns them',
		},
		{
			name: 'Field of the Input Items',
			value: 'inputField',
			description: 'Each input item has its ID in a field. Faster for thousands of items.',
		},
	],
	default: 'list',
	description: 'Where the IDs of the instances to delete come from',
	builderHint: {
		propertyHint:
			'For IDs from an earlier node use "inputField" with idField. The IDs of all input items are deleted in one run: no Loop Over Items, Split In Batches or Aggregate before this node.',
	},
};

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: 'IDs or URLs, separated by commas. The IDs from all input items are deleted together.',
	displayOptions: { show: { idSource: ['list'] } },
	description:
		'The instances to delete: IDs or URLs, separated by commas, or an expression that returns a list. The IDs of all input items are deleted together, each only once.',
};

export const idField: INodeProperties = {
	displayName: 'ID Field',
	name: 'idField',
	type: 'string',
	// Not noDataExpression: then nothing could be dragged into it from the input panel.
	requiresDataPath: 'single',
	required: true,
	default: '',
	placeholder: 'e.g. instance_id',
	hint: "The field with the instance's ID, not the row's own ID. For a nested field: record.instance_id",
	displayOptions: { show: { idSource: ['inputField'] } },
	description:
		'The name of the field that contains the ID of the instance (or a list of IDs) in every input item. Rows of a table often have an ID of their own, which is another number.',
};

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [batchSize, dryRun, onEmpty, maxRetries, maxWait],
};

export const bulkDeleteDescription: INodeProperties[] = [
	permanentNotice,
	dryRunNotice,
	idSource,
	instanceIds,
	idField,
	options,
];
