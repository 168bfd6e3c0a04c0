import type { INodeProperties } from 'n8n-workflow';

import { maxConcurrentRequests, maxRetries, maxWait, optionsForm } from '../../n8n/parameters';
import { INSTANCE_FIELDS } from '../fields';
import { CLEARABLE, FORMS } from './fields';

export const FIELDS_TO_UPDATE = 'Fields to Update';
export const FIELDS_TO_CLEAR = 'Fields to Clear';

export const updateFields: INodeProperties = {
	displayName: FIELDS_TO_UPDATE,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'Only the fields you add are changed',
	options: FORMS,
};

export const clearFields: INodeProperties = {
	displayName: FIELDS_TO_CLEAR,
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
	optionsForm([emptyValues, maxConcurrentRequests, maxRetries, maxWait, unsetFields]),
];
