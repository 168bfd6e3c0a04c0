import type { INodeProperties } from 'n8n-workflow';

import { outputDescription } from '../instance/output';
import { maxConcurrentRequests, maxRetries } from '../n8n/sharedOptions';
import { EVENTS } from './events';

export const MOST_IDS = 500;

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: `IDs or URLs, separated by commas. At most ${MOST_IDS}.`,
	description:
		'The IDs or URLs of the instances to watch, separated by commas, or an expression that returns a list. Each check reads every instance once.',
	builderHint: {
		propertyHint:
			"Use fixed IDs, or an expression that doesn't refer to other nodes, since no node runs before a trigger.",
	},
};

export const events: INodeProperties = {
	// n8n makes the trigger's actions in the node panel from the parameter of this label.
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	options: Object.entries(EVENTS).map(([value, { label, description }]) => ({
		name: label,
		value,
		action: `On instance ${label.toLowerCase()}`,
		description,
	})),
	default: ['completed'],
	hint: "What happened before the first check doesn't start the workflow, unless you turn on Emit Initial State.",
	description: 'The events that start the workflow',
};

export const emitFirst: INodeProperties = {
	displayName: 'Emit Initial State',
	name: 'emitFirst',
	type: 'boolean',
	default: true,
	description:
		'Whether to start the workflow for instances that are already completed, aborted or overdue when they are first checked',
};

export const keepFinished: INodeProperties = {
	displayName: 'Keep Watching Finished',
	name: 'keepFinished',
	type: 'boolean',
	default: true,
	description:
		'Whether to keep checking instances after they are completed or aborted, in case they are reopened',
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
