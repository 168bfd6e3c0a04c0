import type { IDataObject } from 'n8n-workflow';

import { shortHash } from '../values/json';
import { EVENTS, isFinished, type Observation } from './events';
import type { Settings } from './settings';

/** What is stored of an instance (docs/dev/architecture.md#what-a-poll-does). */
export type StoredInstance = IDataObject;

/** Whether an instance is no longer checked, since it was finished. */
export function isNoLongerWatched(stored: StoredInstance | undefined): boolean {
	return stored?.x !== undefined;
}

/** What stays whatever is watched, so that an ID is never given to another event. */
function identityOf(stored: StoredInstance): StoredInstance {
	return Object.fromEntries(Object.entries(stored).filter(([key]) => /^(b|.#)$/.test(key)));
}

/** A time that the response with which an event begins to be watched leaves out counts as not set. */
const LEFT_OUT = { completed_time: null, aborted_time: null, deadline: null };

/**
 * Compares an observation with what is stored of the instance, if anything. If what comes of it is lost, the
 * next poll returns the same events, since nothing from a later response is part of their IDs.
 */
export function detectEvents(
	stored: StoredInstance | undefined,
	observation: Observation,
	{ events, emitFirst, keepFinished }: Pick<Settings, 'events' | 'emitFirst' | 'keepFinished'>,
) {
	const { id, instance } = observation;
	const isBegun = stored !== undefined && !isNoLongerWatched(stored);
	const known = isBegun ? stored : { b: Math.round(observation.at / 1000) };
	const next = identityOf(known);
	const atFirst = { ...observation, instance: instance && { ...LEFT_OUT, ...instance } };
	const triggerEvents = events.flatMap((event) => {
		const { letter, compare } = EVENTS[event];
		const before = { last: known[letter], count: Number(known[`${letter}#`] ?? 0) };
		const isFirst = before.last === undefined;
		const outcome = compare(before, isFirst ? atFirst : observation, known.b);
		const { last, count, identity, changes = {} } = outcome;
		next[letter] = last;
		if (count > 0) next[`${letter}#`] = count;
		// What an instance already is, is emitted for a new instance, not for an event that the user adds later.
		if (!identity || (isFirst && !(emitFirst && stored === undefined))) return [];
		return [{ event, eventId: `${id}-${event}-${shortHash([id, event, ...identity])}`, changes }];
	});
	return { stored: isFinished(observation) && !keepFinished ? { x: 1 } : next, triggerEvents };
}

/** A sample event. With a real event's ID, a node that removes duplicates would later drop the real one. */
export function sampleOf(observation: Observation, events: Settings['events']) {
	const event = events.find((each) => EVENTS[each].isNow?.(observation)) ?? events[0];
	const changes = EVENTS[event].exampleOf(observation);
	return { sample: true, event, eventId: `${observation.id}-${event}-sample`, changes };
}
