import type { INodeProperties } from 'n8n-workflow';

import { outputDescription } from '../instance/output';
import { maxConcurrentRequests, maxRetries, optionsForm } from '../n8n/parameters';
import type { EventName } from './events';

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

const EVENT_OPTIONS: Record<EventName, [label: string, description: string]> = {
	aborted: ['Aborted', 'The instance was aborted'],
	activeStepsChanged: ['Active Steps Changed', 'A step became active or stopped being active'],
	completed: ['Completed', 'The instance was completed'],
	deadlineChanged: ['Deadline Changed', 'The deadline was set, moved or removed'],
	nameChanged: ['Name Changed', 'The name changed'],
	notFound: ['Not Found', "The service can't find the instance anymore"],
	overdue: [
		'Overdue',
		"The deadline has passed and the instance isn't finished. Triggers once per deadline.",
	],
	priorityChanged: ['Priority Changed', 'The priority changed'],
	stageChanged: ['Stage Changed', 'The instance moved to another stage'],
	stepAssignmentsChanged: [
		'Step Assignments Changed',
		'Users were assigned to steps or removed from them',
	],
	tagsChanged: ['Tags Changed', 'Tags were added or removed'],
};

export const events: INodeProperties = {
	// n8n makes the trigger's actions in the node panel from the parameter of this label.
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	options: Object.entries(EVENT_OPTIONS).map(([value, [name, description]]) => ({
		name,
		value,
		action: `On ${name.endsWith('Changed') ? '' : 'instance '}${name.toLowerCase()}`,
		description,
	})),
	default: ['completed'],
	hint: 'Only changes after the first check start the workflow, unless Emit Initial State is on.',
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
	displayName: 'Keep Watching Finished Instances',
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
	optionsForm([emitFirst, keepFinished, maxConcurrentRequests, maxRetries]),
];
