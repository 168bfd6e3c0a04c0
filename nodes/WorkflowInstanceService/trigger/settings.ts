import type { INodeProperties } from 'n8n-workflow';

import { readIdList } from '../instance/locators';
import { outputChoice, outputForm } from '../instance/output';
import { chosenOptions, optionsForm, optionsOf, switchOption } from '../n8n/parameters';
import type { PollRun } from '../n8n/pollRun';
import { UserFacingError } from '../values/userFacingError';

/** How many instances one trigger can watch. */
export const MOST_IDS = 500;

export const instanceIds: INodeProperties = {
	displayName: 'Instance IDs',
	name: 'instanceIds',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 12, 15, 18',
	hint: `The instances to watch: IDs or URLs, separated by commas, ${MOST_IDS} at most`,
	description:
		'The IDs or URLs of the instances to watch, separated by commas, or an expression that returns a list. Each check reads every instance once.',
	builderHint: {
		propertyHint:
			"Use fixed IDs, or an expression that doesn't refer to other nodes, since no node runs before a trigger.",
	},
};

const EVENT_OPTIONS = {
	aborted: ['Aborted', 'The instance was aborted'],
	activeStepsChanged: ['Active Steps Changed', 'A step became active or stopped being active'],
	completed: ['Completed', 'The instance was completed'],
	deadlineChanged: ['Deadline Changed', 'The deadline was set, moved or removed'],
	nameChanged: ['Name Changed', 'The name changed'],
	notFound: ['Not Found', "The service can't find the instance anymore"],
	overdue: ['Overdue', "It's past its deadline and isn't finished. Triggers once per deadline."],
	priorityChanged: ['Priority Changed', 'The priority changed'],
	stageChanged: ['Stage Changed', 'The instance moved to another stage'],
	stepAssignmentsChanged: ['Step Assignments Changed', 'Users were assigned to steps or removed'],
	tagsChanged: ['Tags Changed', 'Tags were added or removed'],
} satisfies Record<string, [label: string, description: string]>;

export type EventName = keyof typeof EVENT_OPTIONS;

export const EVENT_NAMES = Object.keys(EVENT_OPTIONS).filter((name): name is EventName =>
	Object.hasOwn(EVENT_OPTIONS, name),
);

const emitFirst: INodeProperties = {
	displayName: 'Include Already Finished or Overdue',
	name: 'emitFirst',
	type: 'boolean',
	default: true,
	description:
		'Whether to also start the workflow for instances that are already completed, aborted or overdue at the first check',
};

const keepFinished: INodeProperties = {
	displayName: 'Keep Watching Finished Instances',
	name: 'keepFinished',
	type: 'boolean',
	default: true,
	description:
		'Whether to keep checking instances after they are completed or aborted, in case they are reopened',
};

const events: INodeProperties = {
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
	hint: `Only what happens after the first check counts, unless ${emitFirst.displayName} is on.`,
	description: 'The events that start the workflow',
};

export const triggerProperties: INodeProperties[] = [
	instanceIds,
	events,
	...outputForm,
	optionsForm([emitFirst, keepFinished]),
];

/** @throws UserFacingError naming the label of a parameter that can't be used */
export function readSettings({ parameters }: PollRun, baseUrl: string) {
	const { ids: listed, areTyped } = readIdList(instanceIds, parameters, baseUrl);
	const ids = [...new Set(listed)];
	if (ids.length > MOST_IDS) {
		throw new UserFacingError(
			`'${instanceIds.displayName}' contains ${ids.length} instances, but one trigger can watch ${MOST_IDS} at most`,
			`Enter ${MOST_IDS} IDs at most, and watch the rest with another trigger.`,
		);
	}
	const chosen = parameters.get(events) ?? [];
	const [event, ...others] = chosenOptions(chosen, events.displayName, EVENT_NAMES);
	if (event === undefined) {
		throw new UserFacingError(`'${events.displayName}' is empty`, 'Choose at least one event.');
	}
	const options = optionsOf(parameters);
	return {
		/** Each once; none when an expression returns an empty list. */
		ids,
		/** Whether the user typed the IDs in, so that one that doesn't exist is a typo. */
		areTyped,
		events: [event, ...others] as const,
		emitFirst: switchOption(options, emitFirst),
		keepFinished: switchOption(options, keepFinished),
		output: outputChoice(parameters),
	};
}

/** What the user wants to be emitted, and how. */
export type Settings = ReturnType<typeof readSettings>;
