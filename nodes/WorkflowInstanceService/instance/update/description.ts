import type { INodeProperties } from 'n8n-workflow';

import { maxConcurrentRequests, maxRetries, maxWait } from '../../n8n/requestLimits';
import { locator, PROCESS } from '../locators';
import { CLEARABLE, SETTABLE, UPDATE_PARAMETERS } from './fields';

export const FIELDS_TO_UPDATE = 'Fields to Update';
export const FIELDS_TO_CLEAR = 'Fields to Clear';

/** E.g. `name, tags and step assignments`. */
function listed(words: string[]): string {
	return words.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

export const updateFields: INodeProperties = {
	displayName: FIELDS_TO_UPDATE,
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'The fields to give a new value. All others are left alone.',
	options: UPDATE_PARAMETERS.map(({ form }) => form),
};

export const clearFields: INodeProperties = {
	displayName: FIELDS_TO_CLEAR,
	name: 'clearFields',
	type: 'multiOptions',
	options: CLEARABLE.map(({ name: value, label: name }) => ({ name, value })),
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

const lost = listed(
	SETTABLE.filter(({ key }) => key !== 'process').map(({ label }) => label.toLowerCase()),
);

const resetNotice: INodeProperties = {
	displayName: `Every field that is not filled in above is lost: ${lost} are emptied in the service. 'Process' has to be filled in.`,
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
		options: [maxConcurrentRequests, maxRetries, maxWait],
	},
];
