import type { INodeProperties } from 'n8n-workflow';

import { maxConcurrentRequests, maxRetries } from '../../n8n/requestLimits';
import { locator, PROCESS, shownFor } from '../locators';

export const FIELDS_TO_UPDATE = 'Fields to Update';
export const FIELDS_TO_CLEAR = 'Fields to Clear';

export const updateFields: INodeProperties = {
	displayName: FIELDS_TO_UPDATE,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'The fields to give a new value. All others are left alone.',
	options: [
		{
			displayName: 'Add Tags',
			name: 'addTags',
			type: 'string',
			default: '',
			placeholder: 'e.g. urgent, finance',
			description:
				'Tags to add to the current ones, separated by commas, or an expression that gives a list',
			hint: 'Separated by commas. The current tags stay.',
		},
		{
			displayName: 'Automatic Naming',
			name: 'automaticNaming',
			type: 'boolean',
			default: false,
			description:
				'Whether the workflow names its instances itself, so that no name may be sent. Turn it on if the service refuses the name.',
		},
		{
			displayName: 'Deadline',
			name: 'deadline',
			type: 'dateTime',
			default: '',
			description:
				'When the instance should be completed. Without an offset, the time is meant in the time zone of the workflow.',
			hint: 'In the time zone of the workflow',
		},
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			placeholder: 'e.g. Invoice 2026-118',
			description: 'The new name of the instance, up to 255 characters',
		},
		{
			displayName: 'Priority',
			name: 'priority',
			type: 'options',
			options: [
				{ name: 'Regular', value: 'regular', description: 'No priority in the output' },
				{ name: 'High', value: 'H', description: 'H in the output' },
				{ name: 'Very High', value: 'V', description: 'V in the output' },
			],
			default: 'regular',
			description: 'How urgent the instance is',
		},
		{
			displayName: 'Remove Tags',
			name: 'removeTags',
			type: 'string',
			default: '',
			placeholder: 'e.g. draft, waiting',
			description:
				'Tags to remove from the current ones, separated by commas, or an expression that gives a list',
			hint: 'Separated by commas. All other tags stay.',
		},
		{
			displayName: 'Step Assignments',
			name: 'stepAssignments',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add assignment',
			default: {},
			description: 'Who works on which step. Replaces all current assignments.',
			options: [
				{
					displayName: 'Assignment',
					name: 'assignment',
					values: [
						{
							displayName: 'Step ID',
							name: 'stepId',
							type: 'number',
							typeOptions: { minValue: 1, numberPrecision: 0 },
							default: '',
							placeholder: 'e.g. 7',
							description: 'The number of the step in the process',
						},
						{
							displayName: 'User ID',
							name: 'userId',
							type: 'number',
							typeOptions: { minValue: 1, numberPrecision: 0 },
							default: '',
							placeholder: 'e.g. 12',
							description: 'The number of the person in the service',
						},
					],
				},
				{
					// n8n keeps no expression for a whole form of rows, so a list has a field of its own.
					displayName: 'List by Expression',
					name: 'list',
					values: [
						{
							displayName: 'Assignments',
							name: 'assignments',
							type: 'string',
							default: '',
							placeholder: 'e.g. {{ $json.step_assignments }}',
							description: 'An expression that gives a list like [{ "step_id": 7, "user_id": 12 }]',
						},
					],
				},
			],
		},
		{
			displayName: 'Tags',
			name: 'tags',
			type: 'string',
			default: '',
			placeholder: 'e.g. urgent, finance',
			description:
				'The new list of tags, separated by commas, or an expression that gives a list. Replaces all current tags.',
			hint: 'Replaces all current tags. To keep them, use Add Tags.',
		},
	],
};

export const clearFields: INodeProperties = {
	displayName: FIELDS_TO_CLEAR,
	name: 'clearFields',
	type: 'multiOptions',
	options: [
		{ name: 'Deadline', value: 'deadline' },
		{ name: 'Name', value: 'name' },
		{ name: 'Priority', value: 'priority' },
		{ name: 'Step Assignments', value: 'stepAssignments' },
		{ name: 'Tags', value: 'tags' },
	],
	default: [],
	description: 'The fields to empty in the service',
};

export const unsetFields: INodeProperties = {
	displayName: 'Other Fields',
	name: 'unsetFields',
	type: 'options',
	options: [
		{
			name: 'Keep',
			value: 'keep',
			description: 'All other fields stay as they are. The instance is read before it is changed.',
		},
		{
			name: 'Reset',
			value: 'reset',
			description: 'All other fields are emptied in the service',
		},
	],
	default: 'keep',
	description: 'What becomes of the fields that you did not fill in above',
	hint: 'Keep reads each instance first, with one more request for each item',
};

const resetNotice: INodeProperties = {
	displayName:
		"Every field that is not filled in above is lost: name, deadline, priority, tags and step assignments are emptied in the service. 'Process' has to be filled in.",
	name: 'resetNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { unsetFields: ['reset'] } },
};

export const processField = locator(PROCESS, {
	name: 'process',
	hint: 'Fill in only to move it to another process, or with Reset',
	description:
		'The process that the instance belongs to. Leave it empty to keep the current one; with Reset it is required.',
});

export const updateDescription = shownFor(
	['update'],
	[updateFields, clearFields, unsetFields, resetNotice, processField],
);

export const updateOptions: INodeProperties[] = shownFor(
	['update'],
	[
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [maxConcurrentRequests, maxRetries],
		},
	],
);
