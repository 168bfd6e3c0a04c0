import type { INodeProperties } from 'n8n-workflow';

import { outputDescription } from '../instance/output';
import { maxConcurrentRequests, maxRetries } from '../n8n/requestLimits';
import { EVENTS } from './events';

export const MOST_IDS = 500;

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: `Numbers or links, separated by commas; ${MOST_IDS} at most`,
	description:
		'The instances to watch: IDs or links, separated by commas, or an expression that gives a list. Each poll asks for each of them once.',
	builderHint: {
		propertyHint:
			'IDs that are known when the workflow is published, not those of an earlier node: a trigger has none.',
	},
};

export const events: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: Object.entries(EVENTS).map(([value, { label, description }]) => ({
		name: label,
		value,
		description,
	})),
	default: ['completed'],
	description: 'What has to happen to an instance for the workflow to start',
};

export const emitFirst: INodeProperties = {
	displayName: 'Emit Initial State',
	name: 'emitFirst',
	type: 'boolean',
	default: false,
	description:
		'Whether to also tell that an instance is already completed, aborted or overdue when it is seen for the first time',
};

export const keepFinished: INodeProperties = {
	displayName: 'Keep Watching Finished Instances',
	name: 'keepFinished',
	type: 'boolean',
	default: false,
	description:
		'Whether to go on asking for instances that are completed or aborted, for those that may be reopened',
};

export const triggerProperties: INodeProperties[] = [
	instanceIds,
	events,
	...outputDescription,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [emitFirst, keepFinished, maxConcurrentRequests, maxRetries],
	},
];
