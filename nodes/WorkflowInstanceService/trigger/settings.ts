import { type INodeProperties, isExpression } from 'n8n-workflow';

import { idListForm, readIdList } from '../instance/idParameters';
import { outputChoice, outputForm } from '../instance/output';
import {
	chosenOptions,
	optionsForm,
	optionsOf,
	type ItemParameters,
	switchOption,
} from '../n8n/parameters';
import { asUserFacingError, UserFacingError } from '../values/userFacingError';
import { EVENTS } from './events';

/** How many instances one trigger can watch. */
export const MOST_IDS = 500;

export const instanceIds = idListForm({
	hint: `The instances to watch: IDs or URLs, separated by commas, ${MOST_IDS} at most`,
	description:
		'The IDs or URLs of the instances to watch, separated by commas, or an expression that returns a list. Each check reads every instance once.',
	builderHint: {
		propertyHint:
			"Use fixed IDs, or an expression that doesn't refer to other nodes, since no node runs before a trigger.",
	},
});

const emitFirst: INodeProperties = {
	displayName: 'Include Already Finished',
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
	options: EVENTS.map(({ name, label, description }) => ({
		name: label,
		value: name,
		action: `On ${label.endsWith('Changed') ? '' : 'instance '}${label.toLowerCase()}`,
		description,
	})),
	default: ['completed'],
	description: 'The events that start the workflow',
	builderHint: { propertyHint: 'A list, e.g. ["completed", "overdue"]. The key is events.' },
};

const firstCheckNotice: INodeProperties = {
	displayName: `Instances that are already finished or overdue at the first check don't start the workflow, unless you add ${emitFirst.displayName} before you publish.`,
	name: 'firstCheckNotice',
	type: 'notice',
	default: '',
	displayOptions: {
		show: {
			events: EVENTS.filter(({ stateSince, field }) => stateSince && field).map(({ name }) => name),
		},
		hide: { [`/options.${emitFirst.name}`]: [true] },
	},
};

export const triggerProperties: INodeProperties[] = [
	instanceIds,
	events,
	firstCheckNotice,
	...outputForm,
	optionsForm([emitFirst, keepFinished]),
];

const NO_INPUT =
	"No node runs before a trigger, so its expressions can't use $json or other nodes. Have the expression return a list, e.g. {{ [12, 15] }}, or [] if there is nothing to watch.";

function readIds(parameters: ItemParameters, baseUrl: string) {
	try {
		return readIdList(instanceIds, parameters, { baseUrl, isTool: false });
	} catch (cause) {
		const error = asUserFacingError(cause);
		// The usual advice about expressions is about the input.
		const isOnInput = error.builderAdvice && isExpression(parameters.entered(instanceIds));
		throw error.with({ builderAdvice: isOnInput ? NO_INPUT : undefined });
	}
}

/** @throws UserFacingError naming the label of a parameter that can't be used */
export function readSettings(parameters: ItemParameters, baseUrl: string) {
	const { ids: entries, areTyped } = readIds(parameters, baseUrl);
	const ids = [...new Set(entries)];
	if (ids.length > MOST_IDS) {
		throw new UserFacingError(
			`'${instanceIds.displayName}' contains ${ids.length} instances, but one trigger can watch ${MOST_IDS} at most`,
			`Enter ${MOST_IDS} IDs at most, and watch the rest with a trigger in another workflow.`,
		);
	}
	const { displayName } = events;
	const names = EVENTS.map(({ name }) => name);
	const chosen = chosenOptions(parameters.get(events) ?? [], displayName, names);
	if (chosen.length === 0) {
		throw new UserFacingError(`'${displayName}' is empty`, 'Choose at least one event.');
	}
	const options = optionsOf(parameters);
	return {
		baseUrl,
		/** Each once; none when an expression returns an empty list. */
		ids,
		/** Whether the user typed the IDs in, so that one that doesn't exist is a typo. */
		areTyped,
		/** In the order in which the user chose them. */
		events: chosen.flatMap((each) => EVENTS.filter(({ name }) => name === each)),
		emitFirst: switchOption(options, emitFirst),
		keepFinished: switchOption(options, keepFinished),
		output: outputChoice(parameters),
	};
}

export type Settings = ReturnType<typeof readSettings>;
