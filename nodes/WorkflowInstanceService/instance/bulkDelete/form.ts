import type { INodeProperties } from 'n8n-workflow';

import { maxWait, type NumberOption, optionsForm } from '../../n8n/parameters';

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: "IDs or URLs, separated by commas, or a column of the input. The ID of a table's row is not an instance ID.",
	description:
		'The IDs or URLs of the instances to delete, separated by commas, or an expression that returns them for each input item. The instances of all input items are deleted together, without duplicates.',
	builderHint: {
		propertyHint:
			"For IDs from a previous node, use an expression such as {{ $json.instance_id }}. All input items are processed in one run, so don't put Loop Over Items, Split In Batches or Aggregate before this node.",
	},
};

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		'Whether to only list the instances that would be deleted, without deleting anything. The first 100 are read to show their name and stage.',
	builderHint: {
		propertyHint:
			'Set to true to list the instances without deleting anything, false to delete them permanently.',
	},
};

function notice(name: string, isDryRun: boolean, displayName: string): INodeProperties {
	const displayOptions = { show: { dryRun: [isDryRun] } };
	return { displayName, name, type: 'notice', default: '', displayOptions };
}

const permanentNotice = notice(
	'permanentNotice',
	false,
	"Deleted instances can't be restored. To preview what will be deleted, turn on Dry Run. If an AI agent uses this node, a person can approve each deletion first.",
);

const dryRunNotice = notice(
	'dryRunNotice',
	true,
	'Dry Run is on, so nothing is deleted. The output lists what would be deleted. To delete them, turn off Dry Run.',
);

export const batchSize: NumberOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'The maximum number of instances to delete per request',
};

export const bulkDeleteForm: INodeProperties[] = [
	permanentNotice,
	dryRunNotice,
	instanceIds,
	dryRun,
	optionsForm([batchSize, maxWait]),
];
