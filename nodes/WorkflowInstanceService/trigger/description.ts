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
	hint: `IDs or URLs, separated by commas. At most ${MOST_IDS}.`,
	description:
		'The instances to watch: IDs or URLs, separated by commas, or an expression that returns a list. Each check reads each of them once.',
	builderHint: {
		propertyHint:
			'IDs that are known when the workflow is published, not those of an earlier node: a trigger has none.',
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
	hint: 'The first check only records. Instances that are already finished do not start the workflow.',
	description: 'The events of an instance that start the workflow',
};

export const emitFirst: INodeProperties = {
	displayName: 'Emit Initial State',
	name: 'emitFirst',
	type: 'boolean',
	default: true,
	description:
		'Whether to also report what an instance already is (completed, aborted or overdue) when it is checked for the first time',
};

export const keepFinished: INodeProperties = {
	displayName: 'Keep Watching Finished',
	name: 'keepFinished',
	type: 'boolean',
	default: true,
	description:
		'Whether to keep checking instances that are completed or aborted, since they may be reopened',
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
