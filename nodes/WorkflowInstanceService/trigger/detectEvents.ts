import type { IDataObject } from 'n8n-workflow';

import { shortHash } from '../values/json';
import { EVENTS, isFinished, type Observation, seconds } from './events';
import type { Settings } from './settings';

/** What is stored of an instance (docs/dev/architecture.md#what-a-poll-does); nothing for what is undefined. */
export type Entry = IDataObject;

/** Whether an instance is no longer checked, since it was finished. */
export function isNoLongerWatched(entry: Entry | undefined): boolean {
	return entry?.x !== undefined;
}

/** The last update before the changes of an instance were watched for, in seconds. It is never set later. */
function baseOf(known: Entry, { instance }: Observation, events: Settings['events']) {
	const changes = events.map((event) => EVENTS[event]).filter(({ isNow }) => isNow === undefined);
	const isWatched = changes.some(({ letter }) => known[letter] !== undefined);
	if (isWatched || changes.length === 0) return known.b;
	const updated = seconds(instance?.last_updated_time);
	return updated && Math.floor(updated);
}

/** A time that the response with which an event begins to be watched leaves out counts as not set. */
const LEFT_OUT = { completed_time: null, aborted_time: null, deadline: null };

/**
 * Compares what a poll saw of an instance with what is stored, if anything. That changes only with an event,
 * or at first sight: so if the outcome of a poll is lost, the next one emits the same. At first sight,
 * something has to be stored that is not emitted.
 */
export function detectEvents(
	entry: Entry | undefined,
	observation: Observation,
	{ events, emitFirst, keepFinished }: Pick<Settings, 'events' | 'emitFirst' | 'keepFinished'>,
) {
	const { id, instance } = observation;
	const known = entry ?? {};
	const base = baseOf(known, observation, events);
	const seenFirst = { ...observation, instance: instance && { ...LEFT_OUT, ...instance } };
	const detected = events.map((event) => {
		const { letter, compare } = EVENTS[event];
		const memory = { last: known[letter], past: known[`${letter}#`] };
		const isFirst = memory.last === undefined;
		const outcome = compare(memory, isFirst ? seenFirst : observation, base);
		const { last, past, identity, changes = {} } = outcome;
		const stored = { [letter]: last, [`${letter}#`]: past };
		// What an instance already is, is emitted for a new instance, not for an event that the user adds later.
		const isEmitted = identity && (!isFirst || (emitFirst && entry === undefined));
		if (!isEmitted) return { stored, emitted: [], isFirstSight: outcome !== memory };
		const eventId = `${id}-${event}-${shortHash([id, event, ...identity])}`;
		return { stored, emitted: [{ event, eventId, changes }], isFirstSight: false };
	});
	const isDropped = !keepFinished && isFinished(observation);
	const next = detected.reduce<Entry>((all, { stored }) => ({ ...all, ...stored }), { b: base });
	return {
		entry: isDropped ? { x: 1 } : next,
		triggerEvents: detected.flatMap(({ emitted }) => emitted),
		isFirstSight: detected.some(({ isFirstSight }) => isFirstSight),
	};
}

/** A sample event. With a real event's ID, a node that removes duplicates would later drop the real one. */
export function sampleOf(observation: Observation, events: Settings['events']) {
	const event = events.find((each) => EVENTS[each].isNow?.(observation)) ?? events[0];
	const changes = EVENTS[event].exampleOf(observation);
	return { sample: true, event, eventId: `${observation.id}-${event}-sample`, changes };
}
