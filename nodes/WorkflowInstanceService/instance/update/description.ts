import type { INodeProperties } from 'n8n-workflow';

import { maxConcurrentRequests, maxRetries } from '../../n8n/requestLimits';
import { locator, PROCESS } from '../locators';

export const FIELDS_TO_UPDATE = 'Fields to Update';
export const FIELDS_TO_CLEAR = 'Fields to Clear';

const stepId: INodeProperties = {
	displayName: 'Step ID',
	name: 'stepId',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 7',
	description: 'The number of the step in the process',
};

const userId: INodeProperties = {
	displayName: 'User ID',
	name: 'userId',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 12',
	description: 'The number of the person in the service',
};

/** Rows of steps and users. It starts with one: n8n drops a form without any. */
function assignmentRows(
	own: Pick<INodeProperties, 'description' | 'displayName' | 'name'>,
	hint: string,
	listHint = hint,
): INodeProperties {
	return {
		...own,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add assignment',
		default: { assignment: [{ stepId: '', userId: '' }] },
		options: [
			{
				displayName: 'Assignment',
				name: 'assignment',
				values: [stepId, { ...userId, hint }],
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
						hint: listHint,
						description: 'An expression that gives a list like [{ "step_id": 7, "user_id": 12 }]',
					},
				],
			},
		],
	};
}

export const updateFields: INodeProperties = {
	displayName: FIELDS_TO_UPDATE,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'The fields to give a new value. All others are left alone.',
	options: [
		assignmentRows(
			{
				displayName: 'Add Step Assignments',
				name: 'addStepAssignments',
				description: 'Users to assign to steps, in addition to the current ones',
			},
			'The current assignments stay',
		),
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
			default: true,
			description:
				'Whether the workflow names its instances itself, so that no name is sent. Use it if the service refuses the name.',
		},
		{
			displayName: 'Deadline',
			name: 'deadline',
			type: 'dateTime',
			default: '',
			description:
				'When the instance should be completed. Without an offset, the time is meant in the time zone of the workflow.',
			hint: 'In the time zone of the workflow; a date without a time means midnight',
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
		assignmentRows(
			{
				displayName: 'Remove Step Assignments',
				name: 'removeStepAssignments',
				description:
					'Assignments to remove: of a step and a user, or of a step regardless of the user',
			},
			'Leave it empty to remove every user of the step. All other assignments stay.',
			'An entry without a user removes every user of the step. All other assignments stay.',
		),
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
		assignmentRows(
			{
				displayName: 'Step Assignments',
				name: 'stepAssignments',
				description: 'Who works on which step. Replaces all current assignments.',
			},
			'Replaces all current assignments. To keep them, use Add Step Assignments.',
		),
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
			description:
				'All other fields stay as they are. Each instance is read first, by one more request.',
		},
		{
			name: 'Reset',
			value: 'reset',
			description: 'All other fields are emptied in the service',
		},
	],
	default: 'keep',
	description: 'What happens to the fields that you did not fill in above',
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
	hint: '',
	description:
		'The process that the instance belongs to. Fill it in only to move the instance to another process, or with Reset.',
});

export const updateDescription = [
	updateFields,
	clearFields,
	unsetFields,
	resetNotice,
	processField,
];

export const updateOptions: INodeProperties[] = [
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [maxConcurrentRequests, maxRetries],
	},
];
