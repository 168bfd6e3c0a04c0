import type { INodeProperties } from 'n8n-workflow';

import { maxWait, optionsForm } from '../../n8n/parameters';
import { INSTANCE_FIELDS } from '../fields';
import { BY_ID, byUrl, fromList, PROCESS } from '../locators';
import { CLEARABLE, LONGEST_NAME } from './fields';

const FIELDS_TO_UPDATE = 'Fields to Update';
/** A forgotten choice must not lower a priority. */
const NOT_CHOSEN = '';

const TAG_FORMS: INodeProperties[] = [
	{ displayName: 'Add Tags', name: 'addTags', hint: 'Current tags are kept', what: 'Tags to add' },
	{
		displayName: 'Remove Tags',
		name: 'removeTags',
		hint: 'All other tags are kept',
		what: 'Tags to remove',
	},
	{
		displayName: 'Replace Tags',
		name: 'tags',
		hint: 'Replaces all current tags. To keep them, use Add Tags',
		what: 'The new tags',
	},
].map(({ what, ...form }) => ({
	...form,
	type: 'string',
	default: '',
	placeholder: 'e.g. urgent, finance',
	description: `${what}, separated by commas, or an expression that returns a list. ${form.hint}.`,
}));

const stepId: INodeProperties = {
	displayName: 'Step',
	name: 'stepId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		"The step, from a list of the instance's steps or by ID. Get returns assigned steps in step_assignments. For active_step_ids, set Output to Raw.",
	modes: [fromList('searchSteps', { placeholder: 'Choose a step...' }), BY_ID],
};

const userId: INodeProperties = {
	displayName: 'User',
	name: 'userId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description:
		"The user, from a list of those already assigned in the instance or by ID. The service can't list users, so look up other IDs in the step_assignments of instances they're assigned to.",
	modes: [fromList('searchUsers', { placeholder: 'Choose a user...' }), BY_ID],
};

const assignments: INodeProperties = {
	displayName: 'Assignments',
	name: 'assignments',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.step_assignments }}',
	description: 'An expression that returns a list like [{ "step_id": 7, "user_id": 12 }]',
};

const NOTHING_CHOSEN = { __rl: true, mode: 'list', value: '' };

const ASSIGNMENT_FORMS: INodeProperties[] = [
	{
		displayName: 'Add Step Assignments',
		name: 'addStepAssignments',
		what: 'Users to assign to steps',
		hint: 'Current assignments are kept',
	},
	{
		displayName: 'Remove Step Assignments',
		name: 'removeStepAssignments',
		what: 'Step assignments to remove',
		hint: 'Without a user, all users of the step are removed. All other assignments are kept',
	},
	{
		displayName: 'Reassign Steps',
		name: 'reassignSteps',
		what: 'Steps to hand over to another user',
		hint: 'Replaces all current users of the step. All other assignments are kept',
	},
	{
		displayName: 'Replace Step Assignments',
		name: 'stepAssignments',
		what: 'The new list of step assignments',
		hint: 'Replaces all current assignments. To keep them, use Add Step Assignments',
	},
].map(({ hint, what, ...form }) => ({
	...form,
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add assignment',
	// n8n drops a form without any rows.
	default: { assignment: [{ stepId: NOTHING_CHOSEN, userId: NOTHING_CHOSEN }] },
	description: `${what}. ${hint}.`,
	options: [
		{ displayName: 'Assignment', name: 'assignment', values: [stepId, { ...userId, hint }] },
		{
			// n8n keeps no expression for a whole form of rows, so a list has a field of its own.
			displayName: 'List by Expression',
			name: 'list',
			values: [{ ...assignments, hint }],
		},
	],
}));

/** In the order of use: an instance is rarely moved. */
export const FIELD_FORMS: INodeProperties[] = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Invoice 2026-118',
		description: `The new name of the instance, up to ${LONGEST_NAME} characters`,
	},
	{
		displayName: 'Automatic Naming',
		name: 'automaticNaming',
		type: 'boolean',
		default: true,
		description:
			'Whether the process generates instance names, so that no name is sent. Use this if the service rejects the name.',
	},
	{
		displayName: 'Deadline',
		name: 'deadline',
		type: 'dateTime',
		default: '',
		description:
			"When the instance should be completed. Times without an offset use the workflow's time zone.",
		hint: "Uses the workflow's time zone. A date without a time means midnight.",
	},
	{
		displayName: 'Priority',
		name: 'priority',
		type: 'options',
		options: [
			{ name: 'Regular', value: 'regular', description: 'Null in the output' },
			{ name: 'High', value: 'H', description: 'H in the output' },
			{ name: 'Very High', value: 'V', description: 'V in the output' },
		],
		allowArbitraryValues: true,
		default: NOT_CHOSEN,
		description:
			'The new priority of the instance. An expression may return Regular, High (H) or Very High (V).',
	},
	...TAG_FORMS,
	...ASSIGNMENT_FORMS,
	{
		displayName: PROCESS.label,
		name: 'process',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		description:
			"The process to move the instance to. Required if Other Fields is set to Reset. The service can't list processes, so From List contains only the current one.",
		modes: [
			fromList('searchProcesses', {
				placeholder: 'Choose the current process...',
				hint: 'Only the current process is listed. To move the instance, use By ID or By URL.',
			}),
			BY_ID,
			byUrl(PROCESS),
		],
	},
];

export const updateFields: INodeProperties = {
	displayName: FIELDS_TO_UPDATE,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'Only the fields you add are changed',
	options: FIELD_FORMS,
};

export const clearFields: INodeProperties = {
	displayName: 'Fields to Clear',
	name: 'clearFields',
	type: 'multiOptions',
	options: CLEARABLE.map(({ key, name: value }) => ({ name: INSTANCE_FIELDS[key], value })),
	default: [],
	description:
		"Removes the current values of the fields you choose. Don't also set them in Fields to Update.",
};

export const emptyValues: INodeProperties = {
	displayName: 'Empty Values',
	name: 'emptyValues',
	type: 'options',
	options: [
		{ name: 'Reject', value: 'reject', description: 'Reject the item before anything is sent' },
		{
			name: 'Keep',
			value: 'keep',
			description: 'Keep the current value, as if the field had not been added',
		},
		{
			name: 'Clear',
			value: 'clear',
			description: 'Clear the field. Process, and fields that add or remove, change nothing.',
		},
	],
	default: 'reject',
	description:
		'What to do when an expression under Fields to Update returns nothing, such as an empty cell of a table. AI tools always keep the current value.',
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
				'Keep their current values. Each instance is read first, which takes one extra request.',
		},
		{ name: 'Reset', value: 'reset', description: 'Clear them. Requires Process.' },
	],
	default: 'keep',
	description: "What to do with the fields that you don't set or clear above",
};

const resetNotice: INodeProperties = {
	displayName:
		"'Other Fields' is set to Reset. The name, deadline, priority, tags and step assignments will be cleared unless you set them above. 'Process' is required.",
	name: 'resetNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { '/options.unsetFields': ['reset'] } },
};

export const updateDescription = [updateFields, clearFields];

export const updateOptions: INodeProperties[] = [
	resetNotice,
	optionsForm([emptyValues, maxWait, unsetFields]),
];
