import type { INodeProperties } from 'n8n-workflow';

import { maxWait, type NumberOption, optionsForm } from '../../n8n/parameters';

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: 'IDs or URLs, separated by commas, or a column of the input',
	description:
		'The IDs or URLs of the instances to delete, separated by commas, or an expression that returns them for each input item. The instances of all input items are deleted together, without duplicates.',
	builderHint: {
		propertyHint:
			"For IDs from a previous node, use an expression such as {{ $json.instance_id }}. All input items are processed in one run, so don't put Loop Over Items, Split In Batches or Aggregate before this node.",
	},
};

const permanentNotice: INodeProperties = {
	displayName:
		"Deleted instances can't be restored. The ID of a table's row is not an instance ID. To preview what will be deleted, turn on Dry Run. If an AI agent uses this node, a person can approve each deletion first.",
	name: 'permanentNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { dryRun: [false] } },
};

export const batchSize: NumberOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'The maximum number of instances to delete per request',
};

export const bulkDeleteForm: INodeProperties[] = [permanentNotice, instanceIds];

export const bulkDeleteOptions = optionsForm([batchSize, maxWait]);
