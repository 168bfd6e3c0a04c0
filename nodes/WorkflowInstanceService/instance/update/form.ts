import type { INodeProperties } from 'n8n-workflow';

import { maxWait, optionsForm } from '../../n8n/parameters';
import { UPDATE_FIELDS_LABEL } from './field';
import { FIELDS } from './fields';

export const updateFields: INodeProperties = {
	displayName: UPDATE_FIELDS_LABEL,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'Only the fields you add are changed',
	options: FIELDS.flatMap(({ form, edits = [] }) => [...edits.map((edit) => edit.form), form]),
};

/** The fields that can be cleared. */
export const CLEARABLE = FIELDS.filter(({ clear }) => clear !== undefined);

export const clearFields: INodeProperties = {
	displayName: 'Fields to Clear',
	name: 'clearFields',
	type: 'multiOptions',
	options: CLEARABLE.map(({ form, label }) => ({ name: label, value: form.name })),
	default: [],
	description:
		"Removes the current values of the fields you choose. Don't also set them in Fields to Update.",
};

export const leaveOutRejectedNames: INodeProperties = {
	displayName: 'Leave Out Rejected Names',
	name: 'leaveOutRejectedNames',
	type: 'boolean',
	default: true,
	description:
		'Whether to send the update once more without the name if the service rejects a name that was only kept. For processes that generate instance names: other instances would lose theirs.',
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
			description: 'Clear the field. Has no effect on Process and on fields that add or remove.',
		},
	],
	default: 'reject',
	description:
		'What to do when an expression under Fields to Update returns nothing, such as an empty cell of a table or an empty list. AI tools always keep the current value.',
};

export const updateOptions = optionsForm([emptyValues, leaveOutRejectedNames, maxWait]);
