import type { RequestLimits } from '../api/apiRequest';
import { type OutputChoice, outputChoice } from '../instance/output';
import {
	chosenOption,
	optionsOf,
	type Parameters,
	requestLimits,
	switchOption,
} from '../n8n/parameters';
import { parseIdList } from '../values/ids';
import { UserFacingError } from '../values/userFacingError';
import { emitFirst, events, instanceIds, keepFinished, MOST_IDS } from './description';
import { EVENT_NAMES } from './events';
import type { ChosenEvents, WatchSettings } from './detectEvents';

/** What the user wants to be emitted, and how. */
export interface Settings extends WatchSettings {
	/** Each once; none when an expression gives an empty list. */
	ids: number[];
	/** Whether the user typed the IDs in, so that one that doesn't exist is a slip. */
	areTyped: boolean;
	output: OutputChoice;
	limits: RequestLimits;
}

function areTyped(parameters: Parameters): boolean {
	return !String(parameters.entered(instanceIds)).startsWith('=');
}

function chosenIds(parameters: Parameters): number[] {
	const { displayName: label } = instanceIds;
	const ids = [...new Set(parseIdList(parameters.get(instanceIds), `'${label}'`))];
	if (ids.length > MOST_IDS) {
		throw new UserFacingError(
			`'${label}' contains ${ids.length} instances, but one trigger can watch ${MOST_IDS} at most`,
			`Enter ${MOST_IDS} IDs at most, and watch the rest with another trigger.`,
		);
	}
	if (ids.length === 0 && areTyped(parameters)) {
		throw new UserFacingError(
			`'${label}' is empty`,
			'Enter the IDs of the instances to watch, e.g. 12, 15, or an expression that returns them.',
		);
	}
	return ids;
}

function chosenEvents(parameters: Parameters): ChosenEvents {
	const value = parameters.get(events);
	const chosen: unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
	const nameOf = (each: unknown) => chosenOption(each, events.displayName, EVENT_NAMES);
	const [first = nameOf(undefined), ...others] = new Set(chosen.map(nameOf));
	return [first, ...others];
}

/**
 * Reads the parameters of the trigger.
 *
 * @throws UserFacingError naming the label of one that cannot be used
 */
export function readSettings(parameters: Parameters): Settings {
	const options = optionsOf(parameters);
	return {
		ids: chosenIds(parameters),
		areTyped: areTyped(parameters),
		events: chosenEvents(parameters),
		emitFirst: switchOption(options, emitFirst),
		keepFinished: switchOption(options, keepFinished),
		output: outputChoice(parameters),
		limits: requestLimits(parameters),
	};
}
