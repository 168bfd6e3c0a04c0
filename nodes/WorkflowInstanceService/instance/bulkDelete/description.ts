import type { INodeProperties } from 'n8n-workflow';

import { maxWait, type NumberOption, optionsForm } from '../../n8n/parameters';

export const batchSize: NumberOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'The maximum number of instances to delete per request',
};

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether to only list the instances that would be deleted, without deleting anything. The first 100 are read to show their name and stage.',
	builderHint: {
		propertyHint:
			'Leave out this option to delete instances permanently. Set it to true to list them without deleting anything.',
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
			description: 'Stop the workflow. Use this if there should always be something to delete.',
		},
		{
			name: 'Do Nothing',
			value: 'nothing',
			description: 'Return no items. Use this if there may be nothing to delete.',
		},
	],
	default: 'error',
	description: 'What to do when there are no IDs to delete',
};

const permanentNotice: INodeProperties = {
	displayName:
		"Deleted instances can't be restored. To preview what will be deleted, add the Dry Run option.",
	name: 'permanentNotice',
	type: 'notice',
	default: '',
	displayOptions: { hide: { '/options.dryRun': [true] } },
};

const dryRunNotice: INodeProperties = {
	displayName:
		'Dry Run is on, so nothing is deleted. The output lists what would be deleted. To delete it, turn off the Dry Run option.',
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
			name: 'Input Item Field',
			value: 'inputField',
			description: 'Read the ID from a field of each input item, such as a table column',
		},
	],
	default: 'list',
	description: 'Where the IDs of the instances to delete come from',
	builderHint: {
		propertyHint:
			'For IDs from a previous node, use "inputField" and set idField. All input items are processed in one run, so don\'t put Loop Over Items, Split In Batches or Aggregate before this node.',
	},
};

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: 'IDs or URLs, separated by commas. The instances of all input items are deleted together.',
	displayOptions: { show: { idSource: ['list'] } },
	description:
		'The IDs or URLs of the instances to delete, separated by commas, or an expression that returns a list. The instances of all input items are deleted together, without duplicates.',
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
		"The name of the input field that contains the instance ID, or a list of instance IDs. Table rows often have an ID of their own, which isn't the instance ID.",
};

export const bulkDeleteDescription: INodeProperties[] = [
	permanentNotice,
	dryRunNotice,
	idSource,
	instanceIds,
	idField,
	optionsForm([batchSize, dryRun, onEmpty, maxWait]),
];
