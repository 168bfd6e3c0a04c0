import type { INodeProperties } from 'n8n-workflow';

import { maxRetries, type NumberOption } from '../../../engine/parameters';
import { shownFor } from '../fields';
import { FIELD_LABEL, IDS_LABEL } from './ids';

export const batchSize: NumberOption = {
	displayName: 'Batch Size',
	name: 'batchSize',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 100,
	description: 'How many instances one request deletes at most',
};

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description: 'Whether to only list what would be deleted, without deleting anything',
};

export const bulkDeleteForm: INodeProperties[] = shownFor(
	['bulkDelete'],
	[
		{
			displayName:
				'Deleted instances cannot be brought back. To see first what would be deleted, turn on Dry Run in the options.',
			name: 'permanentNotice',
			type: 'notice',
			default: '',
			displayOptions: { hide: { '/options.dryRun': [true] } },
		},
		{
			displayName:
				'Dry Run is on: nothing is deleted, the output lists what would be. Turn it off in the options to delete.',
			name: 'dryRunNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { '/options.dryRun': [true] } },
		},
		{
			displayName: 'ID Source',
			name: 'idSource',
			type: 'options',
			options: [
				{
					name: 'List',
					value: 'list',
					description: 'You enter the IDs, or an expression that gives them',
				},
				{
					name: 'Field of the Input Items',
					value: 'inputField',
					description:
						'Each input item holds its ID in a field. The fast way for thousands of items.',
				},
			],
			default: 'list',
			description: 'Where the IDs of the instances to delete come from',
		},
		{
			displayName: IDS_LABEL,
			name: 'instanceIds',
			type: 'string',
			default: '',
			placeholder: 'e.g. 12, 15, 18',
			hint: 'Numbers or links, separated by commas; those of all input items are deleted together',
			displayOptions: { show: { idSource: ['list'] } },
			description:
				'The instances to delete: IDs or links, separated by commas, or an expression that gives a list. The IDs of all input items are deleted together, each only once.',
		},
		{
			displayName: FIELD_LABEL,
			name: 'idField',
			type: 'string',
			noDataExpression: true,
			default: 'id',
			placeholder: 'e.g. record.number',
			hint: 'Only its name, e.g. id; of a nested one, e.g. record.number',
			displayOptions: { show: { idSource: ['inputField'] } },
			description:
				'The name of the field that holds the ID (or a list of IDs) in every input item. Use dots for nested fields.',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				batchSize,
				dryRun,
				{
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
							description: 'End without an output item, for clean-ups that often find nothing',
						},
					],
					default: 'error',
					description: 'What to do when no input item names an ID',
				},
				maxRetries,
			],
		},
	],
);
