import { outputChoice } from '../instance/output';
import { chosenOption, optionsOf, switchOption } from '../n8n/parameters';
import type { PollRun } from '../n8n/pollRun';
import { assertUnambiguous, parseIdList } from '../values/ids';
import { UserFacingError } from '../values/userFacingError';
import { emitFirst, events, instanceIds, keepFinished, MOST_IDS } from './description';
import { EVENT_NAMES, type EventName } from './events';

function chosenIds(value: unknown, areTyped: boolean): number[] {
	const { displayName: label } = instanceIds;
	if (!areTyped) assertUnambiguous(value, `'${label}'`);
	const ids = [...new Set(parseIdList(value, `'${label}'`))];
	if (ids.length > MOST_IDS) {
		throw new UserFacingError(
			`'${label}' contains ${ids.length} instances, but one trigger can watch ${MOST_IDS} at most`,
			`Enter ${MOST_IDS} IDs at most, and watch the rest with another trigger.`,
		);
	}
	if (ids.length === 0 && areTyped) {
		throw new UserFacingError(
			`'${label}' is empty`,
			'Enter the IDs of the instances to watch, e.g. 12, 15, or an expression that returns them.',
		);
	}
	return ids;
}

function chosenEvents(value: unknown): readonly [EventName, ...EventName[]] {
	const chosen: unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
	const nameOf = (each: unknown) => chosenOption(each, events.displayName, EVENT_NAMES);
	const [first = nameOf(undefined), ...others] = new Set(chosen.map(nameOf));
	return [first, ...others];
}

/** @throws UserFacingError naming the label of a parameter that can't be used */
export function readSettings({ parameters }: PollRun) {
	const options = optionsOf(parameters);
	const areTyped = !String(parameters.entered(instanceIds)).startsWith('=');
	return {
		/** Each once; none when an expression gives an empty list. */
		ids: chosenIds(parameters.get(instanceIds), areTyped),
		/** Whether the user typed the IDs in, so that one that doesn't exist is a slip. */
		areTyped,
		events: chosenEvents(parameters.get(events)),
		emitFirst: switchOption(options, emitFirst),
		keepFinished: switchOption(options, keepFinished),
		output: outputChoice(parameters),
	};
}

/** What the user wants to be emitted, and how. */
export type Settings = ReturnType<typeof readSettings>;
